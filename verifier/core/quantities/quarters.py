"""Quarters and halves of a year, and fiscal years."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from verifier.core.quantities.calendars import (
    FIRST_YEAR,
    LAST_YEAR,
    full_year,
    months_from,
    period_reading,
)
from verifier.core.quantities.readings import Reading
from verifier.core.tables import read_table
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.tokens import Stream


def _mark_and_digit(stream: Stream, index: int, letter: str) -> int | None:
    digit = stream.words[index + 1]
    if (
        stream.folds[index] == letter
        and digit.isdecimal()
        and len(digit) == 1
        and stream.glued(index + 1)
    ):
        return int(digit)
    return None


def _quarter_number(stream: Stream, index: int) -> tuple[int, int] | None:
    """Return the quarter `Q3`, `third quarter` or `3rd quarter` says, and the index after it."""
    digit = _mark_and_digit(stream, index, "q")
    if digit is not None and 1 <= digit <= 4:
        return digit, index + 2
    words: dict[str, int] = read_table("calendar")["quarter_words"]
    for length in (1, 2):
        name = "".join(stream.folds[index : index + length])
        if name in words and stream.folds[index + length] == "quarter":
            return words[name], index + length + 1
    return None


def _year_near(stream: Stream, index: int) -> tuple[int, int, bool] | None:
    """Return the year that follows (`of 2019`, `-2024`, `FY24`), the index after it, whether it is fiscal."""
    position = index
    while stream.folds[position] in {"of", "-", "/", ",", "in", "'", "’"} and position < index + 2:
        position += 1
    fiscal = (
        stream.folds[position] == "fy"
        or stream.phrase(position, 2) in {"fiscal year", "fiscal 2"}
        or stream.folds[position] == "fiscal"
    )
    if fiscal:
        position += 2 if stream.folds[position + 1] == "year" else 1
    word = stream.words[position]
    if (
        not word.isdecimal()
        or len(word) not in {2, 4}
        or (len(word) == 2 and position == index and not fiscal)
    ):
        return None
    year = full_year(word)
    return (year, position + 1, fiscal) if 1900 <= year <= 2200 else None


def read_quarter(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `Q3`, `Q3 2024`, `third quarter of 2019`, `H1 2025` at token `index`, or None."""
    found = _quarter_number(stream, index)
    half = _mark_and_digit(stream, index, "h")
    if found is None and half in {1, 2}:
        year = _year_near(stream, index + 2)
        return year and _months(
            stream, (index, year[1]), year[0], ((half - 1) * 6, 6), context, fiscal=year[2]
        )
    if found is None:
        return None
    quarter, end = found
    year = _year_near(stream, end)
    if year is None:
        return Reading(
            Kind.QUARTER,
            index,
            end,
            stream.starts[index],
            stream.ends[end - 1],
            Fraction(quarter),
            Fraction(quarter),
        )
    return _months(
        stream, (index, year[1]), year[0], ((quarter - 1) * 3, 3), context, fiscal=year[2]
    )


def read_year_and_quarter(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `2024-q3`, `2019 H2`, `2024 Q3`, starting with the year, or None."""
    word = stream.words[index]
    if not word.isdecimal() or len(word) != 4 or not FIRST_YEAR <= int(word) <= LAST_YEAR:
        return None
    position = index + 2 if stream.words[index + 1] in {"-", "/", ","} else index + 1
    for letter, months in (("q", 3), ("h", 6)):
        digit = _mark_and_digit(stream, position, letter)
        if digit is not None and 1 <= digit <= 12 // months:
            return _months(
                stream,
                (index, position + 2),
                int(word),
                ((digit - 1) * months, months),
                context,
                fiscal=False,
            )
    return None


def _months(
    stream: Stream,
    place: tuple[int, int],
    year: int,
    stretch: tuple[int, int],
    context: Context,
    *,
    fiscal: bool,
) -> Reading | None:
    """Return the months of a calendar or fiscal year: how many to skip, and how many to take.

    A fiscal year that does not start in January is named by the year in which it ends.
    """
    skip, count = stretch
    start = context.fiscal_year_start
    begins = year if start == 1 else year - 1
    fiscal_days = (
        months_from(begins, start + skip, count)
        if start + skip <= 12
        else months_from(begins + 1, start + skip - 12, count)
    )
    calendar_days = months_from(year, 1 + skip, count)
    days = fiscal_days if fiscal else calendar_days
    if days is None:
        return None
    found = period_reading(stream, *place, days)
    if not fiscal and start != 1 and fiscal_days is not None:
        return found._replace(rivals=(period_reading(stream, *place, fiscal_days),))
    return found


def read_fiscal_year(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `FY2024`, `FY24 Q1`, `fiscal 2024`, `fiscal year 2024`, or None."""
    word = stream.folds[index]
    if word not in {"fy", "fiscal", "cy", "calendar"}:
        return None
    if word == "calendar" and stream.folds[index + 1] != "year":
        return None
    position = index + 2 if stream.folds[index + 1] in {"year", "'", "’"} else index + 1
    digits = stream.words[position]
    if not digits.isdecimal() or len(digits) not in {2, 4}:
        return None
    year, fiscal, end = full_year(digits), word in {"fy", "fiscal"}, position + 1
    at = end + 1 if stream.words[end] in {"-", ",", "/"} else end
    quarter = _quarter_number(stream, at)
    if quarter is not None:
        return _months(
            stream, (index, quarter[1]), year, ((quarter[0] - 1) * 3, 3), context, fiscal=fiscal
        )
    return _months(stream, (index, end), year, (0, 12), context, fiscal=fiscal)
