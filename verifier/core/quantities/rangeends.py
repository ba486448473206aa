"""Two readings in the one kind and unit that a range of them needs."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.calendars import days_of
from verifier.core.quantities.compounds import bare_day, day_in_month_of
from verifier.core.values import Kind, Writing

if TYPE_CHECKING:
    from verifier.core.quantities.readings import Reading


SHARING: Final = frozenset(
    {Kind.QUANTITY, Kind.MONEY, Kind.PERCENT, Kind.PERCENTAGE_POINT, Kind.DURATION}
)


def as_ends(left: Reading, right: Reading) -> tuple[Reading, Reading] | None:
    """Return both readings in the kind and unit that they share, or None where they share none."""
    kinds = {left.kind, right.kind}
    if left.writing is not Writing.EXACT or right.writing not in {Writing.EXACT, Writing.ROUNDED}:
        return _dates_as_ends(left, right) if kinds <= {Kind.DATE} else None
    if Kind.DATE in kinds or Kind.TIME in kinds:
        return _dates_as_ends(left, right)
    years = (
        _years_as_ends(left, right)
        if left.plain and right.plain and kinds == {Kind.NUMBER}
        else None
    )
    return years or _amounts_as_ends(left, right)


def _amounts_as_ends(left: Reading, right: Reading) -> tuple[Reading, Reading] | None:
    if left.kind is right.kind and (left.unit, left.currency) == (right.unit, right.currency):
        return _with_scale(left, right), right
    if left.kind is Kind.NUMBER and right.kind in SHARING:
        return in_kind_of(_with_scale(left, right), right), right
    if right.kind is Kind.NUMBER and left.kind is Kind.MONEY:
        return _with_scale(left, right), in_kind_of(right, left)
    if left.kind is right.kind is Kind.MONEY and None in {left.currency, right.currency}:
        known = left if left.currency else right
        return in_kind_of(_with_scale(left, right), known), in_kind_of(right, known)
    degrees = left.unit == "°" and (right.unit or "").startswith("°")
    return (left._replace(unit=right.unit), right) if degrees else None


def in_kind_of(number: Reading, model: Reading) -> Reading:
    """Return the number with the kind, unit and currency of another reading."""
    low, high = number.low, number.high
    return number._replace(
        kind=model.kind,
        unit=model.unit,
        currency=model.currency,
        per=number.per or model.per,
        low=low,
        high=high,
    )


def _with_scale(left: Reading, right: Reading) -> Reading:
    """Return the first end times the magnitude of the second where it has none: `7-9 lakh`."""
    if (
        right.scale == 1
        or left.scale > 1
        or left.low is None
        or right.low is None
        or left.low != left.high
    ):
        return left
    value = left.low * right.scale
    if abs(value) > abs(right.low):
        return left
    return left._replace(
        low=value, high=value, scale=right.scale, places=left.places - (len(str(right.scale)) - 1)
    )


def _dates_as_ends(left: Reading, right: Reading) -> tuple[Reading, Reading] | None:
    if left.kind is right.kind is Kind.DATE:
        return _dates_in_one_year(left, right)
    if left.kind is right.kind is Kind.TIME:
        return left._replace(utc_offset_s=right.utc_offset_s), right
    return _hour_and_time(left, right) or _years_as_ends(left, right) or _days_of_month(left, right)


def _hour_and_time(left: Reading, right: Reading) -> tuple[Reading, Reading] | None:
    """Return `5 to 6 pm` as two times, or None."""
    hour, until = left.low, right.low
    if (
        right.kind is not Kind.TIME
        or not bare_day(left)
        or hour is None
        or until is None
        or hour > 12
    ):
        return None
    late = (hour % 12 + 12 * (until >= 43_200)) * 3600
    low = late if late < until else (hour % 12) * 3600
    return right._replace(low=low, high=low + 60), right


def _days_of_month(left: Reading, right: Reading) -> tuple[Reading, Reading] | None:
    """Return `May 3-7` or `9 to 12 June` as two days of one month, or None."""
    if left.kind is Kind.DATE and bare_day(right) and right.low is not None:
        last = day_in_month_of(left, int(right.low))
        rises = last is not None and (last.low or 0) > (left.low or 0)
        return (left, last) if last is not None and rises else None
    if right.kind is Kind.DATE and bare_day(left) and left.low is not None:
        first = day_in_month_of(right, int(left.low))
        return None if first is None else (first, right)
    return None


def _as_year(reading: Reading) -> Reading | None:
    number = reading.low
    if reading.kind is Kind.DATE:
        return (
            reading
            if reading.unit is None
            and reading.low is not None
            and (reading.high or 0) - reading.low > 300
            else None
        )
    if (
        reading.kind is not Kind.NUMBER
        or not reading.plain
        or number is None
        or not 1800 <= number <= 2200
    ):
        return None
    days = days_of(int(number), None, None)
    return (
        reading._replace(kind=Kind.DATE, low=days[0], high=days[1], high_open=True)
        if days
        else None
    )


def _years_as_ends(left: Reading, right: Reading) -> tuple[Reading, Reading] | None:
    """Return `2014-2018`, `between 2014 and 2018` as years, or None."""
    first, last = _as_year(left), _as_year(right)
    if (
        first is None
        or last is None
        or first.low is None
        or last.low is None
        or first.low >= last.low
    ):
        return None
    return first, last


def _dates_in_one_year(left: Reading, right: Reading) -> tuple[Reading, Reading] | None:
    """Return two dates with the year of the second given to the first if that has none."""
    from datetime import date

    if left.low is None or left.high is None or right.low is None or left.fault or right.fault:
        return None
    if left.unit == right.unit:
        return (left, right) if left.low <= right.low else None
    if left.unit is None:
        return None
    first, other = date.fromordinal(int(left.low)), date.fromordinal(int(right.low))
    year = other.year if (first.month, first.day) <= (other.month, other.day) else other.year - 1
    try:
        moved = date(year, first.month, first.day).toordinal()
    except ValueError:
        return None
    return left._replace(low=Fraction(moved), high=moved + (left.high - left.low), unit=None), right
