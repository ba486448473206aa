"""Documents that come with their chunks and vectors: stored as given, versioned like all others."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import (
    TENANT,
    current_texts,
    fetch,
    history,
    ingest_one,
    opened,
    search,
    states,
)
from verifier.errors import WrongEmbeddingSpace
from verifier.ingest.embedded_documents import (
    _HELD_DOCUMENTS,
    BETWEEN,
    EmbeddedDocument,
    GivenVectors,
    add_embedded,
)
from verifier.ingest.requests import Outcome
from verifier.store.first_load import suspend_indexes
from verifier.store.pool import tenant_transaction
from verifier.store.spaces import SpaceId, ensure_space

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from tests.integration.conftest import Database
    from verifier.ingest.requests import IngestSummary
    from verifier.store.pool import Pool

MODEL = HashingEmbedder()


async def vectors_of(chunks: Sequence[str]) -> NDArray[np.float32]:
    return await MODEL.embed_documents(chunks)


async def document(key: str, *chunks: str) -> EmbeddedDocument:
    return EmbeddedDocument(key=key, chunks=chunks, vectors=await vectors_of(chunks))


async def add(pool: Pool, *documents: EmbeddedDocument) -> IngestSummary:
    return await add_embedded(pool, TENANT, MODEL.space, documents)


async def test_chunks_and_vectors_are_those_given(fresh_database: Database) -> None:
    chunks = ("Refunds take 30 days.", "A lamp\n\nof two parts.", "Refunds take 30 days.")
    async with opened(fresh_database) as pool:
        summary = await add(pool, await document("d", *chunks))
        assert [(one.outcome, one.chunks) for one in summary.outcomes] == [(Outcome.NEW, 3)]
        assert await current_texts(pool, "d") == list(chunks)
        text = (await fetch(pool, "SELECT text FROM document_version"))[0]["text"]
        assert text == BETWEEN.join(chunks)
        assert (await search(pool, chunks[1], k=1))[0] == ("d@1#1", chunks[1])
        stored = await history(pool)
        assert len(stored["vectors"]) == len(stored["passages"]) == 2


async def test_versions_follow_each_other(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await add(pool, await document("d", "One.", "Two."))
        again = await add(pool, await document("d", "One.", "Two."))
        assert again.counts[Outcome.UNCHANGED] == 1
        changed = await add(pool, await document("d", "One.", "Three."))
        assert (changed.embedded, changed.reused) == (1, 1)
        assert await states(pool, "d") == {1: "superseded", 2: "current"}
        assert await current_texts(pool, "d") == ["One.", "Three."]


@pytest.mark.parametrize(
    ("chunks", "vectors", "told"),
    [
        ((), np.ones((0, 64)), "has no chunks"),
        ("a string", np.ones((8, 64)), "has no chunks"),
        (("One.", " "), np.ones((2, 64)), "chunk 1 of bad is blank"),
        (("One.\x00",), np.ones((1, 64)), "holds a NUL"),
        (("One.\ud800",), np.ones((1, 64)), "lone surrogate"),
        (("One.", "Two."), np.ones((1, 64)), r"2 chunks and vectors of shape \(1, 64\)"),
        (("One.",), np.ones((1, 63)), r"give \(1, 64\)"),
        (("One.",), np.ones(64), r"shape \(64,\)"),
        (("One.",), np.zeros((1, 64)), "the model gave no vector"),
        (("One.",), np.full((1, 64), np.nan), "the model gave no vector"),
        (("One.",), np.full((1, 64), 1e6), "the model gave no vector"),
    ],
)
async def test_what_does_not_fit_costs_no_other(
    fresh_database: Database, chunks: Sequence[str], vectors: NDArray[np.float32], told: str
) -> None:
    bad = EmbeddedDocument(key="bad", chunks=chunks, vectors=vectors)
    async with opened(fresh_database) as pool:
        summary = await add(pool, await document("a", "First."), bad, await document("z", "Last."))
        kinds = [one.outcome for one in summary.outcomes]
        assert kinds == [Outcome.NEW, Outcome.FAILED, Outcome.NEW]
        with pytest.raises(AssertionError, match=told):
            raise AssertionError(summary.outcomes[1].error)
        assert await current_texts(pool, "bad") == []
        assert await current_texts(pool, "z") == ["Last."]


async def test_another_space_is_refused(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "One.")
        other = HashingEmbedder(model="others").space
        documents = [await document("e", "Two.")]
        with pytest.raises(WrongEmbeddingSpace, match="another model"):
            await add_embedded(pool, TENANT, other, documents)
        assert await states(pool, "e") == {}


async def test_a_generator_of_many_is_held_in_part(fresh_database: Database) -> None:
    count = _HELD_DOCUMENTS + 100
    shared = "Every document ends with this."
    made = [await document(f"d{n}", f"Text {n}.", shared) for n in range(count)]
    async with opened(fresh_database) as pool:
        summary = await add_embedded(pool, TENANT, MODEL.space, (one for one in made))
        assert summary.counts[Outcome.NEW] == count
        assert (summary.embedded, summary.reused) == (count + 1, count - 1)
        assert (await search(pool, f"Text {count - 1}.", k=1))[0][0] == f"d{count - 1}@1#0"


def test_vectors_of_old_documents_are_let_go() -> None:
    given = GivenVectors(space=MODEL.space)
    for number in range(3 * _HELD_DOCUMENTS):
        given.hold([number.to_bytes(32), b"s" * 32], np.ones((2, 64), np.float32))  # type: ignore[list-item]
    assert len(given._vectors) == _HELD_DOCUMENTS + 1
    assert b"s" * 32 in given._vectors


async def indexes(pool: Pool) -> list[str]:
    """The usable HNSW indexes of the space's table."""
    rows = await fetch(
        pool,
        """SELECT c.relname
             FROM pg_index i
                  JOIN pg_class c ON c.oid = i.indexrelid
                  JOIN pg_am a ON a.oid = c.relam
            WHERE a.amname = 'hnsw' AND i.indisvalid ORDER BY 1""",
    )
    return [str(row["relname"]) for row in rows]


