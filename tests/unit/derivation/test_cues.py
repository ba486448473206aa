"""Which operations the words around a value license, and which they do not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.derivation.reading import cues_at
from verifier.core.derivation import Direction, Operation, find_cues
from verifier.core.derivation.periods import is_earlier
from verifier.core.derivation.windows import read_surroundings
from verifier.core.spans import Span

LICENSED = [
    ("Your total comes to $101.51.", "$101.51", Operation.SUM),
    ("Together they cost $101.51.", "$101.51", Operation.SUM),
    ("The sum is $101.51.", "$101.51", Operation.SUM),
    ("$101.51 altogether", "$101.51", Operation.SUM),
    ("That adds up to $101.51.", "$101.51", Operation.SUM),
    ("Combined weight: 12 kg", "12 kg", Operation.SUM),
    ("a refund of the price difference ($35.53)", "$35.53", Operation.DIFFERENCE),
    ("It is $6.28 cheaper.", "$6.28", Operation.DIFFERENCE),
    ("You save $6.28.", "$6.28", Operation.DIFFERENCE),
    ("an extra $6.28", "$6.28", Operation.DIFFERENCE),
    ("That leaves $201 on the card.", "$201", Operation.DIFFERENCE),
    ("You have $201 left.", "$201", Operation.DIFFERENCE),
    ("The updated total is $95.", "$95", Operation.BALANCE),
    ("For 3 passengers that is $522.", "$522", Operation.PRODUCT),
    ("3 × $12.50 = $37.50", "$37.50", Operation.PRODUCT),
    ("$33.33 each", "$33.33", Operation.UNIT_PRICE),
    ("$33.33 per person", "$33.33", Operation.UNIT_PRICE),
    ("The average is $33.33.", "$33.33", Operation.AVERAGE),
    ("You have 3 orders.", "3 orders", Operation.COUNT),
    ("It makes up 40% of sales.", "40%", Operation.SHARE),
    ("Sales grew by 12%.", "12%", Operation.CHANGE_PERCENT),
    ("a 12% drop", "12%", Operation.CHANGE_PERCENT),
    ("Rates rose 25 basis points.", "25 basis points", Operation.CHANGE_POINTS),
    ("Rates rose 25 basis points.", "25 basis points", Operation.BASIS_POINTS),
    ("Including tax it is $53.50.", "$53.50", Operation.MARKUP),
    ("With the coupon it is $45.", "$45", Operation.DISCOUNT),
    ("The tip is $5.", "$5", Operation.PERCENT_OF),
    ("It is 1.5 times the size.", "1.5", Operation.RATIO),
    ("a stay of 5 nights", "5 nights", Operation.DATE_DIFFERENCE),
    ("It arrives by May 18, 2024.", "May 18, 2024", Operation.DATE_SHIFT),
    ("The cheapest is $98.", "$98", Operation.EXTREME),
    ("It is outside the 7-day window.", "7-day", Operation.WINDOW),
]
UNLICENSED = [
    ("The mug costs $101.51.", "$101.51"),
    ("Your mug ($45.00) has shipped.", "$45.00"),
    ("The total is $100 and the mug costs $45.", "$45"),
    ("The mug costs $45 and the total is $100.", "$45"),
    ("The mug costs $45, so the total is $100.", "$45"),
    ("In total it is fine; the mug costs $45.", "$45"),
    ("Order 7 weighs 3 kg.", "3 kg"),
    ("The battery is at 40%.", "40%"),
    ("It rose from 85 to 102.", "85"),
    ("It rose from 85 to 102.", "102"),
    ("- ATL-LGA fare: $105", "$105"),
    ("The warranty is 2 years.", "2 years"),
    ("It was built in 1999.", "1999"),
]
DIRECTIONS = [
    ("Sales rose 20%.", "20%", Direction.UP),
    ("Sales fell 20%.", "20%", Direction.DOWN),
    ("a 20% decline", "20%", Direction.DOWN),
    ("a change of 20%", "20%", None),
    ("The mug is $5 less than the more expensive cup.", "$5", Direction.DOWN),
    ("The dearer cup is $5 more.", "$5", Direction.UP),
    ("a refund of the difference of $5", "$5", Direction.DOWN),
    ("Prices rose in May and fell by 3% in June.", "3%", Direction.DOWN),
    ("Prices fell in May and rose by 3% in June.", "3%", Direction.UP),
]
PERIODS = [
    ("2019", "2020", True),
    ("FY2020", "fy 2019", False),
    ("2024-05-01", "2024-05-02", True),
    ("Q1 2024", "Q3 2024", True),
    ("May 2024", "March 2024", False),
    ("rate_before", "rate_after", True),
    ("new price", "original price", False),
    ("deposited", "returned", True),
    ("2024", "2024-05", None),
    ("Q1 2024", "2024", None),
    ("before 2019", "after", None),
    ("mug", "cup", None),
    ("old", "old", None),
    ("old new", "new", None),
    (None, "2020", None),
]


@pytest.mark.parametrize(("sentence", "written", "operation"), LICENSED)
def test_words_license_an_operation(sentence: str, written: str, operation: Operation) -> None:
    assert operation in cues_at(sentence, written)


@pytest.mark.parametrize(("sentence", "written"), UNLICENSED)
def test_words_of_another_value_license_nothing(sentence: str, written: str) -> None:
    assert set(cues_at(sentence, written)) <= {Operation.AS_PERCENT}


@pytest.mark.parametrize(("sentence", "written", "direction"), DIRECTIONS)
def test_the_nearest_word_tells_the_direction(
    sentence: str, written: str, direction: Direction | None
) -> None:
    assert cues_at(sentence, written).direction is direction


@pytest.mark.parametrize(("one", "other", "expected"), PERIODS)
def test_periods_are_ordered_where_they_say_so(
    one: str | None,
    other: str | None,
    expected: bool | None,  # noqa: FBT001 - a table's column
) -> None:
    assert is_earlier(one, other) is expected
    turned = is_earlier(other, one)
    assert turned is (None if expected is None else not expected)


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=80), st.integers(0, 80), st.integers(0, 80))
def test_any_text_gives_cues(text: str, one: int, other: int) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    assert find_cues(text, Span(start, end)).operations <= frozenset(Operation)


def test_only_the_words_near_a_value_are_read() -> None:
    far = "total " * 50_000 + "$5.00" + " ( [ total" * 50_000
    start = far.index("$5.00")
    around = read_surroundings(far, Span(start, start + 5))
    assert len(around.before) + len(around.after) + len(around.wide) < 500
