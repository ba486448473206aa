"""Whether dates and ages lie within windows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tests.unit.derivation.reading import quantity
from verifier.core.derivation import in_window, says_inside
from verifier.core.spans import Span

NOW = datetime(2024, 5, 15, 12, tzinfo=UTC)
WINDOWS = [
    ("5 days", "7 days", "inside"),
    ("7 days", "7 days", "inside"),
    ("10 days", "7 days", "outside"),
    ("10 days", "7-day", "outside"),
    ("1 week", "7 days", "inside"),
    ("8 days", "1 week", "outside"),
    ("30 hours", "24 hours", "outside"),
    ("2 days", "3 business days", "inside"),
    ("4 days", "3 business days", "open"),
    ("60 days", "3 business days", "outside"),
    ("29 days", "1 month", "open"),
    ("27 days", "1 month", "inside"),
    ("32 days", "1 month", "outside"),
    ("400 days", "1 year", "outside"),
    ("about 7 days", "7 days", "open"),
    ("5 kg", "7 days", "open"),
    ("5 days", "7 kg", "open"),
    ("2024-05-10", "7 days", "inside"),
    ("2024-05-08", "7 days", "inside"),
    ("2024-05-07", "7 days", "outside"),
    ("2024-05-07", "within 7 days", "outside"),
    ("2024-05-14", "24 hours", "open"),
    ("2024-05-15", "24 hours", "inside"),
    ("2024-05-13", "24 hours", "outside"),
    ("2024-05-14T13:00:00Z", "24 hours", "inside"),
    ("2024-05-14T11:00:00Z", "24 hours", "outside"),
    ("2024-05-20", "7 days", "open"),
    ("2024-02-30", "7 days", "open"),
    ("02/03/2024", "7 days", "open"),
    ("2023-05-10", "1 year", "outside"),
    ("2024-04-20", "1 month", "inside"),
]
WORDS = [
    ("It is outside the 7-day refund window.", "7-day", "outside"),
    ("It is within the 7-day refund window.", "7-day", "inside"),
    ("It was bought more than 24 hours ago.", "24 hours", "outside"),
    ("It was bought within the last 24 hours.", "24 hours", "inside"),
    ("It is past the 30-day return period.", "30-day", "outside"),
    ("It is no longer within the 30-day period.", "30-day", "outside"),
    ("It is not outside the 30-day period.", "30-day", "inside"),
    ("The 30-day period applies.", "30-day", "open"),
]
SIDES = {"inside": True, "outside": False, "open": None}


@pytest.mark.parametrize(("age", "window", "side"), WINDOWS)
def test_a_window_holds_what_is_young_enough(age: str, window: str, side: str) -> None:
    assert in_window(quantity(age), quantity(window), now=NOW) is SIDES[side]


def test_a_date_without_a_clock_is_left_open() -> None:
    assert in_window(quantity("2024-05-10"), quantity("7 days")) is None


def test_the_clock_counts_in_the_zone_of_the_date() -> None:
    late = quantity("2024-05-08T23:30:00-07:00")
    morning = datetime(2024, 5, 16, 9, tzinfo=timezone(timedelta(hours=9)))
    assert in_window(late, quantity("7 days"), now=morning) is True
    assert in_window(late, quantity("6 days"), now=morning) is False


@pytest.mark.parametrize(("sentence", "written", "side"), WORDS)
def test_words_say_inside_or_outside(sentence: str, written: str, side: str) -> None:
    start = sentence.index(written)
    assert says_inside(sentence, Span(start, start + len(written))) is SIDES[side]
