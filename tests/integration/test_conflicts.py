"""Conflicts on record: who declares, has and resolves them, and what they make of verdicts."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.erasing import erase
from tests.integration.queued_reviews import verifier_on
from tests.integration.store_reading import dump, fetch, fetch_value, ingest_one, opened
from verifier.core.conflicts import ConflictState
from verifier.core.turns import Turn
from verifier.errors import InputError, UnknownThing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier.service import Verifier
    from verifier.store.conflicts import Conflict
    from verifier.store.pool import Pool

TERMS = "Opened goods may be returned within 30 days. Parcels leave our house on Mondays."
OTHER = "Opened goods may be returned within 60 days. We are closed on Sundays."
WORDS = "Opened goods may be returned within 30 days."
CITED = "Opened goods may be returned within 30 days [terms@1#0]."


@asynccontextmanager
async def store(database: Database) -> AsyncIterator[tuple[Pool, Verifier]]:
    """Two sources that disagree on the days."""
    verifier = verifier_on(database)
    try:
        async with opened(database) as pool:
            await ingest_one(pool, "terms", TERMS)
            await ingest_one(pool, "faq", OTHER)
            yield pool, verifier
    finally:
        await verifier.close()


async def declare(
    verifier: Verifier, place: str = "terms", other: str | None = "faq", **terms: Any
) -> Conflict:
    told = {
        "subject": "opened goods",
        "attribute": "days",
        "value": "30 days",
        "other_value": "60 days",
    }
    return await verifier.conflicts.declare(place, other, **({"by": "anna"} | told | terms))


async def code(verifier: Verifier, answer: str, *chunks: str) -> str:
    """The only claim's code, with these chunks of the store given to the turn."""
    turn = Turn(retrieved=await read(verifier, chunks), citations_required=True)
    report = await verifier.verify(answer, turn)
    (judged,) = report.judged
    return judged.verdict.code.value


async def read(verifier: Verifier, chunks: tuple[str, ...]) -> Any:
    hits = (await verifier.semantic_search("opened goods parcels closed", k=50)).hits
    recorder = verifier.turn()
    recorder.retrieved([hit for hit in hits if hit.chunk_id in chunks])
    found = recorder.freeze().retrieved
    assert {one.label for one in found} == set(chunks)
    return found


async def test_an_open_conflict_makes_source_conflict_of_what_rests_on_either_place(
    fresh_database: Database,
) -> None:
    async with store(fresh_database) as (_, verifier):
        assert await code(verifier, CITED, "terms@1#0") == "supported"
        made = await declare(verifier)
        assert made.state is ConflictState.OPEN
        assert await code(verifier, CITED, "terms@1#0") == "source_conflict"
        said = "Opened goods may be returned within 60 days [faq@1#0]."
        assert await code(verifier, said, "faq@1#0") == "source_conflict"
        wrong = "Opened goods may be returned within 31 days [terms@1#0]."
        assert await code(verifier, wrong, "terms@1#0") == "unsupported_quantity"
        await verifier.conflicts.assign(made.conflict_id, to="ben", by="anna")
        assert await code(verifier, CITED, "terms@1#0") == "source_conflict"
        await verifier.conflicts.resolve(made.conflict_id, by="ben", reason="the FAQ was wrong")
        assert await code(verifier, CITED, "terms@1#0") == "supported"


async def test_the_verdict_names_the_conflict_and_what_it_was_otherwise(
    fresh_database: Database,
) -> None:
    async with store(fresh_database) as (_, verifier):
        made = await declare(verifier)
        turn = Turn(retrieved=await read(verifier, ("terms@1#0",)), citations_required=True)
        report = await verifier.verify(CITED, turn)
        verdict = report.judged[0].verdict
        assert verdict.detail.startswith(
            f"conflict {made.conflict_id} is on record: of opened goods, days, terms says '30 days'"
            " and faq '60 days'; otherwise supported:"
        )
        assert [one.code.value for one in verdict.findings] == ["supported", "source_conflict"]


