"""Several tasks and processes change the same sources at once; what must be true stays true."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.policy_pages import REPOSITORY
from tests.integration.store_invariants import find_breaches
from tests.integration.store_reading import (
    TENANT,
    current_texts,
    fetch,
    fetch_value,
    ingest_one,
    opened,
    request,
    states,
)
from tests.integration.version_times import FAR, PAST, soon
from verifier.errors import InputError, StoreError, VersionConflict
from verifier.ingest.pipeline import ingest_documents
from verifier.ingest.requests import Actor, Outcome
from verifier.store.corrections import correct_validity, review, set_authority
from verifier.store.pool import open_pool, tenant_transaction
from verifier.store.publication import approve, deny, withdraw
from verifier.store.restoring import restore, revert
from verifier.store.timeline import promote_all_due

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.integration.conftest import Database
    from verifier.ingest.requests import IngestRequest
    from verifier.store.pool import Connection, Pool

KEYS = ("a", "b", "c")
TASKS = 8
ACTS = 7


INGESTS = ("publish", "schedule", "late", "agent")
CHANGES = ("withdraw", "restore", "revert", "approve", "deny", "correct", "review", "authority")


async def change(pool: Pool, chance: random.Random) -> str:
    """One random change of one source; what it refuses is no fault."""
    act, key = chance.choice((*INGESTS, *CHANGES, "promote")), chance.choice(KEYS)
    if act == "promote":
        await promote_all_due(pool, TENANT)
    elif act in INGESTS:
        made = choose_request(act, key, chance)
        summary = await ingest_documents(pool, TENANT, HashingEmbedder(), [made])
        assert all("again" in (each.error or "") for each in summary.failed), summary.failed
    else:
        async with tenant_transaction(pool, TENANT) as conn:
            await make_change(conn, act, key, chance)
    return act


def choose_request(act: str, key: str, chance: random.Random) -> IngestRequest:
    text = f"Text {chance.randrange(6)}."
    if act == "schedule":
        return request(key, text, valid_from=soon(chance.random() / 4))
    if act == "late":
        return request(key, text, valid_from=PAST.replace(day=chance.randrange(1, 28)))
    return request(key, text, actor=Actor.AGENT if act == "agent" else Actor.OPERATOR)


async def make_change(conn: Connection, act: str, key: str, chance: random.Random) -> None:
    seq, start = chance.randrange(1, 8), PAST.replace(year=2020 + chance.randrange(5))
    end = chance.choice((None, None, FAR, start.replace(day=9)))
    changes: dict[str, Callable[[], Awaitable[object]]] = {
        "withdraw": lambda: withdraw(conn, key, "ada"),
        "restore": lambda: restore(conn, key, "ada"),
        "revert": lambda: revert(conn, key, seq, "ada"),
        "approve": lambda: approve(conn, key, "ada"),
        "deny": lambda: deny(conn, key, "ada"),
        "correct": lambda: correct_validity(
            conn, key, seq, valid_from=start, valid_to=end, by="ada"
        ),
        "review": lambda: review(conn, key, until=FAR, by="ada"),
        "authority": lambda: set_authority(conn, key, seq, by="ada"),
    }
    await changes[act]()


async def change_often(pool: Pool, seed: str) -> list[str]:
    chance = random.Random(seed)  # noqa: S311 - an order, no secret
    done = []
    for _ in range(ACTS):
        try:
            done.append(await change(pool, chance))
        except InputError:
            continue
    return done


@pytest.mark.parametrize("seed", range(8))
async def test_random_interleavings_keep_the_invariants(
    fresh_database: Database, seed: int
) -> None:
    """8 tasks make 7 changes each: 56 a seed, in an order that the event loop and the locks make."""
    pool = await open_pool(fresh_database.app_dsn, max_size=TASKS)
    try:
        for key in KEYS:
            await ingest_one(pool, key, "Text 0.", valid_from=PAST)
        done = await asyncio.gather(
            *(change_often(pool, f"{seed}/{task}") for task in range(TASKS))
        )
        assert sum(map(len, done)) > TASKS * ACTS / 3
        await asyncio.sleep(0.3)
        await promote_all_due(pool, TENANT)
        assert await find_breaches(pool) == []
    finally:
        await pool.close()


async def test_the_invariants_can_be_broken(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "a", "Text one.", valid_from=PAST)
        await ingest_one(pool, "a", "Text two.")
        assert await find_breaches(pool) == []
        for statement, expected in (
            ("UPDATE verifier.current_chunk SET authority = 9", "not those of the current version"),
            ("UPDATE verifier.document_version SET state = 'withdrawn'", "than the one that holds"),
            ("UPDATE verifier.publication SET valid_to = NULL", "known at one basis overlap"),
            ("UPDATE verifier.tenant SET basis = 7", "not counted once each"),
            ("UPDATE verifier.embedding_1 SET live = false", "is not live"),
            ("UPDATE verifier.source SET next_validity = now() + interval '9 days'", "next change"),
        ):
            before = await find_breaches(pool)
            await fresh_database.execute(statement)
            assert any(
                expected in breach for breach in await find_breaches(pool) if breach not in before
            )


PUBLISH = """
import asyncio, sys
from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import TENANT, request
from verifier.ingest.pipeline import ingest_documents
from verifier.store.pool import open_pool

