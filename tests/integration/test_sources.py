"""The verbs on sources, as an application calls them: awaited, and blocking."""

from __future__ import annotations

import asyncio
import inspect
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import asyncpg
import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import TENANT
from tests.integration.version_times import FAR, PAST, soon, wait_for
from verifier.blocking import open_blocking_verifier
from verifier.blocking_sources import BlockingSources
from verifier.core.documents import Permission, VersionState
from verifier.errors import InputError, UnknownThing
from verifier.ingest.requests import Actor, Outcome
from verifier.service import open_verifier
from verifier.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.integration.conftest import Database


def parameters(verb: Callable[..., object]) -> list[tuple[str, object, object]]:
    return [(p.name, p.kind, p.annotation) for p in inspect.signature(verb).parameters.values()]


def test_the_blocking_twin_has_the_same_verbs() -> None:
    for name, verb in inspect.getmembers(Sources, inspect.isfunction):
        if not name.startswith("_"):
            assert parameters(getattr(BlockingSources, name)) == parameters(verb)


async def test_the_life_of_a_source(fresh_database: Database) -> None:
    async with open_verifier(
        fresh_database.app_dsn, tenant=TENANT, embedder=HashingEmbedder()
    ) as verifier:
        sources = verifier.sources
        await verifier.ingest_text("d", "Text one.", valid_from=PAST, by="ben", authority=3)
        await verifier.ingest_text("d", "Text two.", by="ben")
        await verifier.ingest_text("d", "Text three.", valid_from=FAR, by="ben")
        assert await sources.review("d", until=FAR, by="ada") == 2
        assert await sources.withdraw("d", by="ada", reason="wrong")
        assert await sources.restore("d", by="ada") == 2
        assert await sources.revert("d", 1, by="ada") == 4
        assert await sources.set_authority("d", 5, by="ada")
        assert await sources.correct_validity("d", 3, FAR + timedelta(days=1), by="ada")
        assert (await sources.deny("d", by="ada", reason="no")).changed
        assert (await sources.approve("d", by="ada")).changed

        records = await sources.versions("d")
        assert [(r.version.seq, r.version.state, r.version.scheduled) for r in records] == [
            (1, VersionState.SUPERSEDED, False),
            (2, VersionState.SUPERSEDED, False),
            (3, VersionState.DRAFT, True),
            (4, VersionState.CURRENT, False),
        ]
        assert all(record.chunks == 1 for record in records)
        assert [len(record.periods) for record in records] == [2, 5, 2, 2]
        [known] = [each for each in records[2].periods if each.basis_to is None]
        assert known.valid_from == FAR + timedelta(days=1)

        changes = await sources.history("d")
        assert [each.basis for each in changes] == list(range(1, len(changes) + 1))
        assert [(each.action.value, each.seq, each.by) for each in changes] == [
            ("publish", 1, "ben"),
            ("set_authority", None, "ben"),
            ("publish", 2, "ben"),
            ("publish", 3, "ben"),
            ("review", 2, "ada"),
            ("withdraw", 2, "ada"),
            ("restore", 2, "ada"),
            ("revert", 4, "ada"),
            ("set_authority", None, "ada"),
            ("correct_validity", 3, "ada"),
            ("deny", None, "ada"),
            ("approve", None, "ada"),
        ]
        [listed] = await sources.list()
        assert (listed.current_seq, listed.waiting, listed.source.authority) == (4, 1, 5)
        assert listed.next_validity == FAR + timedelta(days=1)


async def test_sources_are_listed_by_permission_and_review(fresh_database: Database) -> None:
    async with open_verifier(
        fresh_database.app_dsn, tenant=TENANT, embedder=HashingEmbedder()
    ) as verifier:
        sources = verifier.sources
        await verifier.ingest_text("a", "Text one.", review_until=PAST)
        await verifier.ingest_text("b", "Text two.", actor=Actor.AGENT)
        await verifier.ingest_text("c", "Text three.", review_until=FAR)
        await sources.deny("c", by="ada")
        now = datetime.now(UTC)

        async def keys(**asked: object) -> list[str]:
            return [each.source.key for each in await sources.list(**asked)]  # type: ignore[arg-type]

        assert await keys() == ["a", "b", "c"]
        for permission, expected in zip(Permission, (["a"], ["b"], ["c"]), strict=True):
            assert await keys(permission=permission) == expected
        assert await keys(stale_at=now) == ["a"]
        assert await keys(stale_at=now, permission=Permission.DENIED) == []
        assert await keys(stale_at=FAR) == ["a"]


