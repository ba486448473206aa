"""Quarters, halves, fiscal years, weeks of a year, and dates relative to the turn's clock."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.calendars import (
    local_now,
    month_at,
    months_from,
    period_reading,
    weekday_names,
)
from verifier.core.quantities.quarters import read_fiscal_year, read_quarter
from verifier.core.quantities.readings import Reading
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
        read_quarter(stream, index, context)
        or read_fiscal_year(stream, index, context)
        or _relative_day(stream, index, context)
        or _this_or_next(stream, index, context)
    )


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
        or (len(stream.words[index + 1]) in {1, 2} and stream.words[index + 1].isdecimal())
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
