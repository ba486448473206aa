"""The cases of retrieval, one test a case, named by its id."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import asyncpg
import numpy as np
import pytest

from tests.integration import large_store
from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.large_store import nearest, random_vectors
from tests.integration.store_reading import (
    TENANT,
    dump,
    fetch_value,
    ingest,
    opened,
    request,
    similarity_of,
)
from verifier.core.documents import SearchPlan
from verifier.core.filters import field
from verifier.core.search_options import SearchOptions
from verifier.core.spaces import EmbeddingSpace
from verifier.errors import InputError, TenantRequired
from verifier.store.explanations import count_scans
from verifier.store.pool import tenant_transaction
from verifier.store.search import search_space, semantic_search
from verifier.store.spaces import SpaceId, ensure_space

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from tests.integration.conftest import Database
    from verifier.core.filter_reading import FilterLike


async def keys(
    database: Database, docs: Mapping[str, Mapping[str, object]], condition: FilterLike
) -> list[str]:
    """The keys of the sources that pass, of those that `docs` describes."""
    async with opened(database) as pool:
        await ingest(pool, *(request(key, f"Text {key}.", metadata=docs[key]) for key in docs))
        found = await semantic_search(
            pool, "text", tenant=TENANT, embedder=HashingEmbedder(), k=9, filters=condition
        )
        assert await fetch_value(pool, "SELECT count(*) FROM source") == len(docs)
        return sorted(hit.source for hit in found.hits)


async def test_b416_a_rare_filter_finds_all_three_of_50_000(fresh_database: Database) -> None:
    vectors = random_vectors(50_001, 8, seed=1)
    space_id = await large_store.fill(
        fresh_database,
        vectors,
        describe=lambda source: json.dumps({"lang": "is" if source == 500 else "en"}),
        per_source=3,
    )
    async with large_store.opened(fresh_database) as pool:
        for filters in ({"lang": "is"}, field("lang").in_(["is"]), ~(field("lang") == "en")):
            found = await nearest(pool, space_id, -vectors[0], SearchOptions(k=5, filters=filters))
            assert sorted(hit.chunk_id for hit in found.hits) == [
                "s500@1#0",
                "s500@1#1",
                "s500@1#2",
            ]


async def test_b419_a_search_without_a_tenant_fails(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest(pool, request("a", "Text a."))
        for tenant in ("", "  "):
            with pytest.raises(TenantRequired):
                await semantic_search(pool, "text", tenant=tenant, embedder=HashingEmbedder())
        async with pool.acquire() as connection, connection.transaction():
            await connection.execute("SET LOCAL ROLE verifier_app")
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match="no tenant is set"):
                await connection.fetch(
                    "SELECT * FROM verifier.search_embedding_1($1::text::halfvec, 5, NULL, NULL, NULL, NULL)",
                    json.dumps([1.0] * 64),
                )


async def test_b420_numbers_compare_as_numbers(fresh_database: Database) -> None:
    docs = {"a": {"pages": 9}, "b": {"pages": 10}, "c": {"pages": 100}}
    assert await keys(fresh_database, docs, field("pages") >= 10) == ["b", "c"]


async def test_b422_underscores_are_no_digit_groups(fresh_database: Database) -> None:
    docs = {"a": {"batch": "2026_10"}, "b": {"batch": "202610"}}
    assert await keys(fresh_database, docs, field("batch") == "2026_10") == ["a"]


async def test_b423_a_text_is_no_number(fresh_database: Database) -> None:
    docs: dict[str, dict[str, object]] = {"a": {"code": "007"}, "b": {"code": 7}}
    assert await keys(fresh_database, docs, field("code") == "007") == ["a"]


async def test_b424_one_of_none_matches_nothing(fresh_database: Database) -> None:
    assert await keys(fresh_database, {"a": {"id": "a"}, "b": {"id": "b"}}, {"id": []}) == []


async def test_b428_unequal_needs_the_key_and_not_does_not(fresh_database: Database) -> None:
    docs: dict[str, dict[str, object]] = {"a": {"lang": "de"}, "b": {"lang": "fr"}, "c": {}}
    assert await keys(fresh_database, docs, field("lang") != "de") == ["b"]
    assert await keys(fresh_database, docs, ~(field("lang") == "de")) == ["b", "c"]


async def test_b429_rows_without_a_tenant_are_refused(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest(pool, request("a", "Text a."))
        for tenant in (None, "", "other"):
            async with tenant_transaction(pool, TENANT) as conn:
                with pytest.raises(asyncpg.PostgresError):
                    await conn.execute(
                        "INSERT INTO source (tenant_id, key) VALUES ($1, 'b')", tenant
                    )
        found = await semantic_search(pool, "text", tenant=TENANT, embedder=HashingEmbedder())
        assert [hit.source for hit in found.hits] == ["a"]


def at_cosine(cosine: float) -> list[float]:
    return [cosine, (1 - cosine**2) ** 0.5]


async def found_by_cosine(
    database: Database, cosines: Mapping[str, float], **terms: float
) -> dict[str, float]:
    """What a search for (1, 0) finds of unit vectors at those cosines, each a source."""
    vectors = np.array([at_cosine(cosine) for cosine in cosines.values()], np.float32)
    space_id = await large_store.fill(database, vectors, per_source=1)
    async with large_store.opened(database) as pool:
        found = await nearest(pool, space_id, [1.0, 0.0], SearchOptions(k=10, **terms))  # type: ignore[arg-type]
    names = {f"s{number}": name for number, name in enumerate(cosines, 1)}
    return {names[hit.source]: similarity_of(hit) for hit in found.hits}


async def test_b430_a_threshold_is_on_similarity(fresh_database: Database) -> None:
    found = await found_by_cosine(fresh_database, {"a": 0.95, "b": 0.05}, min_similarity=0.8)
    assert found == {"a": pytest.approx(0.95, abs=1e-3)}


async def test_b431_inner_product_is_refused_and_cosine_gives_the_same(
    fresh_database: Database,
) -> None:
    found = await found_by_cosine(fresh_database, {"a": 0.9, "b": 0.1}, min_similarity=0.5)
    assert found == {"a": pytest.approx(0.9, abs=1e-3)}
    space = EmbeddingSpace(
        provider="t", model="m", revision="1", dimension=2, metric="inner product"
    )
    async with large_store.opened(fresh_database) as pool:
        with pytest.raises(InputError, match="the metric must be cosine"):
            async with tenant_transaction(pool, "another") as conn:
                await ensure_space(conn, space)


async def test_b433_opposite_vectors_have_similarity_minus_one(fresh_database: Database) -> None:
    found = await found_by_cosine(fresh_database, {"a": 1.0, "b": -1.0})
    assert found == {"a": 1.0, "b": -1.0}
    assert list(found) == ["a", "b"]


async def test_b436_equal_vectors_come_in_one_order(fresh_database: Database) -> None:
    vectors = np.tile(np.array([[0.6, 0.8]], np.float32), (4, 1))
    space_id = await large_store.fill(fresh_database, vectors, per_source=1)
    async with large_store.opened(fresh_database) as pool:
        runs = set()
        for limit in (0, 3_000) * 10:
            async with tenant_transaction(pool, TENANT, read_only=True) as conn:
                found = await search_space(
                    conn, space_id, [1.0, 0.0], SearchOptions(k=2), exact_limit=limit
                )
            assert found.plan is (SearchPlan.EXACT if limit else SearchPlan.ANN)
            runs.add(tuple(hit.source for hit in found.hits))
    assert runs == {("s1", "s2")}


async def test_b439_200_000_rows_are_searched_by_the_index(fresh_database: Database) -> None:
    vectors = random_vectors(200_000, 4, seed=2)
    space_id = await large_store.fill(fresh_database, vectors)
    async with (
        large_store.opened(fresh_database) as pool,
        tenant_transaction(pool, TENANT, read_only=True) as conn,
    ):
        before = await count_scans(conn, space_id)
        query = random_vectors(1, 4, seed=3)[0]
        found = await search_space(conn, space_id, query, SearchOptions(k=10))
        after = await count_scans(conn, space_id)
    read = {name for name in after if after[name] > before[name]}
    assert read == {f"embedding_{space_id}_live"}
    assert found.plan is SearchPlan.ANN
    similarities = [similarity_of(hit) for hit in found.hits]
    assert similarities == sorted(similarities, reverse=True)
    assert recall(vectors, query, similarities) >= 0.9


def recall(
    vectors: NDArray[np.float32], query: NDArray[np.float32], similarities: list[float]
) -> float:
    """The share of hits that are as near as the k-th of all vectors, as half precision keeps them."""
    stored = vectors.astype(np.float16).astype(np.float64)
    cosines = stored @ query / np.linalg.norm(stored, axis=1) / np.linalg.norm(query)
    least = float(np.sort(cosines)[-len(similarities)]) - 1e-6
    return sum(similarity >= least for similarity in similarities) / len(similarities)


@pytest.mark.parametrize(("dimension", "indexes"), [(3_072, 2), (4_001, 0)])
async def test_b440_wide_vectors_are_indexed_as_half_precision_or_compared_exactly(
    fresh_database: Database, dimension: int, indexes: int
) -> None:
    vectors = random_vectors(20, dimension, seed=4)
    async with opened(fresh_database) as pool:
        embedder = HashingEmbedder(dimension=dimension)
        await ingest(
            pool,
            *(request(f"s{n}", f"word{n} text") for n in range(len(vectors))),
            embedder=embedder,
        )
        found = await semantic_search(pool, "word7", tenant=TENANT, embedder=embedder)
        assert found.hits[0].source == "s7"
        made = await fetch_value(
            pool,
            "SELECT count(*) FROM pg_indexes WHERE tablename = 'embedding_1' AND indexdef LIKE '%hnsw%'",
        )
        assert made == indexes


async def test_b441_a_list_index_made_by_hand_hides_nothing(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool, tenant_transaction(pool, TENANT) as conn:
        await conn.execute("INSERT INTO tenant (tenant_id) VALUES ($1)", TENANT)
        await ensure_space(conn, HashingEmbedder().space)
    await fresh_database.execute(
        "SET client_min_messages = error",
        "CREATE INDEX by_hand ON verifier.embedding_1"
        " USING ivfflat (vec halfvec_cosine_ops) WITH (lists = 100)",
    )
    async with opened(fresh_database) as pool:
        await ingest(pool, *(request(f"s{n}", f"word{n} text") for n in range(500)))
        for limit in (0, 3_000):
            async with tenant_transaction(pool, TENANT, read_only=True) as conn:
                query = await HashingEmbedder().embed_query("word7 text")
                exact = await search_space(
                    conn, SpaceId(1), query, SearchOptions(k=10), exact_limit=3_000
                )
                found = await search_space(
                    conn, SpaceId(1), query, SearchOptions(k=10), exact_limit=limit
                )
            same = {hit.chunk_id for hit in exact.hits} & {hit.chunk_id for hit in found.hits}
            assert len(found.hits) == 10
            assert len(same) >= 9


async def test_b504_a_hostile_filter_key_is_data(fresh_database: Database) -> None:
    assert await keys(fresh_database, {"a": {}, "b": {}}, {"a' OR '1'='1": "x"}) == []


async def test_b507_a_hostile_source_key_is_a_name(fresh_database: Database) -> None:
    key = 'x"; drop table chunks; --'
    async with opened(fresh_database) as pool:
        await ingest(pool, request(key, "Text of it."), request("b", "Text b."))
        tables = set(await dump(fresh_database))
        found = await semantic_search(
            pool, "text", tenant=TENANT, embedder=HashingEmbedder(), sources=[key]
        )
        assert [hit.source for hit in found.hits] == [key]
        assert set(await dump(fresh_database)) == tables
        assert {"chunk", "source", "current_chunk"} <= tables