async def test_words_narrow_a_conflict_to_where_they_stand(fresh_database: Database) -> None:
    parcels = "Parcels leave our house on Mondays [terms@1#0]."
    async with store(fresh_database) as (pool, verifier):
        made = await declare(verifier, words=WORDS)
        assert made.side.words == WORDS
        assert await code(verifier, CITED, "terms@1#0") == "source_conflict"
        assert await code(verifier, parcels, "terms@1#0") == "supported"
        await ingest_one(pool, "terms", f"A new head. {TERMS}")
        moved = CITED.replace("@1", "@2")
        assert await code(verifier, moved, "terms@2#0") == "source_conflict"
        assert await code(verifier, parcels.replace("@1", "@2"), "terms@2#0") == "supported"
        await ingest_one(pool, "terms", TERMS.replace("30", "60"))
        new = "Opened goods may be returned within 60 days [terms@3#0]."
        assert await code(verifier, new, "terms@3#0") == "supported"


async def test_a_version_in_conflict_is_not_its_successor(fresh_database: Database) -> None:
    async with store(fresh_database) as (pool, verifier):
        await declare(verifier, "terms@1", "faq@1")
        assert await code(verifier, CITED, "terms@1#0") == "source_conflict"
        await ingest_one(pool, "terms", f"A new head. {TERMS}")
        assert await code(verifier, CITED.replace("@1", "@2"), "terms@2#0") == "supported"


async def test_a_row_may_be_the_other_side(fresh_database: Database) -> None:
    async with store(fresh_database) as (_, verifier):
        made = await declare(verifier, "terms@1#0", None, row="default/shop.rule/7/days")
        assert (made.other, made.other_row) == (None, "default/shop.rule/7/days")
        assert await code(verifier, CITED, "terms@1#0") == "source_conflict"


async def test_a_turn_without_stored_chunks_asks_the_store_nothing(
    fresh_database: Database,
) -> None:
    async with store(fresh_database) as (_, verifier):
        await declare(verifier)
        found = (await read(verifier, ("terms@1#0",)))[0]
        own = replace(found, seq=None, ordinal=None)
        asked: list[object] = []

        async def note(places: object) -> tuple[()]:
            asked.append(places)
            return ()

        verifier._verification._find_disputes = note  # type: ignore[method-assign]
        report = await verifier.verify(CITED, Turn(retrieved=(own,), citations_required=True))
        assert report.judged[0].verdict.code.value == "supported"
        await verifier.verify("Hello.", Turn(retrieved=(found,)))
        assert asked == []
        await verifier.verify(CITED, Turn(retrieved=(found,), citations_required=True))
        assert len(asked) == 1


async def test_a_store_that_is_gone_accepts_nothing(fresh_database: Database) -> None:
    async with store(fresh_database) as (_, verifier):
        turn = Turn(retrieved=await read(verifier, ("terms@1#0",)), citations_required=True)
        await fresh_database.execute("ALTER TABLE verifier.conflict RENAME TO gone")
        report = await verifier.verify(CITED, turn)
        verdict = report.judged[0].verdict
        assert (verdict.code.value, verdict.reason) == ("unverifiable", "database_unavailable")


async def test_another_tenants_conflict_means_nothing(fresh_database: Database) -> None:
    async with store(fresh_database) as (_, verifier):
        made = await declare(verifier)
        other = verifier_on(fresh_database, "rival")
        try:
            assert (await other.conflicts.list(state=None)).conflicts == ()
            with pytest.raises(UnknownThing):
                await other.conflicts.resolve(made.conflict_id, by="eve", reason="so")
            with pytest.raises(UnknownThing, match="no source 'terms'"):
                await declare(other)
        finally:
            await other.close()
        assert (await verifier.conflicts.list()).conflicts == (made,)


async def test_two_who_assign_at_once_learn_of_each_other(fresh_database: Database) -> None:
    async with store(fresh_database) as (_, verifier):
        number = (await declare(verifier)).conflict_id
        ended = await asyncio.gather(
            *(
                verifier.conflicts.assign(number, to=who, by="anna")
                for who in ("ben", "cyd", "dan")
            ),
            return_exceptions=True,
        )
        refused = [str(one) for one in ended if isinstance(one, InputError)]
        (held,) = {one.assigned_to for one in ended if not isinstance(one, BaseException)}
        assert (
            refused
            == [
                f"conflict {number} is assigned to {held}; name who has it, to take it over (--instead-of)"
            ]
            * 2
        )
        taken = await verifier.conflicts.assign(number, to="eve", by="anna", instead_of=held)
        assert (taken.assigned_to, taken.assigned_by) == ("eve", "anna")
        with pytest.raises(InputError, match="assigned to eve"):
            await verifier.conflicts.assign(number, to="ben", by="anna", instead_of=held)


