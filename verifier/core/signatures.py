"""Values as signatures, `category=value`: one form for all ways of writing the same value.

`60-second`, `1 minute` and `every minute` are all `time_seconds=60`. A signature is for people and for
counting; whether two values agree is told by `verifier.core.comparison`.
"""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.tables import read_table
from verifier.core.units import (
    BUSINESS_DAY,
    INFORMATION,
    MONTH,
    TEMPERATURE,
    TIME,
    Dimension,
    unit_of,
)
from verifier.core.values import Interval, Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.values import Value

_BITS_OF_BYTE: Final = 8
_ZERO_CELSIUS: Final = Fraction("273.15")
_CATEGORIES: Final[Mapping[Dimension, str]] = MappingProxyType(
    {
        TIME: "time_seconds",
        MONTH: "time_months",
        BUSINESS_DAY: "time_business_days",
        TEMPERATURE: "temperature_celsius",
        INFORMATION: "data_bytes",
        (("length", 1),): "length_metres",
        (("length", 2),): "area_square_metres",
        (("length", 3),): "volume_cubic_metres",
        (("mass", 1),): "mass_kilograms",
        (("length", 1), ("time", -1)): "speed_metres_per_second",
        (("length", 3), ("time", -1)): "flow_cubic_metres_per_second",
    }
)
_WHOLE_DAYS: Final = 1
_MINUTE: Final = 60
_NUMBER: Final = re.compile(r"\d+(?:[.,:'’\u00a0\u202f]\d+)*")  # 30, 1,299.50
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")  # twenty-five
_WHOLES: Final = frozenset({Kind.DATE, Kind.TIME, Kind.QUARTER})


def write_signature(value: Value) -> str:
    """Return a value as `category=value` in base units: `time_seconds=60`, `date=2026-10-31`.

    Bounds have their comparator (`percent=>80`), ranges both ends (`temperature_celsius=2..8`), and what
    is about so much a `~`. What can't be a value (30 February) stays as it was written.
    """
    if not isinstance(value, Quantity):
        return f"{value.kind.value}={value.folded}"
    if value.fault is not None or value.kind is Kind.QUARTER:
        return f"{value.kind.value}={value.text.strip()}"
    if value.kind is Kind.DATE:
        return f"date={_write_days(value.interval)}"
    if value.kind is Kind.TIME:
        return f"time_of_day={_write_time(value)}"
    category, factor, shift = _base_of(value)
    per = f"_per_{value.per}" if value.per else ""
    return f"{category}{per}={_write_amount(value, factor, shift)}"


def name_numbers(value: Value) -> tuple[str, ...]:
    """Return the numbers of a value as they are written: `30` of "less than 30%", `eight`, both ends.

    What is no amount (a date, a version, an id) is one whole.
    """
    if not isinstance(value, Quantity) or value.kind in _WHOLES:
        return (value.text,)
    digits = tuple(_NUMBER.findall(value.text))
    if digits:
        return digits
    words = list(_WORD.finditer(value.text))
    numbers = [one for one in words if set(one.group().casefold().split("-")) <= _number_words()]
    return (value.text[numbers[0].start() : numbers[-1].end()],) if numbers else (value.text,)


def _base_of(value: Quantity) -> tuple[str, Fraction, Fraction]:
    """Return the category of an amount, and by which factor and shift it comes to the base unit."""
    one, none = Fraction(1), Fraction(0)
    if value.kind is Kind.MONEY:
        return f"money_{(value.currency or value.unit or 'unknown').casefold()}", one, none
    unit = unit_of(value.unit) if value.unit else None
    if unit is None and value.kind is Kind.DURATION and not value.unit:
        return "time_seconds", one, none
    if unit is None:
        if value.kind is Kind.QUANTITY and value.unit:
            return f"count_{value.unit.replace(' ', '_')}", one, none
        return value.kind.value, one, none
    if unit.dimension == TEMPERATURE:
        return "temperature_celsius", unit.factor, unit.offset - _ZERO_CELSIUS
    if unit.dimension == INFORMATION:
        return "data_bytes", unit.factor / _BITS_OF_BYTE, none
    return _CATEGORIES.get(unit.dimension) or _name(unit.dimension), unit.factor, none


def _name(dimension: Dimension) -> str:
    """Return the name of a dimension that has no everyday one: `length_per_time2`."""
    upper = [f"{name}{power if power > 1 else ''}" for name, power in dimension if power > 0]
    lower = [f"{name}{-power if power < -1 else ''}" for name, power in dimension if power < 0]
    named = "_".join(upper) or "ratio"
    return f"{named}_per_{'_'.join(lower)}" if lower else named


def _write_amount(value: Quantity, factor: Fraction, shift: Fraction) -> str:
    if value.writing is Writing.APPROXIMATE and value.nominal is not None:
        return f"~{_write(value.nominal * factor + shift)}"
    ends = (value.interval.low, value.interval.high)
    low, high = (None if end is None else _write(end * factor + shift) for end in ends)
    if low is None:
        return f"{'<' if value.interval.high_open else '<='}{high}"
    if high is None:
        return f"{'>' if value.interval.low_open else '>='}{low}"
    return low if low == high else f"{low}..{high}"


def _write(number: Fraction) -> str:
    """Return an exact number: as a decimal where it ends, else as a fraction."""
    rest = number.denominator
    places = 0
    for factor in (2, 5):
        power = 0
        while rest % factor == 0:
            rest //= factor
            power += 1
        places = max(places, power)
    if rest != 1:
        return str(number)
    digits = str(abs(number.numerator) * 10**places // number.denominator).rjust(places + 1, "0")
    whole = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{whole}" if number < 0 else whole


def _write_days(interval: Interval) -> str:
    """Return a stretch of days: a day, a month, a year, or its first and last day."""
    if interval.low is None or interval.high is None:
        low, high = (_write_day(end, 0) for end in (interval.low, interval.high))
        return f">={low}" if low else f"<{high}"
    first, last = _write_day(interval.low, 0), _write_day(interval.high, -_WHOLE_DAYS)
    if first == last:
        return first
    if first.endswith("-01") and _write_day(interval.high, 0).endswith("-01"):
        if first[:7] == last[:7]:
            return first[:7]
        if first.endswith("-01-01") and last.endswith("-12-31") and first[:4] == last[:4]:
            return first[:4]
    return f"{first}..{last}"


def _write_day(ordinal: Fraction | None, shift: int) -> str:
    if ordinal is None:
        return ""
    whole = int(ordinal) + shift
    inside = date.min.toordinal() <= whole <= date.max.toordinal()
    return date.fromordinal(whole).isoformat() if inside else str(whole)


def _write_time(value: Quantity) -> str:
    low, high = value.interval.low, value.interval.high
    if low is None or high is None:
        end = low if high is None else high
        sign = ">" if high is None else "<"
        return sign if end is None else f"{sign}{_write_clock(end)}"
    first = _write_clock(low)
    return first if high - low <= _MINUTE else f"{first}..{_write_clock(high)}"


def _write_clock(seconds: Fraction) -> str:
    whole = int(seconds)
    clock = f"{whole // 3600:02}:{whole % 3600 // 60:02}"
    return f"{clock}:{whole % 60:02}" if whole % 60 else clock


@cache
def _number_words() -> frozenset[str]:
    table = read_table("number_words")
    lists = ("cardinals", "tens", "scales", "denominators")
    return frozenset({"dozen", *(word for name in lists for word in table[name])})
