"""Whether words still stand in a later text, and what stands in their place."""

from __future__ import annotations

import pytest

from verifier.core.kept_spans import LaterText, find_counterpart
from verifier.core.spans import Span

OLD = "# Terms\n\nDelivery takes 6 days.\n\nReturns: 30 days.\n\nGifts are wrapped.\n"


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("It takes 6 days.", "6 days", True),
        ("It takes 16 days.", "6 days", False),
        ("It takes 6.5 days.", "6", False),
        ("It takes 1,6 days.", "6", False),
        ("It takes 6, or 7 days.", "6", True),
        ("It takes 6.", "6", True),
        ("It takes 6. 7 is too long.", "6", True),
        ("holidays", "days", False),
        ("It takes 16 days, then 6 days.", "6 days", True),
        ("It TAKES\n6\u00a0days.", "takes 6 days", True),
        ("It is “fine”.", '"fine"', True),
        ("", "6 days", False),
        ("It takes 6 days.", "", True),
        ("It takes 6 days.", " \n", True),
        ("ab " * 50_000, "ab ab ab c", False),
    ],
)
def test_words_stand_whole_and_in_a_row(text: str, words: str, *, found: bool) -> None:
    assert LaterText(text).says(words) is found


def counterpart(words: str, newer: str) -> str | None:
    start = OLD.index(words)
    found = find_counterpart(OLD, Span(start, start + len(words)), LaterText(newer))
    return None if found is None else found.of(newer)


@pytest.mark.parametrize(
    ("words", "newer", "shown"),
    [
        ("6 days", OLD, "6 days"),
        ("6 days", "First.\n\n" + OLD, "6 days"),
        ("6 days", OLD.replace("6 days", "9 days"), "Delivery takes 9 days.\n"),
        ("6 days", OLD.replace("Delivery takes 6 days.\n\n", ""), None),
        ("6 days", "Something else altogether.\n", None),
        (
            "Returns: 30 days.\n\nGifts",
            OLD.replace("30", "14"),
            "Returns: 14 days.\n\nGifts are wrapped.\n",
        ),
        ("Gifts", "", None),
    ],
)
def test_what_took_the_place(words: str, newer: str, shown: str | None) -> None:
    assert counterpart(words, newer) == shown


def test_texts_that_differ_by_too_many_lines_are_not_set_side_by_side() -> None:
    lines = "".join(f"line {number}\n" for number in range(5_000))
    newer = LaterText(lines.replace("line", "row"))
    assert find_counterpart(lines, Span(0, 6), newer) is None


def test_a_change_in_a_long_text_is_found_between_what_is_equal() -> None:
    lines = "".join(f"line {number}\n" for number in range(50_000))
    newer = lines.replace("line 25000\n", "row 25000 and more\n")
    start = lines.index("line 25000\n")
    found = find_counterpart(lines, Span(start, start + 11), LaterText(newer))
    assert found is not None
    assert found.of(newer) == "row 25000 and more\n"
