"""Tool results held against the tables of a real database: which are current, stale, gone, or open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.integration.test_correcting import (
    CATALOG,
    DECLARED,
    NOBODY_LISTENS,
    TABLES,
    lend_shop,
)
from verifier import open_blocking_verifier, open_verifier
from verifier.core.evidence import RowLocator
from verifier.core.turns import ToolCall, Turn
from verifier.core.verdicts import Reason
from verifier.settings import load_settings
from verifier.store.canonical_pool import open_canonical_pool
from verifier.verify.ledger_check import Standing, check_ledger, check_ledger_against_database

if TYPE_CHECKING:
    from tests.integration.conftest import Database

RESULTS = {
    "fresh": {"id": "P-1", "name": "Harbour throw", "price": 49.9, "currency": "USD", "stock": 12},
    "stale price": {"id": "P-2", "price": "1199.00", "currency": "EUR", "color": "red"},
    "stale all": {"product_id": "P-1", "price_usd": 80, "weight": "3 kg", "listed": False},
    "gone": {"id": "P-404", "price": 5},
    "two rows": {"id": "P-3", "price": 5, "currency": "USD"},
    "own order": {"id": "W-1001", "status": "delivered", "total": "120.50"},
    "another customer's": {"id": "W-2002", "status": "shipped"},
    "an order in a list": [
        {"id": "W-1001", "status": "SHIPPED", "lines": [{"sku": "a", "price": 3}]}
    ],
    "of no type": {"customer": "c-1", "points": 80},
}
CALLS = tuple(
    ToolCall(
        call_id=name,
        tool="get_order" if "order" in name or "customer" in name else "get_product",
        arguments={},
        result=result,
    )
    for name, result in RESULTS.items()
)
STANDINGS = {
    ("fresh", "price"): Standing.CURRENT,
    ("fresh", "stock"): Standing.CURRENT,
    ("fresh", "name"): Standing.CURRENT,
    ("fresh", "currency"): Standing.CURRENT,
    ("stale price", "price"): Standing.STALE,
    ("stale price", "color"): Standing.CURRENT,
    ("stale price", "currency"): Standing.CURRENT,
    ("stale all", "price"): Standing.STALE,
    ("stale all", "weight"): Standing.STALE,
    ("stale all", "listed"): Standing.STALE,
    ("gone", "price"): Standing.GONE,
    ("two rows", "price"): Standing.OPEN,
    ("two rows", "currency"): Standing.CURRENT,
    ("own order", "status"): Standing.STALE,
    ("own order", "total"): Standing.CURRENT,
    ("another customer's", "status"): Standing.GONE,
    ("an order in a list", "status"): Standing.CURRENT,
}
TURN = Turn(principal="c-1", calls=CALLS)


async def test_which_tool_results_are_out_of_date(fresh_database: Database) -> None:
    async with lend_shop(fresh_database) as backing:
        check = await check_ledger(TURN, backing)
    found = {(one.locator.call_id, one.attribute): one for one in check.facts}
    assert {place: one.standing for place, one in found.items()} == STANDINGS
    assert check.stale_calls == (
        "stale price",
        "stale all",
        "gone",
        "own order",
        "another customer's",
    )
    assert check.database_round_trips == 1
    price = found["stale price", "price"]
    assert (price.told, price.right, price.locator.pointer) == ("1199.00", "1299.00", "/price")
    assert [type(one.locator) for one in price.row] == [RowLocator]
    assert found["gone", "price"].detail == found["another customer's", "status"].detail.replace(
        "order", "product"
    )


async def test_without_an_answer_of_the_tables_all_is_open(fresh_database: Database) -> None:
    async with await open_canonical_pool(NOBODY_LISTENS, connect_timeout_s=2.0) as pool:
        down = await check_ledger_against_database(TURN, pool, catalog=CATALOG)
    assert {one.standing for one in down.facts} == {Standing.OPEN}
    assert {one.reason for one in down.facts} == {Reason.DATABASE_UNAVAILABLE}
    assert len(down.facts) == len(STANDINGS)
    alone = await check_ledger_against_database(TURN, None, catalog=CATALOG)
    assert {one.reason for one in alone.facts} == {Reason.NO_EVIDENCE}
    async with lend_shop(fresh_database) as backing:
        nobody = await check_ledger(Turn(calls=CALLS), backing)
    orders = [one for one in nobody.facts if one.entity_type == "order"]
    assert {one.reason for one in orders} == {Reason.NO_PRINCIPAL}


async def test_failed_and_earlier_calls_tell_nothing(fresh_database: Database) -> None:
    failed = ToolCall(
        call_id="f", tool="get_product", arguments={}, result={"id": "P-1", "price": 1}, ok=False
    )
    async with lend_shop(fresh_database) as backing:
        check = await check_ledger(Turn(calls=(failed,)), backing)
    assert check.facts == ()
    assert check.stale_calls == ()
    assert check.database_round_trips == 0


async def test_the_verifier_trusts_no_cached_tool_where_the_settings_say_so(
    fresh_database: Database,
) -> None:
    await fresh_database.execute(
        *TABLES,
        "GRANT USAGE ON SCHEMA shop TO PUBLIC",
        "GRANT SELECT ON ALL TABLES IN SCHEMA shop TO PUBLIC",
    )
    for checks in (False, True):
        settings = load_settings(
            dsn=fresh_database.app_dsn, catalog=DECLARED, check_ledger_against_database=checks
        )
        async with open_verifier(settings=settings) as verifier:
            turn = verifier.turn(principal="c-1")
            turn.record("get_product", {}, {"id": "P-1", "name": "Harbour throw", "price": "80"})
            check = await verifier.check_ledger_against_database(turn)
            assert check.stale_calls == ("call-1",)
            cached = await verifier.verify("P-1 costs 80.", turn)
            right = await verifier.verify("P-1 costs 49.90.", turn)
        assert cached.accepted is not checks
        assert right.accepted is checks
        if checks:
            assert cached.judged[0].verdict.corrected_value == "49.90"
            notes = [one.note for one in right.judged[0].verdict.evidence]
            assert notes == [None, "out of date: the canonical row differs"]


def test_the_blocking_verb_is_the_same() -> None:
    settings = load_settings(dsn=NOBODY_LISTENS, catalog=DECLARED, connect_timeout_s=2.0)
    with open_blocking_verifier(settings=settings) as verifier:
        check = verifier.check_ledger_against_database(TURN)
    assert len(check.facts) == len(STANDINGS)
    assert check.stale_calls == ()
