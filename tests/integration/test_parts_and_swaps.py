"""Amounts of a part, of a whole, of two things in turn, and set against another: read from real rows."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from verifier.core.catalog import parse_catalog
from verifier.core.policy import Mode, Policy
from verifier.core.turns import Turn
from verifier.store.canonical_pool import open_canonical_pool
from verifier.verify.known_names import CanonicalNames
from verifier.verify.policy import verify_under
from verifier.verify.verifier import Backing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier.core.report import GroundingReport
    from verifier.store.canonical_pool import CanonicalPool

TABLES = (
    "CREATE SCHEMA shop",
    """CREATE TABLE shop.products (sku text PRIMARY KEY, title text NOT NULL, unit_price numeric(10,2),
                                    currency char(3) DEFAULT 'EUR', stock int, weight_kg numeric(6,2))""",
    """CREATE TABLE shop.orders (id serial PRIMARY KEY, order_number text UNIQUE, customer_id text,
                                  status text, total_cents int, ordered_on date)""",
    """CREATE TABLE shop.order_lines (order_id int REFERENCES shop.orders (id), line_no int, sku text,
                                       qty int, PRIMARY KEY (order_id, line_no))""",
    """INSERT INTO shop.products VALUES ('KT-100', 'Corvo kettle', 89.00, 'EUR', 12, 1.20),
           ('KT-200', 'Corvo kettle mini', 59.50, 'EUR', 0, 0.80),
           ('TO-7', 'Alba toaster', 74.90, 'EUR', 40, 2.10)""",
    """INSERT INTO shop.orders (order_number, customer_id, status, total_cents, ordered_on) VALUES
           ('ORD-1042', 'c-1', 'shipped', 14850, '2026-11-02'),
           ('ORD-1043', 'c-1', 'placed', 7490, '2026-11-20')""",
    "INSERT INTO shop.order_lines VALUES (1, 1, 'KT-100', 1), (1, 2, 'KT-200', 1), (2, 1, 'TO-7', 1)",
)
CATALOG = parse_catalog(
    {
        "order": {
            "table": "shop.orders",
            "scope": {"customer_id": "principal"},
            "key": {"column": "order_number", "type": "text", "pattern": "ORD-[0-9]+"},
            "attributes": {
                "status": {"kind": "state", "states": {"placed": [], "shipped": []}},
                "total": {
                    "kind": "money",
                    "column": "total_cents",
                    "currency": "EUR",
                    "minor_units": True,
                    "labels": ["total", "comes to"],
                },
                "ordered_on": {"kind": "date"},
            },
            "parts": {
                "lines": {
                    "table": "shop.order_lines",
                    "on": {"order_id": "id"},
                    "names": ["product.title"],
                    "joins": {"product": {"table": "shop.products", "on": {"sku": "sku"}}},
                    "attributes": {"qty": {"kind": "quantity"}},
                }
            },
        },
        "product": {
            "table": "shop.products",
            "names": ["title"],
            "key": {"column": "sku", "type": "text", "pattern": "[A-Z]{2}-[0-9]+"},
            "attributes": {
                "unit_price": {
                    "kind": "money",
                    "labels": ["unit price", "costs", "price"],
                    "currency_column": "currency",
                },
                "stock": {"kind": "quantity"},
                "weight_kg": {"kind": "quantity", "unit": "kg"},
            },
        },
    }
)
TURN = Turn(principal="c-1")
OF_A_PART = (
    "Each item of ORD-1042 costs €148.50.",
    "Every item in ORD-1042 costs €148.50.",
    "An item of ORD-1042 comes to €148.50.",
    "The item in order ORD-1042 costs €148.50.",
    "One of the items in ORD-1042 costs €148.50.",
    "The Corvo kettle of ORD-1042 costs €148.50.",
    "The Corvo kettle in order ORD-1042 costs €148.50.",
    "The Corvo kettle mini in your order ORD-1042 comes to €148.50.",
    "The Corvo kettle (ORD-1042) costs €148.50.",
    "For ORD-1042, each item costs €148.50.",
    "In order ORD-1042 every product costs €148.50.",
    "Half of ORD-1042 comes to €148.50.",
    "Half the order ORD-1042 comes to €148.50.",
    "A third of ORD-1042 comes to €148.50.",
    "Part of ORD-1042 comes to €148.50.",
    "The rest of ORD-1042 comes to €148.50.",
    "You paid €74.90 for ORD-1043.",
    "You have paid €74.90 for order ORD-1043.",
    "Your payment for ORD-1043 was €74.90.",
    "ORD-1043 was paid in full: €74.90.",
    "ORD-1043 is paid. Its total, paid on delivery, was €74.90.",
)
OF_THE_WHOLE = (
    "The total of ORD-1042 is €148.50.",
    "The total of your order ORD-1042 is €148.50.",
    "ORD-1042 comes to €148.50.",
    "Order ORD-1042 costs €148.50.",
    "In total, ORD-1042 comes to €148.50.",
    "The total for ORD-1043 is €74.90.",
    "The Corvo kettle costs €89.00.",
    "Each Corvo kettle costs €89.00.",
    "The price of the Corvo kettle is €89.00.",
    "The unit price of the Corvo kettle is €89.00.",
    "The unit price of KT-100 is €89.00.",
    "The Corvo kettle (KT-100) costs €89.00.",
    "The item KT-100 costs €89.00 each.",
    "For KT-100, each item costs €89.00.",
    "The Corvo kettle and the Alba toaster cost €89.00 and €74.90 respectively.",
    "The Corvo kettle and the Alba toaster weigh 1.2 kg and 2.1 kg respectively.",
)
NEVER_REJECTED = (
    "Each Corvo kettle in ORD-1042 costs €89.00.",
    "The Corvo kettle in ORD-1042 costs €89.00.",
    "Every Corvo kettle of your order ORD-1042 costs €89.00.",
    "The Corvo kettle costs €89.00 instead of €99.00.",
    "The Corvo kettle costs €89.00 rather than €99.00.",
    "The Corvo kettle is down from €99.00 to €89.00.",
)
SET_AGAINST = (
    "The Corvo kettle costs €99.00 instead of €89.00.",
    "The Corvo kettle costs €99.00 rather than €89.00.",
    "The Corvo kettle costs €99.00, down from €89.00.",
    "Instead of €89.00, the Corvo kettle costs €99.00.",
    "The Corvo kettle costs €99.00, previously €89.00.",
)
CORRECTED = {
    "The Corvo kettle and the Alba toaster cost €74.90 and €89.00 respectively.": (
        "The Corvo kettle and the Alba toaster cost €89.00 and €74.90 respectively."
    ),
    "KT-100 and TO-7 cost €74.90 and €89.00 respectively.": (
        "KT-100 and TO-7 cost €89.00 and €74.90 respectively."
    ),
    "The Corvo kettle and the Alba toaster cost €89.00 and €84.90 respectively.": (
        "The Corvo kettle and the Alba toaster cost €89.00 and €74.90 respectively."
    ),
    "The Corvo kettle and the Alba toaster weigh 2.1 kg and 1.2 kg respectively.": (
        "The Corvo kettle and the Alba toaster weigh 1.2 kg and 2.1 kg respectively."
    ),
    "The Corvo kettle costs €74.90 and the Alba toaster costs €89.00.": (
        "The Corvo kettle costs €89.00 and the Alba toaster costs €74.90."
    ),
    "The Corvo kettle costs €99.00 and weighs 1.2 kg.": (
        "The Corvo kettle costs €89.00 and weighs 1.2 kg."
    ),
}


@asynccontextmanager
async def lend_shop(database: Database) -> AsyncIterator[Backing]:
    await database.execute(*TABLES)
    async with await open_canonical_pool(database.owner_dsn) as pool:

        async def lend(_database: str) -> CanonicalPool:
            return pool

        yield Backing(catalog=CATALOG, lend_pool=lend, names=CanonicalNames(CATALOG, lend))


async def correct(backing: Backing, answer: str) -> GroundingReport:
    return await verify_under(Policy(mode=Mode.CORRECT), answer, TURN, backing=backing)


def told(report: GroundingReport) -> list[str]:
    return [f"{one.verdict.code}: {one.verdict.detail}" for one in report.judged]


async def test_a_part_does_not_take_the_amount_of_its_whole(fresh_database: Database) -> None:
    async with lend_shop(fresh_database) as backing:
        for answer in OF_A_PART:
            report = await correct(backing, answer)
            assert {one.verdict.disposition for one in report.judged} != {"accepted"}, answer
            assert report.release is not None
            assert report.release.text == answer


async def test_what_is_said_of_the_whole_is_accepted(fresh_database: Database) -> None:
    async with lend_shop(fresh_database) as backing:
        for answer in OF_THE_WHOLE:
            report = await correct(backing, answer)
            codes = {one.verdict.code for one in report.judged}
            assert codes == {"verified"}, (answer, told(report))


@pytest.mark.parametrize("answer", NEVER_REJECTED)
async def test_a_true_amount_is_not_held_against_the_whole_s(
    fresh_database: Database, answer: str
) -> None:
    async with lend_shop(fresh_database) as backing:
        report = await correct(backing, answer)
    assert "rejected" not in {one.verdict.disposition for one in report.judged}, told(report)


async def test_swapped_values_are_both_rejected_and_set_right(fresh_database: Database) -> None:
    async with lend_shop(fresh_database) as backing:
        for answer, right in CORRECTED.items():
            report = await correct(backing, answer)
            assert report.release is not None
            assert (report.release.text, report.release.accepted) == (right, True), told(report)


async def test_nothing_is_corrected_beside_a_value_that_it_is_set_against(
    fresh_database: Database,
) -> None:
    async with lend_shop(fresh_database) as backing:
        for answer in SET_AGAINST:
            report = await correct(backing, answer)
            assert report.release is not None
            assert report.release.text == answer
            assert [str(one.hindrance) for one in report.release.left_alone] == ["not_proved"]
            assert "verified" not in {one.verdict.code for one in report.judged}, told(report)
