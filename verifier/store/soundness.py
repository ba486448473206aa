"""Whether what is stored fits together: passages, chunks, current chunks and publications of a tenant."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.checks import Check, CheckState, all_well
from verifier.core.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from asyncpg import Record

    from verifier.store.pool import Connection

SAMPLED_PASSAGES: Final = 2_000
SAMPLED_CHUNKS: Final = 300
NAMED: Final = 5
"""How many sources a check names; the rest is counted."""

FIX: Final = "verifier doctor --fix"
AGAIN: Final = "withdraw these sources and ingest their texts again"


FIND_SEARCH_EXPRESSION: Final[LiteralString] = """
    SELECT pg_get_expr(d.adbin, d.adrelid)
      FROM pg_attrdef d
      JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
     WHERE a.attrelid = 'passage'::regclass AND a.attname = 'search' AND a.attgenerated = 's'
"""


def _sample_passages(wrong: str) -> str:
    return f"""
    WITH sampled AS MATERIALIZED (
           SELECT * FROM (SELECT *
                            FROM passage
                           WHERE tenant_id = current_tenant() AND input_hash >= $1
                           ORDER BY input_hash
                           LIMIT $2) AS above
            UNION ALL
           SELECT * FROM (SELECT *
                            FROM passage
                           WHERE tenant_id = current_tenant() AND input_hash < $1
                           ORDER BY input_hash
                           LIMIT $2) AS below)
    SELECT count(*) AS sampled, count(*) FILTER (WHERE {wrong}) AS wrong FROM sampled
"""  # noqa: S608 - the condition is a constant, or the expression of the column itself


async def check_search_column(conn: Connection) -> Check:
    """Check in a sample that the text-search column is what its text makes.

    It drifts where a text-search configuration changes after a passage was written.
    """
    name = "text search"
    made = await conn.fetchval(FIND_SEARCH_EXPRESSION)
    if made is None:
        return Check(
            name=name,
            state=CheckState.FAILED,
            detail="the column passage.search no longer follows the text: its expression was dropped",
            remedy="restore the schema of the table from a backup",
        )
    row = await _sample(conn, f"search IS DISTINCT FROM ({made})")
    sample = f"in a sample of {row['sampled']:,} passages"
    if not row["wrong"]:
        return all_well(name, f"the column is that of the text, {sample}")
    return Check(
        name=name,
        state=CheckState.FAILED,
        detail=f"the column is not what the text makes now for {row['wrong']:,} {sample}",
        remedy=FIX,
        found=row["wrong"],
    )


async def check_texts(conn: Connection) -> Check:
    """Check in a sample that the text of passages is what their hash was taken of."""
    name = "passages"
    row = await _sample(conn, "input_hash <> sha256(convert_to(input, 'UTF8'))")
    if not row["wrong"]:
        return all_well(name, f"texts fit their hashes, in a sample of {row['sampled']:,}")
    return Check(
        name=name,
        state=CheckState.FAILED,
        detail=f"{row['wrong']:,} of {row['sampled']:,} sampled texts were altered after embedding",
        remedy="restore passage.input from a backup: only the text itself gives its hash",
        found=row["wrong"],
    )


async def _sample(conn: Connection, wrong: str) -> Record:
    """Return how many of passages taken at random there are, and of how many `wrong` holds."""
    row: Record = await conn.fetchrow(_sample_passages(wrong), os.urandom(32), SAMPLED_PASSAGES)
    return row


SAMPLE_CHUNKS: Final[LiteralString] = """
    WITH sampled AS MATERIALIZED (
           SELECT c.version_id, c.ordinal, c.start_at, c.end_at, p.input
             FROM passage p
             JOIN chunk c USING (tenant_id, input_hash)
             JOIN document_version v USING (tenant_id, version_id)
            WHERE p.tenant_id = current_tenant()
              AND p.input_hash >= $1
              AND v.state IN ('draft', 'current', 'superseded', 'withdrawn')
            ORDER BY p.input_hash
            LIMIT $2)
    SELECT s.key, v.seq, sampled.end_at <= length(v.text) AS lies_inside, sampled.input,
           substring(v.text, sampled.start_at + 1, sampled.end_at - sampled.start_at) AS text
      FROM sampled
      JOIN document_version v ON v.tenant_id = current_tenant() AND v.version_id = sampled.version_id
      JOIN source s ON s.tenant_id = current_tenant() AND s.source_id = v.source_id
