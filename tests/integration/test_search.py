from __future__ import annotations

import asyncio
import json
import math
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import asyncpg
import numpy as np
import pytest

from tests.integration.conftest import drop_database, execute, make_database, run
from tests.integration.store_reading import similarity_of
from verifier.core.documents import SearchPlan, SearchResult, hash_input
from verifier.core.search_options import SearchOptions, SearchTerms
from verifier.core.spaces import EmbeddingSpace
from verifier.errors import InputError, TenantRequired, WrongEmbeddingSpace
from verifier.store.pool import open_pool, tenant_transaction
from verifier.store.search import EXACT_LIMIT, search_space, semantic_search
from verifier.store.spaces import SpaceId, ensure_space, space_table
from verifier.store.vectors import encode_vector

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from numpy.typing import NDArray

    from tests.integration.conftest import Database
    from verifier.embedded import EmbeddedPostgres
    from verifier.store.pool import Connection, Pool

DIMENSION = 16
SIZES = (100, 4_000)
SPACE = EmbeddingSpace(provider="test", model="hashing", revision="1", dimension=DIMENSION)

ADD_SOURCE = """
    WITH made AS (
      INSERT INTO source (tenant_id, key, title, permission, metadata)
      VALUES (current_tenant(), $1, 'Title of ' || $1, $2, $3::text::jsonb)
      RETURNING source_id
    )
    INSERT INTO document_version (tenant_id, source_id, seq, text, content_hash, state, review_until)
    SELECT current_tenant(), source_id, 1, $4, sha256(convert_to($4, 'UTF8')), 'current', now()
      FROM made
    RETURNING source_id, version_id
"""
ADD_PASSAGES = """
    INSERT INTO passage (tenant_id, input_hash, input)
    SELECT current_tenant(), p.hash, p.input FROM unnest($1::bytea[], $2::text[]) AS p(hash, input)
    ON CONFLICT DO NOTHING
"""
ADD_CHUNKS = """
    WITH made AS (
      INSERT INTO chunk (tenant_id, version_id, ordinal, start_at, end_at, input_hash, heading_path)
      SELECT current_tenant(), $1, c.ordinal - 1, (c.ordinal - 1) * 10, c.ordinal * 10, c.hash, '{Top}'
        FROM unnest($2::bytea[]) WITH ORDINALITY AS c(hash, ordinal)
      RETURNING version_id, ordinal, input_hash
    )
    INSERT INTO current_chunk (tenant_id, source_id, version_id, ordinal, input_hash, permission)
    SELECT current_tenant(), $3, version_id, ordinal, input_hash, $4 FROM made
"""


async def search_current(
    connection: Connection,
    space_id: SpaceId,
    vector: NDArray[np.float32] | Sequence[float],
    *,
    query: str = "",
    exact_limit: int = EXACT_LIMIT,
    **terms: Unpack[SearchTerms],
) -> SearchResult:
    options = SearchOptions(**terms)
    return await search_space(
        connection, space_id, vector, options, query=query, exact_limit=exact_limit
    )


@dataclass(frozen=True, slots=True)
class Corpus:
    """The store of tenant a: a pool as verifier_app, the space, and the vector of each chunk."""

    database: Database
    pool: Pool
    space_id: SpaceId
    vectors: NDArray[np.float32]

    def nearest(self, query: NDArray[np.float32], rows: Sequence[int], k: int) -> list[int]:
        """The exact answer, computed here: rows by falling cosine."""
        stored = self.vectors.astype(np.float16).astype(np.float64)
        cosine = stored @ query / np.linalg.norm(stored, axis=1)
        return sorted(rows, key=lambda row: (-cosine[row], row))[:k]


def make_vectors(count: int, seed: int) -> NDArray[np.float32]:
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def add_vectors(space_id: SpaceId) -> str:
    return f"""
        INSERT INTO {space_table(space_id)} (tenant_id, input_hash, live, vec)
        SELECT current_tenant(), e.hash, true, e.vec::halfvec
          FROM unnest($1::bytea[], $2::text[]) AS e(hash, vec)
        ON CONFLICT DO NOTHING
    """  # noqa: S608 — the only thing put in is a number


