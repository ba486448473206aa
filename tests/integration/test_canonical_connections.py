"""Connections to canonical databases: one SELECT as the server counts, poolers, loops, cancelling."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import asyncpg
import pytest

from tests.integration.canonical_shop import (
    ANSWER,
    CATALOG,
    DECLARED,
    RIGHT,
    TABLES,
    StatementLog,
    details,
    outcomes,
    verify,
)
from tests.integration.pooler import run_pgbouncer
from verifier.core.catalog import parse_catalog
from verifier.core.turns import Turn
from verifier.service import open_verifier
from verifier.settings import load_settings
from verifier.store.canonical_pool import open_canonical_pool
from verifier.verify.known_names import CanonicalNames
from verifier.verify.verifier import Backing, verify_answer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from tests.integration.conftest import Database
    from tests.integration.pooler import Pooler
    from verifier.embedded import EmbeddedPostgres
    from verifier.store.canonical_pool import CanonicalPool

Opening: TypeAlias = Callable[..., Awaitable[asyncpg.Pool]]

OPEN_TRANSACTIONS = """
    SELECT count(*) FROM pg_stat_activity
     WHERE datname = current_database() AND state LIKE 'idle in transaction%'
"""
SLEEPING = """
    SELECT count(*) FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'active' AND query LIKE '%"sleeping"%'
       AND pid <> pg_backend_pid()
"""
SLEEPY = parse_catalog({"order": {**DECLARED["order"], "table": "counted.sleeping"}})  # type: ignore[dict-item]
SLEEPING_VIEW = """
    CREATE VIEW counted.sleeping AS
      SELECT id, customer, CASE WHEN pg_sleep(60)::text IS NOT NULL THEN status END AS status
        FROM counted.orders
"""


@pytest.fixture
async def shop(fresh_database: Database) -> Database:
    """A database with the shop's tables, whose statements are logged."""
    await fresh_database.execute(
        *TABLES, f"ALTER DATABASE {fresh_database.name} SET log_statement = 'all'"
    )
    return fresh_database


@pytest.fixture
async def pool(shop: Database) -> AsyncIterator[CanonicalPool]:
    async with await open_canonical_pool(shop.owner_dsn, max_size=2) as pool:
        yield pool


DROPPED = "default_transaction_read_only,statement_timeout,jit,verifier.direct"


@pytest.fixture(params=["", DROPPED], ids=["refuses", "drops"])
def pooler(shop: Database, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Pooler]:
    """A pooler that refuses settings which it can't keep, and one that drops them without a word."""
    with run_pgbouncer(tmp_path, shop.owner_dsn, ignoring=request.param) as pooler:
        yield pooler


def plain(dsn: str, **options: Any) -> Awaitable[CanonicalPool]:
    """A pool that knows nothing of canonical databases."""
    pool: Awaitable[CanonicalPool] = asyncpg.create_pool(dsn, min_size=0, **options)
    return pool


BOTH = pytest.mark.parametrize("opening", [open_canonical_pool, plain])


async def ask(dsn: str, query: str) -> object:
    connection = await asyncpg.connect(dsn, statement_cache_size=0)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


def products(number: int) -> str:
    listed = [
        {"id": f"00000000-0000-4000-8000-{at:012}", "price": at} for at in range(1, number + 1)
    ]
    return f"```products\n{json.dumps(listed)}\n```\n"


MIXES = {
    "prose, table, list and cards": ANSWER,
    "prose": "Order W-1 has shipped. Invoice 1 comes to a total of 15.00 EUR.",
    "names": "The walnut shelf costs 49.90 EUR, and the walnut shelf is not 48.90 EUR.",
    "one unknown name": "The oak shelf costs 49.90 EUR. The walnut shelf is nice.",
    "cards of all types": ANSWER.partition("```")[2],
    "the same thing often": "Order W-1 has shipped. " * 20,
    "unknown things": products(30) + "Order W-77 has shipped. Order W-78 was delivered.",
    "a broken card among others": "```order\n{\n```\n" + ANSWER,
    "absent values": "Order W-1 has shipped for 99.00 EUR in 3 parcels of 2.5 kg on 3 May 2026.",
}


@pytest.mark.parametrize("answer", MIXES.values(), ids=MIXES.keys())
async def test_any_mix_is_one_select_as_the_server_counts(
    embedded: EmbeddedPostgres, pool: CanonicalPool, answer: str
) -> None:
    log = StatementLog(embedded)
    report = await verify(pool, answer)
    lookups, _ = log.count()
    assert lookups == report.database_round_trips == 1