async def main(dsn, writer, *, expected):
    pool = await open_pool(dsn)
    sys.stdout.write("ready\\n"); sys.stdout.flush(); sys.stdin.readline()
    made = request("d", f"By writer {writer}.", expected_current_version=expected)
    summary = await ingest_documents(pool, TENANT, HashingEmbedder(), [made])
    sys.stdout.write(summary.outcomes[0].outcome + "|" + (summary.outcomes[0].error or "") + "\\n")
    await pool.close()

asyncio.run(main(sys.argv[1], sys.argv[2], expected=int(sys.argv[3]) if sys.argv[3] else None))
"""


def publish_at_once(dsn: str, expected: str) -> list[list[str]]:
    """Two processes ingest different texts of one source, let loose together; how each ended."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", PUBLISH, dsn, str(writer), expected],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for writer in (1, 2)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    return [writer.communicate(timeout=60)[0].strip().split("|") for writer in writers]


async def test_two_processes_with_one_expectation(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")
        ended = await asyncio.to_thread(publish_at_once, fresh_database.app_dsn, "1")
        assert sorted(outcome for outcome, _ in ended) == [Outcome.FAILED, Outcome.NEW]
        [told] = [error for outcome, error in ended if outcome == Outcome.FAILED]
        assert "is current, not 1 as expected" in told
        assert len(await current_texts(pool, "d")) == 1
        assert await find_breaches(pool) == []


async def test_two_processes_without_expectation_take_turns(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")
        ended = await asyncio.to_thread(publish_at_once, fresh_database.app_dsn, "")
        assert [outcome for outcome, _ in ended] == [Outcome.NEW, Outcome.NEW]
        assert sorted((await states(pool, "d")).values()) == ["current", "superseded", "superseded"]
        assert await find_breaches(pool) == []


async def test_of_two_withdrawals_with_one_expectation_one_is_told(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")

        async def take_back() -> bool:
            async with tenant_transaction(pool, TENANT) as conn:
                return await withdraw(conn, "d", "ada", expected_current_version=1)

        ended = await asyncio.gather(take_back(), take_back(), return_exceptions=True)
        assert ended.count(True) == 1
        assert sum(isinstance(each, VersionConflict) for each in ended) == 1


async def test_reverts_of_many_sources_do_not_wait_for_each_other(
    fresh_database: Database,
) -> None:
    """Each adds chunks and sweeps in one transaction; they must not hold what the others need."""
    pool = await open_pool(fresh_database.app_dsn, max_size=TASKS)
    try:
        for number in range(TASKS):
            await ingest_one(pool, f"d{number}", f"Text {number}.")
            await ingest_one(pool, f"d{number}", f"Another text {number}.")

        async def back(number: int) -> int:
            async with tenant_transaction(pool, TENANT) as conn:
                return await revert(conn, f"d{number}", 1, "ada")

        assert await asyncio.gather(*map(back, range(TASKS))) == [3] * TASKS
        assert await find_breaches(pool) == []
    finally:
        await pool.close()


async def test_an_interrupted_change_leaves_nothing(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")
        await ingest_one(pool, "d", "Text two.")

        async def die_reverting() -> None:
            async with tenant_transaction(pool, TENANT) as conn:
                await revert(conn, "d", 1, "ada")
                await conn.execute("SELECT pg_terminate_backend(pg_backend_pid())")

        with pytest.raises(StoreError):
            await die_reverting()
        assert await states(pool, "d") == {1: "superseded", 2: "current"}
        assert await fetch_value(pool, "SELECT basis FROM tenant") == 2
        rows = await fetch(pool, "SELECT count(*) AS chunks FROM chunk")
        assert rows[0]["chunks"] == 2
        assert await find_breaches(pool) == []
