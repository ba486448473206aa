"""Ways of writing chunks that have their vectors, timed in turns on one server."""

from __future__ import annotations

import itertools
import random
import tempfile
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import asyncpg
import numpy as np

from verifier.core.documents import InputHash, hash_input
from verifier.core.spaces import EmbeddingSpace
from verifier.embedded import start_embedded
from verifier.ingest.embedded_documents import EmbeddedDocument, add_embedded
from verifier.store.passages import add_embeddings
from verifier.store.pool import open_pool, tenant_transaction
from verifier.store.schema import upgrade_schema
from verifier.store.spaces import ensure_space, space_table

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from numpy.typing import NDArray

    from verifier.ingest.requests import Progress
    from verifier.store.pool import Pool
    from verifier.store.spaces import SpaceId

TENANT: Final = "bench"
DIMENSION: Final = 384
SPACE: Final = EmbeddingSpace(provider="bench", model="given", revision="1", dimension=DIMENSION)
CHUNKS_A_DOCUMENT: Final = 200
BULK_GOAL: Final = 20_000
FULL_TEXT_GOAL: Final = 8_000
ROWS_AT_A_TIME: Final = 10_000
PART: Final = 2_000
"""Rows on which the slow ways are timed."""
TIMEOUT_S: Final = 3_600.0

ADD_PASSAGES: Final = """
    INSERT INTO passage (tenant_id, input_hash, input)
    SELECT current_tenant(), hash, input FROM unnest($1::bytea[], $2::text[]) AS given (hash, input)
"""


def add_vector(space_id: SpaceId) -> str:
    """Return the statement that adds one vector."""
    return f"""
    INSERT INTO {space_table(space_id)} (tenant_id, input_hash, live, vec)
    VALUES (current_tenant(), $1, true, $2)
"""  # noqa: S608 -- the identifier comes from space_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What is written: texts, their hashes and vectors, a row each."""

    texts: Sequence[str]
    hashes: Sequence[InputHash]
    vectors: NDArray[np.float32]

    def documents(self) -> list[EmbeddedDocument]:
        """Return the chunks as documents of `CHUNKS_A_DOCUMENT` each."""
        return [
            EmbeddedDocument(
                key=f"d{start}",
                chunks=self.texts[start : start + CHUNKS_A_DOCUMENT],
                vectors=self.vectors[start : start + CHUNKS_A_DOCUMENT],
            )
            for start in range(0, len(self.texts), CHUNKS_A_DOCUMENT)
        ]


