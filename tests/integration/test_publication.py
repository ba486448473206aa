"""Publishing on both time axes, and who may let what be searched."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import (
    TENANT,
    current_texts,
    dump,
    fetch,
    fetch_value,
    ingest,
    ingest_one,
    live_share,
    opened,
    request,
    search,
    states,
)
from verifier.core.documents import Permission
from verifier.errors import InputError, StoreError, UnknownThing
from verifier.ingest.requests import Actor, Outcome
from verifier.store.pool import tenant_transaction
from verifier.store.publication import approve, deny, publish_version, withdraw
from verifier.store.sources import get_source, list_sources, lock_source
from verifier.store.spaces import ensure_space
from verifier.store.versions import list_versions

if TYPE_CHECKING:
    from tests.integration.conftest import Database
    from verifier.store.pool import Pool


def day(number: int) -> datetime:
    return datetime(2026, 1, number, tzinfo=UTC)


async def validity(pool: Pool, *, known: str = "p.basis_to IS NULL") -> list[tuple[int, int, int]]:
    """Seq, first day and last day (0: open) of what is known now, in order of time."""
    rows = await fetch(
        pool,
        f"""SELECT v.seq, extract(day FROM p.valid_from AT TIME ZONE 'UTC')::int AS first,
                   coalesce(extract(day FROM p.valid_to AT TIME ZONE 'UTC'), 0)::int AS last
              FROM publication p JOIN document_version v USING (tenant_id, version_id)
             WHERE {known} ORDER BY p.valid_from, v.seq""",  # noqa: S608
    )
    return [(row["seq"], row["first"], row["last"]) for row in rows]


async def basis(pool: Pool) -> int:
    value = await fetch_value(pool, "SELECT basis FROM tenant")
    assert isinstance(value, int)
    return value


async def test_each_publication_closes_the_one_before(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        for number in (1, 5, 9):
            await ingest_one(pool, "d", f"Text {number}.", valid_from=day(number))
        assert await validity(pool) == [(1, 1, 5), (2, 5, 9), (3, 9, 0)]
        assert await validity(
            pool, known="p.basis_from <= 2 AND coalesce(p.basis_to > 2, true)"
        ) == [
            (1, 1, 5),
            (2, 5, 0),
        ]
        assert await basis(pool) == 3
        changes = await fetch(pool, "SELECT basis, action FROM basis_change ORDER BY basis")
        assert [tuple(change) for change in changes] == [
            (1, "publish"),
            (2, "publish"),
            (3, "publish"),
        ]


async def test_a_version_that_comes_late_takes_its_place_in_the_history(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        for number in (1, 9):
            await ingest_one(pool, "d", f"Text {number}.", valid_from=day(number))
        late = await ingest_one(pool, "d", "Text 5.", valid_from=day(5))
        assert late.outcome is Outcome.NEW
        assert await states(pool, "d") == {1: "superseded", 2: "current", 3: "superseded"}
        assert await validity(pool) == [(1, 1, 5), (3, 5, 9), (2, 9, 0)]
        assert await current_texts(pool, "d") == ["Text 9."]
        assert await live_share(pool) == (1, 3)
        first = await ingest_one(
            pool, "d", "Text 0.", valid_from=datetime(2025, 12, 31, tzinfo=UTC)
        )
        assert first.seq == 4
        assert await validity(pool) == [(4, 31, 1), (1, 1, 5), (3, 5, 9), (2, 9, 0)]
        before = await dump(fresh_database, physical=True)
        assert (await ingest_one(pool, "d", "Text 5.", valid_from=day(5))).outcome == "unchanged"
        assert await dump(fresh_database, physical=True) == before


async def test_a_stated_time_before_an_unstated_one_still_answers(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text without a date.")
        await ingest_one(pool, "d", "Text in force since the second.", valid_from=day(2))
        assert await states(pool, "d") == {1: "superseded", 2: "current"}
        assert await validity(pool) == [(2, 2, 0)]


async def test_a_failed_version_of_a_history_is_made_up_for(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        history = [request("d", f"Text {n}.", valid_from=day(n)) for n in (1, 5, 9)]
        broken = HashingEmbedder(refuses=lambda text: "5" in text)
        await ingest(pool, *history, embedder=broken)
        assert await states(pool, "d") == {1: "superseded", 2: "failed", 3: "current"}
        await ingest(pool, *history)
        assert await states(pool, "d") == {1: "superseded", 2: "superseded", 3: "current"}
        assert await validity(pool) == [(1, 1, 5), (2, 5, 9), (3, 9, 0)]


async def test_a_revert_is_a_new_version_without_embedding(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        embedder = HashingEmbedder()
        for text in ("Text A.", "Text B.", "Text A."):
            await ingest_one(pool, "d", text, embedder=embedder)
        assert embedder.calls == 2
        assert await states(pool, "d") == {1: "superseded", 2: "superseded", 3: "current"}
        async with tenant_transaction(pool, TENANT, read_only=True) as conn:
            source = await get_source(conn, "d")
            versions = await list_versions(conn, source.source_id)
        ids = [version.version_id for version in versions]
        assert [version.supersedes for version in versions] == [None, ids[0], ids[1]]


async def test_only_vectors_in_use_are_live(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text A.")
        await ingest_one(pool, "e", "Text A.")
        await ingest_one(pool, "d", "Text B.")
        assert await live_share(pool) == (2, 2)
        await ingest_one(pool, "e", "Text B.")
        assert await live_share(pool) == (1, 2)
        await ingest_one(pool, "d", "Text A.")
        assert await live_share(pool) == (2, 2)


async def test_an_agent_waits_for_approval(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        first = await ingest_one(pool, "d", "Text one.", actor=Actor.AGENT, by="bot")
        assert first.outcome is Outcome.PENDING
        assert await search(pool, "text") == []
        async with tenant_transaction(pool, TENANT) as conn:
            change = await approve(conn, "d", "ada")
        assert (change.changed, change.source.permission_by) == (True, "ada")
        assert change.source.permission_at is not None
        assert await search(pool, "text") == [("d@1#0", "Text one.")]
        assert await basis(pool) == 2

        second = await ingest_one(pool, "d", "Text two.", actor=Actor.CALLER)
        third = await ingest_one(pool, "d", "Text three.", actor=Actor.AGENT)
        assert (second.outcome, third.outcome) == (Outcome.PENDING, Outcome.PENDING)
        assert await search(pool, "text") == [("d@1#0", "Text one.")]
        before = await dump(fresh_database)
        repeated = await ingest_one(pool, "d", "Text three.", actor=Actor.AGENT)
        assert (repeated.outcome, repeated.seq) == (Outcome.PENDING, 3)
        assert await dump(fresh_database) == before
        async with tenant_transaction(pool, TENANT) as conn:
            change = await approve(conn, "d", "ada")
        assert change.published_seq == 3
        assert await search(pool, "text") == [("d@3#0", "Text three.")]
        async with tenant_transaction(pool, TENANT) as conn:
            assert not (await approve(conn, "d", "ada")).changed


async def test_a_draft_older_than_the_current_version_is_never_approved(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")
        await ingest_one(pool, "d", "Text of the agent.", actor=Actor.AGENT)
        await ingest_one(pool, "d", "Text two.")
        async with tenant_transaction(pool, TENANT) as conn:
            change = await approve(conn, "d", "ada")
        assert (change.changed, change.published_seq) == (False, None)
        assert await current_texts(pool, "d") == ["Text two."]


async def test_an_operator_approves_what_an_agent_brought(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.", actor=Actor.AGENT)
        same = await ingest_one(pool, "d", "Text one.", by="ada")
        assert (same.outcome, same.seq) == (Outcome.RELABELLED, 1)
        assert await search(pool, "text") == [("d@1#0", "Text one.")]
        await ingest_one(pool, "d", "Text two.", actor=Actor.AGENT)
        taken = await ingest_one(pool, "d", "Text two.", by="ada")
        assert (taken.outcome, taken.seq) == (Outcome.NEW, 2)
        assert (
            await fetch_value(pool, "SELECT max(ingested_as) FROM document_version") == "operator"
        )


async def test_an_agent_relabels_no_approved_source(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.", title="Terms", metadata={"audience": "all"})
        before = await dump(fresh_database, physical=True)
        outcome = await ingest_one(
            pool, "d", "Text one.", actor=Actor.AGENT, metadata={"audience": "staff"}
        )
        assert outcome.outcome is Outcome.FAILED
        assert "operator" in (outcome.error or "")
        assert await dump(fresh_database, physical=True) == before
        await ingest_one(pool, "d", "Text two.", actor=Actor.AGENT, title="Spam")
        assert await fetch_value(pool, "SELECT title FROM source") == "Terms"


async def test_a_source_reviewed_as_a_whole_lets_agents_publish(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")
        async with tenant_transaction(pool, TENANT) as conn:
            await conn.execute("UPDATE source SET review = 'source'")
        outcome = await ingest_one(pool, "d", "Text two.", actor=Actor.AGENT)
        assert outcome.outcome is Outcome.NEW
        assert await current_texts(pool, "d") == ["Text two."]


async def test_a_denied_source_stays_denied_whoever_ingests(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")
        async with tenant_transaction(pool, TENANT) as conn:
            assert (await deny(conn, "d", "ada")).source.permission is Permission.DENIED
        assert await search(pool, "text") == []
        outcome = await ingest_one(pool, "d", "Text two.")
        assert (outcome.outcome, outcome.error) == (Outcome.PENDING, "the source is denied")
        assert (await ingest_one(pool, "d", "Text two.")).outcome is Outcome.UNCHANGED
        assert await search(pool, "text") == []
        async with tenant_transaction(pool, TENANT) as conn:
            await approve(conn, "d", "bob")
        assert await search(pool, "text") == [("d@2#0", "Text two.")]


async def test_withdrawn_is_not_found_and_not_forgotten(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.", valid_from=day(1))
        async with tenant_transaction(pool, TENANT) as conn:
            assert await withdraw(conn, "d", "ada", reason="wrong price")
            assert not await withdraw(conn, "d", "ada")
        assert await search(pool, "text") == []
        assert await states(pool, "d") == {1: "withdrawn"}
        assert await live_share(pool) == (0, 1)
        assert await basis(pool) == 2
        assert [row[2] for row in await validity(pool)] != [0]
        again = await ingest_one(pool, "d", "Text one.", valid_from=day(1))
        assert again.outcome is Outcome.UNCHANGED
        restored = await ingest_one(pool, "d", "Text one.")
        assert (restored.seq, restored.embedded) == (2, 0)
        assert await search(pool, "text") == [("d@2#0", "Text one.")]


async def test_sources_are_listed_with_what_is_current(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "b", "Text one.", review_until=day(3), title="Bees")
        await ingest_one(pool, "b", "Text two.")
        await ingest_one(pool, "a", "Text three.", actor=Actor.AGENT)
        async with tenant_transaction(pool, TENANT, read_only=True) as conn:
            listed = await list_sources(conn)
        assert [
            (each.source.key, each.versions, each.current_seq, each.chunks) for each in listed
        ] == [
            ("a", 1, 1, 1),
            ("b", 2, 2, 1),
        ]
        assert listed[1].review_until is None


async def test_unknown_and_unnamed_are_refused(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")
        for change in (approve, deny, withdraw):
            async with tenant_transaction(pool, TENANT) as conn:
                with pytest.raises(UnknownThing, match="'nowhere'"):
                    await change(conn, "nowhere", "ada")
                with pytest.raises(InputError, match="name"):
                    await change(conn, "d", " ")


async def test_a_version_without_vectors_is_never_published(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")
        await ingest_one(pool, "d", "Text two.", embedder=HashingEmbedder(skips=lambda _text: True))
        async with tenant_transaction(pool, TENANT) as conn:
            source = await lock_source(conn, "d")
            failed = (await list_versions(conn, source.source_id))[-1]
            space_id = await ensure_space(conn, HashingEmbedder().space)
            with pytest.raises(StoreError, match="d@2 has chunks without vectors"):
                await publish_version(conn, space_id, source, failed, by=None)
        assert await states(pool, "d") == {1: "current", 2: "failed"}
