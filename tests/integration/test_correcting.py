"""Answers corrected from the rows of a real database: what is written, what is left alone, what stays."""

from __future__ import annotations

import json
import random
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import asyncpg
import jsonschema
import pytest

from tests.integration.test_public_shops import load
from tests.shared_data import find_shared
from verifier import open_verifier
from verifier.core.catalog import parse_catalog
from verifier.core.evidence import RowLocator
from verifier.core.policy import Hindrance, Mode, Policy
from verifier.core.report_json import load_schema
from verifier.core.turns import ToolCall, Turn
from verifier.settings import load_settings
from verifier.store.canonical_pool import open_canonical_pool
from verifier.verify.known_names import CanonicalNames
from verifier.verify.policy import verify_under
from verifier.verify.verifier import Backing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier.core.report import GroundingReport
    from verifier.store.canonical_pool import CanonicalPool

CORRECT = Policy(mode=Mode.CORRECT)
NOBODY_LISTENS = "postgresql://nobody@127.0.0.1:1/nothing"
DECLARED = {
    "product": {
        "table": "shop.product",
        "names": ["name"],
        "key": {"column": "id", "type": "text", "pattern": "P-[0-9]+", "case": "upper"},
        "attributes": {
            "price": {
                "kind": "money",
                "currency_column": "currency",
                "labels": ["price", "costs"],
            },
            "stock": {"kind": "quantity", "labels": ["in stock", "stock"]},
            "weight": {"kind": "quantity", "unit": "kg", "labels": ["weight", "weighs"]},
            "listed": {"kind": "boolean"},
            "color": {"kind": "text", "labels": ["color"]},
            "release_date": {"kind": "date", "labels": ["release date"]},
        },
    },
    "order": {
        "table": "shop.orders",
        "key": {"column": "id", "type": "text", "pattern": "W-[0-9]{4}", "case": "upper"},
        "scope": {"customer": "principal"},
        "attributes": {
            "status": {"kind": "state", "states": {"shipped": [], "delivered": []}},
            "total": {"kind": "money", "currency": "USD", "labels": ["total"]},
        },
    },
}
CATALOG = parse_catalog(DECLARED)
TABLES = (
    "CREATE SCHEMA shop",
    """CREATE TABLE shop.product (id text, name text, price numeric, currency text, stock int, weight numeric,
                                   listed boolean, color text, release_date date)""",
    "CREATE TABLE shop.orders (id text PRIMARY KEY, customer text, status text, total numeric)",
    """INSERT INTO shop.product VALUES
       ('P-1', 'Harbour throw', 49.90, 'USD', 12, 1.5, true, 'blue', '2026-11-22'),
       ('P-2', 'Desk lamp', 1299, 'EUR', 0, 2.25, false, 'red', '2026-05-03'),
       ('P-3', 'Twin mug', 5, 'USD', 3, 1, true, 'red', '2026-05-03'),
       ('P-3', 'Twin mug', 6, 'USD', 3, 1, true, 'red', '2026-05-03'),
       ('P-5', 'Gold ship', 98765432109876543210.99, 'USD', 1, 0.000001, true, 'gold', 'infinity'),
       ('P-6', 'Free card', NULL, NULL, NULL, NULL, NULL, NULL, NULL)""",
    "INSERT INTO shop.orders VALUES ('W-1001', 'c-1', 'shipped', 120.5), ('W-2002', 'c-2', 'shipped', 80)",
)


CARD_OF_NONE = '{"id": "P-404", "price": 5}'


def card(label: str, body: str) -> str:
    return f"```{label}\n{body}\n```"