async def add_source(
    connection: Connection,
    space_id: SpaceId,
    vectors: NDArray[np.float32],
    *,
    key: str,
    permission: str = "approved",
    metadata: dict[str, object] | None = None,
    inputs: Sequence[str] | None = None,
) -> None:
    """Add a source whose chunks are ten characters each, with their vectors."""
    inputs = inputs or [f"{key} {row}" for row in range(len(vectors))]
    text = "".join(f"{key[:4]:4}{row:06}" for row in range(len(vectors)))
    facts = json.dumps(metadata or {})
    made = await connection.fetchrow(ADD_SOURCE, key, permission, facts, text)
    hashes = [hash_input(text) for text in inputs]
    await connection.execute(ADD_PASSAGES, hashes, inputs)
    await connection.execute(
        add_vectors(space_id),
        hashes,
        [encode_vector(vector) for vector in vectors],
    )
    await connection.execute(ADD_CHUNKS, made["version_id"], hashes, made["source_id"], permission)


async def fill(dsn: str, count: int) -> None:
    """Give tenant a `count` chunks in sources of 50; every seventh source is blue."""
    vectors = make_vectors(count, seed=1)
    async with (
        await open_pool(dsn, max_size=1) as pool,
        tenant_transaction(pool, "a") as connection,
    ):
        space_id = await ensure_space(connection, SPACE)
        for start in range(0, count, 50):
            number = start // 50
            colour = "blue" if number % 7 == 0 else "red"
            await add_source(
                connection,
                space_id,
                vectors[start : start + 50],
                key=f"s{number:04}",
                metadata={"colour": colour, "number": number, "draft": False},
            )
    await execute(dsn, "ANALYZE")


@pytest.fixture(scope="module")
def filled_templates(embedded: EmbeddedPostgres, migrated_template: str) -> Mapping[int, str]:
    """Databases by the number of their chunks, filled once and only copied."""
    templates = {}
    for count in SIZES:
        database = make_database(embedded, template=migrated_template)
        run(fill(database.owner_dsn, count))
        templates[count] = database.name
    return templates


@asynccontextmanager
async def open_corpus(server: EmbeddedPostgres, template: str, count: int) -> AsyncIterator[Corpus]:
    database = make_database(server, template=template)
    async with await open_pool(database.app_dsn, max_size=4) as pool:
        async with tenant_transaction(pool, "a") as connection:
            space_id = await ensure_space(connection, SPACE)
        yield Corpus(database, pool, space_id, make_vectors(count, seed=1))
    drop_database(server, database)


@pytest.fixture
async def corpus(
    embedded: EmbeddedPostgres, filled_templates: Mapping[int, str]
) -> AsyncIterator[Corpus]:
    """A store of 4,000 chunks, of one test alone."""
    async with open_corpus(embedded, filled_templates[4_000], 4_000) as corpus:
        yield corpus


@pytest.fixture
async def small_corpus(
    embedded: EmbeddedPostgres, filled_templates: Mapping[int, str]
) -> AsyncIterator[Corpus]:
    """A store of 100 chunks, of one test alone."""
    async with open_corpus(embedded, filled_templates[100], 100) as corpus:
        yield corpus


def rows_of(result: object) -> list[int]:
    hits = result.hits  # type: ignore[attr-defined]
    return [int(hit.source[1:]) * 50 + hit.ordinal for hit in hits]


async def count_scans(connection: asyncpg.Connection, index: str) -> int:
    scans = await connection.fetchval(
        "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = $1", index
    )
    return int(scans)


async def wait_for_scan(connection: asyncpg.Connection, index: str) -> int:
    """Return the scans of an index once there is one: a session tells them when it ends."""
    for _ in range(200):
        if scans := await count_scans(connection, index):
            return scans
        await asyncio.sleep(0.05)
    return 0