@pytest.mark.parametrize("number", [1, 10, 100, 1_000, 10_000])
async def test_any_number_of_claims_is_one_select(
    embedded: EmbeddedPostgres, pool: CanonicalPool, shop: Database, number: int
) -> None:
    numbered = f"generate_series(1, {number}) i"
    await shop.execute(
        "INSERT INTO counted.product SELECT ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid,"  # noqa: S608 -- ours
        f" 'Lamp ' || i, CASE WHEN i % 10 = 0 THEN i + 1 ELSE i END FROM {numbered}"
    )
    log = StatementLog(embedded)
    report = await verify(pool, products(number))
    assert log.count()[0] == report.database_round_trips == 1
    assert report.claims == number
    wrong = number // 10
    assert outcomes(report).count("price_mismatch") == wrong
    assert outcomes(report).count("verified") == number - wrong


async def test_each_database_is_asked_once_and_one_that_fails_costs_no_other(
    embedded: EmbeddedPostgres, shop: Database, empty_database: Database
) -> None:
    await empty_database.execute(
        *TABLES, f"ALTER DATABASE {empty_database.name} SET log_statement = 'all'"
    )
    order, invoice = ({**DECLARED[name], "database": name} for name in ("order", "invoice"))  # type: ignore[dict-item]
    settings = load_settings(
        dsn=shop.owner_dsn,
        answer_log="off",
        catalog={"product": DECLARED["product"], "order": order, "invoice": invoice},
        databases={
            "order": {"dsn": empty_database.owner_dsn},
            "invoice": {"dsn": "postgresql://nobody@127.0.0.1:1/nothing"},
        },
    )
    async with open_verifier(settings=settings) as verifier:
        log = StatementLog(embedded)
        report = await verifier.verify(ANSWER, verifier.turn(principal="u1"))
    assert outcomes(report) == (*RIGHT[:-1], "database_unavailable")
    assert "127.0.0.1:1/nothing: connection refused" in details(report)
    assert log.count() == (2, 1)


async def test_directly_connected_a_lookup_is_all_that_is_sent(
    embedded: EmbeddedPostgres, pool: CanonicalPool
) -> None:
    cards = ANSWER.partition("```")[2]
    await verify(pool, "```" + cards)
    log = StatementLog(embedded)
    await verify(pool, "```" + cards)
    assert len(log.read()) == 1


async def test_names_are_read_once_for_many_answers(
    embedded: EmbeddedPostgres, pool: CanonicalPool
) -> None:
    async def lend(_database: str) -> CanonicalPool:
        return pool

    backing = Backing(catalog=CATALOG, lend_pool=lend, names=CanonicalNames(CATALOG, lend))
    log = StatementLog(embedded)
    for _ in range(3):
        report = await verify_answer(ANSWER, Turn(principal="u1"), backing=backing)
        assert outcomes(report) == RIGHT
    assert log.count() == (3, 1)


async def test_names_are_read_anew_after_a_while(pool: CanonicalPool, shop: Database) -> None:
    async def lend(_database: str) -> CanonicalPool:
        return pool

    names = CanonicalNames(CATALOG, lend, refresh_s=0.2)
    backing = Backing(catalog=CATALOG, lend_pool=lend, names=names)
    answer = "The oak desk costs 80.00 EUR."
    before = await verify_answer(answer, Turn(), backing=backing)
    await shop.execute("INSERT INTO counted.product VALUES (gen_random_uuid(), 'Oak desk', 80)")
    await asyncio.sleep(0.3)
    after = await verify_answer(answer, Turn(), backing=backing)
    assert outcomes(before) != ("verified",)
    assert outcomes(after) == ("verified",)


async def test_a_pooler_changes_no_verdict_and_no_count(
    embedded: EmbeddedPostgres, pooler: Pooler
) -> None:
    log = StatementLog(embedded)
    async with await open_canonical_pool(pooler.dsn, max_size=8) as pool:
        for _ in range(3):
            reports = await asyncio.gather(*(verify(pool) for _ in range(20)))
            assert {outcomes(one) for one in reports} == {RIGHT}
            assert {one.database_round_trips for one in reports} == {1}
    assert log.count() == (60, 60)


@BOTH
async def test_a_pool_told_of_the_pooler_works_as_well(pooler: Pooler, opening: Opening) -> None:
    async with await opening(pooler.dsn, statement_cache_size=0) as pool:
        reports = await asyncio.gather(*(verify(pool) for _ in range(20)))
    assert {outcomes(one) for one in reports} == {RIGHT}


