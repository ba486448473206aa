"""The chunks around those that a search found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.documents import Extract, ExtractChunk, format_chunk_id
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from asyncpg import Record

    from verifier.core.documents import SearchHit
    from verifier.store.pool import Connection

# Ordinals that follow on one another less their row numbers are one number: that of their stretch.
LIST_EXTRACTS: Final[LiteralString] = """
    WITH wanted AS (
           SELECT w.place, w.ordinal, v.version_id
             FROM unnest($1::text[], $2::integer[], $3::integer[])
                  WITH ORDINALITY AS w (key, seq, ordinal, place)
             JOIN source s ON s.tenant_id = current_tenant() AND s.key = w.key
             JOIN document_version v
               ON v.tenant_id = current_tenant() AND v.source_id = s.source_id AND v.seq = w.seq
         ),
         around AS (
           SELECT c.version_id, c.ordinal, c.start_at, c.end_at, min(w.place) AS place
             FROM wanted w
             JOIN chunk c
               ON c.tenant_id = current_tenant() AND c.version_id = w.version_id
              AND c.ordinal BETWEEN w.ordinal - $4 AND w.ordinal + $4
            GROUP BY c.version_id, c.ordinal, c.start_at, c.end_at
         ),
         numbered AS (
           SELECT a.*, a.ordinal - row_number() OVER (PARTITION BY a.version_id ORDER BY a.ordinal)
                       AS stretch
             FROM around a
         ),
         extract AS (
           SELECT n.version_id, min(n.place) AS place, min(n.start_at) AS start_at,
                  max(n.end_at) AS end_at, array_agg(n.ordinal ORDER BY n.ordinal) AS ordinals,
                  array_agg(n.start_at ORDER BY n.ordinal) AS starts,
                  array_agg(n.end_at ORDER BY n.ordinal) AS ends
             FROM numbered n
            GROUP BY n.version_id, n.stretch
         )
    SELECT s.key, v.seq, e.start_at, e.ordinals, e.starts, e.ends,
           substring(v.text, e.start_at + 1, e.end_at - e.start_at) AS text
      FROM extract e
      JOIN document_version v ON v.tenant_id = current_tenant() AND v.version_id = e.version_id
      JOIN source s ON s.tenant_id = current_tenant() AND s.source_id = v.source_id
     ORDER BY e.place
"""


async def list_extracts(
    connection: Connection, hits: Sequence[SearchHit], neighbours: int
) -> tuple[Extract, ...]:
    """Return the hits with so many chunks before and after each, in the order of the best hit in each."""
    rows = await connection.fetch(
        LIST_EXTRACTS,
        [hit.source for hit in hits],
        [hit.seq for hit in hits],
        [hit.ordinal for hit in hits],
        neighbours,
    )
    found = [hit.chunk_id for hit in hits]
    return tuple(_extract(row, found) for row in rows)


def _extract(row: Record, found: Sequence[str]) -> Extract:
    chunks = tuple(
        ExtractChunk(
            chunk_id=format_chunk_id(row["key"], row["seq"], ordinal),
            ordinal=ordinal,
            span=Span(start, end),
        )
        for ordinal, start, end in zip(row["ordinals"], row["starts"], row["ends"], strict=True)
    )
    there = {chunk.chunk_id for chunk in chunks}
    return Extract(
        source=row["key"],
        seq=row["seq"],
        span=Span(row["start_at"], row["start_at"] + len(row["text"])),
        text=row["text"],
        chunks=chunks,
        hits=tuple(chunk_id for chunk_id in found if chunk_id in there),
    )
