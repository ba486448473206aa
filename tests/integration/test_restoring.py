"""Texts that come back, validity that is corrected, reviews and authority: each change with its basis."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.integration.hashing_embedder import HashingEmbedder
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
    paragraphs,
    search,
    states,
)
from tests.integration.version_times import FAR, PAST, held, soon, wait_for
from verifier.errors import InputError, StoreError, UnknownThing, VersionConflict
from verifier.ingest.requests import Actor, Outcome
from verifier.store.basis import list_changes
from verifier.store.corrections import correct_validity, review, set_authority
from verifier.store.pool import tenant_transaction
from verifier.store.publication import approve, deny, withdraw
from verifier.store.restoring import restore, revert
from verifier.store.sources import get_source
from verifier.store.timeline import promote_all_due

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.integration.conftest import Database
    from verifier.store.pool import Connection, Pool


async def act(pool: Pool, change: Callable[[Connection], Awaitable[object]]) -> object:
    """Make one change in a transaction of its own; the store must be sound after it."""
    async with tenant_transaction(pool, TENANT) as conn:
        made = await change(conn)
    assert await find_breaches(pool) == []
    return made


async def refused(
    pool: Pool, error: type[Exception], told: str, change: Callable[[Connection], Awaitable[object]]
) -> None:
    """The change raises, naming what is told, and leaves nothing behind."""
    with pytest.raises(error, match=told):
        async with tenant_transaction(pool, TENANT) as conn:
            await change(conn)


async def changes(
    pool: Pool, key: str = "d"
) -> list[tuple[str, int | None, str | None, str | None]]:
    async with tenant_transaction(pool, TENANT, read_only=True) as conn:
        source = await get_source(conn, key)
        listed = await list_changes(conn, source.source_id)
    assert [each.recorded_at for each in listed] == sorted(each.recorded_at for each in listed)
    return [(each.action.value, each.seq, each.by, each.reason) for each in listed]


def day(number: int) -> datetime:
    return datetime(2020, 1, number, tzinfo=UTC)


async def test_a_withdrawn_version_is_restored(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.", valid_from=PAST, by="ben")
        await act(pool, lambda conn: withdraw(conn, "d", "ada", reason="wrong price"))
        gone = datetime.now(UTC)
        assert await search(pool, "text") == []
        assert await act(pool, lambda conn: restore(conn, "d", "eve", reason="it was right")) == 1
        assert await states(pool, "d") == {1: "current"}
        assert await search(pool, "text") == [("d@1#0", "Text one.")]
        assert await live_share(pool) == (1, 1)
        assert await held(pool, PAST) == [1]
        assert await held(pool, gone) == []
        assert await held(pool, FAR) == [1]
        assert await changes(pool) == [
            ("publish", 1, "ben", None),
            ("withdraw", 1, "ada", "wrong price"),
            ("restore", 1, "eve", "it was right"),
        ]


async def test_only_what_is_withdrawn_is_restored(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")
        before = await dump(fresh_database, physical=True)
        await refused(
            pool, InputError, "no version of 'd' is withdrawn", lambda c: restore(c, "d", "a")
        )
        await refused(pool, InputError, "d@1 is current", lambda c: restore(c, "d", "a", seq=1))
        for seq in (7, 0, -1, 2**40):
            unknown = partial(restore, key="d", by="a", seq=seq)
            await refused(pool, UnknownThing, f"no version {seq}", unknown)
        await refused(pool, UnknownThing, "'e'", lambda c: restore(c, "e", "a"))
        await refused(pool, InputError, "name of who", lambda c: restore(c, "d", ""))
        await refused(pool, InputError, "reason", lambda c: restore(c, "d", "a", reason="\x00"))
        assert await dump(fresh_database, physical=True) == before
        await act(pool, lambda conn: withdraw(conn, "d", "ada"))
        await ingest_one(pool, "d", "Text two.")
        await refused(
            pool, InputError, "d@2 answers.*revert to version 1", lambda c: restore(c, "d", "a")
        )


async def test_a_schedule_that_was_withdrawn_is_restored_as_one(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Old text.", valid_from=PAST)
        await ingest_one(pool, "d", "Announced text.", valid_from=FAR)
        await act(pool, lambda conn: withdraw(conn, "d", "ada", seq=2))
        assert await act(pool, lambda conn: restore(conn, "d", "ada")) == 2
        assert await states(pool, "d") == {1: "current", 2: "draft"}
        assert await held(pool, FAR) == [2]
        assert await fetch_value(pool, "SELECT next_validity FROM tenant") == FAR


async def test_a_revert_is_a_version_of_its_own(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        embedder = HashingEmbedder()
        old = paragraphs("First", "Second")
        await ingest_one(pool, "d", old, embedder=embedder, review_until=FAR, verified_by="ada")
        await ingest_one(pool, "d", "Text B.", embedder=embedder)
        calls = embedder.calls
        assert await act(pool, lambda conn: revert(conn, "d", 1, "eve", reason="B was wrong")) == 3
        assert embedder.calls == calls
        assert await states(pool, "d") == {1: "superseded", 2: "superseded", 3: "current"}
        assert "\n\n".join(await current_texts(pool, "d")) == old
        rows = await fetch(
            pool,
            """SELECT seq, text, content_hash, review_until, verified_by, supersedes,
                      (SELECT count(*) FROM chunk c WHERE c.version_id = v.version_id) AS chunks
                 FROM document_version v ORDER BY seq""",
        )
        assert rows[0]["text"] == rows[2]["text"] == old
        assert (rows[2]["review_until"], rows[2]["verified_by"]) == (FAR, "ada")
        assert rows[2]["chunks"] == rows[0]["chunks"] == 2
        assert await live_share(pool) == (2, 3)
        again = await ingest_one(pool, "d", old)
        assert (again.outcome, again.seq) == (Outcome.UNCHANGED, 3)
        assert await act(pool, lambda conn: revert(conn, "d", 2, "eve")) == 4
        assert await current_texts(pool, "d") == ["Text B."]
        assert (await changes(pool))[-2:] == [
            ("revert", 3, "eve", "B was wrong"),
            ("revert", 4, "eve", "to version 2"),
        ]


async def test_a_withdrawn_text_comes_back_by_a_revert(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")
        await act(pool, lambda conn: withdraw(conn, "d", "ada"))
        assert await act(pool, lambda conn: revert(conn, "d", 1, "ada")) == 2
        assert await states(pool, "d") == {1: "withdrawn", 2: "current"}


async def test_what_can_not_be_reverted_to(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")
        await ingest_one(pool, "d", "Text of a bot.", actor=Actor.AGENT)
        before = await dump(fresh_database, physical=True)
        await refused(pool, InputError, "d@1 answers", lambda c: revert(c, "d", 1, "ada"))
        await refused(pool, InputError, "d@2 is draft", lambda c: revert(c, "d", 2, "ada"))
        await refused(pool, UnknownThing, "no version 3", lambda c: revert(c, "d", 3, "ada"))
        await refused(pool, InputError, "name of who", lambda c: revert(c, "d", 1, " "))
        assert await dump(fresh_database, physical=True) == before


async def test_expectations_hold_for_every_change(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        for number in (1, 2):
            await ingest_one(pool, "d", f"Text {number}.")
        before = await dump(fresh_database, physical=True)
        told = "version 2 of d is current, not 1"
        await refused(
            pool, VersionConflict, told, lambda c: withdraw(c, "d", "a", expected_current_version=1)
        )
        await refused(
            pool,
            VersionConflict,
            told,
            lambda c: revert(c, "d", 1, "a", expected_current_version=1),
        )
        await refused(
            pool, VersionConflict, told, lambda c: restore(c, "d", "a", expected_current_version=1)
        )
        assert await dump(fresh_database, physical=True) == before
        await act(pool, lambda conn: withdraw(conn, "d", "a", expected_current_version=2))
        await act(pool, lambda conn: restore(conn, "d", "a", expected_current_version=0))
        await act(pool, lambda conn: revert(conn, "d", 1, "a", expected_current_version=2))
        assert await states(pool, "d") == {1: "superseded", 2: "superseded", 3: "current"}


async def test_a_validity_is_corrected_and_the_old_one_stays_known(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        for number in (1, 5, 9):
            await ingest_one(pool, "d", f"Text {number}.", valid_from=day(number))
        moved = day(7)

        def correct(conn: Connection) -> Awaitable[bool]:
            return correct_validity(
                conn, "d", 2, valid_from=moved, by="ada", reason="it was the 7th"
            )

        assert await act(pool, correct) is True
        assert await held(pool, day(6)) == [1]
        assert await held(pool, day(6), basis=3) == [2]
        assert await held(pool, moved) == [2]
        assert await held(pool, day(9)) == [3]
        assert (await changes(pool))[-1] == ("correct_validity", 2, "ada", "it was the 7th")
        before = await dump(fresh_database, physical=True)
        assert await act(pool, correct) is False
        assert await dump(fresh_database, physical=True) == before
        again = await ingest_one(pool, "d", "Text 5.", valid_from=day(5))
        assert again.outcome is Outcome.UNCHANGED


async def test_an_end_is_stated_for_what_answers(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.", valid_from=day(1))
        await ingest_one(pool, "d", "Text two.", valid_from=day(5))
        end = soon()
        await act(
            pool,
            lambda c: correct_validity(c, "d", 2, valid_from=day(5), valid_to=end, by="ada"),
        )
        assert await states(pool, "d") == {1: "superseded", 2: "current"}
        assert await held(pool, end) == []
        await wait_for(end)
        assert await search(pool, "text") == []
        await promote_all_due(pool, TENANT)
        assert await states(pool, "d") == {1: "superseded", 2: "superseded"}
        assert await current_texts(pool, "d") == []
        assert await find_breaches(pool) == []


async def test_a_correction_changes_what_answers_now(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.", valid_from=day(1))
        await ingest_one(pool, "d", "Text two.", valid_from=day(5))
        await act(pool, lambda c: correct_validity(c, "d", 2, valid_from=FAR, by="ada"))
        assert await states(pool, "d") == {1: "current", 2: "draft"}
        assert await search(pool, "text") == [("d@1#0", "Text one.")]
        await act(pool, lambda c: correct_validity(c, "d", 2, valid_from=day(3), by="ada"))
        assert await states(pool, "d") == {1: "superseded", 2: "current"}
        assert await search(pool, "text") == [("d@2#0", "Text two.")]
        ended = day(4)
        await act(
            pool,
            lambda c: correct_validity(c, "d", 2, valid_from=day(3), valid_to=ended, by="ada"),
        )
        assert await search(pool, "text") == []
        assert await held(pool, ended - timedelta(seconds=1)) == [2]


async def test_corrections_that_make_no_sense(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.", valid_from=day(1))
        await ingest_one(pool, "d", "Text of a bot.", actor=Actor.AGENT)
        before = await dump(fresh_database, physical=True)

        async def correct(
            conn: Connection, seq: int = 1, start: datetime = PAST, end: datetime | None = None
        ) -> bool:
            return await correct_validity(conn, "d", seq, valid_from=start, valid_to=end, by="a")

        await refused(pool, InputError, "is not after", lambda c: correct(c, end=PAST))
        await refused(
            pool,
            InputError,
            "valid_from has no time zone",
            lambda c: correct(c, start=datetime(2020, 1, 1)),  # noqa: DTZ001
        )
        await refused(pool, InputError, "d@2 is draft", lambda c: correct(c, 2))
        await refused(pool, UnknownThing, "no version 9", lambda c: correct(c, 9))
        assert await dump(fresh_database, physical=True) == before
        await act(pool, lambda conn: withdraw(conn, "d", "ada"))
        await refused(pool, InputError, "d@1 is withdrawn", correct)
        await refused(pool, InputError, "d@1 is withdrawn", lambda c: correct(c, end=FAR))
        assert await act(pool, lambda conn: correct(conn, end=day(9))) is True
        assert await states(pool, "d") == {1: "withdrawn", 2: "draft"}
        assert await held(pool, day(8)) == [1]


async def test_a_review_has_a_date_and_a_name(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")
        assert await act(pool, lambda c: review(c, "d", until=FAR, by="ada")) == 1
        row = (
            await fetch(
                pool,
                """SELECT v.review_until, v.verified_by, v.last_verified_at, n.review_until AS offered
                     FROM document_version v JOIN current_chunk n USING (tenant_id, version_id)""",
            )
        )[0]
        assert (row["review_until"], row["offered"], row["verified_by"]) == (FAR, FAR, "ada")
        assert datetime.now(UTC) - row["last_verified_at"] < timedelta(minutes=1)
        assert (await changes(pool))[-1] == ("review", 1, "ada", None)
        await ingest_one(pool, "d", "Text two.")
        assert await act(pool, lambda c: review(c, "d", until=None, by="ada", seq=1)) == 1
        await act(pool, lambda conn: withdraw(conn, "d", "ada"))
        await refused(
            pool,
            InputError,
            "no version of 'd' is current",
            lambda c: review(c, "d", until=FAR, by="a"),
        )
        await refused(
            pool,
            InputError,
            "until has no time zone",
            lambda c: review(c, "d", until=datetime(2030, 1, 1), by="a"),  # noqa: DTZ001
        )


async def test_an_authority_reaches_searches_and_stays(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")
        assert await act(pool, lambda c: set_authority(c, "d", 7, by="ada")) is True
        before = await dump(fresh_database, physical=True)
        assert await act(pool, lambda c: set_authority(c, "d", 7, by="ada")) is False
        for wrong in (2**15, -(2**15) - 1, True):
            outside = partial(set_authority, key="d", authority=wrong, by="a")
            await refused(pool, InputError, "an authority is", outside)
        assert await dump(fresh_database, physical=True) == before
        await ingest_one(pool, "d", "Text two.")
        assert await fetch_value(pool, "SELECT authority FROM current_chunk") == 7
        assert ("set_authority", None, "ada", None) in await changes(pool)


async def test_a_permission_reaches_searches_at_once(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.", valid_from=PAST)
        await ingest_one(pool, "d", "Text two.", valid_from=day(2))
        for _ in range(2):
            await act(pool, lambda conn: deny(conn, "d", "ada", reason="not ours"))
            assert await search(pool, "text") == []
            await act(pool, lambda conn: approve(conn, "d", "ada"))
            assert await search(pool, "text") == [("d@2#0", "Text two.")]
        assert [each[0] for each in await changes(pool)][2:] == ["deny", "approve"] * 2
        assert (await changes(pool))[2] == ("deny", None, "ada", "not ours")


async def test_a_text_without_vectors_does_not_come_back(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")
        await ingest_one(pool, "d", "Text two.")
        await fresh_database.execute("DELETE FROM verifier.embedding_1 WHERE NOT live")
        before = await dump(fresh_database, physical=True)
        await refused(
            pool, StoreError, "d@1 has chunks without vectors", lambda c: revert(c, "d", 1, "a")
        )
        assert await dump(fresh_database, physical=True) == before
