"""Versions that hold only later or no longer, and who makes them answer when their time comes."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

from tests.integration.store_invariants import find_breaches
from tests.integration.store_reading import (
    TENANT,
    current_texts,
    dump,
    fetch,
    fetch_value,
    ingest_one,
    live_share,
    opened,
    search,
    states,
)
from tests.integration.version_times import FAR, PAST, held, soon, wait_for
from verifier.ingest.requests import Actor, Outcome
from verifier.store.basis import basis_at
from verifier.store.chunks import find_chunks
from verifier.store.pool import tenant_transaction
from verifier.store.publication import approve, withdraw
from verifier.store.timeline import promote_all_due, promote_due

if TYPE_CHECKING:
    from tests.integration.conftest import Database
    from verifier.store.pool import Pool


async def next_validity(pool: Pool) -> object:
    return await fetch_value(pool, "SELECT next_validity FROM tenant")


async def promote(pool: Pool) -> int:
    async with tenant_transaction(pool, TENANT) as conn:
        return await promote_due(conn)


async def test_a_version_of_the_future_waits_for_its_time(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Old text.", valid_from=PAST)
        assert await next_validity(pool) is None
        start = soon()
        outcome = await ingest_one(pool, "d", "New text.", valid_from=start)
        assert outcome.outcome is Outcome.PENDING
        assert "answers from" in (outcome.error or "")
        assert await states(pool, "d") == {1: "current", 2: "draft"}
        assert await current_texts(pool, "d") == ["Old text."]
        assert await next_validity(pool) == start
        assert await held(pool, start) == [2]
        assert await held(pool, start - timedelta(microseconds=1)) == [1]
        assert await find_breaches(pool) == []
        assert await promote(pool) == 0

        await wait_for(start)
        assert await states(pool, "d") == {1: "current", 2: "draft"}
        assert await promote(pool) == 1
        assert await promote(pool) == 0
        assert await states(pool, "d") == {1: "superseded", 2: "current"}
        assert await current_texts(pool, "d") == ["New text."]
        assert await next_validity(pool) is None
        assert await live_share(pool) == (1, 2)
        assert await fetch_value(pool, "SELECT basis FROM tenant") == 2
        assert await find_breaches(pool) == []


async def test_any_ingest_promotes_what_is_due(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        start = soon()
        await ingest_one(pool, "d", "New text.", valid_from=start)
        await ingest_one(pool, "e", "Newer text.", valid_from=start)
        await wait_for(start)
        await ingest_one(pool, "other", "Another text.")
        assert await states(pool, "d") == await states(pool, "e") == {1: "current"}
        assert await find_breaches(pool) == []


async def test_citing_a_version_that_is_due_finds_it_current(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Old text.", valid_from=PAST)
        start = soon()
        await ingest_one(pool, "d", "New text.", valid_from=start)
        await ingest_one(pool, "d", "Text of a bot.", actor=Actor.AGENT)
        for current in (1, 2):
            async with tenant_transaction(pool, TENANT, read_only=True) as conn:
                found = await find_chunks(conn, ["d@1#0", "d@2#0", "d@3#0"])
            assert {seq: chunk.current for seq, chunk in found.items()} == {
                "d@1#0": current == 1,
                "d@2#0": current == 2,
            }
            await wait_for(start)


async def test_the_same_scheduled_version_again_changes_nothing(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "New text.", valid_from=FAR)
        before = await dump(fresh_database, physical=True)
        again = await ingest_one(pool, "d", "New text.", valid_from=FAR)
        assert (again.outcome, again.seq) == (Outcome.UNCHANGED, 1)
        assert await dump(fresh_database, physical=True) == before
        corrected = await ingest_one(pool, "d", "Newest text.", valid_from=FAR)
        assert corrected.outcome is Outcome.PENDING
        assert await states(pool, "d") == {1: "superseded", 2: "draft"}
        assert await held(pool, FAR) == [2]
        assert await find_breaches(pool) == []


async def test_another_text_in_between_leaves_the_schedule(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Old text.", valid_from=PAST)
        await ingest_one(pool, "d", "Announced text.", valid_from=FAR)
        await ingest_one(pool, "d", "Mended text.")
        assert await states(pool, "d") == {1: "superseded", 2: "draft", 3: "current"}
        assert await held(pool, FAR) == [2]
        assert await held(pool, FAR - timedelta(days=1)) == [3]
        assert await next_validity(pool) == FAR
        nearer = FAR - timedelta(days=9)
        await ingest_one(pool, "d", "Announced for sooner.", valid_from=nearer)
        assert await next_validity(pool) == nearer
        assert await find_breaches(pool) == []


async def test_a_schedule_is_withdrawn_before_its_time(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Old text.", valid_from=PAST)
        await ingest_one(pool, "d", "Announced text.", valid_from=FAR)
        async with tenant_transaction(pool, TENANT) as conn:
            assert await withdraw(conn, "d", "ada", seq=2, reason="too early")
        assert await states(pool, "d") == {1: "current", 2: "withdrawn"}
        assert await held(pool, FAR) == [1]
        assert await held(pool, FAR, basis=2) == [2]
        assert await next_validity(pool) is None
        assert await current_texts(pool, "d") == ["Old text."]
        assert await live_share(pool) == (1, 2)
        assert await find_breaches(pool) == []


async def test_withdrawing_what_answers_leaves_the_schedule(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Old text.", valid_from=PAST)
        start = soon()
        await ingest_one(pool, "d", "Announced text.", valid_from=start)
        async with tenant_transaction(pool, TENANT) as conn:
            assert await withdraw(conn, "d", "ada")
        assert await states(pool, "d") == {1: "withdrawn", 2: "draft"}
        assert await current_texts(pool, "d") == []
        assert await find_breaches(pool) == []
        await wait_for(start)
        await promote_all_due(pool, TENANT)
        assert await states(pool, "d") == {1: "withdrawn", 2: "current"}
        assert await find_breaches(pool) == []


async def test_a_scheduled_version_of_an_agent_waits_for_both(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Old text.", valid_from=PAST)
        start = soon()
        await ingest_one(pool, "d", "Text of a bot.", valid_from=start, actor=Actor.AGENT)
        assert await next_validity(pool) is None
        async with tenant_transaction(pool, TENANT) as conn:
            assert (await approve(conn, "d", "ada")).published_seq == 2
        assert await states(pool, "d") == {1: "current", 2: "draft"}
        async with tenant_transaction(pool, TENANT) as conn:
            assert not (await approve(conn, "d", "ada")).changed
        await wait_for(start)
        await promote_all_due(pool, TENANT)
        assert await states(pool, "d") == {1: "superseded", 2: "current"}
        assert await find_breaches(pool) == []


async def test_two_promote_at_once(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        start = soon(1.0)
        for number in range(12):
            await ingest_one(pool, f"d{number}", f"Text {number}.", valid_from=start)
        await wait_for(start)
        await asyncio.gather(*(promote_all_due(pool, TENANT) for _ in range(6)))
        assert await fetch_value(pool, "SELECT count(*) FROM current_chunk") == 12
        assert await next_validity(pool) is None
        assert await find_breaches(pool) == []


async def test_a_source_that_another_holds_is_promoted_later(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        start = soon()
        for key in ("a", "b"):
            await ingest_one(pool, key, f"Text {key}.", valid_from=start)
        await wait_for(start)
        async with tenant_transaction(pool, TENANT) as holder:
            await holder.execute("SELECT FROM source WHERE key = 'a' FOR UPDATE")
            await asyncio.wait_for(promote_all_due(pool, TENANT), 5)
            assert await states(pool, "a") == {1: "draft"}
            assert await next_validity(pool) == start
        await promote_all_due(pool, TENANT)
        assert await states(pool, "a") == {1: "current"}
        assert await next_validity(pool) is None


async def test_a_clock_that_is_set_back_undoes_nothing(fresh_database: Database) -> None:
    """All that is recorded is moved an hour ahead, which is the same as a clock an hour behind."""
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")
        await ingest_one(pool, "d", "Text two.")
        await ingest_one(pool, "gone", "Text one.")
        async with tenant_transaction(pool, TENANT) as conn:
            await withdraw(conn, "gone", "ada")
        later = "+ interval '1 hour'"
        await fresh_database.execute(
            f"""UPDATE verifier.publication
                   SET valid_from = valid_from {later}, valid_to = valid_to {later}""",  # noqa: S608
            f"UPDATE verifier.basis_change SET recorded_at = recorded_at {later}",  # noqa: S608
            "UPDATE verifier.source SET next_validity = now()",
            "UPDATE verifier.tenant SET next_validity = now()",
        )
        assert await promote(pool) == 2
        assert await states(pool, "d") == {1: "superseded", 2: "current"}
        assert await states(pool, "gone") == {1: "withdrawn"}
        await ingest_one(pool, "d", "Text three.")
        assert await states(pool, "d") == {1: "superseded", 2: "superseded", 3: "current"}
        async with tenant_transaction(pool, TENANT) as conn:
            await withdraw(conn, "d", "ada")
        assert await current_texts(pool, "d") == []
        bases = await fetch(pool, "SELECT basis, recorded_at FROM basis_change ORDER BY basis")
        assert [row["basis"] for row in bases] == [1, 2, 3, 4, 5, 6]
        assert bases[4]["recorded_at"] < bases[3]["recorded_at"]
        async with tenant_transaction(pool, TENANT, read_only=True) as conn:
            assert await basis_at(conn, PAST) == 0
            assert await basis_at(conn, bases[4]["recorded_at"]) == 5
            assert await basis_at(conn, bases[0]["recorded_at"]) == 6


async def test_tenants_have_schedules_of_their_own(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        start = soon()
        await ingest_one(pool, "d", "New text.", valid_from=start)
        async with tenant_transaction(pool, "other") as conn:
            await conn.execute("INSERT INTO tenant (tenant_id) VALUES ('other')")
        await wait_for(start)
        async with tenant_transaction(pool, "other") as conn:
            assert await promote_due(conn) == 0
        assert await states(pool, "d") == {1: "draft"}


async def test_searches_see_what_is_due_before_it_is_promoted(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Old text.", valid_from=PAST)
        start = soon()
        await ingest_one(pool, "d", "New text.", valid_from=start)
        await ingest_one(pool, "e", "New text.", valid_from=start)
        assert await search(pool, "text") == [("d@1#0", "Old text.")]
        await wait_for(start)
        found = [("d@2#0", "New text."), ("e@1#0", "New text.")]
        assert await search(pool, "text") == found
        assert await states(pool, "d") == {1: "current", 2: "draft"}
        await promote_all_due(pool, TENANT)
        assert await search(pool, "text") == found
