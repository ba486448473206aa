"""Explaining claims that canonical rows decided: the rows are shown from the report alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from tests.integration.conftest import run as run_async
from tests.integration.test_parts_and_swaps import CATALOG as ORDER_CATALOG
from tests.integration.test_parts_and_swaps import TABLES as ORDERS
from verifier.core.catalog import parse_catalog
from verifier.core.evidence import RowLocator
from verifier.core.report_file import read_report
from verifier.core.report_json import load_schema, report_to_json
from verifier.core.turns import ToolCall, Turn
from verifier.interfaces.wire import dump_line, to_wire
from verifier.store.canonical_pool import open_canonical_pool
from verifier.verify.explaining import ClaimExplanation, explain_claim, explanation_to_json
from verifier.verify.verifier import verify_claims

if TYPE_CHECKING:
    from tests.integration.conftest import Database

TABLES = (
    "CREATE SCHEMA shop",
    "CREATE TABLE shop.goods (id integer PRIMARY KEY, name text, price numeric)",
    """CREATE TABLE shop.orders (id integer PRIMARY KEY, customer text, status text)""",
    """CREATE TABLE shop.lines (order_id integer REFERENCES shop.orders, line_no integer, name text,
           price numeric, PRIMARY KEY (order_id, line_no))""",
    "INSERT INTO shop.goods VALUES (1, 'Tea Kettle', 40.50), (2, 'Oak Chair', 99.00)",
    "INSERT INTO shop.orders VALUES (5512, 'mira', 'shipped'), (5513, 'jon', 'open')",
    "INSERT INTO shop.lines VALUES (5512, 1, 'Wool Rug', 80.00), (5512, 2, 'Desk Lamp', 20.25)",
)
CATALOG = {
    "good": {
        "table": "shop.goods",
        "names": ["name"],
        "key": {"column": "id", "type": "integer"},
        "attributes": {"price": {"kind": "money", "currency": "USD", "labels": ["price", "costs"]}},
    },
    "order": {
        "table": "shop.orders",
        "scope": {"customer": "principal"},
        "key": {"column": "id", "type": "integer"},
        "attributes": {"status": {"kind": "state", "states": {"shipped": [], "open": []}}},
        "parts": {
            "lines": {
                "table": "shop.lines",
                "on": {"order_id": "id"},
                "names": ["name"],
                "attributes": {"price": {"kind": "money", "currency": "USD"}},
            }
        },
    },
}


@pytest.fixture
def shop(empty_database: Database) -> Database:
    run_async(empty_database.execute(*TABLES))
    return empty_database


async def explain(shop: Database, answer: str, turn: Turn, claim: str = "c1") -> ClaimExplanation:
    catalog = parse_catalog(CATALOG)
    async with await open_canonical_pool(shop.owner_dsn) as pool:
        report = await verify_claims(answer, turn.calls, pool, catalog=catalog, turn=turn)
    written = read_report(dump_line(report_to_json(report)))
    explained = explain_claim(written, claim, catalog=catalog)
    told: dict[str, Any] = json.loads(
        json.dumps(to_wire(explanation_to_json(explained)), allow_nan=False)
    )
    jsonschema.Draft202012Validator(load_schema("explanation.v1")).validate(told)
    return explained


@pytest.mark.parametrize(
    ("answer", "code", "claimed", "cell"),
    [
        ("The Tea Kettle costs $40.50.", "verified", "$40.50", "40.50"),
        ("The Tea Kettle costs $99.00.", "price_mismatch", "$99.00", "40.50"),
        ("Order 5512 is shipped.", "verified", "shipped", "shipped"),
        ("Order 5512 is open.", "attribute_mismatch", "open", "shipped"),
        ("The Wool Rug in your order 5512 costs $80.00.", "verified", "$80.00", "80.00"),
    ],
)
async def test_the_row_that_decides_is_shown(
    shop: Database, answer: str, code: str, claimed: str, cell: str
) -> None:
    explained = await explain(shop, answer, Turn(principal="mira"))
    first = explained.cells[0]
    assert (first.code.value, first.claimed, first.cell) == (code, claimed, cell)
    assert first.decided
    assert len(first.locator.fingerprint) == 64
    assert explained.binding is None
    assert explained.remarks == ()


async def test_both_operands_of_a_total_are_shown(shop: Database) -> None:
    explained = await explain(shop, "Your order 5512 comes to $100.25.", Turn(principal="mira"))
    assert sorted(one.cell for one in explained.cells) == ["20.25", "80.00"]
    assert {one.locator.column for one in explained.cells} == {"price"}


async def test_another_s_row_is_explained_as_one_that_is_not_there(shop: Database) -> None:
    others = await explain(shop, "Order 5513 is open.", Turn(principal="mira"))
    absent = await explain(shop, "Order 5599 is open.", Turn(principal="mira"))
    assert others.cells == absent.cells == ()
    details = [one.claim.verdict.decided_by.detail for one in (others, absent)]
    assert details[0] == details[1]
    assert others.claim.verdict.code.value == absent.claim.verdict.code.value == "not_found"


async def test_a_tool_result_that_is_out_of_date_is_named_beside_the_row(shop: Database) -> None:
    call = ToolCall(
        call_id="1", tool="get_order", arguments={}, result={"order_id": 5512, "status": "open"}
    )
    turn = Turn(principal="mira", calls=(call,), check_ledger_against_database=True)
    explained = await explain(shop, "Order 5512 is open.", turn)
    verdict = explained.claim.verdict
    assert verdict.code.value == "attribute_mismatch"
    assert any((one.note or "").startswith("out of date") for one in verdict.evidence)
    assert [one.cell for one in explained.cells] == ["shipped"]
    assert all(isinstance(one.locator, RowLocator) for one in explained.cells)


async def test_what_is_open_beside_rows_is_not_bound_again_without_them(
    empty_database: Database,
) -> None:
    """Tool results alone would say that nothing was given, which the report does not."""
    await empty_database.execute(*ORDERS)
    catalog, turn = ORDER_CATALOG, Turn(principal="c-1")
    async with await open_canonical_pool(empty_database.owner_dsn) as pool:
        report = await verify_claims(
            "The tax on ORD-1042 is €148.50.", (), pool, catalog=catalog, turn=turn
        )
    explained = explain_claim(read_report(dump_line(report_to_json(report))), "c1", catalog=catalog)
    assert explained.claim.verdict.code.value == "unverifiable"
    assert (explained.binding, explained.remarks) == (None, ())
    assert "not read again here" in (explained.not_asked or "")
