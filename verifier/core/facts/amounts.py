"""Bare numbers in the unit, currency or share that the name of their field tells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.facts.forms import Role
from verifier.core.facts.moments import read_moment_number, read_year
from verifier.core.quantities import extract_quantities, minor_units, unit_of
from verifier.core.values import Kind, Quantity, Writing

if TYPE_CHECKING:
    from verifier.core.facts.forms import FieldForm
    from verifier.core.statements import ReadingTerms

_PERCENT_UNITS: Final = frozenset({"%", "percent", "pct"})
_ABOVE_SHARES: Final = 30  # taxes and interest that a bare `rate` may be are below


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What stands beside a field in its record and decides its value: currency, unit, minor units, period."""

    currency: str | None = None
    unit: str | None = None
    minor: bool = False
    period: str | None = None


ALONE: Final = Beside()


def shape_number(
    plain: Quantity, form: FieldForm, *, terms: ReadingTerms, beside: Beside = ALONE
) -> tuple[Quantity, ...]:
    """Return what a bare number says in its field: what is meant first, then a share as a number.

    Money without a known currency stays a number: its unit is unproven.
    """
    asked = form.role is Role.RATE and _is_asked(plain, form, beside)
    if asked or form.role in {Role.MONEY, Role.MONEY_OR_NUMBER}:
        return (_money(plain, form, terms, beside),)
    if form.role in {Role.RATIO, Role.RATE}:
        return _ratio(plain)
    return (_shaped(plain, form, terms, beside),)


def _shaped(plain: Quantity, form: FieldForm, terms: ReadingTerms, beside: Beside) -> Quantity:
    """Return a number of a role that allows one reading."""
    match form.role:
        case Role.PERCENT:
            return _percent(plain)
        case Role.POINTS:
            points = plain.interval.scaled(form.scale)
            return replace(plain, kind=Kind.PERCENTAGE_POINT, interval=points, places=None)
        case Role.YEAR:
            return read_year(plain.text, terms) or plain
        case Role.MOMENT:
            return read_moment_number(plain.text, terms) or plain
        case _:
            return _measure(plain, form.unit if form.role is Role.MEASURE else beside.unit)


def _is_asked(plain: Quantity, form: FieldForm, beside: Beside) -> bool:
    """Return whether a rate is money: in a known currency, and for a night or the like or above any share."""
    number = plain.interval.low
    if form.currency is None and beside.currency is None:
        return False
    return len(form.words) > 1 or (number is not None and number >= _ABOVE_SHARES)


def _money(plain: Quantity, form: FieldForm, terms: ReadingTerms, beside: Beside) -> Quantity:
    """Return money where a currency is known, else the bare number: its unit is then unproven."""
    told = form.currency or beside.currency
    if told is None and beside.unit is not None:
        return _measure(plain, beside.unit)
    currency = told or terms.default_currency
    weak = form.role is Role.MONEY_OR_NUMBER and told is None
    if weak and not plain.places:
        return plain
    minor = form.minor or ("minor" if beside.minor else None)
    if minor is not None:
        return _minor(plain, currency, minor, period=beside.period)
    if currency is None and form.scale == 1:
        return plain
    value = replace(plain, kind=Kind.MONEY, currency=currency, per=plain.per or beside.period)
    return scaled(value, form.scale) if form.scale != 1 else value


def _minor(
    plain: Quantity, currency: str | None, minor: str, *, period: str | None = None
) -> Quantity:
    """Return an amount that counts cents, or minor units as ISO 4217 has them."""
    digits = minor_units(currency) if currency else 2 if minor == "cents" else None
    if digits is None:
        return plain
    interval = plain.interval.scaled(Fraction(1, 10**digits))
    return replace(
        plain,
        kind=Kind.MONEY,
        currency=currency,
        interval=interval,
        places=digits or None,
        per=plain.per or period,
    )


def scaled(value: Quantity, factor: Fraction) -> Quantity:
    """Return an amount told in thousands or millions; the digits below were rounded away."""
    power = len(str(int(factor))) - 1
    places = (value.places or 0) - power
    writing = Writing.ROUNDED if value.writing is Writing.EXACT and places < 0 else value.writing
    interval = value.interval.scaled(factor)
    return replace(value, interval=interval, places=places, writing=writing, alternatives=())


def _percent(plain: Quantity) -> Quantity:
    """Return a percentage; one below 1 with decimals may be a share of one as well."""
    value = replace(plain, kind=Kind.PERCENT, per=None)
    if not _is_share(plain):
        return value
    hundredfold = plain.interval.scaled(Fraction(100))
    return replace(value, alternatives=(replace(value, interval=hundredfold, places=None),))


def _ratio(plain: Quantity) -> tuple[Quantity, ...]:
    """Return a share of one as percent, then as the bare number; other numbers stay as they are."""
    if not _is_share(plain):
        return (plain,)
    places = None if plain.places is None else max(0, plain.places - 2)
    share = replace(
        plain, kind=Kind.PERCENT, interval=plain.interval.scaled(Fraction(100)), places=places
    )
    return (share, plain)


def _is_share(plain: Quantity) -> bool:
    if not plain.interval.is_point:
        return False
    number = plain.interval.low
    return number is not None and -1 < number < 1 and number.denominator != 1


def _measure(plain: Quantity, unit_name: str | None) -> Quantity:
    unit = unit_of(unit_name) if unit_name else None
    if unit_name in _PERCENT_UNITS:
        return _percent(plain)
    if unit is None:
        return plain
    kind = Kind.DURATION if is_duration(unit.name) else Kind.QUANTITY
    return replace(plain, kind=kind, unit=unit.name)


@lru_cache(maxsize=256)
def is_duration(unit: str) -> bool:
    """Return whether amounts of a unit, by its canonical name, are durations."""
    mentions = extract_quantities(f"2 {unit}")
    return unit in {"year", "mo", "business_day"} or any(
        one.value.kind is Kind.DURATION for one in mentions
    )