async def suspend(pool: Pool, tenant: str, space_id: int) -> bool:
    async with tenant_transaction(pool, tenant) as conn:
        return await suspend_indexes(conn, SpaceId(space_id))


BOTH = ["embedding_1_all", "embedding_1_live"]


async def test_the_index_of_a_first_load_is_made_at_its_end(fresh_database: Database) -> None:
    seen: list[list[str]] = []
    async with opened(fresh_database) as pool:
        loop = asyncio.get_running_loop()
        made = [await document(f"d{n}", f"Text {n}.") for n in range(3)]

        def documents() -> Iterator[EmbeddedDocument]:
            for one in made:
                seen.append(asyncio.run_coroutine_threadsafe(indexes(pool), loop).result(30))
                yield one

        await add_embedded(pool, TENANT, MODEL.space, documents())
        assert seen == [[], [], []]
        assert await indexes(pool) == BOTH
        seen.clear()
        made = [await document("more", "More.")]
        await add_embedded(pool, TENANT, MODEL.space, documents())
        assert seen == [BOTH]


async def test_what_another_tenant_has_keeps_its_index(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await add_embedded(pool, "other", MODEL.space, [await document("d", "One.")])
        assert not await suspend(pool, TENANT, 1)  # no space of this tenant
        async with tenant_transaction(pool, TENANT) as conn:
            await ensure_space(conn, MODEL.space)
        assert not await suspend(pool, TENANT, 1)
        assert not await suspend(pool, TENANT, 77)
        assert await indexes(pool) == BOTH


async def test_who_is_writing_keeps_the_index(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        async with tenant_transaction(pool, TENANT) as conn:
            await ensure_space(conn, MODEL.space)
        async with tenant_transaction(pool, TENANT) as conn:
            await conn.execute("LOCK TABLE embedding_1 IN ROW EXCLUSIVE MODE")
            assert not await suspend(pool, TENANT, 1)
        assert await suspend(pool, TENANT, 1)
        assert await indexes(pool) == []


async def test_a_load_that_was_cut_short_is_searched_and_mended(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        async with tenant_transaction(pool, TENANT) as conn:
            await ensure_space(conn, MODEL.space)
        assert await suspend(pool, TENANT, 1)
        texts = [f"Text {n} of the load." for n in range(40)]
        for number, text in enumerate(texts):
            await ingest_one(pool, f"d{number}", text, embedder=MODEL)
        assert (await search(pool, texts[7], k=1))[0] == ("d7@1#0", texts[7])
        assert len(await search(pool, "load", k=30)) == 30
        await add(pool, await document("last", "Last."))
        assert await indexes(pool) == BOTH
        assert len(await search(pool, "load", k=30)) == 30


async def test_a_load_that_fails_is_indexed_too(fresh_database: Database) -> None:
    first = await document("d", "One.")

    def documents() -> Iterator[EmbeddedDocument]:
        yield first
        raise RuntimeError("the source of documents broke")

    async with opened(fresh_database) as pool:
        with pytest.raises(RuntimeError, match="broke"):
            await add_embedded(pool, TENANT, MODEL.space, documents())
        assert await indexes(pool) == BOTH
