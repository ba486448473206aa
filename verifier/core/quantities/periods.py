"""Quarters, halves, fiscal years, weeks of a year, and dates relative to the turn's clock."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.calendars import (
    FIRST_YEAR,
    LAST_YEAR,
    full_year,
    local_now,
    month_at,
    months_from,
    period_reading,
    weekday_names,
)
from verifier.core.quantities.readings import Reading
from verifier.core.tables import read_table
from verifier.core.values import Kind

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.core.quantities.context import Context
    from verifier.core.quantities.tokens import Stream

_DAY_PHRASES: Final = (
    (("the", "day", "after", "tomorrow"), 2),
    (("the", "day", "before", "yesterday"), -2),
    (("day", "after", "tomorrow"), 2),
    (("day", "before", "yesterday"), -2),
)
_DAYS: Final = {
    "today": 0,
    "tomorrow": 1,
    "yesterday": -1,
    "tonight": 0,
    "heute": 0,
    "morgen": 1,
    "gestern": -1,
    "demain": 1,
    "hier": -1,
    "hoy": 0,
    "mañana": 1,
    "ayer": -1,
    "oggi": 0,
    "domani": 1,
    "ieri": -1,
    "amanhã": 1,
    "ontem": -1,
    "hoje": 0,
    "vandaag": 0,
    "gisteren": -1,
}
_DAY_LANGUAGES: Final = {"morgen": "de nl", "hier": "fr", "mañana": "es", "demain": "fr"}
_WHICH: Final = {
    "this": 0,
    "current": 0,
    "next": 1,
    "coming": 1,
    "following": 1,
    "upcoming": 1,
    "last": -1,
    "previous": -1,
    "past": -1,
}
_SPANS: Final = {"week": "week", "month": "month", "quarter": "quarter", "year": "year"}
_HALVES: Final = {"h1": 1, "h2": 2}
_QUARTERS: Final = {"q1": 1, "q2": 2, "q3": 3, "q4": 4}
PERIOD_WORDS: Final = frozenset(
    {
        *_DAYS,
        *_WHICH,
        *weekday_names(),
        "q",
        "h",
        "fy",
        "the",
        "day",
        "fiscal",
        "calendar",
        "cy",
        "week",
        "quarter",
        "first",
        "second",
        "third",
        "fourth",
        "year",
        "now",
    }
)


def read_period(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return the quarter, fiscal period or relative date that starts at token `index`, or None."""
    return (
        _quarter_of_year(stream, index, context)
        or _fiscal_year(stream, index, context)
        or _relative_day(stream, index, context)
        or _this_or_next(stream, index, context)
    )


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


def _year_near(stream: Stream, index: int, context: Context) -> tuple[int, int, bool] | None:
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


def _quarter_of_year(stream: Stream, index: int, context: Context) -> Reading | None:
    found = _quarter_number(stream, index)
    half = _mark_and_digit(stream, index, "h")
    if found is None and half in {1, 2}:
        year = _year_near(stream, index + 2, context)
        return year and _months(
            stream, (index, year[1]), year[0], (half - 1) * 6, 6, context, fiscal=year[2]
        )
    if found is None:
        return None
    quarter, end = found
    year = _year_near(stream, end, context)
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
    return _months(stream, (index, year[1]), year[0], (quarter - 1) * 3, 3, context, fiscal=year[2])


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
                (digit - 1) * months,
                months,
                context,
                fiscal=False,
            )
    return None


def _months(
    stream: Stream,
    place: tuple[int, int],
    year: int,
    skip: int,
    count: int,
    context: Context,
    *,
    fiscal: bool,
) -> Reading | None:
    """Return `count` months from the `skip`-th of a calendar or fiscal year on.

    A fiscal year that does not start in January is named by the year in which it ends.
    """
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


def _fiscal_year(stream: Stream, index: int, context: Context) -> Reading | None:
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
            stream, (index, quarter[1]), year, (quarter[0] - 1) * 3, 3, context, fiscal=fiscal
        )
    return _months(stream, (index, end), year, 0, 12, context, fiscal=fiscal)