CORRECTED = {
    "prose": ("The Harbour throw costs $59.90!", "The Harbour throw costs $49.90!"),
    "no decimals": ("The Harbour throw costs $60.", "The Harbour throw costs $49.90."),
    "another locale": ("Desk lamp: 1.399,00 €", "Desk lamp: 1.299,00 €"),
    "by id": ("P-1 costs $59.90.", "P-1 costs $49.90."),
    "a unit": ("The weight of P-2 is 2500 g.", "The weight of P-2 is 2250 g."),
    "a day": (
        "The release date of P-1 is May 3rd, 2026.",
        "The release date of P-1 is November 22nd, 2026.",
    ),
    "about": ("P-1 costs about $60.", "P-1 costs about $49.90."),
    "cents": ("P-1 costs 5990 cents.", "P-1 costs 4990 cents."),
    "one piece": ("P-1 has a stock of 1 piece.", "P-1 has a stock of 12 pieces."),
    "several values of a sentence": (
        "P-1: $59.90, 13 in stock, weighs 1500 g",
        "P-1: $49.90, 12 in stock, weighs 1500 g",
    ),
    "a list": (
        "- Harbour throw: $59.90\r\n- Desk lamp: €1,299.00\r\n",
        "- Harbour throw: $49.90\r\n- Desk lamp: €1,299.00\r\n",
    ),
    "a table": (
        "| Product | Price |\n|---|---|\n| Harbour throw | $59.90 |\n| Desk lamp | €1,399.00 |",
        "| Product | Price |\n|---|---|\n| Harbour throw | $49.90 |\n| Desk lamp | €1,299.00 |",
    ),
    "right to left and emoji": (
        "שלום 👩‍👩‍👧😀\t\r\n\r\nThe Harbour throw costs $59.90.\r\n\r\n😀\t",
        "שלום 👩‍👩‍👧😀\t\r\n\r\nThe Harbour throw costs $49.90.\r\n\r\n😀\t",
    ),
    "a number of a card": (
        card("product", '{"id": "P-1",  "price":59.9, "stock" : 12}'),
        card("product", '{"id": "P-1",  "price":49.9, "stock" : 12}'),
    ),
    "a string of a card": (
        card("product", '{"id": "P-1", "price": "$59.90"}'),
        card("product", '{"id": "P-1", "price": "$49.90"}'),
    ),
    "an amount of a card": (
        card("product", '{"id": "P-1", "price": {"currency": "USD", "amount": 59.90}}'),
        card("product", '{"id": "P-1", "price": {"currency": "USD", "amount": 49.90}}'),
    ),
    "several fields of a card": (
        card("product", '{"id": "P-1", "price": 1, "stock": 11, "listed": false, "weight": 1.75}'),
        card(
            "product", '{"id": "P-1", "price": 49.90, "stock": 12, "listed": true, "weight": 1.50}'
        ),
    ),
    "a price beyond all floats": (
        card("product", '{"id": "P-5", "price": 1}'),
        card("product", '{"id": "P-5", "price": 98765432109876543210.99}'),
    ),
    "a very small weight": (
        card("product", '{"id": "P-5", "weight": 1}'),
        card("product", '{"id": "P-5", "weight": 0.000001}'),
    ),
    "a day of a card": (
        card("product", '{"id": "P-1", "release_date": "2026-05-03"}'),
        card("product", '{"id": "P-1", "release_date": "2026-11-22"}'),
    ),
    "a card of no product": (
        "Here:\n\n" + card("product", '{"id": "P-404", "price": 5}') + "\n\nBye.",
        "Here:\n\n\nBye.",
    ),
    "one of a list that does not exist": (
        card("products", '[{"id": "P-1"}, {"id": "P-404"}, {"id": "P-2"}]'),
        card("products", '[{"id": "P-1"}, {"id": "P-2"}]'),
    ),
    "the last two of a list": (
        card("products", '[{"id": "P-1"},\n {"id": "P-404"},\n {"id": "P-405"}]'),
        card("products", '[{"id": "P-1"}]'),
    ),
    "the first of a list, another corrected": (
        card("products", '[{"id": "P-404"}, {"id": "P-1", "price": 50}]'),
        card("products", '[{"id": "P-1", "price": 49.90}]'),
    ),
    "all of a list": (
        "A\n" + card("products", '[{"id": "P-404"}, {"id": "P-405"}]') + "\nB",
        "A\nB",
    ),
    "another customer's order": (
        "A\r\n" + card("order", '{"id": "W-2002", "total": 80}') + "\r\nB",
        "A\r\nB",
    ),
    "prose beside a card": (
        "The Harbour throw costs $59.90.\n" + card("product", '{"id": "P-1", "price": 59.90}'),
        "The Harbour throw costs $49.90.\n" + card("product", '{"id": "P-1", "price": 49.90}'),
    ),
}
LEFT = {
    "a text": ("The color of P-1 is red.", Hindrance.TEXT),
    "a state": ("Order W-1001 is delivered.", Hindrance.TEXT),
    "a text of a card": (card("product", '{"id": "P-1", "color": "red"}'), Hindrance.TEXT),
    "a bound": ("P-1 costs at least $60.", Hindrance.INEXACT),
    "a denial": ("The Harbour throw does not cost $49.90.", Hindrance.DENIED),
    "a magnitude too large": ("P-1 costs $1.2k.", Hindrance.OTHER_FORM),
    "a time of its own": ("The stock of P-1 is 11 as of yesterday.", Hindrance.NOT_PROVED),
    "words": ("The Harbour throw costs sixty dollars.", Hindrance.WORDS),
    "another currency behind an open sign": ("The Desk lamp costs $1,200.", Hindrance.NOT_PROVED),
    "another currency": ("The Harbour throw costs €49.90.", Hindrance.OTHER_FORM),
    "a number with an unseen sign in it": ("P-1 costs $5\u200b9.90.", Hindrance.OTHER_FORM),
    "a number with an unseen sign at its end": ("P-1 costs $59\u2060.90.", Hindrance.OTHER_FORM),
    "a number in parts": ("P-1 costs $59**.90**.", Hindrance.OTHER_FORM),
    "a number with a raised point": ("P-1 costs $59·90.", Hindrance.OTHER_FORM),
    "a number with a gap": ("P-1 costs $59 .90.", Hindrance.OTHER_FORM),
    "prose about no product": ("P-404 costs $5.", Hindrance.NO_RIGHT_VALUE),
}
UNTOUCHED = {
    "a row without the value": card("product", '{"id": "P-6", "price": 7, "stock": 3}'),
    "a day without end": card("product", '{"id": "P-5", "release_date": "2026-05-03"}'),
    "two rows that differ": card("product", '{"id": "P-3", "price": 7}'),
    "two rows, one of them": card("product", '{"id": "P-3", "price": 5}'),
    "not checked": "The Harbour throw was a bestseller, they say.",
    "true": "The Harbour throw costs $49.90.",
    "a broken card": card("product", '{"id": "P-1", "price": 59.9'),
    "a question": "Does the Harbour throw cost $59.90?",
}


