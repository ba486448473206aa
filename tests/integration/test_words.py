"""Search by words and by words and meaning together, on the real server."""

from __future__ import annotations

import math
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Unpack

import asyncpg
import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import (
    FILLER,
    TENANT,
    fetch,
    fetch_value,
    ingest,
    ingest_one,
    opened,
    paragraphs,
    request,
    similarity_of,
)
from verifier import open_verifier
from verifier.core.documents import SearchPlan
from verifier.errors import InputError, ModelError
from verifier.ingest.pipeline import ingest_documents
from verifier.ingest.requests import Actor
from verifier.settings import load_settings
from verifier.store.search import LONGEST_WORDS, semantic_search

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tests.integration.conftest import Database
    from verifier.core.documents import SearchResult
    from verifier.core.search_options import SearchTerms
    from verifier.core.spaces import EmbeddingSpace
    from verifier.store.pool import Pool

RANKED = "SELECT * FROM search_words($1, $2, NULL, NULL, NULL, NULL, $3, $4)"


async def find(
    pool: Pool,
    query: str,
    *,
    tenant: str = TENANT,
    embedder: HashingEmbedder | None = None,
    **terms: Unpack[SearchTerms],
) -> SearchResult:
    terms.setdefault("mode", "words")
    model = embedder or HashingEmbedder()
    return await semantic_search(pool, query, tenant=tenant, embedder=model, **terms)


async def sources(pool: Pool, query: str, **terms: Unpack[SearchTerms]) -> list[str]:
    return [hit.source for hit in (await find(pool, query, **terms)).hits]


async def rank(
    pool: Pool, query: str, *, k: int = 10, exact_limit: int = 3_000, rank_limit: int = 2_000
) -> list[asyncpg.Record]:
    return await fetch(pool, RANKED, query, k, exact_limit, rank_limit)


def bm25(texts: Sequence[str], tokens: Sequence[Sequence[str]], asked: set[str]) -> list[float]:
    """The weight of each text, from lists of its words instead of from what the store keeps."""
    mean = sum(len(text.encode()) for text in texts) / len(texts)
    holding = Counter(word for words in tokens for word in set(words))
    weights = []
    for text, words in zip(texts, tokens, strict=True):
        times = Counter(words)
        weights.append(
            sum(
                math.log(1 + (len(texts) - holding[word] + 0.5) / (holding[word] + 0.5))
                * (times[word] * 2.2)
                / (times[word] + 1.2 * (0.25 + 0.75 * len(text.encode()) / mean))
                for word in asked
            )
        )
    return weights


TEXTS = {
    "a": "apple pear " * 3 + "plum",
    "b": "apple " * 40,
    "c": "pear plum quince and a longer text about nothing at all, which goes on for a while",
    "d": "plum",
    "e": "quince " * 300,
    "f": "cherry",
}


@pytest.mark.parametrize(("exact_limit", "rank_limit"), [(3_000, 2_000), (0, 2_000)])
async def test_words_weigh_what_bm25_says(
    fresh_database: Database, exact_limit: int, rank_limit: int
) -> None:
    async with opened(fresh_database) as pool:
        await ingest(pool, *(request(key, text) for key, text in TEXTS.items()))
        rows = await fetch(pool, "SELECT source_id, key FROM source")
        keys = {row["source_id"]: row["key"] for row in rows}
        inputs = await fetch(
            pool,
            """SELECT n.source_id, n.ordinal, p.input FROM current_chunk n
                 JOIN passage p USING (tenant_id, input_hash)""",
        )
        tokens = [row["input"].lower().replace(",", " ").split() for row in inputs]
        stems = [
            ["appl" if w == "apple" else "quinc" if w == "quince" else w for w in t] for t in tokens
        ]
        expected = bm25([row["input"] for row in inputs], stems, {"appl", "quinc", "plum"})
        wanted = {
            (keys[row["source_id"]], row["ordinal"]): weight
            for row, weight in zip(inputs, expected, strict=True)
            if weight > 0
        }
        found = await rank(
            pool, "apples, quinces and plum", exact_limit=exact_limit, rank_limit=rank_limit
        )
    assert len(wanted) >= 5
    weights = {(keys[row["source_id"]], row["ordinal"]): row["bm25"] for row in found}
    assert weights == pytest.approx(wanted, rel=1e-4)
    assert [row["bm25"] for row in found] == sorted(weights.values(), reverse=True)
    assert {row["plan"] for row in found} == {"exact"}
    assert all(0 < row["coverage"] <= 1 for row in found)


