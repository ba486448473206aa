"""Prose, lists and tables about rows of several tables: bound to the row that they speak of."""

from __future__ import annotations

from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import asyncpg
import pytest

from verifier.core.catalog import parse_catalog
from verifier.core.turns import ToolCall, Turn
from verifier.errors import CatalogError
from verifier.store.canonical_check import check_catalog
from verifier.store.canonical_pool import open_canonical_pool
from verifier.verify.verifier import verify_claims

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier.core.catalog import Catalog
    from verifier.core.report import GroundingReport
    from verifier.store.canonical_pool import CanonicalPool

DECLARED: dict[str, object] = {
    "product": {
        "table": "shop.product",
        "names": ["name"],
        "key": {"column": "id", "type": "integer"},
        "attributes": {"maker": {"kind": "text", "column": "brand.name"}},
        "joins": {"brand": {"table": "shop.brand", "on": {"id": "brand_id"}}},
        "parts": {"variants": {"of": "variant", "on": {"product_id": "id"}}},
    },
    "variant": {
        "table": "shop.variant",
        "names": ["product.name"],
        "describing": ["colour", "size"],
        "key": {"column": "sku", "type": "text", "pattern": "V[0-9]{4}"},
        "joins": {"product": {"table": "shop.product", "on": {"id": "product_id"}}},
        "attributes": {
            "price": {"kind": "money", "currency": "USD", "column": "cents", "minor_units": True},
            "available": {
                "kind": "state",
                "states": {"true": ["available", "in stock"], "false": ["out of stock"]},
            },
        },
    },
    "order": {
        "table": "shop.orders",
        "key": {"column": "id", "type": "text", "pattern": "#?W[0-9]{4}"},
        "scope": {"customer": "principal"},
        "attributes": {
            "status": {"kind": "state", "states": {"P": ["pending"], "S": ["shipped"]}},
            "total": {"kind": "money", "currency": "USD", "round": 2},
            "placed": {"kind": "date", "column": "placed_at"},
        },
        "parts": {
            "items": {
                "table": "shop.line",
                "on": {"order_id": "id"},
                "names": ["product.name"],
                "joins": {"product": {"table": "shop.product", "on": {"id": "product_id"}}},
                "attributes": {
                    "price": {"kind": "money", "currency": "USD"},
                    "quantity": {"kind": "quantity"},
                },
            }
        },
    },
    "payment": {
        "table": "shop.payment",
        "key": {"column": "id", "type": "integer"},
        "joins": {"order": {"table": "shop.orders", "on": {"id": "order_id"}}},
        "scope": {"order.customer": "principal"},
        "attributes": {"amount": {"kind": "money", "currency": "USD"}},
    },
}
TABLES = (
    "CREATE SCHEMA shop",
    "CREATE TABLE shop.brand (id integer PRIMARY KEY, name text)",
    "CREATE TABLE shop.product (id integer PRIMARY KEY, name text, brand_id integer)",
    """CREATE TABLE shop.variant (sku text PRIMARY KEY, product_id integer, colour text, size text,
                                   cents integer, available boolean)""",
    "CREATE INDEX ON shop.variant (product_id)",
    """CREATE TABLE shop.orders (id text PRIMARY KEY, customer text, status text, total numeric,
                                  placed_at timestamptz)""",
    """CREATE TABLE shop.line (order_id text, product_id integer, price numeric, quantity integer,
                                PRIMARY KEY (order_id, product_id))""",
    "CREATE TABLE shop.payment (id integer PRIMARY KEY, order_id text, amount numeric)",
    "INSERT INTO shop.brand VALUES (1, 'Acme'), (2, 'Borealis')",
    "INSERT INTO shop.product VALUES (1, 'Tea Kettle', 1), (2, 'Desk Lamp', 2), (3, 'Floor Lamp', 2)",
    """INSERT INTO shop.variant VALUES
           ('V0001', 1, 'blue', 'small', 1500, true), ('V0002', 1, 'red', 'small', 1750, false),
           ('V0003', 2, 'black', 'large', 4000, true), ('V0004', 3, 'white', 'large', 9950, false)""",
    """INSERT INTO shop.orders VALUES
           ('#W1001', 'u1', 'S', 54.995, '2026-03-01T12:00:00Z'),
           ('#W1002', 'u2', 'P', 99.50, '2026-03-02T12:00:00Z')""",
    "INSERT INTO shop.line VALUES ('#W1001', 1, 15.00, 1), ('#W1001', 2, 40.00, 2), ('#W1002', 3, 99.5, 1)",
    "INSERT INTO shop.payment VALUES (501, '#W1001', 55), (502, '#W1002', 99.5)",
)
CATALOG = parse_catalog(DECLARED)


@asynccontextmanager
async def shop(database: Database) -> AsyncIterator[CanonicalPool]:
    await database.execute(*TABLES)
    async with await open_canonical_pool(database.owner_dsn) as pool:
        yield pool


