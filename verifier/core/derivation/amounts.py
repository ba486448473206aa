"""Values as plain numbers of a family, which is what may be added, compared or divided."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.currencies import minor_units
from verifier.core.units import TEMPERATURE, TEMPERATURE_DIFFERENCE, unit_of
from verifier.core.values import Interval, Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from verifier.core.derivation.operations import Operand

Family = tuple["Hashable", ...]
"""What amounts must have in common: kind, currency, dimension, period of a rate."""

NUMBER: Final[Family] = ("number",)
PERCENT: Final[Family] = ("percent",)
POINTS: Final[Family] = ("points",)
DELTA: Final = "Δ"
"""What the name of a unit of temperature differences begins with."""
_ONE: Final = Fraction(1)
_MOST_BITS: Final = 512
_MEASURED: Final = frozenset({Kind.QUANTITY, Kind.DURATION})
_PLAIN: Final[Mapping[Kind, Family]] = MappingProxyType(
    {
        Kind.MONEY: ("money",),
        Kind.NUMBER: NUMBER,
        Kind.PERCENT: PERCENT,
        Kind.PERCENTAGE_POINT: POINTS,
    }
)
_POINT_WRITINGS: Final = frozenset({Writing.EXACT, Writing.ROUNDED})
_HALF: Final = Fraction(1, 2)
_MOST_PLACES: Final = 30
_MOST_SHOWN: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Amount:
    """An operand's number in the base unit of its family; `factor` leads from its own unit there."""

    operand: Operand
    value: Quantity
    family: Family
    number: Fraction
    factor: Fraction

    @property
    def is_count(self) -> bool:
        """Whether it counts something: a bare number or a number of things."""
        return self.family == NUMBER or self.family[0] == "noun"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The numbers, in the base unit of the claim's family, that a result may have to be the claimed one.

    `low` and `high` allow for rounding to the places written, `exact_low` and `exact_high` do not.
    """

    family: Family
    low: Fraction | None
    high: Fraction | None
    exact_low: Fraction | None
    exact_high: Fraction | None
    factor: Fraction

    def holds(self, number: Fraction) -> bool:
        """Return whether the number is the claimed one, rounding allowed."""
        return (self.low is None or self.low <= number) and (
            self.high is None or number <= self.high
        )

    def holds_quotient(self, above: Fraction, below: Fraction, factor: int = 1) -> bool:
        """Return whether `factor * above / below`, with a positive `below`, is the claimed number."""
        top = factor * above.numerator * below.denominator
        bottom = above.denominator * below.numerator
        if self.low is not None and self.low.numerator * bottom > top * self.low.denominator:
            return False
        return self.high is None or top * self.high.denominator <= self.high.numerator * bottom

    def holds_exactly(self, number: Fraction) -> bool:
        """Return whether the number is the claimed one without rounding."""
        return (self.exact_low is None or self.exact_low <= number) and (
            self.exact_high is None or number <= self.exact_high
        )


def family_of(value: Quantity) -> tuple[Family, Fraction] | None:
    """Return the family of a value and the factor to its base unit; None for dates, times and ordinals."""
    if value.kind in _MEASURED:
        return _family_of_measure(value)
    return (_family_of_plain(value), _ONE) if value.kind in _PLAIN else None


def _family_of_plain(value: Quantity) -> Family:
    if value.kind is Kind.MONEY:
        return ("money", value.currency, None if value.currency else value.unit, value.per)
    family = _PLAIN[value.kind]
    return family if value.per is None else ("rate", value.kind, value.per)


def _family_of_measure(value: Quantity) -> tuple[Family, Fraction]:
    name = value.unit or ("s" if value.kind is Kind.DURATION else "")
    unit = unit_of(name) if name else None
    if unit is None:
        return ("noun", name, value.per), _ONE
    if unit.dimension in {TEMPERATURE, TEMPERATURE_DIFFERENCE}:
        return ("unit", unit.name.removeprefix(DELTA), value.per), _ONE
    factor = _ONE if unit.factor == 1 else unit.factor
    return ("unit", unit.dimension, value.per), factor


def read_amounts(operands: Sequence[Operand]) -> list[Amount]:
    """Return the operands that are single plain numbers, each by its readings of different kinds.

    Ranges, bounds, approximations, faulty and two-way values are left out: no calculation is exact on
    them.
    """
    found: list[Amount] = []
    for operand in operands:
        for reading in _readings(operand.value):
            amount = _read(operand, reading)
            if amount is not None:
                found.append(amount)
    return found


def _readings(value: Quantity) -> tuple[Quantity, ...]:
    """Return the readings of a value if each has another kind: a share as a number and as a percentage."""
    if not value.alternatives:
        return (value,)
    readings = (value, *value.alternatives)
    return readings if len({reading.kind for reading in readings}) == len(readings) else ()


def _read(operand: Operand, value: Quantity) -> Amount | None:
    number = value.interval.low
    if value.fault or number is None or value.writing not in _POINT_WRITINGS:
        return None
    if number is not value.interval.high and number != value.interval.high:
        return None
    known = family_of(value)
    if known is None:
        return None
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MOST_BITS:
        return None
    family, factor = known
    if factor is not _ONE:
        number = number * factor
    return Amount(operand=operand, value=value, family=family, number=number, factor=factor)


def read_target(claimed: Quantity) -> Target | None:
    """Return which numbers are the claimed one; None where it is two-way, faulty or no amount."""
    known = family_of(claimed)
    if known is None or claimed.fault or claimed.alternatives:
        return None
    family, factor = known
    low, high = claimed.interval.low, claimed.interval.high
    slack = Fraction(0)
    if claimed.places is not None and claimed.writing in {*_POINT_WRITINGS, Writing.APPROXIMATE}:
        slack = _HALF / Fraction(10) ** max(-_MOST_PLACES, min(claimed.places, _MOST_PLACES))
    return Target(
        family=family,
        low=None if low is None else (low - slack) * factor,
        high=None if high is None else (high + slack) * factor,
        exact_low=None if low is None else low * factor,
        exact_high=None if high is None else high * factor,
        factor=factor,
    )


def is_like(family: Family, target: Family) -> bool:
    """Return whether amounts of the family can be the claimed one: numbers may count what is named."""
    if family == target:
        return True
    return {family[0], target[0]} <= {"number", "noun"} and "number" in {family[0], target[0]}


def state(template: Quantity, number: Fraction) -> Quantity:
    """Return an exact value of the template's kind and unit, the number being in that unit."""
    return replace(
        template,
        interval=Interval.point(number),
        text=spell(number),
        writing=Writing.EXACT,
        places=_places(number),
        nominal=None,
        alternatives=(),
        fault=None,
    )