async def test_occurrences_are_read_from_the_rank_of_one_word(fresh_database: Database) -> None:
    rows = await as_owner(
        fresh_database,
        """SELECT n, verifier.occurrences(to_tsvector('simple', 'b ' || repeat('a ', n)), 'a') AS found
             FROM generate_series(0, 255) AS n""",
    )
    assert len(rows) == 256
    assert [row["found"] for row in rows] == [row["n"] for row in rows]


NAMED = {
    "sku": "The replacement part is SKU-123, in stock.",
    "version": "Fixed in v2.1 of the client.",
    "mail": "Mail user@example.com for access.",
    "path": "Anyone with read/write permission may delete it.",
    "day": "The rule holds from 2026-10-01 on.",
    "name": "Set max_tokens to 4096.",
    "money": "It costs $1,299.00 a year.",
    "model": "Use claude-3-opus-20240229 here.",
}


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("SKU-123", "sku"),
        ("what about sku-123?", "sku"),
        ("123", "sku"),
        ("(SKU-123)", "sku"),
        ("v2.1", "version"),
        ("user@example.com", "mail"),
        ("write", "path"),
        ("2026-10-01", "day"),
        ("max_tokens", "name"),
        ("$1,299.00", "money"),
        ("20240229", "model"),
        ("deleting", "path"),
    ],
)
async def test_ids_numbers_and_words_within_words_are_found(
    named_store: Pool, query: str, source: str
) -> None:
    assert (await sources(named_store, query))[0] == source


@pytest.fixture
async def named_store(fresh_database: Database) -> AsyncIterator[Pool]:
    async with opened(fresh_database) as pool:
        await ingest(pool, *(request(key, text) for key, text in NAMED.items()))
        yield pool


@pytest.mark.parametrize(
    "query",
    ["the of and", "😀", "?!", "' | ''", "&", "\\", "zzzunheardof", "\u202e", "<->", "!", ":*"],
)
async def test_a_query_without_a_known_word_finds_nothing_by_words(
    named_store: Pool, query: str
) -> None:
    found = await find(named_store, query)
    assert (found.hits, found.plan) == ((), SearchPlan.EXACT)
    both = await find(named_store, query, mode="hybrid", k=3)
    assert [hit.vector_rank for hit in both.hits] == [1, 2, 3]
    assert {hit.words_rank for hit in both.hits} == {None}


@pytest.mark.parametrize(
    "query",
    [
        "'); DROP TABLE passage; -- permission",
        "permission' | 'x",
        "permission\\",
        "permission & ! delete",
        "permission:* <-> (",
        "permission 😀 'quoted \"twice\"'",
        "O'Brien's permission",
        "permission " + "x" * 5_000,
        "permission " + " ".join(f"word{n}" for n in range(2_000)),
        "permission " * 1_000,
    ],
)
async def test_operators_and_quotes_of_a_query_are_text(named_store: Pool, query: str) -> None:
    assert (await sources(named_store, query))[0] == "path"
    assert (await sources(named_store, query, mode="hybrid", k=8))[:1]
    assert await fetch_value(named_store, "SELECT count(*) FROM passage") == len(NAMED)


async def test_an_empty_query_or_an_unknown_mode_is_refused(named_store: Pool) -> None:
    with pytest.raises(InputError, match="empty"):
        await find(named_store, "  ")
    with pytest.raises(InputError, match="vector, words, hybrid"):
        await find(named_store, "write", mode="fulltext")


async def test_a_query_of_more_words_than_postgres_holds_is_refused(named_store: Pool) -> None:
    letters = [chr(0x20000 + n) for n in range(300)]  # four bytes each
    words = " ".join(one + other for one in letters for other in letters)
    longest = words[:LONGEST_WORDS]
    for mode in ("words", "hybrid"):
        await find(named_store, longest, mode=mode)
        with pytest.raises(InputError, match="at most 100,000"):
            await find(named_store, words, mode=mode)
    assert (await find(named_store, words, mode="vector")).hits