async def test_any_change_promotes_what_is_due(fresh_database: Database) -> None:
    async with open_verifier(
        fresh_database.app_dsn, tenant=TENANT, embedder=HashingEmbedder()
    ) as verifier:
        start = soon()
        await verifier.ingest_text("d", "Text of later.", valid_from=start)
        await verifier.ingest_text("e", "Text two.")
        await wait_for(start)
        await verifier.sources.set_authority("e", 1, by="ada")
        listed = {each.source.key: each.current_seq for each in await verifier.sources.list()}
        assert listed == {"d": 1, "e": 1}


async def test_a_change_that_falls_victim_to_a_deadlock_is_made_again(
    fresh_database: Database,
) -> None:
    rival = await asyncpg.connect(fresh_database.owner_dsn)
    try:
        async with open_verifier(
            fresh_database.app_dsn, tenant=TENANT, embedder=HashingEmbedder()
        ) as verifier:
            await verifier.ingest_text("d", "Text one.")
            await rival.execute("SET deadlock_timeout = '1h'")  # never the victim
            async with rival.transaction():
                await rival.execute(
                    "SELECT pg_advisory_xact_lock(hashtextextended('verifier.live/' || $1, 0))",
                    TENANT,
                )
                withdrawal = asyncio.create_task(verifier.sources.withdraw("d", by="ada"))
                waiting = (
                    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                )
                while not await rival.fetchval(waiting):
                    assert not withdrawal.done()
                    await asyncio.sleep(0.01)
                await rival.execute("SELECT FROM verifier.source FOR UPDATE")
            assert await withdrawal
            [version] = await verifier.sources.versions("d")
            assert version.version.state is VersionState.WITHDRAWN
            changes = [each.action.value for each in await verifier.sources.history("d")]
            assert changes.count("withdraw") == 1
    finally:
        await rival.close()


async def test_an_authority_comes_with_an_ingest(fresh_database: Database) -> None:
    async with open_verifier(
        fresh_database.app_dsn, tenant=TENANT, embedder=HashingEmbedder()
    ) as verifier:
        await verifier.ingest_text("d", "Text one.")
        again = await verifier.ingest_text("d", "Text one.", authority=4)
        assert again.outcomes[0].outcome is Outcome.RELABELLED
        assert (await verifier.ingest_text("d", "Text one.", authority=4)).outcomes[0].outcome is (
            Outcome.UNCHANGED
        )
        [listed] = await verifier.sources.list()
        assert listed.source.authority == 4
        large = await verifier.ingest_text("d", "Text two.", authority=2**15)
        assert "whole number" in (large.failed[0].error or "")
        agents = await verifier.ingest_text("d", "Text two.", authority=9, actor=Actor.AGENT)
        assert "only an operator" in (agents.failed[0].error or "")
        assert [each.version.seq for each in await verifier.sources.versions("d")] == [1]


def test_blocking_verbs_answer(fresh_database: Database) -> None:
    with open_blocking_verifier(
        fresh_database.app_dsn, tenant=TENANT, embedder=HashingEmbedder()
    ) as verifier:
        verifier.ingest_text("d", "Text one.")
        sources = verifier.sources
        assert sources.reach("d").chunks == 1
        assert sources.withdraw("d", by="ada", expected_current_version=1)
        with pytest.raises(InputError, match="no version of 'd' is current"):
            sources.reach("d")
        assert sources.restore("d", by="ada") == 1
        assert [each.action.value for each in sources.history("d")] == [
            "publish",
            "withdraw",
            "restore",
        ]
        with pytest.raises(UnknownThing):
            sources.versions("e")


async def test_another_tenants_source_is_none(fresh_database: Database) -> None:
    async with (
        open_verifier(
            fresh_database.app_dsn, tenant=TENANT, embedder=HashingEmbedder()
        ) as verifier,
        open_verifier(fresh_database.app_dsn, tenant="other", embedder=HashingEmbedder()) as other,
    ):
        await verifier.ingest_text("d", "Text one.", valid_from=PAST)
        await verifier.ingest_text("d", "Text two.")
        sources = other.sources
        for verb in (
            sources.versions("d"),
            sources.history("d"),
            sources.reach("d"),
            sources.approve("d", by="eve"),
            sources.deny("d", by="eve"),
            sources.withdraw("d", by="eve"),
            sources.restore("d", by="eve"),
            sources.revert("d", 1, by="eve"),
            sources.review("d", until=FAR, by="eve"),
            sources.set_authority("d", 1, by="eve"),
            sources.correct_validity("d", 1, PAST, by="eve"),
        ):
            with pytest.raises(UnknownThing):
                await verb
        assert await other.sources.list() == ()
        await asyncio.sleep(0)
        assert [each.basis for each in await verifier.sources.history("d")] == [1, 2]