"""


async def check_chunks(conn: Connection) -> Check:
    """Check in a sample that chunks lie inside their texts, and that what was embedded ends with them."""
    name = "chunks"
    start = os.urandom(32)
    rows = await conn.fetch(SAMPLE_CHUNKS, start, SAMPLED_CHUNKS)
    if len(rows) < SAMPLED_CHUNKS:
        rows = await conn.fetch(SAMPLE_CHUNKS, b"", SAMPLED_CHUNKS)
    wrong = [row for row in rows if not _is_embedded_text(row)]
    if not wrong:
        return all_well(name, f"texts are what was embedded, in a sample of {len(rows):,}")
    keys = sorted({f"{row['key']}@{row['seq']}" for row in wrong})
    return Check(
        name=name,
        state=CheckState.FAILED,
        detail=(
            f"{len(wrong):,} of {len(rows):,} sampled chunks are not the text that was embedded, of "
            f"{_name(keys)}"
        ),
        remedy=AGAIN,
        found=len(wrong),
    )


def _is_embedded_text(row: Record) -> bool:
    embedded: str = row["input"]
    text: str = row["text"]
    forms = (text, clean_text(text))
    return bool(row["lies_inside"]) and (
        embedded in forms or embedded.endswith(tuple(f"\n\n{form}" for form in forms))
    )


LIST_UNLIKE_CURRENT: Final[LiteralString] = """
    WITH expected AS (
           SELECT v.source_id, c.ordinal, c.version_id, c.input_hash, s.permission, s.authority,
                  v.review_until
             FROM document_version v
             JOIN chunk c USING (tenant_id, version_id)
             JOIN source s USING (tenant_id, source_id)
            WHERE v.tenant_id = current_tenant() AND v.state = 'current'),
         standing AS (
           SELECT n.source_id, n.ordinal, n.version_id, n.input_hash, n.permission, n.authority,
                  n.review_until
             FROM current_chunk n
            WHERE n.tenant_id = current_tenant())
    SELECT s.key
      FROM source s
     WHERE s.tenant_id = current_tenant()
       AND s.source_id IN (SELECT coalesce(e.source_id, n.source_id)
                             FROM expected e
                             FULL JOIN standing n ON n.source_id = e.source_id AND n.ordinal = e.ordinal
                            WHERE (e.version_id, e.input_hash, e.permission, e.authority, e.review_until)
                                  IS DISTINCT FROM
                                  (n.version_id, n.input_hash, n.permission, n.authority, n.review_until))
     ORDER BY s.key
"""


async def list_unlike_current(conn: Connection) -> tuple[str, ...]:
    """Return the keys of sources whose current chunks are not those of the current version."""
    return tuple(row["key"] for row in await conn.fetch(LIST_UNLIKE_CURRENT))


async def check_current_chunks(conn: Connection) -> Check:
    """Check that searches are offered the chunks of the current versions, all and no others."""
    name = "current chunks"
    keys = await list_unlike_current(conn)
    if not keys:
        return all_well(name, "they are those of the current versions")
    return Check(
        name=name,
        state=CheckState.FAILED,
        detail=f"they are not those of the current version of {_name(keys)}",
        remedy=FIX,
        found=len(keys),
    )


LIST_ODD_PUBLICATIONS: Final[LiteralString] = """
    SELECT s.key
      FROM source s
     WHERE s.tenant_id = current_tenant()
       AND (s.next_validity IS NULL OR s.next_validity > now())
       AND (SELECT v.version_id
              FROM document_version v
             WHERE v.tenant_id = s.tenant_id AND v.source_id = s.source_id AND v.state = 'current')
           IS DISTINCT FROM
           (SELECT min(p.version_id)
              FROM publication p
             WHERE p.tenant_id = s.tenant_id AND p.source_id = s.source_id AND p.basis_to IS NULL
               AND p.valid_from <= clock_timestamp()
               AND (p.valid_to IS NULL OR p.valid_to > clock_timestamp()))
     ORDER BY s.key
"""


async def check_publications(conn: Connection) -> Check:
    """Check that the version which holds now by `publication` is the one that answers, and that one holds."""
    name = "publications"
    keys = [row["key"] for row in await conn.fetch(LIST_ODD_PUBLICATIONS)]
    if not keys:
        return all_well(name, "they tell of the versions that answer")
    return Check(
        name=name,
        state=CheckState.FAILED,
        detail=f"what they say holds now is not what answers, of {_name(keys)}",
        remedy=AGAIN,
        found=len(keys),
    )


LIST_OVERLAPPED: Final[LiteralString] = """
    SELECT s.key, array_agg(DISTINCT a.publication_id) AS publications
      FROM publication a
      JOIN publication b ON b.tenant_id = a.tenant_id AND b.source_id = a.source_id
                        AND b.publication_id > a.publication_id
      JOIN source s ON s.tenant_id = a.tenant_id AND s.source_id = a.source_id
     WHERE a.tenant_id = current_tenant()
       AND a.basis_to IS NULL
       AND b.basis_to IS NULL
       AND a.valid_from < coalesce(a.valid_to, 'infinity')
       AND b.valid_from < coalesce(b.valid_to, 'infinity')
       AND a.valid_from < coalesce(b.valid_to, 'infinity')
       AND b.valid_from < coalesce(a.valid_to, 'infinity')
     GROUP BY s.key
     ORDER BY s.key
"""


async def list_overlapped(conn: Connection) -> Mapping[str, tuple[int, ...]]:
    """Return, by source, the open publications whose period a newer one covers in part."""
    rows = await conn.fetch(LIST_OVERLAPPED)
    return {row["key"]: tuple(row["publications"]) for row in rows}


async def check_overlaps(conn: Connection) -> Check:
    """Check that no two versions of a source are known to hold at one moment."""
    name = "periods"
    overlapped = await list_overlapped(conn)
    if not overlapped:
        return all_well(name, "one version of a source holds at a time")
    return Check(
        name=name,
        state=CheckState.FAILED,
        detail=f"several versions hold at one moment, of {_name(list(overlapped))}",
        remedy=FIX,
        found=len(overlapped),
    )


def _name(keys: tuple[str, ...] | list[str]) -> str:
    named = ", ".join(keys[:NAMED])
    return named if len(keys) <= NAMED else f"{named} and {len(keys) - NAMED:,} more"