async def verify(pool: CanonicalPool, answer: str, **told: object) -> GroundingReport:
    turn = Turn(**{"principal": "u1", **told})  # type: ignore[arg-type]  # named in the test
    return await verify_claims(answer, None, pool, catalog=CATALOG, turn=turn)


def codes(report: GroundingReport) -> list[str]:
    return [str(one.verdict.code) for one in report.judged]


TRUE = (
    "The blue tea kettle costs $15.00.",
    "The red tea kettle is $17.50.",
    "The desk lamp costs $40.00.",
    "Item V0001 costs $15.00.",
    "Order #W1001 has shipped.",
    "Order #W1001 comes to a total of $55.00.",
    "Your order #W1001 was placed on March 1, 2026.",
    "| Variant | Price |\n|---|---|\n| V0001 | $15.00 |\n| V0002 | $17.50 |",
    "- Tea Kettle, blue: $15.00\n- Tea Kettle, red: $17.50",
)
FALSE = (
    "The maker of the desk lamp is Acme.",
    "For the desk lamp, the maker is Acme.",
    "| Product | Maker |\n|---|---|\n| Desk Lamp | Acme |",
    "Here is the maker of each:\n- Desk Lamp: Acme\n- Tea Kettle: Borealis",
    "Item V0001 is made of steel.",
    "| Variant | Available |\n|---|---|\n| V0001 | out of stock |",
    "The blue tea kettle costs $17.50.",
    "The red tea kettle is $15.00.",
    "The red tea kettle is $17.51.",
    "The tea kettle costs $40.00.",
    "The desk lamp costs $99.50.",
    "Item V0001 costs $17.50.",
    "Item V0009 costs $17.50.",
    "Order #W1001 is still pending.",
    "Order #W1001 comes to a total of $54.995.",
    "Order #W1001 comes to a total of $99.50.",
    "Order #W1002 has shipped.",
    "Order #W1002 comes to a total of $99.50.",
    "Your order #W1001 was placed on March 2, 2026.",
    "Payment 502 was $99.50.",
    "| Variant | Price |\n|---|---|\n| V0001 | $17.50 |\n| V0002 | $15.00 |",
    "- Tea Kettle, blue: $17.50\n- Tea Kettle, red: $15.00",
    "The blue tea kettle is out of stock.",
    "The desk lamp is made by Acme.",
)
TRUE_TEXTS = (
    "The maker of the desk lamp is Borealis.",
    "For the desk lamp, the maker is Borealis.",
    "| Product | Maker |\n|---|---|\n| Desk Lamp | Borealis |\n| Tea Kettle | Acme |",
    "Here is the maker of each:\n- Desk Lamp: Borealis\n- Tea Kettle: Acme",
    "| Variant | Available |\n|---|---|\n| V0001 | in stock |\n| V0002 | out of stock |",
)
UNTOLD = (
    "The tea kettle costs $15.00.",
    "The lamp costs $40.00.",
)


@pytest.mark.parametrize("answer", [*TRUE, *TRUE_TEXTS])
async def test_what_a_row_says_is_accepted(fresh_database: Database, answer: str) -> None:
    async with shop(fresh_database) as pool:
        report = await verify(pool, answer)
    assert set(codes(report)) == {"verified"}, [one.verdict.detail for one in report.judged]
    assert report.database_round_trips == 1


@pytest.mark.parametrize("answer", FALSE)
async def test_what_another_row_says_is_never_accepted(
    fresh_database: Database, answer: str
) -> None:
    async with shop(fresh_database) as pool:
        report = await verify(pool, answer)
    assert "rejected" in {one.verdict.disposition for one in report.judged} or not any(
        code == "verified" for code in codes(report)
    ), codes(report)


@pytest.mark.parametrize("answer", UNTOLD)
async def test_what_may_be_said_of_two_rows_is_neither_accepted_nor_rejected(
    fresh_database: Database, answer: str
) -> None:
    async with shop(fresh_database) as pool:
        report = await verify(pool, answer)
    assert not {one.verdict.disposition for one in report.judged} & {"accepted", "rejected"}


async def test_a_mismatch_of_a_bound_value_names_row_and_column(fresh_database: Database) -> None:
    async with shop(fresh_database) as pool:
        report = await verify(pool, "| Variant | Price |\n|---|---|\n| V0001 | $17.50 |")
    (judged,) = report.judged
    assert (judged.verdict.code, judged.verdict.corrected_value) == ("price_mismatch", "15.00")
    (evidence,) = judged.verdict.evidence
    assert "'shop.variant'" in repr(evidence)
    assert "'cents'" in repr(evidence)


async def test_another_s_payment_looks_as_one_that_does_not_exist(
    fresh_database: Database,
) -> None:
    """The owner stands in another table."""
    async with shop(fresh_database) as pool:
        report = await verify(
            pool,
            '```payments\n[{"id": 501, "amount": 55}, {"id": 502}, {"id": 999}]\n```',
        )
    own, others, none = (one.verdict for one in report.judged)
    assert own.code == "verified"
    assert (others.code, others.detail) == (none.code, none.detail) == ("not_found", none.detail)


