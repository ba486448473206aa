"""Ordinals that count from the end or the current one, against the table of cases."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.growth import assert_grows

if TYPE_CHECKING:
    from collections.abc import Callable
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.core.quantities import extract_quantities
from verifier.core.values import Kind, Quantity

TABLE = Path(__file__).parents[1] / "data" / "relative_order.jsonl"
CASES: list[dict[str, Any]] = [
    json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()
]
WORDS = sorted({word for case in CASES for word in case["text"].split()})
NOW = datetime(2026, 3, 10, 9, tzinfo=UTC)


def order_in(text: str, now: datetime | None = None) -> list[str]:
    """The ordinals of a text, as an offset with its reference."""
    found = []
    for mention in extract_quantities(text, now=now, relative_order=True):
        value = mention.value
        if isinstance(value, Quantity) and value.kind is Kind.ORDINAL:
            assert value.interval.low is not None
            number = int(value.interval.low)
            found.append(str(number) if value.unit is None else f"{value.unit}{number:+}")
    return found


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
@pytest.mark.parametrize("now", [None, NOW], ids=["no clock", "clock"])
def test_a_text_orders_things_as_its_case_says(case: dict[str, Any], now: datetime | None) -> None:
    assert order_in(case["text"], now) == case["order"], case["why"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_order_is_only_added_and_never_overlaps(text: str) -> None:
    last = 0
    asked = extract_quantities(text, relative_order=True)
    for mention in asked:
        assert last <= mention.span.start < mention.span.end <= len(text)
        last = mention.span.end
    kept = {(mention.span, mention.value) for mention in asked}
    for mention in extract_quantities(text):
        grown = any(
            one.span.start < mention.span.end and mention.span.start < one.span.end for one in asked
        )
        assert (mention.span, mention.value) in kept or grown


@pytest.mark.scaling
@pytest.mark.parametrize("unit", ["last ", "next-", "last but ", "one before the ", "a first "])
def test_reading_order_takes_linear_time(unit: str) -> None:
    def prepare(size: int) -> Callable[[], object]:
        return partial(extract_quantities, unit * (size // len(unit)), relative_order=True)

    assert_grows(prepare, 2_000, 20_000, at_most=30)
