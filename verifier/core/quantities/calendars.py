"""Names of months and weekdays, and exact day intervals of dates, months, quarters and years."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from verifier.core.quantities.readings import Reading
from verifier.core.tables import read_table, word_set
from verifier.core.values import Kind, Writing

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.tokens import Stream

FIRST_YEAR: Final = 1000
LAST_YEAR: Final = 2999
YEARLY: Final = "yearly"
"""The unit of a day and month without a year; its interval lies in the leap year 4."""
_LEAP: Final = 4


@cache
def month_names() -> dict[str, int]:
    """Return the number of each month's names and abbreviations, case-folded."""
    return {
        name: int(number)
        for number, names in read_table("calendar")["months"].items()
        for name in names.split()
    }


@cache
def weekday_names() -> dict[str, int]:
    """Return the number of each weekday's names, Monday being 0."""
    return {
        name: int(number)
        for number, names in read_table("calendar")["weekdays"].items()
        for name in names.split()
    }


def month_at(stream: Stream, index: int, context: Context) -> int | None:
    """Return the month that token `index` names; words of another language only in that language."""
    word = stream.folds[index]
    number = month_names().get(word)
    if number is None:
        return None
    languages = read_table("calendar")["foreign_only"].get(word)
    return number if languages is None or context.language in languages.split() else None


def is_weak_month(stream: Stream, index: int) -> bool:
    """Return whether the month at `index` may be another word: `may`, `march`, `dec`."""
    return stream.folds[index] in word_set("calendar", "weak_months")


def days_of(year: int, month: int | None, day: int | None) -> tuple[Fraction, Fraction] | None:
    """Return the first day and the day after the last of a date, month or year; None if impossible."""
    try:
        if month is None:
            return _ordinal(year, 1, 1), _ordinal(year + 1, 1, 1)
        if day is None:
            return _ordinal(year, month, 1), _ordinal(year + month // 12, month % 12 + 1, 1)
        first = _ordinal(year, month, day)
    except ValueError:
        return None
    return first, first + 1


def _ordinal(year: int, month: int, day: int) -> Fraction:
    return Fraction(date(year, month, day).toordinal())


def full_year(digits: str) -> int:
    """Return the year that two or four digits name; two below 70 are of this century."""
    year = int(digits)
    if len(digits) > 2:
        return year
    return year + (2000 if year < 70 else 1900)


def date_reading(
    stream: Stream,
    place: tuple[int, int],
    year: int | None,
    month: int | None = None,
    day: int | None = None,
) -> Reading:
    """Return the reading of a date; without a year it recurs, and an impossible one is marked."""
    days = days_of(_LEAP if year is None else year, month, day)
    start, end = place
    reading = Reading(Kind.DATE, start, end, stream.starts[start], stream.ends[end - 1])
    if days is None:
        return reading._replace(low=None, high=None, fault="impossible_date")
    unit = YEARLY if year is None else None
    return reading._replace(low=days[0], high=days[1], high_open=True, unit=unit)


def period_reading(
    stream: Stream, start: int, end: int, days: tuple[Fraction, Fraction]
) -> Reading:
    """Return the reading of a stretch of days, `days` being the first and the one after the last."""
    return Reading(
        Kind.DATE,
        start,
        end,
        stream.starts[start],
        stream.ends[end - 1],
        days[0],
        days[1],
        high_open=True,
        writing=Writing.RANGE,
    )


def months_from(year: int, month: int, count: int) -> tuple[Fraction, Fraction] | None:
    """Return the days of `count` months from a month on; months may run over into other years."""
    first = year * 12 + month - 1
    last = first + count
    if not 12 <= first <= last < 9999 * 12:
        return None
    return _ordinal(first // 12, first % 12 + 1, 1), _ordinal(last // 12, last % 12 + 1, 1)


def local_now(context: Context) -> datetime | None:
    """Return the turn's clock in the turn's zone."""
    if context.now is None:
        return None
    zone = zone_named(context.timezone) if context.timezone else None
    return context.now.astimezone(zone) if zone and context.now.tzinfo else context.now


@cache
def zone_named(name: str) -> ZoneInfo | None:
    """Return the IANA zone of that name, None if there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def offset_of(name: str, low: Fraction | None, context: Context) -> int | None:
    """Return a zone's offset from UTC in seconds at a moment (in days), or at the turn's clock."""
    zone = zone_named(name)
    if zone is None:
        return None
    if low is not None and 1 <= low < date.max.toordinal():
        seconds = (low - int(low)) * 86_400
        moment = datetime.combine(date.fromordinal(int(low)), datetime.min.time())  # noqa: DTZ
        moment = moment.replace(
            hour=int(seconds // 3600), minute=int(seconds % 3600 // 60), tzinfo=zone
        )
    elif context.now is not None:
        moment = context.now.astimezone(zone)
    else:
        return None
    offset = moment.utcoffset()
    return None if offset is None else int(offset.total_seconds())
