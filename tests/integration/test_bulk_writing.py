"""Writing by COPY: what is stored is what was given, in one piece or not at all, also behind a pooler."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.pooler import run_pgbouncer
from tests.integration.store_reading import (
    TENANT,
    current_texts,
    fetch,
    fetch_value,
    history,
    ingest,
    ingest_one,
    opened,
    paragraphs,
    request,
    states,
)
from verifier.core.chunking import chunk_document
from verifier.core.documents import Document, InputHash, SourceKey, hash_input
from verifier.core.spans import Span
from verifier.errors import StoreError
from verifier.ingest.pipeline import WINDOW_DOCUMENTS
from verifier.ingest.requests import IngestRequest, Outcome
from verifier.store.passages import add_embeddings
from verifier.store.pool import Pool, open_pool, tenant_transaction
from verifier.store.schema import upgrade_schema
from verifier.store.spaces import ensure_space

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from tests.integration.conftest import Database

ADD_PASSAGES = """
    INSERT INTO passage (tenant_id, input_hash, input)
    SELECT current_tenant(), hash, 'text ' || place
      FROM unnest($1::bytea[]) WITH ORDINALITY AS given (hash, place)
"""


def hashes_of(count: int) -> list[InputHash]:
    return [InputHash(hashlib.sha256(str(number).encode()).digest()) for number in range(count)]


async def write(
    pool: Pool, vectors: NDArray[np.float32], *, times: int = 1, dimension: int | None = None
) -> str:
    """Write the vectors in one transaction, as often as told, and return their table."""
    space = HashingEmbedder(dimension=dimension or vectors.shape[1]).space
    hashes = hashes_of(len(vectors))
    async with tenant_transaction(pool, TENANT) as conn:
        space_id = await ensure_space(conn, space)
        await conn.execute(ADD_PASSAGES, hashes)
        for _ in range(times):
            await add_embeddings(conn, space_id, hashes, vectors)
    return f"embedding_{space_id}"


@pytest.mark.parametrize(
    ("count", "dimension"), [(0, 3), (1, 1), (1024, 5), (1025, 384), (3, 4100)]
)
async def test_vectors_are_stored_bit_for_bit(
    fresh_database: Database, count: int, dimension: int
) -> None:
    vectors = np.random.default_rng(7).normal(size=(count, dimension)).astype(np.float32)
    async with opened(fresh_database) as pool:
        table = await write(pool, vectors, times=2)
        rows = await fetch(pool, f"SELECT input_hash, vec, live FROM {table}")  # noqa: S608
    stored = {row["input_hash"]: row["vec"].to_numpy() for row in rows}
    assert len(rows) == count
    assert all(row["live"] for row in rows)
    for input_hash, vector in zip(hashes_of(count), vectors, strict=True):
        assert (
            stored[input_hash].astype(np.float16).tobytes() == vector.astype(np.float16).tobytes()
        )


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e6])
async def test_a_vector_that_halves_can_not_hold_writes_nothing(
    fresh_database: Database, bad: float
) -> None:
    vectors = np.ones((3, 4), np.float32)
    vectors[1, 2] = bad
    async with opened(fresh_database) as pool:
        with pytest.raises(StoreError):
            await write(pool, vectors)
        assert await fetch_value(pool, "SELECT count(*) FROM passage") == 0


async def test_another_dimension_than_the_table_s_writes_nothing(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        with pytest.raises(StoreError, match="expected 4 dimensions, not 5"):
            await write(pool, np.ones((2, 5), np.float32), dimension=4)
        assert await fetch_value(pool, "SELECT count(*) FROM passage") == 0


async def test_behind_a_transaction_pooler_the_same_is_written(
    fresh_database: Database, tmp_path: Path
) -> None:
    documents = [
        request(f"d{n}", paragraphs(f"Start {n}", "A shared middle", f"End {n}")) for n in range(70)
    ]
    with run_pgbouncer(tmp_path, fresh_database.app_dsn) as pooler:
        pool = await open_pool(pooler.dsn)
        try:
            halves = documents[:35], documents[35:]
            summaries = await asyncio.gather(*(ingest(pool, *half) for half in halves))
            again = await ingest(pool, *documents)
        finally:
            await pool.close()
    assert [summary.counts[Outcome.NEW] for summary in summaries] == [35, 35]
    assert again.counts[Outcome.UNCHANGED] == 70
    async with opened(fresh_database) as pool:
        stored = await history(pool)
        assert len(stored["chunks"]) == len(stored["current chunks"]) == 210
        assert len(stored["passages"]) == len(stored["vectors"]) == 141
        left = await fetch_value(pool, "SELECT count(*) FROM pg_class WHERE relname LIKE 'added%'")
        assert left == 0


async def test_a_document_that_can_t_be_stored_costs_no_other_of_its_window(
    fresh_database: Database,
) -> None:
    # One chunk of words that all differ: more than a text-search column holds, of few tokens here.
    wide = " ".join(f"{n:x}" * 9 for n in range(100_000, 190_000))
    cut = chunk_document(Document(key=SourceKey("x"), text=wide), count_tokens=len, token_limit=256)
    whole = replace(
        cut[0],
        span=Span(0, len(wide)),
        text=wide,
        embedded_input=wide,
        input_hash=hash_input(wide),
    )
    document = Document(key=SourceKey("wide"), text=wide, chunks=(whole,))
    documents = [request("a", "One."), IngestRequest(document=document), request("z", "Last.")]
    async with opened(fresh_database) as pool:
        summary = await ingest(pool, *documents)
        kinds = [outcome.outcome for outcome in summary.outcomes]
        assert kinds[1] is Outcome.FAILED
        assert "wide can't be stored: string is too long for tsvector" in str(
            summary.failed[0].error
        )
        assert await states(pool, "wide") == {}
        assert (kinds[0], kinds[2]) == (Outcome.NEW, Outcome.NEW)
        assert await current_texts(pool, "z") == ["Last."]


async def test_versions_of_one_source_in_one_window_keep_their_order(
    fresh_database: Database,
) -> None:
    days = [datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 3, 4)]
    versions = [
        request("b", text, valid_from=day)
        for text, day in zip(["One.", "Two.", "One.", "Three."], days, strict=True)
    ]
    async with opened(fresh_database) as pool:
        summary = await ingest(pool, versions[0], request("a", "Other."), *versions[1:])
        assert summary.counts[Outcome.NEW] == 5
        assert await states(pool, "b") == {
            1: "superseded", 2: "superseded", 3: "superseded", 4: "current"
        }  # fmt: skip
        assert await current_texts(pool, "b") == ["Three."]
        assert (await ingest(pool, *versions)).counts[Outcome.UNCHANGED] == 4


async def test_without_the_right_to_temporary_tables_the_remedy_is_told(
    empty_database: Database,
) -> None:
    await empty_database.execute(f"REVOKE TEMPORARY ON DATABASE {empty_database.name} FROM PUBLIC")
    await upgrade_schema(empty_database.owner_dsn)
    async with opened(empty_database) as pool:
        assert (await ingest_one(pool, "d", "One.")).outcome is Outcome.NEW
        await empty_database.execute(
            f"REVOKE TEMPORARY ON DATABASE {empty_database.name} FROM verifier_app"
        )
        refused = await ingest_one(pool, "e", "Two.")
        assert refused.outcome is Outcome.FAILED
        assert "GRANT TEMPORARY ON DATABASE" in (refused.error or "")
        assert await states(pool, "e") == {}
        with pytest.raises(StoreError, match="GRANT TEMPORARY"):
            await write(pool, np.ones((1, 64), np.float32))


async def test_what_did_not_change_is_surveyed_by_the_window(fresh_database: Database) -> None:
    count = WINDOW_DOCUMENTS * 2
    documents = [request(f"d{n}", f"Text {n}.") for n in range(count)]
    pool = await open_pool(fresh_database.app_dsn, max_size=1)
    statements: list[str] = []
    try:
        await ingest(pool, *documents)
        async with pool.acquire() as connection:
            raw = connection._con
            raw.add_query_logger(lambda record: statements.append(record.query))
        summary = await ingest(pool, *documents)
        assert summary.counts[Outcome.UNCHANGED] == count
        asked = [statement for statement in statements if "SELECT" in statement]
        assert len([one for one in asked if "asked.place" in one]) == 2
        assert len(statements) <= 2 * 12
    finally:
        await pool.close()