async def test_both_arms_find_the_nearest(corpus: Corpus) -> None:
    query = make_vectors(1, seed=7)[0]
    expected = corpus.nearest(query, range(4_000), 10)
    for limit, plan in ((10_000, SearchPlan.EXACT), (100, SearchPlan.ANN)):
        async with tenant_transaction(corpus.pool, "a", read_only=True) as connection:
            result = await search_current(
                connection, corpus.space_id, query, k=10, exact_limit=limit
            )
        assert result.plan is plan
        assert len(result.hits) == 10
        if plan is SearchPlan.EXACT:
            assert rows_of(result) == expected
        else:
            assert len(set(rows_of(result)) & set(expected)) >= 9


async def test_the_approximate_arm_scans_the_live_index_in_a_session_without_the_library(
    corpus: Corpus,
) -> None:
    query = make_vectors(1, seed=8)[0]
    watcher = await asyncpg.connect(corpus.database.owner_dsn)
    index = f"{space_table(corpus.space_id)}_live"
    assert await count_scans(watcher, index) == 0
    async with (
        await open_pool(corpus.database.app_dsn, max_size=1) as pool,
        tenant_transaction(pool, "a", read_only=True) as connection,
    ):
        result = await search_current(connection, corpus.space_id, query, k=10, exact_limit=100)
        assert await connection.fetchval("SHOW hnsw.iterative_scan") == "off"
    assert result.plan is SearchPlan.ANN
    assert len(result.hits) == 10
    assert await wait_for_scan(watcher, index) == 1
    assert await count_scans(watcher, f"{space_table(corpus.space_id)}_all") == 0
    await watcher.close()


async def test_a_rare_filter_returns_every_match(corpus: Corpus) -> None:
    query = make_vectors(1, seed=9)[0]
    async with tenant_transaction(corpus.pool, "a") as connection:
        await add_source(
            connection,
            corpus.space_id,
            (make_vectors(3, seed=10) / 100 - query).astype(np.float32),
            key="rare",
            metadata={"colour": "green"},
        )
    for limit in (0, 3_000):
        async with tenant_transaction(corpus.pool, "a", read_only=True) as connection:
            result = await search_current(
                connection,
                corpus.space_id,
                query,
                k=10,
                filters={"colour": "green"},
                exact_limit=limit,
            )
        assert [hit.source for hit in result.hits] == ["rare"] * 3
        assert result.plan is SearchPlan.EXACT