async def test_only_current_approved_chunks_of_the_tenant_are_found(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "page", "The fee is seven crowns.")
        before = datetime.now(UTC)
        await ingest_one(pool, "page", "The fee is eight marks.")
        await ingest_one(pool, "draft", "A fee of nine crowns.", actor=Actor.AGENT)
        assert await sources(pool, "crowns") == []
        assert await sources(pool, "marks") == ["page"]
        past = await find(pool, "crowns", as_of=before)
        assert [hit.chunk_id for hit in past.hits] == ["page@1#0"]
        assert await sources(pool, "marks", as_of=before) == []
        assert [hit.chunk_id for hit in (await find(pool, "crowns", basis=1)).hits] == ["page@1#0"]
        assert await sources(pool, "fee", as_of=before - timedelta(days=1)) == []
        other = await find(pool, "fee", tenant="other", mode="hybrid")
        assert other.hits == ()


async def test_filters_sources_and_hits_a_source_hold_in_every_mode(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        await ingest(
            pool,
            *(
                request(
                    f"s{n}", paragraphs(f"refund {n} one", f"refund {n} two"), metadata={"n": n}
                )
                for n in range(5)
            ),
        )
        for mode in ("words", "hybrid"):
            found = await find(pool, "refund", mode=mode, k=10, filters={"n": [1, 2]})
            assert sorted({hit.source for hit in found.hits}) == ["s1", "s2"]
            assert len(found.hits) == 4
            found = await find(pool, "refund", mode=mode, k=10, sources=["s3"])
            assert {hit.source for hit in found.hits} == {"s3"}
            found = await find(pool, "refund", mode=mode, k=5, per_source=1)
            assert sorted(hit.source for hit in found.hits) == ["s0", "s1", "s2", "s3", "s4"]
            assert (await find(pool, "refund", mode=mode, min_similarity=1.0)).hits == ()


async def test_hybrid_fuses_both_lists_and_tells_each_hits_places(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest(
            pool, *(request(f"s{n}", f"Note {n} on shipping. {FILLER}") for n in range(150))
        )
        await ingest_one(pool, "rare", f"Kumquat. {FILLER} {FILLER}")
        found = await find(pool, "kumquat note 7 shipping", mode="hybrid", k=120)
        assert len(found.hits) == 120
        by_meaning = await find(pool, "kumquat note 7 shipping", mode="vector", k=151)
        by_words = await find(pool, "kumquat note 7 shipping", mode="words", k=151)
    similarity = {hit.chunk_id: hit.similarity for hit in by_meaning.hits}
    vector_rank = {hit.chunk_id: place for place, hit in enumerate(by_meaning.hits, 1)}
    words_rank = {hit.chunk_id: place for place, hit in enumerate(by_words.hits, 1)}
    for hit in found.hits:
        assert hit.similarity == pytest.approx(similarity[hit.chunk_id], abs=1e-6)
        fused = 0.0
        if hit.vector_rank is not None:
            assert hit.vector_rank == vector_rank[hit.chunk_id]
            fused += max(similarity_of(hit), 0) / (60 + hit.vector_rank)
        if hit.words_rank is not None and hit.coverage is not None:
            assert hit.words_rank == words_rank[hit.chunk_id]
            fused += 4 * hit.coverage / (60 + hit.words_rank)
        assert hit.fused == pytest.approx(fused, rel=1e-6)
    order = [hit.fused or 0 for hit in found.hits]
    assert order == sorted(order, reverse=True)
    assert "rare" in [hit.source for hit in found.hits[:2]]


async def test_frequent_words_are_ranked_among_a_bounded_number_and_k_is_full(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        await ingest(
            pool,
            *(
                request(f"s{n}", f"Product {n} ships{' by mail' if n % 3 else ''}.")
                for n in range(300)
            ),
        )
        rows = await rank(pool, "product", k=20, exact_limit=10, rank_limit=50)
        assert (len(rows), {row["plan"] for row in rows}) == (20, {"capped"})
        assert [tuple(r) for r in rows] == [
            tuple(r) for r in await rank(pool, "product", k=20, exact_limit=10, rank_limit=50)
        ]
        assert len(await rank(pool, "product", k=250, exact_limit=10, rank_limit=50)) == 250
        assert len(await rank(pool, "product", k=400, exact_limit=10, rank_limit=50)) == 300
        both = await rank(pool, "product mail", k=20, exact_limit=10, rank_limit=50)
        mailed = await fetch(
            pool,
            """SELECT n.source_id FROM current_chunk n JOIN passage p USING (tenant_id, input_hash)
                WHERE p.input LIKE '%mail%'""",
        )
        assert {row["source_id"] for row in both} <= {row["source_id"] for row in mailed}
        rare = await rank(pool, "product 7", k=1, exact_limit=10, rank_limit=50)
        assert (len(rare), rare[0]["plan"]) == (1, "exact")


async def test_k_is_full_where_the_rare_words_stand_outside_the_scope(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        await ingest(
            pool,
            *(request(f"s{n}", f"Product {n} ships.") for n in range(120)),
            *(request(f"k{n}", f"Kumquat product {n}.") for n in range(40)),
        )
        rows = await fetch(
            pool,
            """SELECT * FROM search_words('kumquat product', 45, NULL, ARRAY(
                   SELECT source_id FROM source WHERE key LIKE 's%'), NULL, NULL, 10, 50)""",
        )
        assert (len(rows), {row["plan"] for row in rows}) == (45, {"capped"})


async def test_passages_are_counted_from_a_sample_in_the_order_of_hashes(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        await ingest(pool, *(request(f"s{n}", f"Text {n}.") for n in range(1_500)))
    [row] = await as_owner(
        fresh_database,
        """SELECT verifier.counted_by_hash(array_agg(s.input_hash ORDER BY s.input_hash), 400) AS many,
                  verifier.counted_by_hash(NULL, 400) AS none,
                  verifier.counted_by_hash(ARRAY['\\x00'::bytea], 400) AS one
             FROM (SELECT p.input_hash FROM verifier.passage p ORDER BY 1 LIMIT 400) s""",
    )
    assert 1_200 <= row["many"] <= 1_800
    assert (row["none"], row["one"]) == (0, 1)


async def as_owner(database: Database, statement: str) -> list[asyncpg.Record]:
    """The rows of a statement that calls what only the owner may."""
    connection = await asyncpg.connect(database.owner_dsn)
    try:
        return list(await connection.fetch(statement))
    finally:
        await connection.close()


GERMAN = "Die Häuser wurden gekauft, und die Gebühren sind bezahlt."


async def test_words_are_those_of_the_sources_language(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "de", GERMAN, metadata={"language": "de-CH"})
        await ingest_one(pool, "en", "The houses were bought, and the fees are paid.")
        await ingest_one(pool, "sw", "Nyumba zilinunuliwa.", metadata={"language": "sw"})
        assert await sources(pool, "Haus") == ["de"]
        assert await sources(pool, "eine gekaufte Gebühr") == ["de"]
        assert await sources(pool, "buying a house") == ["en"]
        assert await sources(pool, "zilinunuliwa") == ["sw"]
        assert await sources(pool, "und die") == []
        languages = await fetch(pool, "SELECT key, language FROM source ORDER BY key")
    assert [tuple(row) for row in languages] == [
        ("de", "german"),
        ("en", "english"),
        ("sw", "simple"),
    ]


async def test_a_language_told_later_is_that_of_what_stands(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "page", f"{GERMAN} {FILLER}")
        await ingest_one(pool, "page", GERMAN)
        assert await sources(pool, "Haus") == []
        await ingest_one(pool, "page", GERMAN, metadata={"language": "german"})
        assert await sources(pool, "Haus") == ["page"]
        assert await fetch(pool, "SELECT FROM passage WHERE language <> 'german'") == []
        await ingest_one(pool, "page", GERMAN, metadata={"language": ["de", "en"]})
        assert await sources(pool, "Häuser") == ["page"]
        assert await sources(pool, "Haus") == []


async def test_a_shared_passage_has_the_language_that_was_told_last(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "a", GERMAN, metadata={"language": "de"})
        await ingest_one(pool, "b", GERMAN, metadata={"language": "sv"})
        rows = await fetch(pool, "SELECT language FROM passage")
        assert [row["language"] for row in rows] == ["swedish"]
        assert sorted(await sources(pool, "Gebühren")) == ["a", "b"]


async def test_another_tenants_passages_keep_their_language_and_count_for_nothing(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "page", GERMAN)
        alone = await rank(pool, "gekauft Gebühren")
        await ingest_documents(
            pool,
            "other",
            HashingEmbedder(),
            [request(f"p{n}", f"{GERMAN} {n}", metadata={"language": "de"}) for n in range(20)]
            + [request("page", GERMAN, metadata={"language": "de"})],
        )
        assert await rank(pool, "gekauft Gebühren") == alone
        assert await rank(pool, "Haus") == []
        assert len((await find(pool, "Haus", tenant="other", k=30)).hits) == 21


async def test_the_setting_says_how_sources_are_read_that_name_no_language(
    fresh_database: Database,
) -> None:
    settings = load_settings(dsn=fresh_database.app_dsn, language="de")
    documents = [
        request("page", GERMAN),
        request("house", "Two houses.", metadata={"language": "en"}),
        request("labelled", f"{GERMAN} Zwei.", metadata={"topic": "fees"}),
    ]
    plain = load_settings(dsn=fresh_database.app_dsn)
    async with open_verifier(settings=plain, embedder=HashingEmbedder()) as verifier:
        await verifier.ingest_requests(documents[:1])
        assert (await verifier.semantic_search("Haus", mode="words")).hits == ()
    async with open_verifier(settings=settings, embedder=HashingEmbedder()) as verifier:
        summary = await verifier.ingest_requests(documents)
        assert [each.outcome for each in summary.outcomes] == ["relabelled", "new", "new"]
        found = await verifier.semantic_search("Haus", mode="words", filters={"language": "de"})
        assert sorted(hit.source for hit in found.hits) == ["labelled", "page"]
        found = await verifier.semantic_search("house", mode="words")
        assert [hit.source for hit in found.hits] == ["house"]
        again = await verifier.ingest_requests(documents)
        assert {each.outcome for each in again.outcomes} == {"unchanged"}


async def test_words_alone_need_no_model_and_tell_no_similarity(fresh_database: Database) -> None:
    class Silent(HashingEmbedder):
        async def embed_query(self, text: str) -> NDArray[np.float32]:
            raise ModelError(f"no model for {text}")

        @property
        def space(self) -> EmbeddingSpace:
            raise ModelError("no model")

    async with opened(fresh_database) as pool:
        await ingest_one(pool, "refunds", f"Refunds take nine days. {FILLER}")
        found = await find(pool, "refund", embedder=Silent(), neighbours=1, explain=True)
        assert [(hit.source, hit.similarity) for hit in found.hits] == [("refunds", None)]
        assert 0 < (found.hits[0].coverage or 0) <= 1
        assert (len(found.extracts), found.explanation is not None) == (1, True)
        for terms in ({"mode": "hybrid"}, {"mode": "vector"}, {"min_similarity": 0.1}):
            with pytest.raises(ModelError, match="no model"):
                await find(pool, "refund", embedder=Silent(), **terms)
        by_meaning = await find(pool, "refund", min_similarity=-1.0)
        assert -1 <= similarity_of(by_meaning.hits[0]) <= 1


async def test_words_beyond_the_sixty_fourth_are_told(fresh_database: Database) -> None:
    many = " ".join(f"w{number}x" for number in range(70))
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "en", f"w0x and w69x. {FILLER}")
        told = {
            mode: (await find(pool, many, mode=mode, explain=True)).explanation
            for mode in ("words", "hybrid", "vector")
        }
        few = (await find(pool, many.partition(" w64x")[0], explain=True)).explanation
        assert await sources(pool, "w69x " + many.partition(" w69x")[0].partition(" ")[2]) == ["en"]
    assert few is not None
    assert few.unread_words == 0
    assert {mode: each.unread_words for mode, each in told.items() if each is not None} == {
        "words": 6,
        "hybrid": 6,
        "vector": 0,
    }
