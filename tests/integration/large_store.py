"""A store of many chunks with short random vectors, written by COPY and indexed afterwards."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import asyncpg
import numpy as np
from pgvector import HalfVector

from tests.integration.store_reading import TENANT
from verifier.core.documents import hash_input
from verifier.core.spaces import EmbeddingSpace
from verifier.store.pool import open_pool, tenant_transaction
from verifier.store.search import search_space
from verifier.store.spaces import ensure_space, space_table

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from numpy.typing import NDArray

    from tests.integration.conftest import Database
    from verifier.core.documents import SearchResult
    from verifier.core.search_options import SearchOptions
    from verifier.store.pool import Pool
    from verifier.store.spaces import SpaceId

PER_SOURCE = 100


def random_vectors(count: int, dimension: int, seed: int) -> NDArray[np.float32]:
    vectors = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


async def fill(
    database: Database,
    vectors: NDArray[np.float32],
    *,
    describe: Callable[[int], str] = lambda _source: "{}",
    per_source: int = PER_SOURCE,
) -> SpaceId:
    """Make a source of every `per_source` vectors; `describe` gives the metadata of each, as JSON.

    The index over vectors of the past is left out, and passages: a search by meaning reads neither here.
    """
    hashes = [hash_input(f"{row}") for row in range(len(vectors))]
    sources = range(1, len(vectors) // per_source + 1)
    places = [(row // per_source + 1, row % per_source) for row in range(len(vectors))]
    text = "0123456789" * per_source
    connection = await _connect(database)
    try:
        space = EmbeddingSpace(
            provider="tests", model="random", revision="1", dimension=vectors.shape[1]
        )
        space_id = await ensure_space(connection, space)
        table = space_table(space_id)
        live = await connection.fetchval(
            "SELECT indexdef FROM pg_indexes WHERE indexname = $1", f"{table}_live"
        )
        await connection.execute(f"DROP INDEX {table}_live, {table}_all")
        tables = {
            "source (tenant_id, source_id, key, permission, metadata)": (
                (TENANT, each, f"s{each}", "approved", describe(each)) for each in sources
            ),
            "document_version (tenant_id, version_id, source_id, seq, text, content_hash, state)": (
                (TENANT, each, each, 1, text, hashes[0], "current") for each in sources
            ),
            f"{table} (tenant_id, input_hash, live, vec)": (
                (TENANT, digest, True, vector)
                for digest, vector in zip(hashes, vectors, strict=True)
            ),
            "chunk (tenant_id, version_id, ordinal, start_at, end_at, input_hash)": (
                (TENANT, source, ordinal, ordinal * 10, ordinal * 10 + 10, hashes[row])
                for row, (source, ordinal) in enumerate(places)
            ),
            "current_chunk (tenant_id, source_id, version_id, ordinal, input_hash, permission)": (
                (TENANT, source, source, ordinal, hashes[row], "approved")
                for row, (source, ordinal) in enumerate(places)
            ),
        }
        for name, records in tables.items():
            table_name, columns = name.rstrip(")").split(" (")
            await connection.copy_records_to_table(
                table_name, records=records, columns=columns.split(", ")
            )
        await connection.execute("SET maintenance_work_mem = '512MB'")
        await connection.execute(live)
        await connection.execute("ANALYZE")
    finally:
        await connection.close()
    return space_id


async def _connect(database: Database) -> asyncpg.Connection:
    connection = await asyncpg.connect(database.owner_dsn)
    await connection.execute("SET search_path = verifier, public")
    await connection.execute("SET session_replication_role = replica")
    await connection.execute("SELECT set_config('verifier.tenant', $1, false)", TENANT)
    await connection.set_type_codec(
        "halfvec",
        schema="public",
        format="binary",
        encoder=lambda vector: HalfVector(vector).to_binary(),
        decoder=HalfVector.from_binary,
    )
    return connection


async def nearest(
    pool: Pool, space_id: SpaceId, vector: NDArray[np.float32] | list[float], options: SearchOptions
) -> SearchResult:
    async with tenant_transaction(pool, TENANT, read_only=True) as conn:
        return await search_space(conn, space_id, vector, options)


@asynccontextmanager
async def opened(database: Database) -> AsyncIterator[Pool]:
    async with await open_pool(database.app_dsn, max_size=2) as pool:
        yield pool