def make_load(count: int, words: int) -> Load:
    """Return texts of so many words, drawn as in natural text from 5,000, and unit vectors."""
    rng = random.Random(1)  # noqa: S311 -- a measurement, repeated by its seed
    letters = "abcdefghijklmnoprstuvw"
    known = ["".join(rng.choices(letters, k=rng.randint(2, 10))) for _ in range(5_000)]
    weights = list(itertools.accumulate(1 / (rank + 5) for rank in range(len(known))))
    texts = [
        f"{number} " + " ".join(rng.choices(known, cum_weights=weights, k=words))
        for number in range(count)
    ]
    vectors = np.random.default_rng(1).normal(size=(count, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Load(texts=texts, hashes=[hash_input(text) for text in texts], vectors=vectors)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A new database: its pool, its space, and the superuser's connection string."""

    pool: Pool
    space_id: SpaceId
    owner_dsn: str


Way: TypeAlias = "Callable[[Target, Load, int], Awaitable[float | None]]"


VECTORS: Final = "vectors, binary COPY"
FULL_TEXT: Final = "texts with full text and vectors, binary COPY"
COMPLETE: Final = "all of an ingest by add_embedded, until it answers"
ROW_BY_ROW: Final = "vectors, one INSERT and commit a row"


async def _copy_vectors(target: Target, load: Load, rows: int) -> None:
    for start in range(0, rows, ROWS_AT_A_TIME):
        end = min(start + ROWS_AT_A_TIME, rows)
        async with tenant_transaction(target.pool, TENANT) as conn:
            await add_embeddings(
                conn, target.space_id, load.hashes[start:end], load.vectors[start:end]
            )


async def _copy_texts_and_vectors(target: Target, load: Load, rows: int) -> None:
    for start in range(0, rows, ROWS_AT_A_TIME):
        end = min(start + ROWS_AT_A_TIME, rows)
        async with tenant_transaction(target.pool, TENANT) as conn:
            await conn.execute(ADD_PASSAGES, load.hashes[start:end], load.texts[start:end])
            await add_embeddings(
                conn, target.space_id, load.hashes[start:end], load.vectors[start:end]
            )


async def _ingest(target: Target, load: Load, rows: int) -> float:
    """Return the seconds until the last document was published; the indexes are built after that."""
    begun = published = time.perf_counter()

    def tell(progress: Progress) -> None:
        nonlocal published
        if progress.documents:
            published = time.perf_counter()

    await add_embedded(target.pool, TENANT, SPACE, load.documents(), on_progress=tell)
    ended = time.perf_counter()
    indexed = rows / (ended - published)
    print(f"{'the two indexes of a first load, at its end':<52} {indexed:>9,.0f} chunks/s")
    return published - begun


async def _execute_many(target: Target, load: Load, rows: int) -> None:
    given = list(zip(load.hashes[:rows], load.vectors[:rows], strict=True))
    async with tenant_transaction(target.pool, TENANT) as conn:
        await conn.executemany(add_vector(target.space_id), given)


async def _row_by_row(target: Target, load: Load, rows: int) -> None:
    for input_hash, vector in zip(load.hashes[:rows], load.vectors[:rows], strict=True):
        async with tenant_transaction(target.pool, TENANT) as conn:
            await conn.execute(add_vector(target.space_id), input_hash, vector)


WAYS: Final = (
    (VECTORS, None, _copy_vectors),
    ("vectors, executemany", 5 * PART, _execute_many),
    (ROW_BY_ROW, PART, _row_by_row),
    (FULL_TEXT, None, _copy_texts_and_vectors),
    (COMPLETE, None, _ingest),
)
"""Each way with the rows that it is timed on, None for all."""


async def time_writing(count: int, words: int) -> int:
    """Print chunks a second of each way, and return the exit code."""
    load = make_load(count, words)
    print(f"{count} chunks of {words} words, {DIMENSION} dimensions, no vector index")
    told: dict[str, float] = {}
    with (
        tempfile.TemporaryDirectory(prefix="verifier-bench-") as folder,
        start_embedded(Path(folder) / "server") as server,
    ):
        for number, (name, most, way) in enumerate(WAYS):
            rows = min(most or count, count)
            async with _target(server.owner_dsn, server.app_dsn, f"bench_{number}") as target:
                if name.startswith("vectors"):
                    await _add_passages(target, load, rows)
                begun = time.perf_counter()
                seconds = await way(target, load, rows) or time.perf_counter() - begun
                told[name] = rows / seconds
                print(f"{name:<52} {told[name]:>9,.0f} chunks/s  ({rows} rows)", flush=True)
    peer = told["vectors, executemany"]
    print(f"vectors by COPY against executemany: {told[VECTORS] / peer:.1f} times")
    print(f"against one INSERT and commit a row: {told[VECTORS] / told[ROW_BY_ROW]:.1f} times")
    print(f"goals: {BULK_GOAL:,} vectors/s, {FULL_TEXT_GOAL:,} with full text")
    return 0 if told[VECTORS] >= BULK_GOAL and told[FULL_TEXT] >= FULL_TEXT_GOAL else 1


async def _add_passages(target: Target, load: Load, rows: int) -> None:
    """Add what the vectors belong to, before they are timed."""
    async with tenant_transaction(target.pool, TENANT) as conn:
        await conn.execute(ADD_PASSAGES, load.hashes[:rows], load.texts[:rows])


@asynccontextmanager
async def _target(owner_dsn: str, app_dsn: str, name: str) -> AsyncIterator[Target]:
    owner = owner_dsn.replace("/verifier?", f"/{name}?")
    await _execute(owner_dsn, f"CREATE DATABASE {name}")
    await upgrade_schema(owner)
    pool = await open_pool(app_dsn.replace("/verifier?", f"/{name}?"), command_timeout_s=TIMEOUT_S)
    try:
        async with tenant_transaction(pool, TENANT) as conn:
            space_id = await ensure_space(conn, SPACE)
        table = f"verifier.{space_table(space_id)}"
        await _execute(owner, f"DROP INDEX IF EXISTS {table}_live, {table}_all")
        yield Target(pool=pool, space_id=space_id, owner_dsn=owner)
    finally:
        await pool.close()
    await _execute(owner_dsn, f"DROP DATABASE {name} WITH (FORCE)")


async def _execute(dsn: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
