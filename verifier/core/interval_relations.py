"""The relation of two intervals of one unit, by how each was written."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.relations import How, Outcome, Relation
from verifier.core.values import Interval, Writing

if TYPE_CHECKING:
    from verifier.core.values import Quantity

_HALF: Final = Fraction(1, 2)
_POINTS: Final = frozenset({Writing.EXACT, Writing.ROUNDED})
DIFFERENT: Final = Relation(Outcome.DISAGREE, How.DIFFERENT)


@dataclass(frozen=True, slots=True)
class Scale:
    """How evidence becomes the claim's unit: `number * factor + shift`, with a positive factor.

    `equal` is what an equality is called; `rounds` allows a finer number to agree with a claim as
    written; `coarsest` limits how far, as a share of the claim's number.
    """

    factor: Fraction = Fraction(1)
    shift: Fraction = Fraction(0)
    equal: How = How.EQUAL
    rounds: bool = True
    coarsest: Fraction | None = None

    def to_claim(self, number: Fraction) -> Fraction:
        """Return a number of the evidence in the claim's unit."""
        return number * self.factor + self.shift

    def to_evidence(self, number: Fraction) -> Fraction:
        """Return a number of the claim in the evidence's unit."""
        return (number - self.shift) / self.factor

    def interval(self, interval: Interval) -> Interval:
        """Return an interval of the evidence in the claim's unit."""
        if self.factor == 1 and self.shift == 0:
            return interval
        return Interval(
            low=None if interval.low is None else self.to_claim(interval.low),
            high=None if interval.high is None else self.to_claim(interval.high),
            low_open=interval.low_open,
            high_open=interval.high_open,
        )


def relate_intervals(claim: Quantity, evidence: Quantity, scale: Scale) -> Relation:
    """Return how the evidence's interval, brought to the claim's unit, bears out the claim's."""
    other = scale.interval(evidence.interval)
    if claim.interval.is_point and claim.writing in _POINTS:
        return _point(claim, evidence, other, scale)
    if claim.writing is Writing.APPROXIMATE:
        return _approximate(claim, evidence, other, scale)
    if claim.writing is Writing.BOUND:
        return _bound(claim, evidence, other)
    return _range(claim, evidence, other, scale)


def _point(claim: Quantity, evidence: Quantity, other: Interval, scale: Scale) -> Relation:
    number = claim.interval.low
    if number is None:
        return DIFFERENT
    if other.is_point and other.low is not None and evidence.writing in _POINTS:
        return _two_points(claim, evidence, (number, other.low), scale)
    if not holds(other, number):
        return DIFFERENT
    nominal = None if evidence.nominal is None else scale.to_claim(evidence.nominal)
    if evidence.writing is Writing.APPROXIMATE:
        return Relation(Outcome.COULD_BE, How.APPROXIMATE)
    if evidence.writing is Writing.TOLERANCE and number == nominal:
        return Relation(Outcome.AGREE, How.NOMINAL)
    return Relation(Outcome.COULD_BE, How.END if number in {other.low, other.high} else How.INSIDE)


def _two_points(
    claim: Quantity, evidence: Quantity, numbers: tuple[Fraction, Fraction], scale: Scale
) -> Relation:
    number, other = numbers
    if number == other:
        return Relation(Outcome.AGREE, scale.equal)
    if (scale.rounds or claim.writing is Writing.ROUNDED) and rounds_to(
        other, number, claim.places
    ):
        near = scale.coarsest is None or abs(number - other) <= abs(number) * scale.coarsest
        return Relation(Outcome.AGREE if near else Outcome.COULD_BE, How.ROUNDED)
    coarse = scale.rounds or evidence.writing is Writing.ROUNDED
    if coarse and rounds_to(scale.to_evidence(number), scale.to_evidence(other), evidence.places):
        return Relation(Outcome.COULD_BE, How.FINER)
    if (
        scale.rounds
        and claim.places
        and claim.places > 0
        and _truncates_to(other, number, claim.places)
    ):
        return Relation(Outcome.COULD_BE, How.TRUNCATED)
    return DIFFERENT


def rounds_to(fine: Fraction, coarse: Fraction, places: int | None) -> bool:
    """Return whether `fine`, rounded to `places` decimals, is `coarse`; a half may go either way."""
    return places is not None and abs(fine - coarse) <= _half_of_last_place(places)


@lru_cache(maxsize=64)
def _half_of_last_place(places: int) -> Fraction:
    return _HALF / Fraction(10) ** places


