"""Passages, the chunks that consist of them, and their vectors in one embedding space.

A passage is written before its vector, a vector before its version is published. `live` marks the
vectors that drafts and current versions use; only those are in the index that searches walk.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.documents import InputHash
from verifier.store.binary_copy import encode_vector_rows
from verifier.store.spaces import space_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from verifier.core.documents import ChunkDraft
    from verifier.store.pool import Connection
    from verifier.store.spaces import SpaceId

SHARE_LIVENESS: Final[LiteralString] = """
    SELECT pg_advisory_xact_lock_shared(hashtextextended('verifier.live/' || current_tenant(), 0))
"""
LOCK_LIVENESS: Final[LiteralString] = """
    SELECT pg_advisory_xact_lock(hashtextextended('verifier.live/' || current_tenant(), 0))
"""


async def share_liveness(conn: Connection) -> None:
    """Keep sweeps out till the transaction ends: whoever adds chunks must, after locking the source."""
    await conn.execute(SHARE_LIVENESS)


CHUNKS_AT_A_TIME: Final = 5_000
BULK_TIMEOUT_S: Final = 600.0
"""How long the driver waits for a statement that writes thousands of rows: an index takes a while."""

CHUNK_COLUMNS: Final = (
    "version_id",
    "ordinal",
    "start_at",
    "end_at",
    "input_hash",
    "heading_path",
    "page",
    "table_number",
    "first_row",
    "last_row",
    "input",
)
BEGIN_CHUNKS: Final[LiteralString] = """
    SET LOCAL work_mem = '64MB';

    CREATE TEMPORARY TABLE added_chunk (
        version_id bigint, ordinal integer, start_at integer, end_at integer, input_hash bytea,
        heading_path text[], page integer, table_number integer, first_row integer, last_row integer,
        input text
    ) ON COMMIT DROP
"""
# What stands is left out before it is inserted, since its text-search column would be computed for nothing.
# In one order, so that writers don't deadlock.
END_CHUNKS: Final[LiteralString] = """
    INSERT INTO passage (tenant_id, input_hash, input)
    SELECT DISTINCT ON (a.input_hash) current_tenant(), a.input_hash, a.input
      FROM added_chunk a
     WHERE NOT EXISTS (SELECT
                         FROM passage p
                        WHERE p.tenant_id = current_tenant() AND p.input_hash = a.input_hash)
     ORDER BY a.input_hash
        ON CONFLICT DO NOTHING;

    INSERT INTO chunk (tenant_id, version_id, ordinal, start_at, end_at, input_hash, heading_path,
           page, table_number, first_row, last_row)
    SELECT current_tenant(), version_id, ordinal, start_at, end_at, input_hash, heading_path,
           page, table_number, first_row, last_row
      FROM added_chunk;

    DROP TABLE added_chunk;
"""


async def add_chunks(conn: Connection, chunks: Mapping[int, Sequence[ChunkDraft]]) -> None:
    """Record the chunks of each version, by its id, and what they embed, each input once.

    By COPY into a temporary table, since Postgres copies into none with row-level security; some thousand
    at a time, so that no statement of a large document takes long.
    """
    added = [(version_id, chunk) for version_id, those in chunks.items() for chunk in those]
    added.sort(key=lambda one: one[1].input_hash)
    for start in range(0, len(added), CHUNKS_AT_A_TIME):
        part = added[start : start + CHUNKS_AT_A_TIME]
        await conn.execute(BEGIN_CHUNKS)
        await conn.copy_records_to_table(
            "added_chunk", columns=CHUNK_COLUMNS, records=(_chunk_row(*one) for one in part)
        )
        await conn.execute(END_CHUNKS, timeout=BULK_TIMEOUT_S)


def _chunk_row(version_id: int, chunk: ChunkDraft) -> tuple[object, ...]:
    return (
        version_id,
        chunk.ordinal,
        chunk.span.start,
        chunk.span.end,
        chunk.input_hash,
        chunk.heading_path,
        chunk.page,
        *((None,) * 3 if chunk.rows is None else astuple(chunk.rows)),
        chunk.embedded_input,
    )


COUNT_CHUNKS: Final[LiteralString] = """
    SELECT version_id, count(*) AS chunks
      FROM chunk
     WHERE tenant_id = current_tenant() AND version_id = ANY ($1::bigint[])
     GROUP BY version_id
"""


async def count_chunks(conn: Connection, version_ids: Sequence[int]) -> Mapping[int, int]:
    """Return how many chunks each of the versions has."""
    rows = await conn.fetch(COUNT_CHUNKS, list(version_ids))
    return {row["version_id"]: row["chunks"] for row in rows}


def _list_unembedded(space_id: SpaceId) -> str:
    return f"""
    SELECT c.version_id, min(c.ordinal) AS ordinal, c.input_hash
      FROM chunk c
     WHERE c.tenant_id = current_tenant()
       AND c.version_id = ANY ($1::bigint[])
       AND NOT EXISTS (SELECT
                         FROM {space_table(space_id)} e
                        WHERE e.tenant_id = c.tenant_id AND e.input_hash = c.input_hash)
     GROUP BY c.version_id, c.input_hash
     ORDER BY c.version_id, 2
"""  # noqa: S608 - the identifier comes from space_table


async def list_unembedded(
    conn: Connection, space_id: SpaceId, version_ids: Sequence[int]
) -> Mapping[int, Mapping[InputHash, int]]:
    """Return, by version, the inputs without a vector in the space and the first chunk of each."""
    missing: dict[int, dict[InputHash, int]] = {}
    for row in await conn.fetch(_list_unembedded(space_id), list(version_ids)):
        missing.setdefault(row["version_id"], {})[InputHash(row["input_hash"])] = row["ordinal"]
    return missing


GET_INPUTS: Final[LiteralString] = """
    SELECT input_hash, input
      FROM passage
     WHERE tenant_id = current_tenant() AND input_hash = ANY ($1::bytea[])
