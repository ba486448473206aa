from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Unpack

import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import (
    TENANT,
    fetch_value,
    ingest,
    ingest_one,
    opened,
    paragraphs,
    request,
    similarity_of,
)
from verifier.audit.staleness import audit_stale
from verifier.core.filters import field
from verifier.core.turn_recorder import TurnRecorder
from verifier.errors import InputError, UnknownThing
from verifier.store.corrections import correct_validity
from verifier.store.pool import tenant_transaction
from verifier.store.publication import approve, deny, withdraw
from verifier.store.search import semantic_search

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier.core.documents import SearchResult
    from verifier.core.search_options import SearchTerms
    from verifier.store.pool import Pool

Y2020 = datetime(2020, 1, 1, tzinfo=UTC)
Y2022 = datetime(2022, 1, 1, tzinfo=UTC)
Y2024 = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.fixture
async def pool(fresh_database: Database) -> AsyncIterator[Pool]:
    async with opened(fresh_database) as pool:
        yield pool


async def find(pool: Pool, query: str = "refund", **terms: Unpack[SearchTerms]) -> SearchResult:
    return await semantic_search(pool, query, tenant=TENANT, embedder=HashingEmbedder(), **terms)


async def ids(pool: Pool, query: str = "refund", **terms: Unpack[SearchTerms]) -> list[str]:
    return [hit.chunk_id for hit in (await find(pool, query, **terms)).hits]


async def test_as_of_finds_the_version_that_held_then(pool: Pool) -> None:
    await ingest_one(pool, "a", "A refund takes 7 days.", valid_from=Y2020)
    await ingest_one(pool, "a", "A refund takes 14 days.", valid_from=Y2022)
    await ingest_one(pool, "b", "No refund.", valid_from=Y2024)
    assert await ids(pool, as_of=Y2020 - timedelta(seconds=1)) == []
    assert await ids(pool, as_of=Y2020) == ["a@1#0"]
    assert await ids(pool, as_of=Y2022) == ["a@2#0"]
    assert sorted(await ids(pool, as_of=Y2024)) == ["a@2#0", "b@1#0"]
    assert sorted(await ids(pool)) == ["a@2#0", "b@1#0"]
    found = await find(pool, as_of=Y2020)
    assert (found.as_of, found.basis) == (Y2020, 3)


async def test_a_basis_finds_what_was_known_then(pool: Pool) -> None:
    await ingest_one(pool, "a", "A refund takes 7 days.", valid_from=Y2020)
    await ingest_one(pool, "a", "A refund takes 14 days.", valid_from=Y2022)
    assert await ids(pool, basis=0) == []
    assert await ids(pool, basis=1) == ["a@1#0"]
    assert await ids(pool, basis=2) == ["a@2#0"]
    assert await ids(pool, basis=1, as_of=Y2024) == ["a@1#0"]
    assert (await find(pool, basis=1)).basis == 1
    with pytest.raises(InputError, match=r"basis 3 is not reached yet; the present one is 2"):
        await find(pool, basis=3)
    with pytest.raises(InputError, match="basis must be"):
        await find(pool, basis=-1)


async def test_a_recorded_moment_stands_for_the_last_basis_before_it(pool: Pool) -> None:
    began = datetime.now(UTC)
    await ingest_one(pool, "a", "A refund takes 7 days.")
    between = datetime.now(UTC)
    await ingest_one(pool, "a", "A refund takes 14 days.")
    assert await ids(pool, known_at=began) == []
    assert await ids(pool, known_at=between) == ["a@1#0"]
    assert await ids(pool, known_at=datetime.now(UTC)) == ["a@2#0"]
    assert (await find(pool, known_at=between, mode="hybrid")).basis == 1
    with pytest.raises(InputError, match="either basis or known_at"):
        await find(pool, known_at=began, basis=1)
    with pytest.raises(InputError, match=r"known_at .* has no time zone"):
        await find(pool, known_at=datetime(2026, 1, 1))  # noqa: DTZ001


