"""How amounts with units, counts, shares and money relate: what must be the same before numbers count."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.interval_relations import Scale, relate_intervals
from verifier.core.quantities.currencies import currency_family, minor_units
from verifier.core.relations import How, Outcome, Relation
from verifier.core.units import BUSINESS_DAY, INFORMATION, MONTH, TIME, Unit, unit_of
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.values import Quantity

_SHARES: Final = {Kind.PERCENT: Fraction(1, 100), Kind.PERCENTAGE_POINT: Fraction(1, 100)}
_DAY_SECONDS: Final = 86_400
_DURATION_COARSEST: Final = Fraction(1, 20)
_OTHER_DIMENSION: Final = Relation(Outcome.INCOMPARABLE, How.OTHER_DIMENSION)
_UNPROVEN: Final = Relation(Outcome.INCOMPARABLE, How.UNIT_UNPROVEN)


def relate_amounts(claim: Quantity, evidence: Quantity) -> Relation:
    """Return the relation of two numbers, shares, measures or durations."""
    if Kind.PERCENTAGE_POINT in {claim.kind, evidence.kind} and claim.kind is not evidence.kind:
        return _points_and_percent(claim, evidence)
    if claim.kind in _SHARES or evidence.kind in _SHARES:
        return _relate_shares(claim, evidence)
    if Kind.ORDINAL in {claim.kind, evidence.kind} and claim.kind is not evidence.kind:
        same = _meet(claim, evidence, Scale(rounds=False))
        return (
            Relation(Outcome.COULD_BE, How.OTHER_KIND)
            if same
            else Relation(Outcome.INCOMPARABLE, How.OTHER_KIND)
        )
    if claim.kind is Kind.ORDINAL and claim.unit != evidence.unit:
        return _UNPROVEN
    one, other = _unit(claim), _unit(evidence)
    if one is not None and other is not None:
        return relate_units(claim, evidence, one, other)
    if one is None and other is None:
        return _relate_counts(claim, evidence)
    return _with_open_unit(claim, evidence)


@lru_cache(maxsize=1024)
def _unit_named(name: str) -> Unit | None:
    return unit_of(name)


def _unit(quantity: Quantity) -> Unit | None:
    if quantity.unit is None:
        return _unit_named("s") if quantity.kind is Kind.DURATION else None
    return _unit_named(quantity.unit)


def _points_and_percent(claim: Quantity, evidence: Quantity) -> Relation:
    same = _meet(claim, evidence, Scale())
    if same and {claim.kind, evidence.kind} == {Kind.PERCENT, Kind.PERCENTAGE_POINT}:
        return Relation(Outcome.DISAGREE, How.OTHER_KIND)
    return Relation(Outcome.INCOMPARABLE, How.OTHER_KIND)


def _relate_shares(claim: Quantity, evidence: Quantity) -> Relation:
    if claim.kind is evidence.kind:
        return relate_intervals(claim, evidence, Scale())
    share, other = (claim, evidence) if claim.kind in _SHARES else (evidence, claim)
    unit = _unit(other)
    if unit is not None and unit.dimension == (("ratio", 1),):
        factor = unit.factor * 100
        scale = Scale(factor=factor if share is claim else 1 / factor, equal=How.SAME_UNIT)
        return relate_intervals(claim, evidence, scale)
    if other.kind is not Kind.NUMBER:
        return Relation(Outcome.INCOMPARABLE, How.OTHER_KIND)
    as_fraction = Scale(factor=Fraction(100) if share is claim else Fraction(1, 100))
    if _meet(claim, evidence, as_fraction) or _meet(claim, evidence, Scale()):
        return Relation(Outcome.COULD_BE, How.UNIT_UNPROVEN)
    return Relation(Outcome.DISAGREE, How.DIFFERENT)


def _relate_counts(claim: Quantity, evidence: Quantity) -> Relation:
    """Compare numbers and counted nouns; another noun for an equal number leaves it open."""
    decimal = bool(claim.places and claim.places > 0) or claim.unit is None
    found = relate_intervals(claim, evidence, Scale(rounds=decimal))
    if claim.unit is None or evidence.unit is None or claim.unit == evidence.unit:
        return found
    same = _meet(claim, evidence, Scale(rounds=decimal))
    return Relation(Outcome.COULD_BE, How.UNIT_UNPROVEN) if same else _UNPROVEN


def _with_open_unit(claim: Quantity, evidence: Quantity) -> Relation:
    if Kind.NUMBER not in {claim.kind, evidence.kind}:
        return _OTHER_DIMENSION
    same = _meet(claim, evidence, Scale())
    return Relation(Outcome.COULD_BE, How.UNIT_UNPROVEN) if same else _UNPROVEN


def _meet(claim: Quantity, evidence: Quantity, scale: Scale) -> bool:
    """Return whether one of the two bears out the other, whichever is the claim."""
    if relate_intervals(claim, evidence, scale).agrees:
        return True
    back = Scale(factor=1 / scale.factor, rounds=scale.rounds)
    return relate_intervals(evidence, claim, back).agrees


def relate_units(claim: Quantity, evidence: Quantity, one: Unit, other: Unit) -> Relation:
    """Return the relation of amounts in two units, converted where their dimension is the same."""
    if not one.same_dimension(other):
        return _across_calendars(claim, evidence, one, other)
    scale = _scale(claim, one, other, other.factor)
    found = relate_intervals(claim, evidence, scale)
    exact = found.how in {How.EQUAL, How.SAME_UNIT}
    if exact or one.dimension != INFORMATION:
        return found
    return _with_binary_prefix(claim, evidence, one, other) or found


def _scale(claim: Quantity, one: Unit, other: Unit, factor: Fraction) -> Scale:
    coarse = claim.kind is Kind.DURATION and (claim.places or 0) <= 0
    if one is other:
        return Scale(coarsest=_DURATION_COARSEST if coarse else None)
    return Scale(
        factor=factor / one.factor,
        shift=(other.offset - one.offset) / one.factor,
        equal=How.EQUAL if one.name == other.name else How.SAME_UNIT,
        coarsest=_DURATION_COARSEST if coarse else None,
    )


def _with_binary_prefix(
    claim: Quantity, evidence: Quantity, one: Unit, other: Unit
) -> Relation | None:
    """Return could_be where only the habit of counting GB in powers of two tells the two apart."""
    if "i" in {one.name[1:2], other.name[1:2]} or (one.binary_factor is None) == (
        other.binary_factor is None
    ):
        return None
    mine = _in_powers_of_two(one)
    theirs = _in_powers_of_two(other)
    if relate_intervals(claim, evidence, _scale(claim, mine, theirs, theirs.factor)).agrees:
        return Relation(Outcome.COULD_BE, How.BINARY_PREFIX)
    return None


def _in_powers_of_two(unit: Unit) -> Unit:
    """Return the unit as those read it who count its prefix in powers of two."""
    return unit if unit.binary_factor is None else replace(unit, factor=unit.binary_factor)


def _across_calendars(claim: Quantity, evidence: Quantity, one: Unit, other: Unit) -> Relation:
    """Compare months with days and days with business days, which no factor converts."""
    dimensions = {one.dimension, other.dimension}
    if dimensions == {TIME, MONTH}:
        months, days = (claim, evidence) if one.dimension == MONTH else (evidence, claim)
        spread = _in_days(months)
        exact = _in_days(days)
        weeks = (other if one.dimension == MONTH else one).name == "wk"
        apart = spread is None or exact is None or exact[1] < spread[0] or exact[0] > spread[1]
        return Relation(Outcome.DISAGREE if apart or weeks else Outcome.COULD_BE, How.CALENDAR)
    if BUSINESS_DAY in dimensions and dimensions & {TIME, MONTH}:
        return Relation(Outcome.COULD_BE, How.CALENDAR)
    return _OTHER_DIMENSION


def _in_days(quantity: Quantity) -> tuple[Fraction, Fraction] | None:
    unit = _unit(quantity)
    low, high = quantity.interval.low, quantity.interval.high
    if unit is None or low is None or high is None:
        return None
    if unit.dimension == MONTH:
        months = (low * unit.factor, high * unit.factor)
        if low == high and months[0] % 12 == 0:
            return months[0] / 12 * 365, months[1] / 12 * 366
        return months[0] * 28, months[1] * 31
    return low * unit.factor / _DAY_SECONDS, high * unit.factor / _DAY_SECONDS


def relate_money(claim: Quantity, evidence: Quantity) -> Relation:
    """Return the relation of two amounts of money; their currencies must be the same."""
    if claim.kind is not evidence.kind:
        return _money_and_number(claim, evidence)
    shared = _same_currency(claim, evidence)
    if shared is False:
        return Relation(Outcome.DISAGREE, How.OTHER_CURRENCY)
    factor = _per_factor(claim.per, evidence.per)
    scale = Scale(
        factor=factor or Fraction(1),
        rounds=factor not in {None, 1},
        equal=How.EQUAL if claim.per == evidence.per else How.SAME_UNIT,
    )
    found = relate_intervals(claim, evidence, scale)
    if factor is None and claim.per != evidence.per:
        agrees = found.outcome is not Outcome.DISAGREE
        return Relation(Outcome.COULD_BE if agrees else Outcome.INCOMPARABLE, How.PERIOD_OPEN)
    if shared is None and found.outcome is Outcome.AGREE:
        return Relation(Outcome.COULD_BE, How.CURRENCY_OPEN)
    return found


def _money_and_number(claim: Quantity, evidence: Quantity) -> Relation:
    """Compare money with a bare number, whose currency and minor units nothing proves."""
    money, number = (claim, evidence) if claim.kind is Kind.MONEY else (evidence, claim)
    if number.kind is not Kind.NUMBER:
        return Relation(Outcome.INCOMPARABLE, How.OTHER_KIND)
    digits = (minor_units(money.currency) if money.currency else 2) or 0
    minor = Fraction(10**digits)
    factor = 1 / minor if money is claim else minor
    plain = relate_intervals(claim, evidence, Scale(rounds=False))
    if plain.outcome is not Outcome.DISAGREE or _meet(
        claim, evidence, Scale(factor=factor, rounds=False)
    ):
        return Relation(Outcome.COULD_BE, How.UNIT_UNPROVEN)
    return plain


def _same_currency(claim: Quantity, evidence: Quantity) -> bool | None:
    """Return True or False, or None where an open mark leaves it open."""
    if claim.currency and evidence.currency:
        return claim.currency == evidence.currency
    if not claim.currency and not evidence.currency:
        if claim.unit == evidence.unit:
            return True
        return bool(_family(claim) & _family(evidence)) or (
            None if not (claim.unit and evidence.unit) else False
        )
    family = _family(claim) | _family(evidence)
    code = claim.currency or evidence.currency
    return None if not family or code in family else False


def _family(quantity: Quantity) -> frozenset[str]:
    return (
        currency_family(quantity.unit) if quantity.unit and not quantity.currency else frozenset()
    )


@lru_cache(maxsize=256)
def _per_factor(claim: str | None, evidence: str | None) -> Fraction | None:
    """Return what brings an amount per `evidence` to one per `claim`, None where nothing does."""
    if claim == evidence:
        return Fraction(1)
    if claim is None or evidence is None:
        return None
    (count, unit), (other_count, other) = _per_parts(claim), _per_parts(evidence)
    if not count or not other_count:  # "per 0 hours" is no rate
        return None
    if (
        unit is None
        or other is None
        or not unit.same_dimension(other)
        or unit.dimension in {TIME, MONTH}
    ):
        same = unit is not None and other is not None and unit == other
        return count / other_count if same else None
    return (count * unit.factor) / (other_count * other.factor)


def _per_parts(per: str) -> tuple[Fraction, Unit | None]:
    number, _, name = per.rpartition(" ") if per[:1].isdigit() else ("", "", per)
    return Fraction(number or 1), unit_of(name)
