"""Values as plain numbers of a family, which is what may be added, compared or divided."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.currencies import minor_units
from verifier.core.units import unit_of
from verifier.core.values import Interval, Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from verifier.core.derivation.operations import Operand

Family = tuple["Hashable", ...]
"""What amounts must have in common: kind, currency, dimension, period of a rate."""

NUMBER: Final[Family] = ("number",)
PERCENT: Final[Family] = ("percent",)
POINTS: Final[Family] = ("points",)
MOST_DIGITS_BITS: Final = 512
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

    def holds_exactly(self, number: Fraction) -> bool:
        """Return whether the number is the claimed one without rounding."""
        return (self.exact_low is None or self.exact_low <= number) and (
            self.exact_high is None or number <= self.exact_high
        )


def family_of(value: Quantity) -> tuple[Family, Fraction] | None:
    """Return the family of a value and the factor to its base unit; None for dates, times and ordinals."""
    if value.kind is Kind.MONEY:
        mark = None if value.currency else value.unit
        return ("money", value.currency, mark, value.per), Fraction(1)
    if value.kind is Kind.PERCENT:
        return (PERCENT, Fraction(1)) if value.per is None else None
    if value.kind is Kind.PERCENTAGE_POINT:
        return POINTS, Fraction(1)
    if value.kind is Kind.NUMBER:
        return (NUMBER if value.per is None else ("rate", value.per)), Fraction(1)
    if value.kind not in {Kind.QUANTITY, Kind.DURATION}:
        return None
    name = value.unit or ("s" if value.kind is Kind.DURATION else "")
    unit = unit_of(name) if name else None
    if unit is None:
        return ("noun", name, value.per), Fraction(1)
    if unit.dimension == (("temperature", 1),):
        return ("unit", unit.name, value.per), Fraction(1)
    return ("unit", unit.dimension, value.per), unit.factor


def read_amounts(operands: Sequence[Operand]) -> list[Amount]:
    """Return the operands that are single plain numbers, each by its readings of different kinds.

    Ranges, bounds, approximations, faulty and two-way values are left out: no calculation is exact on
    them.
    """
    found: list[Amount] = []
    for operand in operands:
        readings = (operand.value, *operand.value.alternatives)
        if len({reading.kind for reading in readings}) < len(readings):
            continue
        for reading in readings:
            amount = _read(operand, reading)
            if amount is not None:
                found.append(amount)
    return found


def _read(operand: Operand, value: Quantity) -> Amount | None:
    number = value.interval.low
    if value.fault or number is None or not value.interval.is_point:
        return None
    if value.writing not in _POINT_WRITINGS:
        return None
    known = family_of(value)
    if known is None or max(number.numerator.bit_length(), number.denominator.bit_length()) > (
        MOST_DIGITS_BITS
    ):
        return None
    family, factor = known
    return Amount(
        operand=operand, value=value, family=family, number=number * factor, factor=factor
    )


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


def shown(amount: Amount) -> str:
    """Return an amount's number as it stands in a calculation, money with its cents."""
    number = amount.number / amount.factor
    least = minor_digits(amount.value) if amount.value.kind is Kind.MONEY else 0
    text = spell(number, least=0 if number.denominator == 1 else least)
    return text + ("%" if amount.family == PERCENT else "")


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