async def test_permission_and_metadata_of_now_hold_in_the_past_as_well(pool: Pool) -> None:
    await ingest_one(pool, "a", "A refund takes 7 days.", valid_from=Y2020, metadata={"n": 1})
    await ingest_one(pool, "a", "A refund takes 14 days.", valid_from=Y2022, metadata={"n": 2})
    assert await ids(pool, as_of=Y2020, filters={"n": 2}) == ["a@1#0"]
    assert await ids(pool, as_of=Y2020, filters={"n": 1}) == []
    async with tenant_transaction(pool, TENANT) as conn:
        await deny(conn, "a", "anna")
    assert await ids(pool, as_of=Y2020) == await ids(pool, basis=1) == await ids(pool) == []
    async with tenant_transaction(pool, TENANT) as conn:
        await approve(conn, "a", "anna")
    assert await ids(pool, as_of=Y2020) == ["a@1#0"]


async def test_what_was_withdrawn_is_found_of_the_time_before(pool: Pool) -> None:
    await ingest_one(pool, "a", "A refund takes 7 days.", valid_from=Y2020)
    async with tenant_transaction(pool, TENANT) as conn:
        await withdraw(conn, "a", "anna")
    assert await ids(pool) == []
    assert await ids(pool, as_of=Y2022) == ["a@1#0"]


async def test_a_version_answers_from_the_moment_that_was_stated(
    pool: Pool, fresh_database: Database
) -> None:
    await ingest_one(pool, "a", "A refund takes 7 days.", valid_from=Y2020)
    soon = datetime.now(UTC) + timedelta(hours=1)
    await ingest_one(pool, "a", "A refund takes 14 days.", valid_from=soon)
    assert await ids(pool) == ["a@1#0"]
    assert await ids(pool, as_of=soon) == ["a@2#0"]
    # The moment comes: what was stated is moved back, since a test can't wait for an hour.
    await fresh_database.execute(
        "UPDATE verifier.publication SET valid_to = now() WHERE valid_to > now()",
        "UPDATE verifier.publication SET valid_from = now() WHERE valid_from > now()",
        "UPDATE verifier.tenant SET next_validity = now() WHERE next_validity > now()",
    )
    assert await fetch_value(pool, "SELECT next_validity <= now() FROM tenant") is True
    assert await ids(pool) == ["a@2#0"]


async def test_other_tenants_are_not_seen_in_the_past(pool: Pool) -> None:
    await ingest_one(pool, "a", "A refund takes 7 days.", valid_from=Y2020)
    other = await semantic_search(
        pool, "refund", tenant="other", embedder=HashingEmbedder(), as_of=Y2022
    )
    assert other.hits == ()


@pytest.fixture
async def many(pool: Pool) -> Pool:
    """Twelve sources of eight chunks; those of s00 are the nearest to `refund`."""
    await ingest(
        pool,
        *(
            request(
                f"s{number:02}",
                paragraphs(*(f"{word} {number} {row}" for row in range(8))),
                metadata={"number": number},
            )
            for number in range(12)
            for word in (["refund " * 3] if number == 0 else ["delivery"])
        ),
    )
    return pool


async def test_some_sources_are_searched_alone(many: Pool) -> None:
    found = await find(many, k=20, sources=["s03", "s04", "s03"])
    assert {hit.source for hit in found.hits} == {"s03", "s04"}
    assert len(found.hits) == 16
    assert await ids(many, sources=[]) == []
    assert await ids(many, sources=["s03"], filters=field("number") > 3) == []
    for unknown in ("nowhere", "s03\x00", ""):
        with pytest.raises(UnknownThing, match="there is no source"):
            await find(many, sources=["s03", unknown])
    with pytest.raises(InputError, match="list of keys"):
        await find(many, sources="s03")


async def test_hits_a_source_are_capped_and_k_is_full_all_the_same(many: Pool) -> None:
    first = await find(many, k=8)
    assert {hit.source for hit in first.hits} == {"s00"}
    for limit in (1, 2, 3):
        found = await find(many, k=12, per_source=limit)
        sources = [hit.source for hit in found.hits]
        assert len(sources) == 12
        assert max(map(sources.count, sources)) <= limit
        assert sources.count("s00") == limit
    assert len(await ids(many, k=50, per_source=2)) == 24
    assert len(await ids(many, k=50, per_source=2, as_of=datetime.now(UTC))) == 24