"""


async def get_inputs(conn: Connection, hashes: Sequence[InputHash]) -> Mapping[InputHash, str]:
    """Return the text that is embedded for each of the hashes."""
    rows = await conn.fetch(GET_INPUTS, list(hashes))
    return {InputHash(row["input_hash"]): row["input"] for row in rows}


BEGIN_EMBEDDINGS: Final[LiteralString] = """
    SET LOCAL work_mem = '64MB';

    CREATE TEMPORARY TABLE added_embedding (input_hash bytea, vec halfvec) ON COMMIT DROP
"""


def _end_embeddings(space_id: SpaceId) -> str:
    return f"""
    INSERT INTO {space_table(space_id)} (tenant_id, input_hash, live, vec)
    SELECT current_tenant(), a.input_hash, true, a.vec
      FROM added_embedding a
     WHERE EXISTS (SELECT
                     FROM passage p
                    WHERE p.tenant_id = current_tenant() AND p.input_hash = a.input_hash)
     ORDER BY a.input_hash
        ON CONFLICT DO NOTHING;

    DROP TABLE added_embedding;
"""  # noqa: S608 - the identifier comes from space_table


async def add_embeddings(
    conn: Connection, space_id: SpaceId, hashes: Sequence[InputHash], vectors: NDArray[np.float32]
) -> None:
    """Record live vectors, a row of the matrix for each hash; one that stands is kept.

    What has no passage is passed over: it was erased meanwhile. In one order, so that writers don't
    deadlock.
    """
    await share_liveness(conn)
    await conn.execute(BEGIN_EMBEDDINGS)
    await conn.copy_to_table(
        "added_embedding", source=encode_vector_rows(hashes, vectors), format="binary"
    )
    await conn.execute(_end_embeddings(space_id), timeout=BULK_TIMEOUT_S)


def _mark_live(space_id: SpaceId) -> str:
    return f"""
    WITH dormant AS (
           SELECT e.input_hash
             FROM {space_table(space_id)} e
            WHERE e.tenant_id = current_tenant()
              AND NOT e.live
              AND e.input_hash IN (SELECT c.input_hash
                                     FROM chunk c
                                    WHERE c.tenant_id = current_tenant() AND c.version_id = $1)
            ORDER BY e.input_hash
              FOR NO KEY UPDATE)
    UPDATE {space_table(space_id)} e
       SET live = true
      FROM dormant
     WHERE e.tenant_id = current_tenant() AND e.input_hash = dormant.input_hash
"""  # noqa: S608 - the identifier comes from space_table


async def mark_live(conn: Connection, space_id: SpaceId, version_id: int) -> None:
    """Put the version's vectors into the index of live ones."""
    await conn.execute(_mark_live(space_id), version_id, timeout=BULK_TIMEOUT_S)


def _sweep_embeddings(space_id: SpaceId) -> str:
    return f"""
    WITH unused AS (
           SELECT e.input_hash
             FROM {space_table(space_id)} e
            WHERE e.tenant_id = current_tenant()
              AND e.live
              AND e.input_hash IN (SELECT c.input_hash
                                     FROM chunk c
                                    WHERE c.tenant_id = current_tenant() AND c.version_id = $1)
              AND NOT EXISTS (SELECT
                                FROM chunk c
                                     JOIN document_version v USING (tenant_id, version_id)
                               WHERE c.tenant_id = e.tenant_id AND c.input_hash = e.input_hash
                                 AND v.state IN ('draft', 'current'))
            ORDER BY e.input_hash
              FOR NO KEY UPDATE)
    UPDATE {space_table(space_id)} e
       SET live = false
      FROM unused
     WHERE e.tenant_id = current_tenant() AND e.input_hash = unused.input_hash
"""  # noqa: S608 - the identifier comes from space_table


async def sweep_embeddings(conn: Connection, space_id: SpaceId, version_id: int) -> None:
    """Take those vectors of a version that ended out of the live index that nothing else needs.

    Waits for every transaction that is adding chunks (`share_liveness`), else one of those could
    count on a vector that is swept under it.
    """
    await conn.execute(LOCK_LIVENESS)
    await conn.execute(_sweep_embeddings(space_id), version_id, timeout=BULK_TIMEOUT_S)


REMOVE_CURRENT_CHUNKS: Final[LiteralString] = """
    DELETE FROM current_chunk WHERE tenant_id = current_tenant() AND source_id = $1
"""


async def remove_current_chunks(conn: Connection, source_id: int) -> None:
    """Take everything of the source out of the reach of searches."""
    await conn.execute(REMOVE_CURRENT_CHUNKS, source_id, timeout=BULK_TIMEOUT_S)


ADD_CURRENT_CHUNKS: Final[LiteralString] = """
    INSERT INTO current_chunk
           (tenant_id, source_id, ordinal, version_id, input_hash, permission, authority, review_until)
    SELECT c.tenant_id, s.source_id, c.ordinal, c.version_id, c.input_hash, s.permission, s.authority,
           v.review_until
      FROM chunk c
           JOIN document_version v USING (tenant_id, version_id)
           JOIN source s USING (tenant_id, source_id)
     WHERE c.tenant_id = current_tenant() AND c.version_id = $1
"""


async def add_current_chunks(conn: Connection, version_id: int) -> None:
    """Offer the version's chunks to searches, with the labels that its source has now."""
    await conn.execute(ADD_CURRENT_CHUNKS, version_id, timeout=BULK_TIMEOUT_S)