async def test_through_a_pooler_nothing_can_be_written_and_limits_hold(
    shop: Database, pooler: Pooler
) -> None:
    await shop.execute(
        SLEEPING_VIEW,
        """CREATE FUNCTION counted.spoil(text) RETURNS text LANGUAGE plpgsql AS
           $$ BEGIN DELETE FROM counted.invoice; RETURN $1; END $$""",
        """CREATE VIEW counted.writing AS
             SELECT id, customer, counted.spoil(status) AS status FROM counted.orders""",
    )
    writing = parse_catalog({"order": {**DECLARED["order"], "table": "counted.writing"}})  # type: ignore[dict-item]
    async with await open_canonical_pool(pooler.dsn, timeout_s=0.5) as pool:

        async def lend(_database: str) -> CanonicalPool:
            return pool

        spoilt = await verify(pool, "Order W-1 has shipped.", catalog=writing)
        begun = time.monotonic()
        slow = await verify_answer(
            "Order W-1 has shipped.",
            Turn(principal="u1"),
            backing=Backing(catalog=SLEEPY, lend_pool=lend, timeout_s=0.5),
        )
        took_s = time.monotonic() - begun
        again = await verify(pool)
    assert outcomes(spoilt) == ("database_unavailable",)
    assert "read-only" in details(spoilt)
    assert await ask(shop.owner_dsn, "SELECT count(*) FROM counted.invoice") == 2
    assert outcomes(slow) == ("timeout",)
    assert took_s < 5
    assert outcomes(again) == RIGHT
    # The limits end with the transaction: whoever gets the server's connection next has none of them.
    assert await ask(pooler.dsn, "SELECT current_setting('statement_timeout')") == "0"
    assert await ask(pooler.dsn, "SELECT current_setting('default_transaction_read_only')") == "off"


async def test_the_store_behind_a_pooler_keeps_every_report(shop: Database, pooler: Pooler) -> None:
    settings = load_settings(dsn=pooler.dsn, catalog=DECLARED)
    async with open_verifier(settings=settings) as verifier:
        reports = await asyncio.gather(
            *(verifier.verify(f"{ANSWER}{at}", verifier.turn(principal="u1")) for at in range(30))
        )
        checks = {check.name: check.detail for check in await verifier.doctor()}
    assert {outcomes(one)[: len(RIGHT)] for one in reports} == {RIGHT}
    assert "every table and column is there" in checks["catalog of default"]
    logged = await ask(shop.owner_dsn, "SELECT count(*) FROM verifier.report")
    assert logged == len({one.report_id for one in reports}) == 30


async def test_a_pool_that_knows_of_no_pooler_is_never_wrong(pooler: Pooler) -> None:
    async with asyncpg.create_pool(pooler.dsn, min_size=0, max_size=8) as pool:
        reports = await asyncio.gather(*(verify(pool) for _ in range(20)))
    for report in reports:
        assert set(outcomes(report)) <= {*RIGHT, "database_unavailable"}
        assert outcomes(report).count("verified") <= RIGHT.count("verified")


async def test_b494_twenty_parallel_checks_on_one_pool(pool: CanonicalPool) -> None:
    reports = await asyncio.gather(*(verify(pool) for _ in range(20)))
    assert {outcomes(one) for one in reports} == {RIGHT}


@BOTH
async def test_b496_cancelled_checks_leave_the_pool_usable(
    shop: Database, opening: Opening
) -> None:
    await shop.execute(SLEEPING_VIEW)
    async with await opening(shop.owner_dsn, max_size=2) as pool:
        checks = [
            asyncio.create_task(verify(pool, "Order W-1 has shipped.", catalog=SLEEPY))
            for _ in range(20)
        ]
        while await ask(shop.owner_dsn, SLEEPING) != 2:  # noqa: ASYNC110 -- the server is another process
            await asyncio.sleep(0.02)
        for check in checks:
            check.cancel()
        ended = await asyncio.gather(*checks, return_exceptions=True)
        assert {type(one) for one in ended} == {asyncio.CancelledError}
        reports = [await verify(pool) for _ in range(5)]
        assert await ask(shop.owner_dsn, OPEN_TRANSACTIONS) == 0
    assert {outcomes(one) for one in reports} == {RIGHT}


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE counted.orders ADD COLUMN colour text",
        "ALTER TABLE counted.product ADD COLUMN colour text DEFAULT 'red'",
        "ALTER TABLE counted.product ALTER price TYPE numeric(12, 4)",
        "ALTER TABLE counted.invoice ALTER id TYPE numeric",
        "ALTER TABLE counted.orders ALTER status TYPE varchar(20)",
        "CREATE TABLE counted.copy AS TABLE counted.orders; DROP TABLE counted.orders;"
        " ALTER TABLE counted.copy RENAME TO orders",
        "CREATE INDEX ON counted.orders (customer, id)",
    ],
)
@BOTH
async def test_b497_a_changed_table_does_not_break_a_used_connection(
    shop: Database, change: str, opening: Opening
) -> None:
    async with await opening(shop.owner_dsn, max_size=1) as pool:
        for _ in range(7):  # past the plans that are made for each call
            assert outcomes(await verify(pool)) == RIGHT
        await shop.execute(change)
        for _ in range(2):
            assert outcomes(await verify(pool)) == RIGHT


