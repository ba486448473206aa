"""A store of many chunks for measuring searches, written by COPY and indexed afterwards."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import asyncpg
import numpy as np
from pgvector import HalfVector

from casework import searchrows
from casework.searchmix import BATCH, Mixer, describe
from casework.searchtexts import embed_texts
from verifier.store.spaces import ensure_space, space_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casework.searchrows import Rows
    from casework.searchtexts import Matrix
    from verifier.core.spaces import EmbeddingSpace
    from verifier.store.spaces import SpaceId

SETTINGS: Final = """
    SET search_path = verifier, public;
    SET session_replication_role = replica;
    SET maintenance_work_mem = '4GB'
"""


@dataclass(slots=True, kw_only=True)
class SearchStore:
    """What was written, and what it took: seconds of each part, megabytes of each table with its indexes.

    `likeness` tells how the real vectors lie, by number of them, and how the made ones do. Of the queries the
    first are `questions` real questions, the others as many vectors made as those of the store are.
    """

    space: EmbeddingSpace
    space_id: SpaceId
    rows: Rows
    queries: Matrix
    questions: int
    likeness: dict[str, dict[str, float]]
    seconds: dict[str, float] = field(default_factory=dict)
    megabytes: dict[str, float] = field(default_factory=dict)


async def fill_store(
    dsn: str, chunks: int, *, seed: int, say: Callable[[str], None]
) -> SearchStore:
    """Write `chunks` current chunks and three in ten more of the past, then build the indexes."""
    random = np.random.default_rng(seed)
    begun = time.perf_counter()
    space, bases, questions = await embed_texts(say)
    mixer = Mixer(bases, random)
    rows = searchrows.make_rows(mixer, chunks, random)
    texts = mixer.make(len(questions)).astype(np.float32)
    likeness = _compare(bases, questions, rows, seed)
    connection = await asyncpg.connect(dsn)
    try:
        space_id = await _prepare(connection, space)
        store = SearchStore(
            space=space,
            space_id=space_id,
            rows=rows,
            queries=np.concatenate([questions, texts]),
            questions=len(questions),
            likeness=likeness,
        )
        store.seconds["vectors"] = time.perf_counter() - begun
        definitions = await _drop_indexes(connection, space_table(space_id))
        begun = time.perf_counter()
        await _write(connection, store, say)
        store.seconds["writing"] = time.perf_counter() - begun
        await _build(connection, store, definitions, say)
    finally:
        await connection.close()
    return store


def _compare(
    bases: Matrix, questions: Matrix, rows: Rows, seed: int
) -> dict[str, dict[str, float]]:
    """Return figures of growing parts of the real vectors, and of the made ones, as few and all."""
    real = np.random.default_rng(seed).permutation(bases)
    made = rows.vectors[: rows.current]
    few = made[: len(bases)]
    return {
        **{f"real / {part}": describe(real[::part], questions, seed) for part in (8, 4, 2, 1)},
        "made, as few": describe(few, questions, seed),
        "made": describe(made, questions, seed),
    }


async def _prepare(connection: asyncpg.Connection, space: EmbeddingSpace) -> SpaceId:
    await connection.execute(SETTINGS)
    await connection.execute("SELECT set_config('verifier.tenant', $1, false)", searchrows.TENANT)
    await connection.set_type_codec(
        "halfvec",
        schema="public",
        format="binary",
        encoder=lambda vector: HalfVector(vector).to_binary(),
        decoder=HalfVector.from_binary,
    )
    return await ensure_space(connection, space)


async def _drop_indexes(connection: asyncpg.Connection, table: str) -> dict[str, str]:
    found = await connection.fetch(
        "SELECT indexname, indexdef FROM pg_indexes WHERE indexname = ANY ($1)",
        [f"{table}_live", f"{table}_all"],
    )
    for row in found:
        await connection.execute(f"DROP INDEX {row['indexname']}")
    return {row["indexname"]: row["indexdef"] for row in found}


async def _write(
    connection: asyncpg.Connection, store: SearchStore, say: Callable[[str], None]
) -> None:
    rows, embedding = store.rows, space_table(store.space_id)
    await _copy(connection, "source", searchrows.source_rows(rows))
    await _copy(connection, "document_version", searchrows.version_rows(rows))
    total = len(rows.vectors)
    for start in range(0, total, BATCH):
        numbers = range(start, min(start + BATCH, total))
        current = range(start, min(numbers.stop, rows.current))
        await _copy(connection, "passage", searchrows.passage_rows(numbers))
        await connection.copy_records_to_table(
            embedding,
            records=searchrows.embedding_rows(rows, numbers),
            columns=searchrows.EMBEDDING,
        )
        await _copy(connection, "chunk", searchrows.chunk_rows(numbers))
        await _copy(connection, "current_chunk", searchrows.current_rows(current))
        say(f"{numbers.stop:,} of {total:,} chunks written")
    await _copy(connection, "publication", searchrows.publication_rows(rows))
    await connection.execute("UPDATE tenant SET basis = $1", len(rows.versions))


async def _copy(
    connection: asyncpg.Connection, table: str, records: Iterator[tuple[Any, ...]]
) -> None:
    await connection.copy_records_to_table(
        table, records=records, columns=searchrows.COLUMNS[table]
    )


async def _build(
    connection: asyncpg.Connection,
    store: SearchStore,
    definitions: dict[str, str],
    say: Callable[[str], None],
) -> None:
    for name, definition in definitions.items():
        say(f"building {name}")
        begun = time.perf_counter()
        await connection.execute(definition)
        store.seconds[name] = time.perf_counter() - begun
        store.megabytes[name] = await _measure(connection, name)
    await connection.execute("VACUUM ANALYZE")
    for name in (space_table(store.space_id), *searchrows.COLUMNS):
        store.megabytes[name] = await _measure(connection, name)


async def _measure(connection: asyncpg.Connection, name: str) -> float:
    size = await connection.fetchval("SELECT pg_total_relation_size($1::regclass)", name)
    return float(round(size / 2**20, 1))
