"""Extraction against the table of cases, and what holds for every text."""

from __future__ import annotations

import importlib
import json
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.growth import assert_grows
from verifier.core.quantities import extract_quantities
from verifier.core.values import Quantity, TextValue

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

ROOT = Path(__file__).parents[2]
TABLES = [
    ROOT / "tests" / "data" / "quantities.jsonl",
    ROOT / "tests" / "data" / "cases" / "extract.jsonl",
]
LINES = [
    line for table in TABLES for line in table.read_text(encoding="utf-8").splitlines() if line
]
CASES: list[dict[str, Any]] = [json.loads(line) for line in LINES]
NOW = datetime(2026, 3, 10, 9, tzinfo=UTC)
FRAGMENTS = [case["claim"] for case in CASES if len(case["claim"]) < 60]
SCALING = [
    "12,5 kg and ",
    "1/",
    "(1 ",
    "twenty and ",
    "$5 - ",
    "1,",
    "May ",
    "e\u0301",
    "9",
    "「",
    '"',
    "one ",
    "x10",
    " 202",
    "5'",
    "3万",
]


@pytest.fixture(scope="module")
def casework() -> ModuleType:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return importlib.import_module("casework.running")
    finally:
        sys.path.remove(str(ROOT / "scripts"))


@pytest.mark.parametrize("line", LINES, ids=[case["id"] for case in CASES])
def test_a_text_holds_exactly_the_items_of_its_case(line: str, casework: ModuleType) -> None:
    judgement = casework.judge_case(casework.parse_case(line))
    assert judgement.ok, judgement.got


texts = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="0123456789.,'/-–:%$€ kmgh°()\u00a0½²eE+±~", max_size=40),
    st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=5)), max_size=3).map(" ".join),
    st.lists(
        st.sampled_from(["\ud800", "\x00", "\u202e", "\u0301", "5", "²", "万", "May", "a"])
    ).map("".join),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts, st.sampled_from([None, "de-DE", "en-US", "fr"]), st.sampled_from([None, NOW]))
def test_spans_are_ordered_and_quote_the_text(
    text: str, locale: str | None, now: datetime | None
) -> None:
    last = 0
    for mention in extract_quantities(text, locale=locale, now=now, timezone="Asia/Kolkata"):
        assert last <= mention.span.start < mention.span.end <= len(text)
        if isinstance(mention.value, Quantity):
            assert mention.value.text == mention.span.of(text)
        else:
            assert isinstance(mention.value, TextValue)
        last = mention.span.end


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(FRAGMENTS), st.sampled_from(FRAGMENTS))
def test_paragraphs_do_not_disturb_each_other(one: str, other: str) -> None:
    apart = "\n\n---\n\n"
    alone = [mention.value for mention in extract_quantities(one, locale="en-US")]
    joined = extract_quantities(one + apart + other, locale="en-US")
    assert [mention.value for mention in joined if mention.span.end <= len(one)] == alone


@pytest.mark.parametrize("unit", SCALING)
@pytest.mark.scaling
def test_time_is_linear_in_the_length(unit: str) -> None:
    def prepare(size: int) -> Callable[[], object]:
        return partial(extract_quantities, unit * (size // len(unit)))

    # Both are longer than the texts whose reading is kept for the next time.
    assert_grows(prepare, 700, 7_000, at_most=30)


def test_a_number_of_ten_thousand_digits_is_no_number() -> None:
    assert extract_quantities("9" * 10_000) == ()
    assert extract_quantities("1e999999999 and 10^999999") is not None


def test_the_name_of_a_version_is_kept() -> None:
    (mention,) = extract_quantities("Use Python 3.10 here.")
    assert (mention.name, mention.value) == (
        "Python",
        TextValue(kind=mention.value.kind, text="3.10"),
    )


def test_two_readings_are_kept_without_a_locale() -> None:
    (mention,) = extract_quantities("Price: 1.234 EUR")
    assert isinstance(mention.value, Quantity)
    assert [float(other.interval.low or 0) for other in mention.value.alternatives] == [1234.0]


def test_a_glued_m_may_be_metres_or_minutes() -> None:
    (mention,) = extract_quantities("The bus is 8m away.")
    assert isinstance(mention.value, Quantity)
    assert [other.unit for other in mention.value.alternatives] == ["min"]


def test_one_moment_in_two_zones_is_two_days() -> None:
    late = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
    there = late.astimezone(ZoneInfo("Asia/Tokyo"))

    days = [extract_quantities("due today", now=now)[0].value for now in (late, there, late)]

    assert late == there
    assert [one.interval.low for one in days if isinstance(one, Quantity)] == [
        late.date().toordinal(),
        there.date().toordinal(),
        late.date().toordinal(),
    ]