@pytest.mark.parametrize("limit", [100, 3_000])
async def test_a_filter_fills_k_from_its_matches_alone(corpus: Corpus, limit: int) -> None:
    query = make_vectors(1, seed=11)[0]
    blue = [row for row in range(4_000) if row // 50 % 7 == 0]
    async with tenant_transaction(corpus.pool, "a", read_only=True) as connection:
        result = await search_current(
            connection,
            corpus.space_id,
            query,
            k=20,
            filters={"colour": "blue", "draft": False},
            exact_limit=limit,
        )
    assert len(result.hits) == 20
    expected = corpus.nearest(query, blue, 20)
    assert len(set(rows_of(result)) & set(expected)) >= 19


@pytest.mark.parametrize("k", [100, 1_000])
async def test_the_index_gives_many_as_well(corpus: Corpus, k: int) -> None:
    query = make_vectors(1, seed=19)[0]
    async with tenant_transaction(corpus.pool, "a", read_only=True) as connection:
        result = await search_current(connection, corpus.space_id, query, k=k, exact_limit=100)
    expected = corpus.nearest(query, range(4_000), k)
    assert len(result.hits) == k
    assert len(set(rows_of(result)) & set(expected)) >= 0.99 * k


async def test_a_hit_shows_where_its_text_stands(small_corpus: Corpus) -> None:
    corpus = small_corpus
    async with tenant_transaction(corpus.pool, "a") as connection:
        await connection.execute("UPDATE tenant SET basis = 41")
        result = await search_current(
            connection, corpus.space_id, corpus.vectors[57], k=2, query="who?"
        )
    hit = result.hits[0]
    assert (result.query, result.basis) == ("who?", 41)
    assert (hit.chunk_id, hit.source, hit.seq, hit.ordinal) == ("s0001@1#7", "s0001", 1, 7)
    assert (hit.span.start, hit.span.end, hit.text) == (70, 80, "s000000007")
    assert (hit.heading_path, hit.title, hit.url) == (("Top",), "Title of s0001", None)
    assert hit.review_until is not None
    assert hit.similarity == pytest.approx(1.0, abs=1e-3)
    assert 1.0 >= similarity_of(hit) > similarity_of(result.hits[1])


@pytest.mark.parametrize("limit", [0, 3_000])
async def test_other_tenants_and_unapproved_sources_are_not_found(
    small_corpus: Corpus, limit: int
) -> None:
    query = make_vectors(1, seed=12)[0]
    near = np.tile(query, (60, 1))
    corpus = small_corpus
    async with tenant_transaction(corpus.pool, "b") as connection:
        space_id = await ensure_space(connection, SPACE)
        assert space_id == corpus.space_id
        await add_source(connection, space_id, near, key="theirs")
    async with tenant_transaction(corpus.pool, "a") as connection:
        for permission in ("pending", "denied"):
            await add_source(connection, space_id, near, key=permission, permission=permission)
        mine = await search_current(connection, space_id, query, k=50, exact_limit=limit)
    async with tenant_transaction(corpus.pool, "b") as connection:
        theirs = await search_current(connection, space_id, query, k=100, exact_limit=limit)
    assert len(mine.hits) == 50
    assert {hit.source for hit in mine.hits}.isdisjoint({"theirs", "pending", "denied"})
    assert {hit.source for hit in theirs.hits} == {"theirs"}
    assert len(theirs.hits) == 60


@pytest.mark.parametrize("limit", [0, 3_000])
async def test_equal_passages_come_in_the_order_of_their_sources(
    small_corpus: Corpus, limit: int
) -> None:
    vector = make_vectors(1, seed=13)
    corpus = small_corpus
    async with tenant_transaction(corpus.pool, "a") as connection:
        for number in range(40):
            await add_source(
                connection, corpus.space_id, vector, key=f"t{number:03}", inputs=["the same"]
            )
        result = await search_current(
            connection, corpus.space_id, vector[0], k=7, exact_limit=limit
        )
    assert [hit.source for hit in result.hits] == [f"t{number:03}" for number in range(7)]


HOSTILE = [
    "'; DROP TABLE verifier.source; --",
    '"} , {"',
    "$1",
    "\\",
    "%s {} ",
    "\N{RIGHT-TO-LEFT OVERRIDE}x",
]


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_filters_are_compared_as_text(small_corpus: Corpus, text: str) -> None:
    corpus = small_corpus
    query = make_vectors(3, seed=14)
    async with tenant_transaction(corpus.pool, "a") as connection:
        await add_source(connection, corpus.space_id, query, key="odd", metadata={text: text})
        for filters, count in (({text: text}, 3), ({text: "x"}, 0), ({"colour": text}, 0)):
            result = await search_current(
                connection, corpus.space_id, query[0], k=5, filters=filters
            )
            assert len(result.hits) == count
        assert await connection.fetchval("SELECT count(*) FROM source") == 3


async def test_filters_tell_types_apart(small_corpus: Corpus) -> None:
    vectors = make_vectors(1, seed=15)
    stored: dict[str, object] = {"n": 1, "t": "1", "b": True, "z": None, "list": ["x"]}
    cases: list[tuple[dict[str, object], int]] = [
        ({"n": 1}, 1),
        ({"n": 1.0}, 1),
        ({"n": "1"}, 0),
        ({"n": True}, 0),
        ({"t": "1"}, 1),
        ({"t": 1}, 0),
        ({"b": True}, 1),
        ({"b": 1}, 0),
        ({"z": None}, 1),
        ({"missing": None}, 0),
        ({"n": 1, "t": "2"}, 0),
    ]
    corpus = small_corpus
    async with tenant_transaction(corpus.pool, "a") as connection:
        await add_source(connection, corpus.space_id, vectors, key="typed", metadata=stored)
        for filters, count in cases:
            result = await search_current(
                connection, corpus.space_id, vectors[0], k=5, filters=filters
            )
            assert len(result.hits) == count, filters


BAD_VECTORS = [
    [math.nan] * DIMENSION,
    [math.inf] + [0.0] * (DIMENSION - 1),
    [0.0] * DIMENSION,
    [],
]


@pytest.mark.parametrize("vector", BAD_VECTORS)
def test_a_vector_without_direction_is_refused(vector: list[float]) -> None:
    with pytest.raises(InputError):
        encode_vector(vector)


def test_a_tiny_or_huge_vector_keeps_its_direction() -> None:
    for scale in (1e-30, 1e30):
        assert encode_vector([3.0 * scale, 4.0 * scale]).startswith("[0.6000000")


@pytest.mark.parametrize(
    "filters",
    [
        {"a": [[1]]},
        {"a": {"b": 1}},
        {"a": math.nan},
        {"a": -math.inf},
        {1: "a"},
        {"a": "\x00"},
        {"\x00": "a"},
        {"a": "\ud800"},
        {"a": b"bytes"},
    ],
)
def test_a_filter_that_is_not_plain_is_refused(filters: object) -> None:
    with pytest.raises(InputError, match="filter"):
        _ = SearchOptions(filters=filters).filter_path  # type: ignore[arg-type]


class HashingEmbedder:
    """An embedder whose vectors come from a seeded generator: real numbers, no meaning."""

    token_limit = 256

    def __init__(self, space: EmbeddingSpace = SPACE) -> None:
        self.space = space

    def count_tokens(self, text: str) -> int:
        return len(text.split()) + 2

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([make_vectors(1, seed=len(text))[0] for text in texts])

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        return make_vectors(1, seed=len(text)).reshape(-1)


async def test_a_search_before_any_ingest_is_empty(fresh_database: Database) -> None:
    async with await open_pool(fresh_database.app_dsn) as pool:
        result = await semantic_search(pool, "any", tenant="new", embedder=HashingEmbedder())
    assert (result.hits, result.basis, result.plan) == ((), 0, SearchPlan.EXACT)


async def test_a_plain_pool_of_the_driver_will_do(small_corpus: Corpus) -> None:
    async with asyncpg.create_pool(small_corpus.database.app_dsn) as pool:
        result = await semantic_search(pool, "any", tenant="a", embedder=HashingEmbedder(), k=3)
    assert len(result.hits) == 3


@pytest.mark.parametrize("k", [0, -1, 1_001, True, 2.0, "5"])
async def test_k_out_of_range_is_refused(fresh_database: Database, k: int) -> None:
    async with await open_pool(fresh_database.app_dsn) as pool:
        with pytest.raises(InputError, match="k must"):
            await semantic_search(pool, "any", tenant="a", embedder=HashingEmbedder(), k=k)


@pytest.mark.parametrize("query", ["", "  \n", "a\x00b", "\ud800"])
async def test_a_query_that_is_no_text_is_refused(fresh_database: Database, query: str) -> None:
    async with await open_pool(fresh_database.app_dsn) as pool:
        with pytest.raises(InputError, match="query"):
            await semantic_search(pool, query, tenant="a", embedder=HashingEmbedder())


async def test_a_search_needs_a_tenant(fresh_database: Database) -> None:
    async with await open_pool(fresh_database.app_dsn) as pool:
        with pytest.raises(TenantRequired):
            await semantic_search(pool, "any", tenant="", embedder=HashingEmbedder())


async def test_a_model_of_another_space_is_refused(small_corpus: Corpus) -> None:
    other = EmbeddingSpace(provider="test", model="other", revision="1", dimension=DIMENSION)
    corpus = small_corpus
    with pytest.raises(WrongEmbeddingSpace, match=r"test/hashing@1 .*test/other@1 "):
        await semantic_search(corpus.pool, "any", tenant="a", embedder=HashingEmbedder(other))
    async with tenant_transaction(corpus.pool, "a") as connection:
        with pytest.raises(WrongEmbeddingSpace, match="dimensions"):
            await search_current(connection, corpus.space_id, [1.0, 2.0], k=1)