async def test_two_who_resolve_at_once_overwrite_nothing(fresh_database: Database) -> None:
    async with store(fresh_database) as (_, verifier):
        number = (await declare(verifier)).conflict_id
        ended = await asyncio.gather(
            *(
                verifier.conflicts.resolve(number, by=who, reason=f"{who} says so")
                for who in ("ben", "cyd")
            ),
            return_exceptions=True,
        )
        (kept,) = [one for one in ended if not isinstance(one, BaseException)]
        (refused,) = [str(one) for one in ended if isinstance(one, InputError)]
        assert f"was resolved by {kept.resolved_by}: {kept.reason}" in refused
        assert (await verifier.conflicts.list(state="resolved")).conflicts == (kept,)
        with pytest.raises(InputError, match="was resolved by"):
            await verifier.conflicts.assign(number, to="dan", by="anna")


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no other place": ({"other": None}, "second place"),
    "two other places": ({"row": "d/t/k/c"}, "second place"),
    "the same place": ({"other": "terms"}, "both are the same"),
    "blank subject": ({"subject": " "}, "needs a subject"),
    "blank value": ({"value": ""}, "needs a value"),
    "blank name": ({"by": " "}, "person's name"),
    "a name with NUL": ({"by": "a\x00b"}, "person's name"),
    "a huge subject": ({"subject": "s" * 10_001}, "at most 10,000"),
    "words that are not there": ({"words": "within 31 days"}, "does not stand in terms"),
    "words that are there twice": ({"words": "s"}, "more than once"),
    "blank words": ({"words": " "}, "does not stand"),
    "no such source": ({"place": "nowhere"}, "no source 'nowhere'"),
    "no such version": ({"place": "terms@2"}, "no 'terms@2'"),
    "no such chunk": ({"place": "terms@1#9"}, "no 'terms@1#9'"),
    "a row without a column": ({"other": None, "row": "shop/7"}, "database/table/key/column"),
    "a quote in a key": ({"place": "'; DROP TABLE conflict; --"}, "no source"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_what_is_missing_is_refused_and_nothing_written(
    fresh_database: Database, name: str
) -> None:
    terms, told = REFUSED[name]
    async with store(fresh_database) as (_, verifier):
        before = await dump(fresh_database, physical=True)
        with pytest.raises(InputError, match=told):
            await declare(verifier, **terms)
        assert await dump(fresh_database, physical=True) == before


async def test_unknown_conflicts_and_states_are_named(fresh_database: Database) -> None:
    async with store(fresh_database) as (_, verifier):
        for number in (7, 0, -1, 2**70):
            with pytest.raises(UnknownThing, match=f"no conflict {number}"):
                await verifier.conflicts.resolve(number, by="ben", reason="so")
        with pytest.raises(InputError, match="open, assigned, resolved, obsolete"):
            await verifier.conflicts.list(state="closed")
        with pytest.raises(InputError, match="limit is 0"):
            await verifier.conflicts.list(limit=0)
        assert (await verifier.conflicts.list(source="a\x00")).conflicts == ()


async def test_lists_say_where_they_are_cut(fresh_database: Database) -> None:
    async with store(fresh_database) as (_, verifier):
        made = [await declare(verifier) for _ in range(3)]
        await verifier.conflicts.assign(made[1].conflict_id, to="ben", by="anna")
        found = await verifier.conflicts.list(limit=2)
        assert ([one.conflict_id for one in found.conflicts], found.more) == (
            [one.conflict_id for one in made[:2]],
            True,
        )
        ours = await verifier.conflicts.list(assigned_to="ben", source="faq")
        assert [one.conflict_id for one in ours.conflicts] == [made[1].conflict_id]


async def test_an_erased_version_takes_its_words_along(fresh_database: Database) -> None:
    async with store(fresh_database) as (pool, verifier):
        closed = await declare(verifier, words=WORDS)
        await verifier.conflicts.resolve(closed.conflict_id, by="ben", reason=f"see: {WORDS}")
        await declare(verifier, words=WORDS)
        done = await erase(fresh_database, "terms")
        assert done.proven
        rows = await fetch(pool, "SELECT state, reason, start_at, value FROM conflict ORDER BY 1")
        assert [tuple(row) for row in rows] == [
            ("obsolete", "[erased]", None, "[erased]"),
            ("resolved", "[erased]", None, "[erased]"),
        ]
        assert await fetch_value(pool, "SELECT count(*) FROM conflict") == 2