async def test_b499_a_stored_vector_is_read_as_numbers(fresh_database: Database) -> None:
    from verifier.store.pool import open_pool

    async with (
        await open_pool(fresh_database.owner_dsn) as pool,
        pool.acquire() as connection,
    ):
        vector = await connection.fetchval("SELECT '[1, 2.5, -3]'::vector")
    assert [float(one) for one in vector.to_list()] == [1, 2.5, -3]


async def test_b503_a_slow_look_up_ends_at_the_limit_of_the_settings(
    shop: Database, tmp_path: Path
) -> None:
    await shop.execute(SLEEPING_VIEW)
    tables: tuple[dict[str, Any], ...] = (
        {"canonical_timeout_s": 1.0, "dsn": shop.owner_dsn},
        {"databases": {"shop": {"dsn": shop.owner_dsn, "timeout_s": 1.0}}, "data_dir": tmp_path},
    )
    for told in tables:
        named = {} if "dsn" in told else {"database": "shop"}
        order = {**DECLARED["order"], "table": "counted.sleeping", **named}  # type: ignore[dict-item]
        settings = load_settings(answer_log="off", catalog={"order": order}, **told)
        async with open_verifier(settings=settings) as verifier:
            begun = time.monotonic()
            report = await verifier.verify("Order W-1 has shipped.", verifier.turn(principal="u1"))
            took_s = time.monotonic() - begun
        assert outcomes(report) == ("timeout",)
        assert "1 seconds" in details(report)
        assert 0.9 < took_s < 5


async def test_a_pool_of_another_loop_is_a_verdict(shop: Database) -> None:
    opened, done = threading.Event(), threading.Event()
    lent: list[CanonicalPool] = []

    async def hold() -> None:
        async with await open_canonical_pool(shop.owner_dsn) as pool:
            assert outcomes(await verify(pool)) == RIGHT
            lent.append(pool)
            opened.set()
            await asyncio.to_thread(done.wait)
            assert outcomes(await verify(pool)) == RIGHT

    thread = threading.Thread(target=asyncio.run, args=(hold(),))
    thread.start()
    try:
        await asyncio.to_thread(opened.wait)
        begun = time.monotonic()
        reports = await asyncio.gather(*(verify(lent[0]) for _ in range(5)))
        assert time.monotonic() - begun < 5
    finally:
        done.set()
        await asyncio.to_thread(thread.join)
    for report in reports:
        assert set(outcomes(report)) == {"database_unavailable"}
        assert "another event loop" in details(report)


async def test_a_verifier_of_another_loop_loses_no_answer(shop: Database) -> None:
    settings = load_settings(dsn=shop.owner_dsn, answer_log="store", catalog=DECLARED)
    verifier_opened, done = threading.Event(), threading.Event()
    lent = []

    async def hold() -> None:
        async with open_verifier(settings=settings) as verifier:
            await verifier.verify(ANSWER, verifier.turn(principal="u1"))
            lent.append(verifier)
            verifier_opened.set()
            await asyncio.to_thread(done.wait)
            again = await verifier.verify(ANSWER, verifier.turn(principal="u1"))
            assert outcomes(again) == RIGHT

    thread = threading.Thread(target=asyncio.run, args=(hold(),))
    thread.start()
    try:
        await asyncio.to_thread(verifier_opened.wait)
        turn = lent[0].turn(principal="u1")
        reports = await asyncio.gather(*(lent[0].verify(ANSWER, turn) for _ in range(5)))
    finally:
        done.set()
        await asyncio.to_thread(thread.join)
    for report in reports:
        assert "verified" not in outcomes(report)
        assert "another event loop" in details(report)