@asynccontextmanager
async def lend_shop(database: Database) -> AsyncIterator[Backing]:
    await database.execute(*TABLES)
    async with await open_canonical_pool(database.owner_dsn) as pool:
        yield back_by(pool)


def back_by(pool: CanonicalPool) -> Backing:
    async def lend(_database: str) -> CanonicalPool:
        return pool

    return Backing(catalog=CATALOG, lend_pool=lend, names=CanonicalNames(CATALOG, lend))


async def correct(backing: Backing, answer: str, *calls: ToolCall) -> GroundingReport:
    turn = Turn(principal="c-1", calls=calls)
    return await verify_under(CORRECT, answer, turn, backing=backing)


def told_product(**fields: object) -> ToolCall:
    return ToolCall(call_id="c1", tool="get_product", arguments={}, result=fields)


async def test_right_values_come_in_and_all_else_stays(fresh_database: Database) -> None:
    async with lend_shop(fresh_database) as backing:
        for name, (answer, expected) in CORRECTED.items():
            report = await correct(backing, answer)
            assert report.release is not None
            assert report.release.text == expected, name
            assert report.release.accepted, name
            assert not report.accepted, name
            assert report.database_round_trips == 1, name
            for edit in report.release.edits:
                assert edit.span.of(answer) == edit.old
                assert edit.reason
                rests = [evidence.locator for evidence in edit.evidence]
                assert all(isinstance(one, RowLocator) for one in rests)
                assert bool(rests) == bool(edit.new)
            again = await correct(backing, expected)
            assert again.accepted
            assert again.release is not None
            assert again.release.text == expected
            assert not again.release.edits