async def test_a_threshold_is_on_similarity(many: Pool) -> None:
    found = await find(many, k=96)
    assert len(found.hits) == 96
    bound = found.hits[10].similarity
    kept = await find(many, k=96, min_similarity=bound)
    assert [h.chunk_id for h in kept.hits] == [
        h.chunk_id for h in found.hits if similarity_of(h) >= similarity_of(found.hits[10])
    ]
    assert 11 <= len(kept.hits) < 96
    for wrong in (1.5, -2, float("nan"), True, "0.5"):
        with pytest.raises(InputError, match="min_similarity"):
            await find(many, min_similarity=wrong)  # type: ignore[arg-type]


async def test_neighbours_are_an_exact_slice_and_touching_hits_share_one(many: Pool) -> None:
    found = await find(many, "refund 0 2", k=8, neighbours=1, sources=["s00"])
    assert len(found.extracts) == 1
    (whole,) = found.extracts
    assert [chunk.ordinal for chunk in whole.chunks] == list(range(8))
    assert set(whole.hits) == {hit.chunk_id for hit in found.hits}
    stored = await fetch_value(
        many,
        "SELECT v.text FROM document_version v JOIN source s USING (source_id) WHERE s.key = 's00'",
    )
    assert whole.text == str(stored)[whole.span.start : whole.span.end]
    one = await find(many, "delivery 5 0", k=1, neighbours=2, sources=["s05"])
    ordinal = one.hits[0].ordinal
    assert [chunk.ordinal for chunk in one.extracts[0].chunks] == [
        near for near in range(ordinal - 2, ordinal + 3) if 0 <= near < 8
    ]
    recorder = TurnRecorder(tenant=TENANT)
    recorder.retrieved(one)
    given = recorder.freeze().retrieved
    assert given[0].label == one.hits[0].chunk_id
    assert {chunk.label for chunk in given} == {c.chunk_id for c in one.extracts[0].chunks}
    assert all(chunk.text in str(one.extracts[0].text) for chunk in given)


async def test_an_explanation_tells_candidates_plan_and_unknown_keys(many: Pool) -> None:
    plain = await find(many)
    assert plain.explanation is None
    told = (await find(many, explain=True, filters={"number": 3, "colour": "red"})).explanation
    assert told is not None
    assert (told.candidates, told.unknown_keys) == (0, ("colour",))
    told = (await find(many, explain=True)).explanation
    assert told is not None
    assert (told.candidates, told.exact_limit) == (96, 3_000)
    assert told.reason == "96 candidates, no more than 3,000: every vector was compared"
    assert {"embedding the query", "searching", "counting candidates"} <= told.milliseconds.keys()
    assert all(ms >= 0 for ms in told.milliseconds.values())
    assert "tests/stems@1" in told.space
    assert not any(index.endswith("_live") for index in told.indexes)


@pytest.mark.parametrize("per_source", [0, -1, 1_001, True, 1.5])
async def test_options_out_of_range_are_named(pool: Pool, per_source: int) -> None:
    with pytest.raises(InputError, match="per_source"):
        await find(pool, per_source=per_source)
    with pytest.raises(InputError, match="neighbours"):
        await find(pool, neighbours=-1)
    with pytest.raises(InputError, match="time zone"):
        await find(pool, as_of=datetime(2026, 1, 1))  # noqa: DTZ001 -- what is refused
    with pytest.raises(InputError, match="mode"):
        await find(pool, mode="magic")


@pytest.mark.parametrize(
    "moment",
    [
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
        datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-14))),
    ],
)
async def test_a_moment_that_nothing_can_hold_is_named(pool: Pool, moment: datetime) -> None:
    with pytest.raises(InputError, match=r"as_of .* outside the years 1 to 9999"):
        await find(pool, as_of=moment)
    with pytest.raises(InputError, match=r"known_at .* outside the years 1 to 9999"):
        await find(pool, known_at=moment)
    with pytest.raises(InputError, match=r"valid_from .* outside the years 1 to 9999"):
        request("d", "Text.", valid_from=moment)
    with pytest.raises(InputError, match=r"valid_from .* outside the years 1 to 9999"):
        async with tenant_transaction(pool, TENANT) as conn:
            await correct_validity(conn, "d", 1, valid_from=moment, by="ada")
    with pytest.raises(InputError, match=r"now .* outside the years 1 to 9999"):
        await audit_stale(pool, TENANT, now=moment)