def _relative_day(stream: Stream, index: int, context: Context) -> Reading | None:
    if stream.folds[index] == "now" and stream.folds[index - 1] in {
        "and",
        "to",
        "until",
        "till",
        "between",
        "through",
    }:
        return day_reading(stream, index, index + 1, 0, context)
    for words, days in _DAY_PHRASES:
        if stream.folds[index] == words[0] and stream.folds[index : index + len(words)] == list(
            words
        ):
            return day_reading(stream, index, index + len(words), days, context)
    word = stream.folds[index]
    languages = _DAY_LANGUAGES.get(word)
    if word not in _DAYS or (languages and context.language not in languages.split()):
        return None
    end = index + 1
    if stream.folds[end] in {"'s", "’s"}:
        return None
    return day_reading(stream, index, end, _DAYS[word], context)


def day_reading(stream: Stream, start: int, end: int, days: int, context: Context) -> Reading:
    """Return the day so many days from the turn's; without a clock the reading says so."""
    now = local_now(context)
    reading = Reading(Kind.DATE, start, end, stream.starts[start], stream.ends[end - 1])
    if now is None or not 1 <= now.toordinal() + days <= date.max.toordinal():
        return reading._replace(low=None, high=None, fault="no_clock")
    low = Fraction(now.toordinal() + days)
    return reading._replace(low=low, high=low + 1, high_open=True)


def _this_or_next(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `next week`, `last month`, `this quarter`, `next Monday`, `last May`, a weekday, or None."""
    start = index + 1 if stream.folds[index] == "the" else index
    which = _WHICH.get(stream.folds[start])
    now = local_now(context)
    if which is None:
        weekday = weekday_names().get(stream.folds[index])
        if (
            weekday is None
            or now is None
            or (len(stream.words[index]) < 6 and not stream.words[index][:1].isupper())
        ):
            return None
        return _weekday(stream, index, weekday, now)
    word = stream.folds[start + 1]
    if now is None or word not in _SPANS:
        weekday = weekday_names().get(word)
        if weekday is not None and now is not None:
            return day_reading(stream, index, start + 2, _days_to(now, weekday, which), context)
        return _month_of_year(stream, (index, start + 1), which, now, context)
    days = _span(now.date(), _SPANS[word], which)
    return None if days is None else period_reading(stream, index, start + 2, days)


def _days_to(now: datetime, weekday: int, which: int) -> int:
    """Return the days to that weekday of this week, the next or the last."""
    return weekday - now.weekday() + 7 * which


def _weekday(stream: Stream, index: int, weekday: int, now: datetime) -> Reading:
    ahead = (weekday - now.weekday()) % 7
    low = Fraction(now.toordinal() + ahead)
    found = Reading(
        Kind.DATE,
        index,
        index + 1,
        stream.starts[index],
        stream.ends[index],
        low,
        low + 1,
        high_open=True,
    )
    return found._replace(rivals=(found._replace(low=low - 7, high=low - 6),))


def _month_of_year(
    stream: Stream, place: tuple[int, int], which: int, now: datetime | None, context: Context
) -> Reading | None:
    start, index = place
    month = month_at(stream, index, context)
    if (
        month is None
        or now is None
        or (len(stream.words[index + 1]) in {1, 2}
        and stream.words[index + 1].isdecimal())
    ):
        return None
    days = months_from(now.year + (which if which else 0), month, 1)
    return None if days is None else period_reading(stream, start, index + 1, days)


def _span(today: date, name: str, which: int) -> tuple[Fraction, Fraction] | None:
    """Return the days of the week (from Monday), month, quarter or year so many away from today's."""
    if name == "week":
        monday = today - timedelta(days=today.weekday()) + timedelta(days=7 * which)
        return Fraction(monday.toordinal()), Fraction(monday.toordinal() + 7)
    count = {"month": 1, "quarter": 3, "year": 12}[name]
    first = today.year * 12 + (today.month - 1) // count * count + which * count
    return months_from(first // 12, first % 12 + 1, count)


def shift_days(today: date, count: int, unit: str) -> date | None:
    """Return the day so many days, weeks, months or years away; the last of the month where it is shorter."""
    try:
        if unit in {"d", "wk", "fortnight"}:
            return today + timedelta(days=count * {"d": 1, "wk": 7, "fortnight": 14}[unit])
        months = today.year * 12 + today.month - 1 + count * (12 if unit == "yr" else 1)
        for day in range(today.day, today.day - 4, -1):
            try:
                return date(months // 12, months % 12 + 1, day)
            except ValueError:
                continue
    except (OverflowError, ValueError):
        return None
    return None
