"""Parts and numbered parts of periods: `mid May`, `the end of 2008`, `third month of 2021`."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.calendars import (
    days_of,
    months_from,
    period_reading,
)
from verifier.core.values import Kind, Writing

if TYPE_CHECKING:
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream


_PARTS: Final = {
    "early": 0,
    "mid": 1,
    "late": 2,
    "beginning of": 0,
    "start of": 0,
    "middle of": 1,
    "end of": 2,
    "the beginning of": 0,
    "the start of": 0,
    "the middle of": 1,
    "the end of": 2,
    "mid -": 1,
    "early in": 0,
    "late in": 2,
}


def part_of(stream: Stream, reading: Reading) -> Reading:
    """Return `mid May`, `the end of 2008` as the third of the period that is meant, approximately."""
    if (
        reading.kind is not Kind.DATE
        or reading.low is None
        or reading.high is None
        or reading.high - reading.low < 28
    ):
        return reading
    for length in (3, 2, 1):
        part = (
            _PARTS.get(stream.phrase(max(0, reading.start - length), length))
            if reading.start >= length
            else None
        )
        if part is not None:
            low, high = _third(reading.low, reading.high, part)
            start = reading.start - length
            return reading._replace(
                low=low,
                high=high,
                start=start,
                begins=stream.starts[start],
                writing=Writing.APPROXIMATE,
            )
    return reading


def _third(low: Fraction, high: Fraction, part: int) -> tuple[Fraction, Fraction]:
    first = date.fromordinal(int(low))
    if high - low > 300:
        months = months_from(first.year, 1 + 4 * part, 4)
        return months or (low, high)
    cuts = (low, low + (15 if part == 0 else 10), low + (20 if part == 1 else 15), high)
    return ((low, cuts[1]), (cuts[1], cuts[2]), (low + 15, high))[part]


def read_part_number(stream: Stream, index: int) -> Reading | None:
    """Return `third month of 2021`, `second week of 2021`, `the year 2019`, or None."""
    from verifier.core.quantities.wordamounts import read_ordinal

    if stream.phrase(index, 2) == "the year" or stream.folds[index] == "year":
        at = index + (2 if stream.folds[index] == "the" else 1)
        word = stream.words[at]
        days = (
            days_of(int(word), None, None)
            if word.isdecimal() and len(word) == 4 and 1500 <= int(word) <= 2200
            else None
        )
        return (
            period_reading(stream, index, at + 1, days)._replace(writing=Writing.EXACT)
            if days
            else None
        )
    ordinal = read_ordinal(stream, index + (stream.folds[index] == "the"))
    if ordinal is None or ordinal.low is None or ordinal.low > 53:
        return None
    unit, link, year = (
        stream.folds[ordinal.end],
        stream.folds[ordinal.end + 1],
        stream.words[ordinal.end + 2],
    )
    if (
        unit not in {"week", "month"}
        or link not in {"of", "in"}
        or not (year.isdecimal() and len(year) == 4)
    ):
        return None
    days = _numbered(int(year), int(ordinal.low), unit)
    return period_reading(stream, index, ordinal.end + 3, days) if days else None


def _numbered(year: int, number: int, unit: str) -> tuple[Fraction, Fraction] | None:
    if unit == "month":
        return months_from(year, number, 1) if number <= 12 else None
    try:
        monday = date.fromisocalendar(year, number, 1).toordinal()
    except ValueError:
        return None
    return Fraction(monday), Fraction(monday + 7)
