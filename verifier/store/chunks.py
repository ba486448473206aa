"""Chunks by their ids, of any version: what a citation points to, and whether it still stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.documents import Permission, TableRows, VersionState, format_chunk_id
from verifier.core.spans import Span
from verifier.errors import UnknownThing
from verifier.store.storable import is_storable
from verifier.store.tombstones import find_tombstone_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from asyncpg import Record

    from verifier.store.pool import Connection

CHUNK_ID: Final = re.compile(
    r"""
    (?P<source> .+ )      # refund-policy
    @ (?P<seq> [1-9][0-9]{0,8} )        # @3
    \# (?P<ordinal> 0 | [1-9][0-9]{0,8} )   # #0
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChunk:
    """A chunk of some version. `text == version.text[span.start:span.end]`.

    `current_seq` is the version of the source that answers now; None where none does.
    """

    chunk_id: str
    source: str
    seq: int
    ordinal: int
    span: Span
    text: str
    heading_path: tuple[str, ...]
    title: str | None
    url: str | None
    state: VersionState
    permission: Permission
    review_until: datetime | None
    current_seq: int | None
    page: int | None = None
    rows: TableRows | None = None

    @property
    def current(self) -> bool:
        """Whether the chunk belongs to the version that answers now."""
        return self.seq == self.current_seq


FIND_CHUNKS: Final[LiteralString] = """
    SELECT s.key, v.seq, c.ordinal, c.start_at, c.end_at,
           substr(v.text, c.start_at + 1, c.end_at - c.start_at) AS text,
           c.heading_path, c.page, c.table_number, c.first_row, c.last_row,
           s.title, s.url, v.state, s.permission, v.review_until,
           CASE
             WHEN s.next_validity <= now()
             THEN (SELECT n.seq
                     FROM publication p
                          JOIN document_version n USING (tenant_id, version_id)
                    WHERE p.tenant_id = s.tenant_id AND p.source_id = s.source_id
                      AND p.basis_to IS NULL
                      AND p.valid_from <= now() AND (p.valid_to IS NULL OR p.valid_to > now())
                    LIMIT 1)
             ELSE (SELECT n.seq
                     FROM document_version n
                    WHERE n.tenant_id = s.tenant_id AND n.source_id = s.source_id
                      AND n.state = 'current')
           END AS current_seq
      FROM unnest($1::text[], $2::integer[], $3::integer[]) AS wanted (key, seq, ordinal)
           JOIN source s ON s.tenant_id = current_tenant() AND s.key = wanted.key
           JOIN document_version v
             ON v.tenant_id = s.tenant_id AND v.source_id = s.source_id AND v.seq = wanted.seq
           JOIN chunk c
             ON c.tenant_id = v.tenant_id AND c.version_id = v.version_id
            AND c.ordinal = wanted.ordinal
     WHERE v.state NOT IN ('draft', 'failed')
        OR (v.state = 'draft'
            AND EXISTS (SELECT
                          FROM publication p
                         WHERE p.tenant_id = v.tenant_id AND p.version_id = v.version_id
                           AND p.basis_to IS NULL))
"""


async def find_chunks(conn: Connection, chunk_ids: Iterable[str]) -> Mapping[str, StoredChunk]:
    """Return those of `chunk_ids` that exist, in one statement; unpublished drafts never do.

    What is no chunk id (`source@seq#ordinal`) is left out as well.
    """
    wanted = {}
    for chunk_id in chunk_ids:
        match = CHUNK_ID.fullmatch(chunk_id)
        if match is not None and is_storable(chunk_id):
            wanted[chunk_id] = (match["source"], int(match["seq"]), int(match["ordinal"]))
    if not wanted:
        return {}
    keys, seqs, ordinals = (list(column) for column in zip(*wanted.values(), strict=True))
    rows = await conn.fetch(FIND_CHUNKS, keys, seqs, ordinals)
    chunks = [_chunk(row) for row in rows]
    return {chunk.chunk_id: chunk for chunk in chunks}


async def locate_chunk(conn: Connection, chunk_id: str) -> StoredChunk:
    """Return the chunk of that id, of whatever version. Raises UnknownThing, which tells what was erased."""
    found = await find_chunks(conn, (chunk_id,))
    if chunk_id not in found:
        match = CHUNK_ID.fullmatch(chunk_id) if is_storable(chunk_id) else None
        if match and (stone := await find_tombstone_of(conn, match["source"], int(match["seq"]))):
            raise UnknownThing(f"there is no chunk {chunk_id!r} any more: {stone}")
        raise UnknownThing(
            f"there is no chunk {chunk_id!r}; chunk ids read source@seq#ordinal, such as terms@3#0"
        )
    return found[chunk_id]


def _chunk(row: Record) -> StoredChunk:
    return StoredChunk(
        chunk_id=format_chunk_id(row["key"], row["seq"], row["ordinal"]),
        source=row["key"],
        seq=row["seq"],
        ordinal=row["ordinal"],
        span=Span(row["start_at"], row["end_at"]),
        text=row["text"],
        heading_path=tuple(row["heading_path"]),
        title=row["title"],
        url=row["url"],
        state=VersionState(row["state"]),
        permission=Permission(row["permission"]),
        review_until=row["review_until"],
        current_seq=row["current_seq"],
        page=row["page"],
        rows=read_rows(row),
    )


def read_rows(row: Mapping[str, int | None]) -> TableRows | None:
    """Return where in a table a chunk stands, from the row of its record."""
    table, first, last = row["table_number"], row["first_row"], row["last_row"]
    if table is None or first is None or last is None:
        return None
    return TableRows(table=table, first=first, last=last)
