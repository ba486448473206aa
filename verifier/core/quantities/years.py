"""Years and decades."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.quantities.calendars import (
    date_reading,
)
from verifier.core.quantities.numericdates import counts_something
from verifier.core.quantities.tokens import BREAK, END, IDEOGRAPH, WORD
from verifier.core.tables import word_set

if TYPE_CHECKING:
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream


_CLOSERS: Final = frozenset(".,;:)?!-–—'\"")


def read_year(stream: Stream, index: int) -> Reading | None:
    """Return `2013` as a year where a word before it says so, `1960s` as a decade, or None."""
    word, after = stream.words[index], stream.folds[index + 1]
    if not word.isdecimal() or len(word) != 4 or not 1000 <= int(word) <= 2200 or not index:
        return None
    if (
        after in {"s", "’s", "'s"}
        and word.endswith("0")
        and stream.starts[index + 1] - stream.ends[index] <= 1
    ):
        return decade_reading(stream, index, index + 2, int(word))
    before = stream.folds[index - 1]
    than = before in {"than", "then"} and stream.folds[index - 2] in {
        "later",
        "earlier",
        "newer",
        "older",
    }
    if not (than or before in word_set("calendar", "year_cues")) or int(word) < 1500:
        return None
    if (
        after in {"-", "–"}
        and len(stream.words[index + 2]) == 2
        and stream.words[index + 2].isdecimal()
    ):
        return None
    if stream.kinds[index + 1] in {END, BREAK, IDEOGRAPH} or after in _CLOSERS:
        return date_reading(stream, (index, index + 1), int(word))
    closes = not counts_something(stream, index + 1) and stream.kinds[index + 1] == WORD
    loose = before in {"about", "around", "over", "for", "and", "to"}
    return date_reading(stream, (index, index + 1), int(word)) if closes and not loose else None


def decade_reading(stream: Stream, start: int, end: int, year: int) -> Reading:
    """Return the reading of the ten years from `year` on."""
    from verifier.core.quantities.calendars import months_from, period_reading

    days = months_from(year, 1, 120)
    return (
        period_reading(stream, start, end, days)
        if days
        else date_reading(stream, (start, end), year)
    )