async def test_what_is_left_alone_tells_why(fresh_database: Database) -> None:
    async with lend_shop(fresh_database) as backing:
        for name, (answer, hindrance) in LEFT.items():
            report = await correct(backing, answer)
            assert report.release is not None
            assert report.release.text == answer, name
            assert hindrance in {one.hindrance for one in report.release.left_alone}, name
            assert not report.release.accepted


@pytest.mark.parametrize("name", UNTOUCHED)
async def test_what_is_not_rejected_is_not_touched(name: str, fresh_database: Database) -> None:
    async with lend_shop(fresh_database) as backing:
        report = await correct(backing, UNTOUCHED[name])
    assert report.release is not None
    assert report.release.text == UNTOUCHED[name]
    assert not report.release.edits
    assert not report.release.left_alone


async def test_what_is_denied_beside_it_leaves_a_value_alone(fresh_database: Database) -> None:
    answer = "The Harbour throw is $59.90, not $49.90."
    async with lend_shop(fresh_database) as backing:
        report = await correct(backing, answer)
    assert report.release is not None
    assert report.release.text == answer
    assert {one.hindrance for one in report.release.left_alone} == {Hindrance.DENIED}


async def test_only_a_row_corrects_what_a_tool_result_refutes(fresh_database: Database) -> None:
    async with lend_shop(fresh_database) as backing:
        fresh = told_product(id="P-1", name="Harbour throw", price=49.9, currency="USD")
        report = await correct(backing, "The Harbour throw costs $59.90.", fresh)
        assert report.release is not None
        assert report.release.text == "The Harbour throw costs $49.90."
        assert report.database_round_trips == 1
        stale = told_product(id="P-1", name="Harbour throw", price=39.9, currency="USD")
        report = await correct(backing, "The Harbour throw costs $59.90.", stale)
        assert report.release is not None
        assert report.release.text == "The Harbour throw costs $49.90."
        report = await correct(backing, "The Harbour throw costs $49.90.", stale)
        assert report.accepted
        assert report.release is not None
        assert report.release.text == "The Harbour throw costs $49.90."
        notes = [one.note for one in report.judged[0].verdict.evidence]
        assert any(note and "out of date" in note for note in notes)
        true = await correct(backing, "The Harbour throw costs $39.90.", stale)
        assert true.accepted, "what is accepted by the ledger is not looked up"
        assert true.database_round_trips == 0


async def test_a_card_that_a_tool_result_knows_is_not_taken_out(fresh_database: Database) -> None:
    new = told_product(id="P-9", name="New rug", price=80, currency="USD")
    answer = card("product", '{"id": "P-9", "price": 85}')
    async with lend_shop(fresh_database) as backing:
        report = await correct(backing, answer, new)
    assert report.release is not None
    assert report.release.text == answer
    assert {one.hindrance for one in report.release.left_alone} == {Hindrance.KNOWN_TO_LEDGER}


async def test_without_a_database_nothing_is_corrected() -> None:
    fresh = told_product(id="P-1", name="Harbour throw", price=49.9, currency="USD")
    async with await open_canonical_pool(NOBODY_LISTENS, connect_timeout_s=2.0) as pool:
        report = await correct(back_by(pool), "The Harbour throw costs $59.90.", fresh)
    assert report.release is not None
    assert report.release.text == "The Harbour throw costs $59.90."
    assert [one.hindrance for one in report.release.left_alone] == [Hindrance.NOT_CONFIRMED]


async def test_a_thousand_corrections(fresh_database: Database) -> None:
    body = ",\n".join('  {"id": "P-1", "price": 59.9}' for _ in range(1000))
    answer = card("products", f"[\n{body}\n]")
    async with lend_shop(fresh_database) as backing:
        report = await correct(backing, answer)
    assert report.release is not None
    assert len(report.release.edits) == 1000
    assert report.release.text == answer.replace("59.9", "49.9")
    assert report.release.accepted
    assert report.database_round_trips == 1


