"""Cards: exact spans, and every way in which one can be broken."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.growth import assert_grows

if TYPE_CHECKING:
    from collections.abc import Callable

from tests.unit.verify.shop import LAMP, SHOP, THROW, call, codes, verify_by_ledger
from verifier.core.cards import find_cards

WHOLE = f'```product\n{{"id": "{THROW}", "price": 49.90}}\n```'


def test_spans_are_those_of_the_answer() -> None:
    answer = f"Grüße 🎉\n\n{WHOLE}\nThat is it."
    (card,) = find_cards(answer, SHOP)
    assert card.span.of(answer) == WHOLE
    (record,) = card.records
    assert record.span.of(answer) == f'{{"id": "{THROW}", "price": 49.90}}'
    assert [one.span.of(answer) for one in record.fields] == [f'"{THROW}"', "49.90"]
    assert record.fields[1].value == Decimal("49.90")


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        pytest.param(WHOLE, 1, id="singular"),
        pytest.param(
            f'```products [list]\n[{{"id": "{THROW}"}}, {{"id": "{LAMP}"}}]\n```', 2, id="list"
        ),
        pytest.param("```products\n[]\n```", 0, id="empty list"),
        pytest.param(WHOLE.replace("\n", "\r\n"), 1, id="carriage returns"),
        pytest.param(WHOLE.replace("```", "~~~"), 1, id="tildes"),
        pytest.param("  " + WHOLE.replace("\n", "\n  "), 1, id="indented"),
        pytest.param(WHOLE.removesuffix("\n```"), 1, id="never closed, but whole"),
        pytest.param(f"````md\n{WHOLE}\n````", 0, id="within a fence it is text"),
        pytest.param(WHOLE.replace("product", "json"), 0, id="code"),
    ],
)
def test_cards_are_found(answer: str, count: int) -> None:
    assert sum(len(card.records) for card in find_cards(answer, SHOP)) == count


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        '{"id": 1',
        "[{}",
        "{} {}",
        "null",
        "5",
        '"text"',
        "[1, 2]",
        "[[{}]]",
        '{"id": "a", "id": "b"}',
        '{"id": "a", "more": {"x": 1, "x": 2}}',
        '{"id": "a", "price": NaN}',
        '{"id": "a", "price": -Infinity}',
        '{"id": "a", "price": "NaN"}',
        '{"id": "a", "price": "cheap"}',
        '{"id": "a", "price": true}',
        '{"id": "a", "price": [1]}',
        '{"id": "a", "price": 1e}',
        '{"id": "a", "price": ' + "9" * 5_000 + "}",
        '{"id": true}',
        '{"id": {"x": 1}}',
        '{"price": 5}',
        "{'id': 'a'}",
        '{"a":' * 1_000 + "1" + "}" * 1_000,
        "[" * 100_000,
        '{"id": "\\ud800\\',
        '{"id": "a", "price": 1, "Price": 49.90}',
        '{"id": "a", "PRICE": 49.90, "price": 1}',
        '{"id": "a", "colour": "red", "Colour": "blue"}',
        '{"id": "a", "": "x"}',
        '{"id": "a", "price": {"amount": 49.90, "value": 1, "currency": "USD"}}',
        '{"id": "a", "price": {"amount": 49.90, "currency": "USD", "Currency": "EUR"}}',
        '{"id": "a", "price": "from $49.90"}',
        '{"id": "a", "price": "up to $49.90"}',
        '{"id": "a", "price": "about $50"}',
        '{"id": "a", "price": "$40-$60"}',
    ],
)
def test_a_broken_card_is_a_claim_that_can_not_be_read(body: str) -> None:
    report = verify_by_ledger(f"Before.\n```product\n{body}\n```\nAfter.", call("t", {}))
    assert codes(report) == ["unverifiable:malformed_card"]
    assert report.answer.startswith("Before.")


@pytest.mark.parametrize(
    "piece",
    [WHOLE + "\n", "```product\n", '```product\n{"a":"\\', "`" * 7, '```product\n"\\', "~~~ ``` "],
)
@pytest.mark.scaling
def test_time_grows_no_faster_than_the_answer(piece: str) -> None:
    def prepare(times: int) -> Callable[[], object]:
        return partial(find_cards, piece * times, SHOP)

    assert_grows(prepare, 100, 800, at_most=4 * 8)


@pytest.mark.parametrize(
    ("label", "body", "outcomes"),
    [
        pytest.param(
            "coupon", '{"id": "C-1", "price": 5}', ["unverifiable:unknown_type"], id="one record"
        ),
        pytest.param(
            "coupons", '[{"id": "C-1"}, {"id": "C-2"}]', ["unverifiable:unknown_type"], id="a list"
        ),
        pytest.param("coupon", "{broken", ["unverifiable:unknown_type"], id="broken"),
        pytest.param("json", '{"id": "C-1", "price": 5}', [], id="code"),
        pytest.param("", '{"id": "C-1", "price": 5}', [], id="no label"),
        pytest.param("poem", "Roses are red", [], id="no records"),
        pytest.param("poem", "[a, b]", [], id="a list of words"),
    ],
)
def test_a_card_of_a_type_that_nobody_declared_is_not_passed_over(
    label: str, body: str, outcomes: list[str]
) -> None:
    report = verify_by_ledger(f"```{label}\n{body}\n```", call("get", {"id": "C-1", "price": 5}))
    assert codes(report) == outcomes
