"""Dates reckoned from the turn's clock or from another date: `3 days ago`, `last 2 quarters`, `mid May`."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.calendars import (
    days_of,
    local_now,
    months_from,
    period_reading,
    weekday_names,
)
from verifier.core.quantities.numbers import read_number
from verifier.core.quantities.periodparts import part_of
from verifier.core.quantities.periods import shift_days
from verifier.core.quantities.zones import DAY_SECONDS
from verifier.core.units import TIME, unit_of
from verifier.core.values import Kind

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.core.quantities.context import Context
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream

_AFTER_NOW: Final = {
    "ago": -1,
    "hence": 1,
    "from now": 1,
    "later": 1,
    "earlier": -1,
    "in the past": -1,
}
_LINKS: Final = {"from": 1, "after": 1, "before": -1, "prior to": -1, "since": 1, "following": 1}
_SPANS: Final = {
    "days": "d",
    "day": "d",
    "weeks": "wk",
    "week": "wk",
    "months": "mo",
    "month": "mo",
    "quarters": "qtr",
    "quarter": "qtr",
    "years": "yr",
    "year": "yr",
}
_PAST: Final = frozenset({"last", "past", "previous"})
_FUTURE: Final = frozenset({"next", "coming", "following", "upcoming"})


def resolve_relative(stream: Stream, readings: list[Reading], context: Context) -> list[Reading]:
    """Return the readings with durations from the clock or a date resolved, and parts of periods."""
    found: list[Reading] = []
    for reading in readings:
        left = found[-1] if found else None
        anchored = _from_date(stream, left, reading) if left is not None else None
        if anchored is not None:
            found[-1] = anchored
            continue
        found.append(part_of(stream, _from_now(stream, reading, context)))
    return found


def _from_now(stream: Stream, reading: Reading, context: Context) -> Reading:
    """Return `3 days ago` as a day; `in 3 days` stays a duration that may be meant as a day."""
    now = local_now(context)
    if reading.kind is Kind.ORDINAL and now is not None:
        return _day_of_month(stream, reading, now)
    if reading.kind is not Kind.DURATION or now is None or reading.low != reading.high:
        return reading
    for length in (3, 2, 1):
        sign = _AFTER_NOW.get(stream.phrase(reading.end, length))
        if sign is not None and not (
            length == 1 and stream.folds[reading.end + 1] in {"than", "in", "this", "on"}
        ):
            moved = _moved(reading, now, sign)
            end = reading.end + length
            return (
                moved._replace(end=end, stops=stream.ends[end - 1])
                if moved is not None
                else reading
            )
    if stream.folds[reading.start - 1] == "in" and reading.start:
        moved = _moved(reading, now, 1)
        return reading if moved is None else reading._replace(rivals=(moved,))
    return reading


def _moved(reading: Reading, now: datetime, sign: int) -> Reading | None:
    unit = unit_of(reading.unit or "s")
    if unit is None or reading.low is None or reading.low.denominator != 1 or reading.low > 10**6:
        return None
    if unit.dimension == TIME and unit.factor < DAY_SECONDS:
        second = (
            Fraction(now.hour * 3600 + now.minute * 60 + now.second)
            + sign * reading.low * unit.factor
        )
        low = now.toordinal() + second / DAY_SECONDS
        high = low + Fraction(60, DAY_SECONDS)
    else:
        day = shift_days(now.date(), sign * int(reading.low), unit.name)
        if day is None:
            return None
        low, high = Fraction(day.toordinal()), Fraction(day.toordinal() + 1)
    return reading._replace(
        kind=Kind.DATE, low=low, high=high, high_open=True, unit=None, rivals=()
    )


def _from_date(stream: Stream, left: Reading, right: Reading) -> Reading | None:
    """Return `2 weeks before May 13 1999` as the day that it is, or None."""
    length = right.start - left.end
    if left.kind is not Kind.DURATION or right.kind is not Kind.DATE or not 1 <= length <= 2:
        return None
    sign = _LINKS.get(stream.phrase(left.end, length))
    known = right.low is not None and right.unit is None and right.high == right.low + 1
    unit = unit_of(left.unit or "s")
    if (
        sign is None
        or not known
        or right.low is None
        or unit is None
        or left.low is None
        or left.low != left.high
        or left.low > 10**5
    ):
        return None
    day = (
        shift_days(date.fromordinal(int(right.low)), sign * int(left.low), unit.name)
        if left.low.denominator == 1
        else None
    )
    if day is None:
        return None
    low = Fraction(day.toordinal())
    return right._replace(start=left.start, begins=left.begins, low=low, high=low + 1, rivals=())


def _day_of_month(stream: Stream, reading: Reading, now: datetime) -> Reading:
    """Return `on the 18th` as that day of this month or of the one next to it."""
    weekday = weekday_names().get(
        stream.folds[reading.start - 1 - (stream.folds[reading.start - 1] == "the")]
    )
    cued = stream.folds[max(0, reading.start - 2) : reading.start] in (
        ["on", "the"],
        ["by", "the"],
        ["until", "the"],
    )
    number = reading.low
    if (
        (not cued and weekday is None)
        or number is None
        or not 1 <= number <= 31
        or (
            stream.kinds[reading.end] == "w"
            and not weekday
            and stream.folds[reading.end]
            not in {"at", "from", "and", "or", "of", "between", "around"}
        )
    ):
        return reading
    days = []
    for shift in range(-12, 13):
        month = now.year * 12 + now.month - 1 + shift
        found = days_of(month // 12, month % 12 + 1, int(number))
        if found is not None and (weekday is None or (int(found[0]) - 1) % 7 == weekday):
            days.append(found)
    days.sort(key=lambda day: abs(day[0] - now.toordinal()))
    if not days:
        return reading
    dated = reading._replace(kind=Kind.DATE, low=days[0][0], high=days[0][1], high_open=True)
    return dated._replace(
        rivals=tuple(dated._replace(low=day[0], high=day[1]) for day in days[1:3])
    )


def read_last_n(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `last 3 months`, `the next two weeks`, `past 2 quarters` as a stretch of days, or None."""
    start = index + (stream.folds[index] == "the")
    which, now = stream.folds[start], local_now(context)
    if now is None or which not in _PAST | _FUTURE:
        return None
    number = read_number(stream, start + 1, context)
    if number is None:
        return None
    count, end = number.value, number.end
    if stream.folds[end - 1] == "quarters" and number.spelled:
        count, end = count * 4, end - 1
    unit = _SPANS.get(stream.folds[end])
    if unit is None or count.denominator != 1 or not 1 <= count <= 10_000:
        return None
    days = _stretch(now.date(), -int(count) if which in _PAST else int(count), unit)
    return period_reading(stream, index, end + 1, days) if days else None


def _stretch(today: date, count: int, unit: str) -> tuple[Fraction, Fraction] | None:
    if unit == "qtr":
        this = today.year * 12 + (today.month - 1) // 3 * 3
        first = this + (count * 3 if count < 0 else 3)
        return months_from(first // 12, first % 12 + 1, abs(count) * 3)
    if count < 0:
        begin = shift_days(today, count, unit)
        return None if begin is None else (Fraction(begin.toordinal()), Fraction(today.toordinal()))
    finish = shift_days(today + timedelta(days=1), count, unit)
    return (
        None if finish is None else (Fraction(today.toordinal() + 1), Fraction(finish.toordinal()))
    )
