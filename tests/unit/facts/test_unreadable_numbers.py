"""A number that can't be read may be any: what is missing from such a result is not disproved."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from verifier.core.facts import read_evidence
from verifier.core.turns import ToolCall, Turn

UNREADABLE = {
    "not a number": float("nan"),
    "infinite": float("inf"),
    "minus infinite": float("-inf"),
    "decimal not a number": Decimal("NaN"),
    "signalling": Decimal("sNaN"),
    "decimal infinite": Decimal("-Infinity"),
    "exponent": Decimal("1e999999"),
    "small exponent": Decimal("1e-999999"),
    "401 digits and more": 10**5_000,
    "500 digits": 10**500,
    "text": "NaN",
    "text small": "nan",
    "text infinite": "-Infinity",
    "text exponent": "1e999999999",
    "text of digits": "9" * 100_000,
    "with a code": "NaN EUR",
    "with a mark": "$NaN",
    "share": "nan%",
}
READABLE = [True, False, None, 0, -0.0, 1e308, "1e5", "-0", "12.50 EUR", "n/a", "", 10**300]


def incomplete(result: object) -> bool:
    call = ToolCall(call_id="c", tool="get_offer", arguments={}, result=result)
    return bool(read_evidence(Turn(calls=(call,))).incomplete)


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_unreadable_number_proves_no_absence(name: str) -> None:
    value = UNREADABLE[name]
    assert incomplete({"price": value, "count": 3})
    assert incomplete({"offers": [{"sku": "S-1", "price": value}]})
    assert incomplete({"offer": {"price": {"amount": value, "currency": "EUR"}}})
    assert incomplete({"prices": [1, value, 3]})
    assert incomplete([[1, value]])
    assert incomplete({"sales": {"2024": 5, "2025": value}})
    assert incomplete({"columns": ["sku", "price"], "rows": [["S-1", value]]})
    assert incomplete(value)


@pytest.mark.parametrize("value", READABLE, ids=range(len(READABLE)))
def test_other_values_are_complete(value: object) -> None:
    assert not incomplete({"price": value, "count": 3})
    assert not incomplete({"prices": [value]})


@pytest.mark.parametrize("name", ["first_name", "status", "sku", "city", "description"])
def test_words_in_fields_of_words_are_complete(name: str) -> None:
    assert not incomplete({name: "Nan", "count": 3})


@pytest.mark.parametrize(
    "text",
    [
        '{"price": NaN}',
        '{"price": 1e999999999}',
        '{"price": Infinity}',
        "{'price': nan}",
        json.dumps({"price": float("nan")}),
        f'{{"price": {"9" * 100_000}}}',
        "The price of the lamp is NaN, and three are left.",
        "- Price: NaN\n- Stock: 3",
        "| sku | price |\n|---|---|\n| S-1 | NaN |",
    ],
    ids=range(9),
)
def test_an_unreadable_number_in_a_text_proves_no_absence(text: str) -> None:
    assert incomplete(text)
    assert incomplete({"offer": text})


def test_words_that_only_begin_alike_are_complete() -> None:
    assert not incomplete("The NaNO lamp and the Infinity lamp cost 5 EUR each, says Nan.")
    assert not incomplete({"title": "Infinity", "artist": "Nan Goldin"})
