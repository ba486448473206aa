"""Whether words still stand in a later text, and what stands in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.growth import assert_grows
from verifier.core.kept_spans import LaterText, find_counterpart
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable

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


RULE = "Terms\n\nYou may cancel within 14 days. Gifts are not returned.\n\n- Fees are kept\n- No refunds"


@pytest.mark.parametrize(
    ("words", "newer", "kept"),
    [
        ("within 14 days", "You may cancel within 14 days of delivery.", False),
        ("within 14 days", "You may cancel within 14 days, and by mail.", False),
        ("within 14 days", "You may cancel within 14 days; later you can't.", False),
        ("within 14 days.", "You may cancel within 14 days of delivery.", False),
        ("within 14 days", "You may cancel within 14 days", True),
        ("within 14 days", "# Cancelling\n- You may cancel *within 14 days*\n- or later", True),
        ("within 14 days", "You may cancel “within 14 days of delivery”.", False),
        ("within 14 days", "You may cancel **within 14 days**!\nGifts too.", True),
        ("within 14 days", "You may cancel **within 14 days**!\nOr not.", False),
        ("within 14 days", "Within 14 days of delivery. You may cancel within 14 days.", True),
        ("You may cancel", "You may cancel a gift.", True),
        ("You may cancel", "Unless it is a gift, you may cancel within 14 days.", False),
        ("You may cancel within 14 days", "If you paid, you may cancel within 14 days.", False),
        ("You may cancel within 14 days", "Members only. You may cancel within 14 days.", True),
        ("You may cancel within 14 days", "Also, you may cancel within 14 days.", True),
        ("You may cancel within 14 days", "No gifts\n\nYou may cancel within 14 days.", True),
        ("You may cancel within 14 days", "## No gifts\nYou may cancel within 14 days.", True),
        ("may cancel within 14 days", "Only you may cancel within 14 days.", True),
        ("Fees are kept", "- Fees are kept unless you paid\n", False),
        ("Fees are kept", "| Fees are kept | yes |", True),
        ("Fees are kept", "Fees are kept\n\nand spent", True),
        ("Fees are kept", "Fees are kept\nfor a year", False),
        ("No refunds", "No refunds without a receipt", False),
        ("No refunds", "no refunds", True),
        ("", "anything", True),
    ],
)
def test_words_keep_the_sentence_that_they_end_or_begin(
    words: str, newer: str, *, kept: bool
) -> None:
    start = RULE.index(words)
    span = Span(start, start + len(words))
    assert LaterText(newer).keeps(RULE, span) is kept
    assert LaterText(RULE).keeps(RULE, span)


def test_what_follows_is_shown_where_words_go_on() -> None:
    newer = RULE.replace("14 days", "14 days of delivery")
    start = RULE.index("within 14 days")
    found = find_counterpart(RULE, Span(start, start + 14), LaterText(newer))
    assert found is not None
    assert "14 days of delivery" in found.of(newer)


def test_edges_of_words_that_stand_everywhere_are_looked_at_in_linear_time() -> None:
    def look(size: int) -> Callable[[], object]:
        later = LaterText("may cancel at once, " * size + "\n" * size + " " * size)
        return lambda: later.keeps("May cancel. May", Span(0, 10))

    assert_grows(look, 1_000, 8_000, at_most=16)