async def test_the_policy_of_a_call_goes_before_that_of_the_settings(
    fresh_database: Database,
) -> None:
    await fresh_database.execute(
        *TABLES,
        "GRANT USAGE ON SCHEMA shop TO PUBLIC",
        "GRANT SELECT ON ALL TABLES IN SCHEMA shop TO PUBLIC",
    )
    settings = load_settings(dsn=fresh_database.app_dsn, catalog=DECLARED, policy="correct")
    answer = f"P-1 costs $59.90.\n{card('product', CARD_OF_NONE)}"
    async with open_verifier(settings=settings) as verifier:
        turn = verifier.turn(principal="c-1")
        corrected = await verifier.verify(answer, turn)
        held = await verifier.verify(answer, turn, policy=Policy(mode=Mode.HOLD))
        plain = await verifier.verify(answer, turn, policy=Policy())
    assert corrected.release is not None
    assert corrected.release.text == "P-1 costs $49.90.\n"
    assert held.release is not None
    assert held.release.text is None
    assert plain.release is None
    connection = await asyncpg.connect(fresh_database.owner_dsn)
    try:
        logged = await connection.fetch("SELECT report FROM verifier.report")
    finally:
        await connection.close()
    reports = [json.loads(row["report"]) for row in logged]
    assert len(reports) == 3
    for report in reports:
        jsonschema.validate(report, load_schema("report.v1"))
    [told] = [one for one in reports if one["provenance"]["policy"] == "correct"]
    assert [edit["new"] for edit in told["release"]["edits"]] == ["$49.90", ""]
    assert told["release"]["edits"][0]["evidence"][0]["locator"]["kind"] == "row"


async def test_without_a_principal_no_order_is_taken_out(fresh_database: Database) -> None:
    answer = card("order", '{"id": "W-9999", "total": 80}')
    async with lend_shop(fresh_database) as backing:
        nobody = await verify_under(CORRECT, answer, Turn(), backing=backing)
        somebody = await correct(backing, answer)
    assert nobody.release is not None
    assert nobody.release.text == answer
    assert somebody.release is not None
    assert somebody.release.text == ""


NOISE = (
    *(
        "😀",
        "👩\u200d👩\u200d👧",
        "שלום ",
        "\u202e",
        "e\u0301",
        "\t",
        "  ",
        "`x`",
        "**",
        "٣",
        "\u200b",
    ),
    *("€", "\ufeff", "-"),
)
ENDS = ("\r\n\r\n", "\n\n", "\n\t\n", "\r\n \r\n")


async def test_whatever_stands_around_it_stays(fresh_database: Database) -> None:
    chooser = random.Random(4)  # noqa: S311 -- nothing here is secret
    corrected = 0
    async with lend_shop(fresh_database) as backing:
        for _ in range(60):
            before, behind = ("".join(chooser.choices(NOISE, k=6)) for _ in range(2))
            false, true = chooser.choice(list(CORRECTED.values()))
            end = chooser.choice(ENDS)
            answer = f"{before}{end}{false}{end}{behind}"
            report = await correct(backing, answer)
            assert report.release is not None
            assert report.release.text in {answer, f"{before}{end}{true}{end}{behind}"}
            corrected += bool(report.release.edits)
    assert corrected > 50


@pytest.mark.shared_data
@pytest.mark.parametrize("shop", ["retail", "northwind", "chinook", "dummyjson"])
async def test_statements_made_from_rows_are_corrected(empty_database: Database, shop: str) -> None:
    shops, corrections = load("shops"), load("corrections")
    connection = await asyncpg.connect(empty_database.owner_dsn)
    try:
        await shops.load_shop(connection, shop, find_shared(shop))
    finally:
        await connection.close()
    async with await open_canonical_pool(empty_database.owner_dsn, timeout_s=30) as pool:
        tally: Any = await corrections.correct_shop(pool, shop, 60, seed=9)
    assert tally.misses == []
    assert tally.true["same"] == 60
    assert tally.false["corrected"] >= 3
