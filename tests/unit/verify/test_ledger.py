"""The turn ledger: what a tool result proves, and what it does not."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.growth import assert_grows
from tests.unit.verify.shop import LAMP, ORDER, SHOP, THROW, call, codes, verify_by_ledger
from verifier.core.catalog import parse_catalog
from verifier.core.extraction import extract_claims
from verifier.core.ledger import build_ledger
from verifier.core.ledger_walk import Budget
from verifier.core.names import index_names
from verifier.core.turns import Origin, Scope, ToolCall, Turn
from verifier.verify.verifier import Backing, verify_answer, verify_claims

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.core.report import GroundingReport

THROW_CARD = f'```product\n{{"id": "{THROW}", "price": 49.9}}\n```'
ORDER_CARD = f'```order\n{{"id": "{ORDER}", "status": "shipped", "total": 199.99}}\n```'
PRODUCT = {"id": THROW, "name": "Wool throw", "price": 49.9}
SHIPPED = {"order_id": ORDER, "status": "shipped", "total": "199.99"}
NO_EVIDENCE = "unverifiable:no_evidence"
NO_PRINCIPAL = "unverifiable:no_principal"


@pytest.mark.parametrize(
    "proof",
    [
        pytest.param(call("get_product", PRODUCT), id="record"),
        pytest.param(call("list_products", [PRODUCT]), id="list"),
        pytest.param(
            call("search", {"products": [PRODUCT], "total": 1}), id="container names the type"
        ),
        pytest.param(call("search", {"data": {"product": PRODUCT}}), id="wrapped"),
        pytest.param(call("get_product", json.dumps(PRODUCT)), id="JSON in text"),
        pytest.param(
            call("get_product", [{"type": "text", "text": json.dumps(PRODUCT)}]), id="content block"
        ),
        pytest.param(call("get_product", {"result": json.dumps([PRODUCT])}), id="JSON in a field"),
        pytest.param(call("lookup", {"product_id": THROW, "price": 49.9}), id="own key"),
        pytest.param(
            call("lookup", {"type": "product", "id": THROW, "price": 49.9}), id="type field"
        ),
        pytest.param(
            call("getProductDetails", {"productId": THROW.upper(), "Price": "49.90"}), id="camel"
        ),
        pytest.param(
            call("get_product", {**PRODUCT, "price": {"amount": 49.9, "currency": "USD"}}),
            id="money",
        ),
        pytest.param(
            call("get_product", {"id": THROW, "price_cents": 4990, "currency": "USD"}), id="cents"
        ),
        pytest.param(
            call("get_product", {"id": THROW, "price_usd": 49.9}), id="currency in the key"
        ),
        pytest.param(call("get_product", {**PRODUCT, "error": None}), id="no error"),
        pytest.param(
            call("get_product_price", {"price": 49.9}, arguments={"product_id": THROW}),
            id="by argument",
        ),
    ],
)
def test_a_result_about_the_product_verifies_it(proof: ToolCall) -> None:
    assert codes(verify_by_ledger(THROW_CARD, proof)) == ["verified"]


@pytest.mark.parametrize(
    "proof",
    [
        pytest.param(call("get_product", PRODUCT, ok=False), id="failed call"),
        pytest.param(call("get_product", {**PRODUCT, "ok": False}), id="the body says failed"),
        pytest.param(
            call("get_product", {"error": "timeout", "cached": PRODUCT}), id="error with a cache"
        ),
        pytest.param(
            call("get_product", json.dumps({"found": False, **PRODUCT})), id="found false in text"
        ),
        pytest.param(call("get_product", {"isError": True, "content": [PRODUCT]}), id="error flag"),
        pytest.param(
            call("get_product", None, arguments={"id": THROW, "price": 49.9}), id="arguments"
        ),
        pytest.param(call("get_product", str(PRODUCT)), id="a Python literal is text"),
        pytest.param(
            call("get_order", {"order_id": ORDER, "items": [PRODUCT]}), id="line of an order"
        ),
        pytest.param(
            call("get_order", {"order_id": ORDER, "products": [PRODUCT]}), id="product of an order"
        ),
        pytest.param(call("get_cart", {"id": "c7", "items": [PRODUCT]}), id="line of a cart"),
        pytest.param(
            call("list_order_items", [{"item_id": "x", "product_id": THROW, "price": 49.9}]),
            id="line",
        ),
        pytest.param(call("get_product", {"id": LAMP, "price": 49.9}), id="other product"),
        pytest.param(call("get_product", {"name": "Wool throw", "price": 49.9}), id="no id"),
        pytest.param(
            call("get_product", {"id": THROW, "old": {"price": 49.9}}), id="nested attribute"
        ),
        pytest.param(call("get_product", {"id": THROW, "list_price": 49.9}), id="other attribute"),
        pytest.param(call("get_product", {"id": THROW, "price": "NaN"}), id="no number"),
        pytest.param(call("get_product", {"id": THROW, "price": True}), id="a flag"),
        pytest.param(call("get_product", {"id": THROW, "price": None}), id="null"),
        pytest.param(
            call("get_product", {"id": THROW, "price": 49.9, "Price": 50}), id="keys collide"
        ),
        pytest.param(call("list_products", [PRODUCT, {**PRODUCT, "price": 39.9}]), id="two prices"),
        pytest.param(call("get_product", {"id": ORDER, "price": 49.9}), id="id of an order"),
        pytest.param(call("get_product", {**PRODUCT, "success": "false"}), id="failed in text"),
        pytest.param(call("get_product", {**PRODUCT, "is_error": "True"}), id="error in text"),
        pytest.param(call("get_product", {**PRODUCT, "status": 404}), id="status 404"),
        pytest.param(call("get_product", {**PRODUCT, "status_code": "503"}), id="status 503"),
        pytest.param(call("search", {"query": {"product": PRODUCT}, "hits": []}), id="query"),
        pytest.param(call("search", {"request": {"product": PRODUCT}}), id="request"),
        pytest.param(call("get_product", {"input": PRODUCT, "result": {}}), id="input"),
        pytest.param(call("create_draft", {"draft": {"product": PRODUCT}}), id="draft"),
        pytest.param(call("help", {"example": {"product": PRODUCT}}), id="example"),
        pytest.param(call("diff", {"previous": {"product": PRODUCT}}), id="previous"),
    ],
)
def test_what_proves_nothing_leaves_the_claim_open(proof: ToolCall) -> None:
    assert codes(verify_by_ledger(THROW_CARD, proof)) == [NO_EVIDENCE]


@pytest.mark.parametrize(
    ("result", "code"),
    [
        ({**SHIPPED, "items": [{"item_id": "x", "unit_price": 25}]}, "verified"),
        ({**SHIPPED, "payment": {"status": "pending", "total": 5}}, "verified"),
        ({**SHIPPED, "status": "On its way"}, "verified"),
        ({**SHIPPED, "status": "in_transit"}, "attribute_mismatch"),
        ({**SHIPPED, "total": 200}, "price_mismatch"),
        ({"order_id": ORDER, "payment": {"status": "shipped", "total": 199.99}}, NO_PRINCIPAL),
        ({"id": LAMP, "order_id": ORDER, "status": "shipped", "total": 199.99}, NO_PRINCIPAL),
        ({"customer": {"id": 7, "orders": [SHIPPED]}}, "verified"),
    ],
)
def test_orders(result: object, code: str) -> None:
    assert codes(verify_by_ledger(ORDER_CARD, call("get_order", result))) == [code]


@pytest.mark.parametrize(
    ("told", "principal", "code"),
    [
        ({"customer": "u1"}, "u1", "verified"),
        ({}, "u1", "verified"),
        ({"customer": "u2"}, "u1", NO_EVIDENCE),
        ({"Customer": 2}, "u1", NO_EVIDENCE),
        ({"customer": None}, "u1", "verified"),
    ],
)
async def test_a_record_that_tells_another_owner_proves_nothing(
    told: dict[str, object], principal: str, code: str
) -> None:
    turn = Turn(principal=principal, calls=(call("get_order", {**SHIPPED, **told}),))
    report = await verify_answer(ORDER_CARD, turn, backing=Backing(catalog=SHOP))
    assert codes(report) == [code]


@pytest.mark.parametrize(
    ("visible", "told", "code"),
    [
        ({"is": "null"}, None, "verified"),
        ({"is": "null"}, "2026-03-01", NO_EVIDENCE),
        ({"is": "not_null"}, None, NO_EVIDENCE),
        ({"is": "not_null"}, 1, "verified"),
        ({"equals": True}, True, "verified"),
        ({"equals": True}, False, NO_EVIDENCE),
        ({"equals": 1}, None, NO_EVIDENCE),
        ({"differs": "hidden"}, "hidden", NO_EVIDENCE),
        ({"differs": "hidden"}, "shown", "verified"),
    ],
)
async def test_a_record_that_says_it_is_hidden_proves_nothing(
    visible: dict[str, object], told: object, code: str
) -> None:
    catalog = parse_catalog(
        {
            "product": {
                "table": "product",
                "key": {"column": "id", "type": "uuid"},
                "visible": {"column": "mark", **visible},
                "attributes": {"price": {"kind": "money", "currency": "USD"}},
            }
        }
    )
    turn = Turn(calls=(call("get_product", {**PRODUCT, "mark": told}),))
    report = await verify_answer(THROW_CARD, turn, backing=Backing(catalog=catalog))
    assert codes(report) == [code]


@pytest.mark.parametrize("order", [1, -1])
async def test_of_two_assertions_of_one_attribute_the_worse_decides(order: int) -> None:
    right, wrong = (
        extract_claims(
            THROW_CARD.replace("49.9", price),
            Turn(),
            catalog=SHOP,
            ledger=build_ledger((), catalog=SHOP),
            names=index_names(()),
        ).claims[0]
        for price in ("49.9", "1")
    )
    both = (right, wrong)[::order]
    claim = replace(right, assertions=(*both[0].assertions, both[1].assertions[-1]))
    report = await verify_claims([claim], (call("get_product", PRODUCT),), None, catalog=SHOP)
    assert codes(report) == ["price_mismatch"]


def test_the_later_call_wins_by_attribute() -> None:
    first = call("get_product", {**PRODUCT, "price": 39.9}, call_id="old")
    second = call("get_product", {"id": THROW, "price": 49.9}, call_id="new")
    third = call("get_product", {"id": THROW, "name": "Wool throw"}, call_id="newest")
    report = verify_by_ledger(THROW_CARD, first, second, third)
    assert codes(report) == ["verified"]
    locators = [one.locator for one in report.judged[0].verdict.evidence]
    assert {getattr(one, "pointer", None) for one in locators} == {"/id", "/price"}
    assert codes(verify_by_ledger(THROW_CARD, second, first)) == ["price_mismatch"]


@pytest.mark.parametrize(
    ("scope", "current", "code"),
    [
        (Scope.TURN, 3, NO_EVIDENCE),
        (Scope.TURN, None, "verified"),
        (Scope.CONVERSATION, 3, "verified"),
        (Scope.TURN, 1, "verified"),
    ],
)
async def test_scope_tells_which_calls_count(scope: Scope, current: int | None, code: str) -> None:
    turn = Turn(calls=(call("get_product", PRODUCT, turn=1),), scope=scope, current_turn=current)
    report = await verify(THROW_CARD, turn)
    assert codes(report) == [code]


async def verify(answer: str, turn: Turn) -> GroundingReport:
    from verifier.verify.verifier import Backing

    return await verify_answer(answer, turn, backing=Backing(catalog=SHOP))


async def test_a_callers_own_results_never_verify_but_may_reject() -> None:
    turn = Turn(calls=(call("get_product", PRODUCT),), origin=Origin.CALLER)
    assert codes(await verify(THROW_CARD, turn)) == ["unverifiable:no_evidence"]
    wrong = await verify(THROW_CARD.replace("49.9", "44.9"), turn)
    assert codes(wrong) == ["price_mismatch"]


async def test_what_is_to_be_confirmed_and_is_not_is_never_verified() -> None:
    turn = Turn(calls=(call("get_product", PRODUCT),), check_ledger_against_database=True)
    assert codes(await verify(THROW_CARD, turn)) == ["unverifiable:no_evidence"]


def test_pointers_are_escaped_and_lead_to_the_value() -> None:
    result = {"a/b": [{"~": {"product": {"id": THROW, "price": 49.9}}}]}
    report = verify_by_ledger(THROW_CARD, call("search", result))
    pointers = [getattr(one.locator, "pointer", "") for one in report.judged[0].verdict.evidence]
    assert pointers == ["/a~1b/0/~0/product/id", "/a~1b/0/~0/product/price"]


@pytest.mark.scaling
def test_cycles_depth_and_bulk_are_bounded() -> None:
    loop: dict[str, object] = {"id": THROW}
    loop["self"], loop["both"] = loop, [loop, loop]
    deep: object = {"id": THROW, "price": 49.9}
    for _ in range(5_000):
        deep = {"more": deep}
    nested = "[" * 3_000 + "]" * 3_000
    ledger = build_ledger(
        [call("a", loop), call("b", deep), call("c", nested), call("d", object())], catalog=SHOP
    )
    assert len(list(ledger.facts)) == 1
    shared = [[{"id": number} for number in range(1_000)]] * 3_000
    huge = build_ledger(
        [call("e", shared, call_id="huge"), call("f", "x" * 90, call_id="long")],
        catalog=SHOP,
        budget=Budget(nodes=5_000, characters=1_000),
    )
    assert huge.incomplete_calls == {"huge", "long"}
    assert len(huge.records) < 5_000


@pytest.mark.scaling
def test_time_grows_no_faster_than_the_results() -> None:
    def prepare(count: int) -> Callable[[], object]:
        rows = [
            {"id": str(number), "name": f"Lamp {number}", "price": number}
            for number in range(count)
        ]
        return partial(build_ledger, [call("list_products", rows)], catalog=SHOP)

    assert_grows(prepare, 200, 1_600, at_most=4 * 8)