async def test_what_the_ledger_settles_asks_no_table(fresh_database: Database) -> None:
    result = {"sku": "V0001", "name": "Tea Kettle", "price": "$15.00"}
    call = ToolCall(call_id="1", tool="get_variant", arguments={}, result=result)
    async with shop(fresh_database) as pool:
        report = await verify(pool, "The tea kettle costs $15.00.", calls=(call,))
    assert (codes(report), report.database_round_trips) == (["verified"], 0), [
        (f.tier, f.detail, f.code) for f in report.judged[0].verdict.findings
    ]


async def test_a_thing_of_which_nothing_is_known_is_left_open(fresh_database: Database) -> None:
    async with shop(fresh_database) as pool:
        report = await verify(pool, "The desk lamp costs $40.00. The garden hose costs $12.00.")
    assert codes(report) == ["verified", "unverifiable"]


async def test_without_a_database_a_value_is_not_absent() -> None:
    pool = await open_canonical_pool("postgresql://nobody@127.0.0.1:1/nothing", connect_timeout_s=2)
    call = ToolCall(call_id="1", tool="get_shop", arguments={}, result={"opens": "9:00"})
    async with pool:
        report = await verify(pool, "The blue tea kettle costs $15.00.", calls=(call,))
    (judged,) = report.judged
    assert (judged.verdict.code, judged.verdict.reason) == ("unverifiable", "database_unavailable")


async def test_a_price_of_another_time_is_not_held_against_today_s_row(
    fresh_database: Database,
) -> None:
    catalog = parse_catalog(
        {
            "price": {
                "table": "price",
                "key": {"column": "sku", "type": "text"},
                "applies": {"valid_from": "since", "valid_to": "until"},
                "attributes": {"amount": {"kind": "money", "currency": "EUR", "labels": ["price"]}},
            }
        }
    )
    await fresh_database.execute(
        "CREATE TABLE price (sku text, amount numeric, since date, until date)",
        "INSERT INTO price VALUES ('K-1', 5, '2025-01-01', '2025-12-31'), ('K-1', 6, '2026-01-01', NULL)",
    )
    turn = Turn(now=datetime(2026, 5, 1, tzinfo=UTC))
    async with await open_canonical_pool(fresh_database.owner_dsn) as pool:
        reports = [
            await verify_claims(answer, None, pool, catalog=catalog, turn=turn)
            for answer in (
                "K-1 costs 6.00 EUR.",
                "K-1 costs 5.00 EUR.",
                "In March 2025 the price of K-1 was 5.00 EUR.",
                "Until the end of 2025 people gladly paid 5.00 EUR for K-1.",
            )
        ]
    assert [codes(report) for report in reports[:3]] == [
        ["verified"],
        ["price_mismatch"],
        ["verified"],
    ]
    assert not {one.verdict.disposition for one in reports[3].judged} & {"rejected", "accepted"}


def changed(**parts: object) -> Catalog:
    order: dict[str, object] = {**DECLARED["order"], **parts}  # type: ignore[dict-item]  # a table
    return parse_catalog({"order": order})


ITEMS: dict[str, object] = DECLARED["order"]["parts"]["items"]  # type: ignore[index]  # a table


@pytest.mark.parametrize(
    ("catalog", "told"),
    [
        (
            changed(joins={"x": {"table": "shop.nothing", "on": {"id": "id"}}}),
            "no table shop.nothing",
        ),
        (changed(joins={"x": {"table": "shop.brand", "on": {"no": "id"}}}), "no column 'no'"),
        (changed(joins={"x": {"table": "shop.brand", "on": {"id": "id"}}}), "can't be compared"),
        (
            changed(joins={"x": {"table": "shop.line", "on": {"product_id": "id"}}}),
            "no index of shop.line begins with 'product_id'",
        ),
        (changed(describing=["colour"]), r"describing: table shop.orders has no column 'colour'"),
        (
            changed(applies={"valid_from": "since"}),
            "applies: table shop.orders has no column 'since'",
        ),
        (changed(parts={"items": {**ITEMS, "table": "shop.lines"}}), "no table shop.lines"),
        (changed(parts={"items": {**ITEMS, "names": ["title"]}}), r"parts.items.names: table"),
        (changed(parts={"items": {**ITEMS, "on": {"order_id": "total"}}}), "can't be compared"),
    ],
)
async def test_joins_and_parts_that_do_not_fit_are_told(
    fresh_database: Database, catalog: Catalog, told: str
) -> None:
    await fresh_database.execute(*TABLES)
    connection = await asyncpg.connect(fresh_database.owner_dsn)
    try:
        await check_catalog(connection, CATALOG)
        with pytest.raises(CatalogError) as caught:
            await check_catalog(connection, catalog)
    finally:
        await connection.close()
    assert told in str(caught.value)