def _truncates_to(fine: Fraction, coarse: Fraction, places: int) -> bool:
    step = Fraction(1, 10**places)
    return 0 <= abs(fine) - abs(coarse) < step and (fine >= 0) == (coarse >= 0)


def _approximate(claim: Quantity, evidence: Quantity, other: Interval, scale: Scale) -> Relation:
    nominal = claim.nominal if claim.nominal is not None else claim.interval.low
    theirs = None if evidence.nominal is None else scale.to_claim(evidence.nominal)
    if other.is_point and other.low is not None:
        close = nominal is not None and scale.rounds and rounds_to(other.low, nominal, claim.places)
        return _agreement(holds(claim.interval, other.low) or close, How.APPROXIMATE)
    if evidence.writing in {Writing.APPROXIMATE, Writing.TOLERANCE} and theirs is not None:
        if holds(claim.interval, theirs) and (nominal is None or holds(other, nominal)):
            return Relation(Outcome.AGREE, How.APPROXIMATE)
    elif within(other, claim.interval):
        return Relation(Outcome.AGREE, How.INSIDE)
    return Relation(Outcome.COULD_BE, How.PART) if overlap(claim.interval, other) else DIFFERENT


def _agreement(agrees: bool, how: How) -> Relation:  # noqa: FBT001
    return Relation(Outcome.AGREE, how) if agrees else DIFFERENT


def _bound(claim: Quantity, evidence: Quantity, other: Interval) -> Relation:
    if evidence.writing is Writing.BOUND:
        return _two_bounds(claim.interval, other)
    if within(other, claim.interval):
        return Relation(Outcome.AGREE, How.BOUND)
    return Relation(Outcome.COULD_BE, How.PART) if overlap(claim.interval, other) else DIFFERENT


def _two_bounds(claim: Interval, other: Interval) -> Relation:
    if claim == other:
        return Relation(Outcome.AGREE, How.EQUAL)
    same_side = (claim.low is None) == (other.low is None)
    if not same_side:
        ends = {claim.low, claim.high} & {other.low, other.high} - {None}
        return (
            DIFFERENT if ends or not overlap(claim, other) else Relation(Outcome.COULD_BE, How.PART)
        )
    descriptive = claim.low_open or claim.high_open
    if descriptive and within(other, claim):
        return Relation(Outcome.COULD_BE, How.BOUND)
    return DIFFERENT


def _range(claim: Quantity, evidence: Quantity, other: Interval, scale: Scale) -> Relation:
    mine = claim.interval
    if (mine.low, mine.high) == (other.low, other.high):
        return Relation(Outcome.AGREE, scale.equal)
    if other.is_point:
        inside = other.low is not None and holds(mine, other.low)
        if claim.writing is Writing.TOLERANCE:
            return Relation(Outcome.COULD_BE, How.NOMINAL) if inside else DIFFERENT
        return _agreement(inside, How.INSIDE)
    if evidence.writing is Writing.APPROXIMATE and within(other, mine):
        return Relation(Outcome.AGREE, How.INSIDE)
    if evidence.writing in {Writing.APPROXIMATE, Writing.BOUND} and overlap(mine, other):
        return Relation(Outcome.COULD_BE, How.PART)
    return DIFFERENT


def holds(interval: Interval, number: Fraction) -> bool:
    """Return whether the interval holds the number."""
    if interval.low is not None and (
        number < interval.low or (interval.low_open and number == interval.low)
    ):
        return False
    return (
        interval.high is None
        or number < interval.high
        or (number == interval.high and not interval.high_open)
    )


def within(inner: Interval, outer: Interval) -> bool:
    """Return whether every number of `inner` is in `outer`."""
    if outer.low is not None and (inner.low is None or inner.low < outer.low):
        return False
    if outer.high is not None and (inner.high is None or inner.high > outer.high):
        return False
    if outer.low_open and inner.low == outer.low and not inner.low_open and outer.low is not None:
        return False
    return not (
        outer.high_open
        and inner.high == outer.high
        and not inner.high_open
        and outer.high is not None
    )


def overlap(one: Interval, other: Interval) -> bool:
    """Return whether the two intervals share a number."""
    for left, right in ((one, other), (other, one)):
        if left.high is not None and right.low is not None:
            if left.high < right.low:
                return False
            if left.high == right.low and (left.high_open or right.low_open):
                return False
    return True