def minor_digits(value: Quantity) -> int:
    """Return how many decimals an amount of money can have; two where the currency is open."""
    digits = minor_units(value.currency) if value.currency else 2
    return 2 if digits is None else digits


def total_of(amounts: Sequence[Amount]) -> Fraction:
    """Return the sum of the amounts in the base unit of their family."""
    scale = math.lcm(*(amount.number.denominator for amount in amounts))
    return Fraction(sum(times(amount.number, scale) for amount in amounts), scale)


def times(number: Fraction, scale: int) -> int:
    """Return the number times a multiple of its denominator."""
    return number.numerator * (scale // number.denominator)


def shown(value: Quantity) -> str:
    """Return a single value as it stands in a calculation: money with its cents, measures with units."""
    number = value.interval.low or Fraction(0)
    least = minor_digits(value) if value.kind is Kind.MONEY and number.denominator > 1 else 0
    text = spell(number, least=least)
    if value.kind is Kind.PERCENT:
        return f"{text}%"
    measured = value.kind in {Kind.QUANTITY, Kind.DURATION} and value.unit is not None
    return f"{text} {value.unit}" if measured else text


def spell(number: Fraction, *, least: int = 0) -> str:
    """Return the number in decimals, of which it has `least`; cut after four where it does not end."""
    places = _places(number)
    digits = 4 if places is None else max(places, least)
    scaled = round(number * 10**digits)
    sign, scaled = ("-" if scaled < 0 else ""), abs(scaled)
    whole, rest = divmod(scaled, 10**digits)
    text = f"{sign}{whole:,}" + (f".{rest:0{digits}d}" if digits else "")
    return text if places is not None else f"{text}…"


def join(numbers: Sequence[str], sign: str) -> str:
    """Return the numbers of a calculation joined, a long list cut."""
    if len(numbers) <= _MOST_SHOWN:
        return sign.join(numbers)
    return sign.join([*numbers[:2], f"… ({len(numbers)} values)"])


def _places(number: Fraction) -> int | None:
    """Return how many decimals the number needs, None where it has no end (or a far one)."""
    for places in range(13):
        if (number * 10**places).denominator == 1:
            return places
    return None
