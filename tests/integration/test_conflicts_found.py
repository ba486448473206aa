"""Conflicts that are found in the store: recorded once, closed by themselves, seen by verdicts."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tests.integration.erasing import erase
from tests.integration.queued_reviews import verifier_on
from tests.integration.store_reading import TENANT, dump, fetch_value, ingest_one, opened
from tests.integration.test_conflicts import CITED, OTHER, TERMS, code
from verifier.core.conflicts import ConflictOrigin, ConflictState
from verifier.ingest.requests import Actor
from verifier.store.pool import tenant_transaction
from verifier.store.publication import deny, withdraw

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier.service import Verifier
    from verifier.store.pool import Pool

SAID = (
    "Opened goods may be returned within 60 days.",
    "Opened goods may be returned within 30 days.",
)


@asynccontextmanager
async def store(database: Database) -> AsyncIterator[tuple[Pool, Verifier]]:
    """Two sources that disagree on the days, and one that no one approved."""
    verifier = verifier_on(database)
    try:
        async with opened(database) as pool:
            await ingest_one(pool, "terms", TERMS)
            await ingest_one(pool, "faq", OTHER)
            draft = "Opened goods may be returned within 90 days."
            await ingest_one(pool, "draft", draft, actor=Actor.AGENT)
            yield pool, verifier
    finally:
        await verifier.close()


async def test_it_is_recorded_once_with_both_sentences(fresh_database: Database) -> None:
    async with store(fresh_database) as (_, verifier):
        first = await verifier.conflicts.find()
        (made,) = first.added
        assert (first.texts, first.found, first.known, first.closed) == (2, 1, 0, 0)
        assert (made.origin, made.state) == (ConflictOrigin.FOUND, ConflictState.OPEN)
        assert made.other is not None
        assert (made.side.source, made.other.source) == ("faq", "terms")
        assert (made.side.words, made.other.words) == SAID
        assert (made.topic.value, made.topic.other_value) == ("within 60 days", "within 30 days")
        assert await code(verifier, CITED, "terms@1#0") == "source_conflict"
        before = await dump(fresh_database, physical=True)
        again = await verifier.conflicts.find()
        assert (again.added, again.known) == ((), 1)
        after = await dump(fresh_database, physical=True)
        assert after["conflict"] == before["conflict"]


async def test_two_that_look_at_once_record_it_once(fresh_database: Database) -> None:
    async with store(fresh_database) as (pool, verifier):
        other = verifier_on(fresh_database)
        try:
            done = await asyncio.gather(verifier.conflicts.find(), other.conflicts.find())
        finally:
            await other.close()
        assert sorted(len(one.added) for one in done) == [0, 1]
        assert await fetch_value(pool, "SELECT count(*) FROM conflict") == 1


async def test_what_was_resolved_is_not_opened_again(fresh_database: Database) -> None:
    async with store(fresh_database) as (_, verifier):
        (made,) = (await verifier.conflicts.find()).added
        await verifier.conflicts.resolve(made.conflict_id, by="ben", reason="of two shops")
        assert (await verifier.conflicts.find()).added == ()
        assert await code(verifier, CITED, "terms@1#0") == "supported"


async def test_it_closes_itself_when_a_side_is_reworded_and_comes_back_with_it(
    fresh_database: Database,
) -> None:
    async with store(fresh_database) as (pool, verifier):
        (made,) = (await verifier.conflicts.find()).added
        await verifier.conflicts.assign(made.conflict_id, to="ben", by="anna")
        await ingest_one(pool, "faq", f"Hello. {OTHER}")
        assert await code(verifier, CITED, "terms@1#0") == "source_conflict"
        assert len((await verifier.conflicts.list()).conflicts) == 1
        await ingest_one(pool, "faq", OTHER.replace("60", "30"))
        assert await code(verifier, CITED, "terms@1#0") == "supported"
        assert (await verifier.conflicts.list()).conflicts == ()
        (closed,) = (await verifier.conflicts.list(state="obsolete")).conflicts
        assert closed.reason == "faq no longer has these words"
        await ingest_one(pool, "faq", OTHER)
        (back,) = (await verifier.conflicts.find()).added
        assert (back.conflict_id, back.state) == (made.conflict_id, ConflictState.ASSIGNED)
        assert (back.side.seq, back.reason, back.assigned_to) == (4, None, "ben")


async def test_it_closes_itself_when_a_side_is_withdrawn_or_denied(
    fresh_database: Database,
) -> None:
    async with store(fresh_database) as (pool, verifier):
        await verifier.conflicts.find()
        async with tenant_transaction(pool, TENANT) as conn:
            await withdraw(conn, "faq", "anna")
        assert await code(verifier, CITED, "terms@1#0") == "supported"
        assert (await verifier.conflicts.find()).closed == 1
        await ingest_one(pool, "faq", OTHER)
        assert len((await verifier.conflicts.find()).added) == 1
        async with tenant_transaction(pool, TENANT) as conn:
            await deny(conn, "faq", "anna", reason="not ours")
        assert await code(verifier, CITED, "terms@1#0") == "supported"
        done = await verifier.conflicts.find()
        assert (done.texts, done.found, done.closed) == (1, 0, 1)
        (closed,) = (await verifier.conflicts.list(state="obsolete")).conflicts
        assert closed.reason == "faq is no longer approved"


async def test_other_regions_and_other_tenants_are_no_conflict(fresh_database: Database) -> None:
    async with store(fresh_database) as (pool, verifier):
        await ingest_one(pool, "terms", f"{TERMS} Hello.", metadata={"region": "EU"})
        await ingest_one(pool, "faq", f"{OTHER} Hello.", metadata={"region": "US"})
        assert (await verifier.conflicts.find()).found == 0
        rival = verifier_on(fresh_database, "rival")
        try:
            done = await rival.conflicts.find()
            assert (done.texts, done.found) == (0, 0)
        finally:
            await rival.close()


async def test_what_an_erased_version_said_is_found_nowhere(fresh_database: Database) -> None:
    async with store(fresh_database) as (pool, verifier):
        await verifier.conflicts.find()
        assert (await erase(fresh_database, "faq")).proven
        row = "SELECT state || ' ' || value || ' ' || (identity IS NULL) FROM conflict"
        assert await fetch_value(pool, row) == "obsolete [erased] true"
        assert (await verifier.conflicts.find()).found == 0
