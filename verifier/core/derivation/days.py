"""Days between dates, dates some time on, and whether a date lies within a window."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, timedelta, timezone
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.derivation.amounts import spell
from verifier.core.derivation.moments import find_moment_differences
from verifier.core.derivation.operations import Direction, Operand, Operation
from verifier.core.derivation.problem import Candidate
from verifier.core.units import MONTH, TIME, unit_of
from verifier.core.values import Interval, Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from verifier.core.derivation.operations import Cues
    from verifier.core.derivation.problem import Problem

_DAY: Final = 86_400
_NEAREST: Final = 4
_LONGEST_DAYS: Final = 366 * 200
_HOURLY: Final = frozenset({"h", "min", "s", "ms"})
_DAYS: Final = Quantity(
    kind=Kind.DURATION, interval=Interval.point(Fraction(0)), text="", unit="d", places=0
)
_MONTHS: Final = Quantity(
    kind=Kind.DURATION, interval=Interval.point(Fraction(0)), text="", unit="mo", places=0
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dated:
    """A single day, and the operand that told it; none where it is today."""

    day: int
    operand: Operand | None


def find_date_differences(problem: Problem) -> Iterator[Candidate]:
    """Yield the days, or whole months, between two dates, or between a date and today; hours of moments."""
    if problem.target.family[2:] != (None,):
        return
    if (problem.claimed.unit or "s") in _HOURLY:
        yield from find_moment_differences(problem)
        return
    days = read_days(problem.operands)[:_NEAREST]
    pairs = [(one, other) for index, other in enumerate(days) for one in days[:index]]
    if problem.now is not None:
        pairs += [(one, _today(one, problem.now)) for one in days]
    for pair in pairs:
        earlier, later = sorted(pair, key=lambda dated: dated.day)
        number = later.day - earlier.day
        wording = f"{_iso(later.day)} - {_iso(earlier.day)}"
        used = tuple(dated.operand for dated in (later, earlier) if dated.operand is not None)
        months = _whole_months(earlier.day, later.day)
        if problem.target.family[1] == TIME:
            yield _difference(used, Fraction(number * _DAY), _DAYS, wording)
        elif problem.target.family[1] == MONTH and months is not None:
            yield _difference(used, Fraction(months), _MONTHS, wording)


def _difference(
    used: tuple[Operand, ...], number: Fraction, template: Quantity, wording: str
) -> Candidate:
    return Candidate(
        operation=Operation.DATE_DIFFERENCE,
        used=used,
        number=number,
        template=template,
        wording=wording,
    )


def read_days(operands: Sequence[Operand]) -> list[Dated]:
    """Return the operands that are one certain day; of a moment, its day in its own zone."""
    found = []
    for operand in operands:
        day = _day_of(operand.value)
        if day is not None:
            found.append(Dated(day=day, operand=operand))
    return found


def _day_of(value: Quantity) -> int | None:
    low, high = value.interval.low, value.interval.high
    if value.kind is not Kind.DATE or value.fault or value.alternatives or value.unit is not None:
        return None
    if low is None or high is None or high - low > 1 or value.writing is not Writing.EXACT:
        return None
    day = low.numerator // low.denominator
    return day if 1 <= day <= date.max.toordinal() else None


def _today(other: Dated, now: datetime) -> Dated:
    """Return the day of the clock, in the zone of the other date where that has one."""
    offset = other.operand.value.utc_offset_s if other.operand is not None else None
    if offset is not None and now.tzinfo is not None:
        now = now.astimezone(timezone(timedelta(seconds=offset)))
    return Dated(day=now.toordinal(), operand=None)


def _whole_months(earlier: int, later: int) -> int | None:
    """Return the months between two days of one number in the month, else None."""
    one, other = date.fromordinal(earlier), date.fromordinal(later)
    if one.day != other.day:
        return None
    return (other.year - one.year) * 12 + other.month - one.month


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DateShift:
    """A date some time from another: the operands, the stretch of days, and the calculation."""

    used: tuple[Operand, ...]
    result: Quantity
    wording: str


def find_date_shifts(
    cues: Cues, operands: Sequence[Operand], now: datetime | None
) -> Iterator[DateShift]:
    """Yield the dates that lie a given time after (on a word such as "before", also before) another.

    A time told as a range ("3 to 5 days") gives a range of days. Business days give none: holidays are
    not known here.
    """
    days = read_days(operands)[:_NEAREST]
    if now is not None:
        days.append(Dated(day=now.toordinal(), operand=None))
    times = [operand for operand in operands if _is_stretch(operand.value)][:_NEAREST]
    signs = (1, -1) if cues.direction is Direction.DOWN else (1,)
    for dated in days:
        for operand in times:
            for sign in signs:
                shifted = _shift(dated.day, operand.value, sign)
                if shifted is not None:
                    yield _state_shift(dated, operand, shifted, sign)


def _is_stretch(value: Quantity) -> bool:
    low, high = value.interval.low, value.interval.high
    if value.kind is not Kind.DURATION or value.fault or value.alternatives or value.per:
        return False
    return low is not None and high is not None and (value.unit or "s") not in _HOURLY


def _shift(day: int, stretch: Quantity, sign: int) -> tuple[int, int] | None:
    """Return the first and the last day that lie the stretch away; None where it is no number of days."""
    ends = [_move(day, end, stretch.unit, sign) for end in _ends(stretch.interval)]
    first, last = ends[0], ends[-1]
    if first is None or last is None or stretch.writing is Writing.APPROXIMATE:
        return None
    return min(first, last), max(first, last)


def _ends(interval: Interval) -> list[Fraction]:
    return [end for end in (interval.low, interval.high) if end is not None]


def _move(day: int, number: Fraction, unit_name: str | None, sign: int) -> int | None:
    unit = unit_of(unit_name or "s")
    if unit is None or unit.dimension not in {TIME, MONTH}:
        return None
    amount = number * unit.factor
    if unit.dimension == TIME:
        days = amount / _DAY
        moved = (
            day + sign * days if days.denominator == 1 and days <= _LONGEST_DAYS else Fraction(0)
        )
        return int(moved) if 1 <= moved <= date.max.toordinal() else None
    if amount.denominator != 1 or not 0 <= amount <= _LONGEST_DAYS:
        return None
    return _move_months(date.fromordinal(day), sign * int(amount))


def _move_months(start: date, months: int) -> int | None:
    """Return the same day of another month, or that month's last."""
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    if not 1 <= year <= date.max.year:
        return None
    last = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(start.day, last)).toordinal()


def _state_shift(dated: Dated, operand: Operand, days: tuple[int, int], sign: int) -> DateShift:
    text = " to ".join(_iso(day) for day in dict.fromkeys(days))
    stretch = "-".join(spell(end) for end in dict.fromkeys(_ends(operand.value.interval)))
    calculation = f"{_iso(dated.day)} {'+' if sign > 0 else '-'} {stretch}"
    return DateShift(
        used=(*(() if dated.operand is None else (dated.operand,)), operand),
        result=state_days(*days, text),
        wording=f"{calculation} {operand.value.unit or 's'} = {text}",
    )


def state_days(first: int, last: int, text: str) -> Quantity:
    """Return the date, or the range of dates, from the first day to the last."""
    return Quantity(
        kind=Kind.DATE,
        interval=Interval(low=Fraction(first), high=Fraction(last + 1), high_open=True),
        text=text,
        writing=Writing.EXACT if first == last else Writing.RANGE,
    )


def _iso(day: int) -> str:
    return date.fromordinal(day).isoformat()
