"""The one relation between a claimed value and a value of the evidence.

Both are intervals; rounding, comparators, ranges and tolerances are read off how each was written. The
relation knows nothing of subjects and attributes: that the two belong together is the caller's finding.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.calendar_relations import relate_dates, relate_times
from verifier.core.interval_relations import overlap
from verifier.core.measure_relations import relate_amounts, relate_money
from verifier.core.relations import How, Outcome, Relation
from verifier.core.values import Kind, Quantity, TextValue, Writing

if TYPE_CHECKING:
    from verifier.core.values import Value

__all__ = ["How", "Outcome", "Relation", "relate"]

_AMOUNTS: Final = frozenset(
    {Kind.NUMBER, Kind.QUANTITY, Kind.DURATION, Kind.PERCENT, Kind.PERCENTAGE_POINT, Kind.ORDINAL}
)
_CALENDAR: Final = frozenset({Kind.DATE, Kind.TIME, Kind.QUARTER})
_WORDING: Final = frozenset({Kind.STATE, Kind.NAME, Kind.TEXT, Kind.IDENTIFIER, Kind.PHONE})
_MOST_READINGS: Final = 8
_EXACTLY: Final = ("exactly ", "precisely ")
_NEARLY: Final = frozenset({How.ROUNDED, How.TRUNCATED, How.APPROXIMATE})


def relate(claim: Value, evidence: Value) -> Relation:
    """Return whether a value of the evidence bears out a claimed one, and how that was found.

    AGREE: the claim as written follows from the evidence. DISAGREE: it contradicts it. COULD_BE: it
    depends on what is left open (a currency, a zone, a two-way reading, whether one number of a range is
    meant as an instance). INCOMPARABLE: other kinds or dimensions, or a unit that nothing proves.
    """
    if isinstance(claim, TextValue) or isinstance(evidence, TextValue):
        return _relate_texts(claim, evidence)
    if _plainly_differ(claim, evidence):
        return Relation(Outcome.DISAGREE, How.DIFFERENT)
    readings = [claim, *claim.alternatives][:_MOST_READINGS]
    others = [evidence, *evidence.alternatives][:_MOST_READINGS]
    first = _exactly(claim, _relate_readings(claim, evidence))
    if len(readings) == len(others) == 1:
        return first
    if first.agrees and _fold(claim.text) == _fold(evidence.text):
        return first
    relations = [
        _exactly(claim, _relate_readings(one, other)) for one in readings for other in others
    ]
    told = [relation for relation in relations if relation.outcome is not Outcome.INCOMPARABLE]
    outcomes = {relation.outcome for relation in told}
    if len(outcomes) <= 1:
        return first if first in told or not told else told[0]
    return Relation(Outcome.COULD_BE, How.READINGS)


def _plainly_differ(claim: Quantity, evidence: Quantity) -> bool:
    """Return whether two exact numbers of one unit are further apart than any rounding of the claim.

    It spares most comparisons the whole relation, and says what that would say.
    """
    same = (
        claim.kind is evidence.kind
        and claim.unit == evidence.unit
        and claim.currency == evidence.currency
        and claim.per == evidence.per
    )
    if not same or claim.places is None or evidence.places is None or claim.kind in _CALENDAR:
        return False
    places = min(claim.places, evidence.places)
    if places < 0:
        return False
    if not (_is_plain(claim) and _is_plain(evidence)):
        return False
    mine, theirs = claim.interval.low, evidence.interval.low
    if mine is None or theirs is None or mine == theirs:
        return False
    return abs(mine - theirs) >= _last_place(places)


def _is_plain(value: Quantity) -> bool:
    exact = value.writing is Writing.EXACT and value.fault is None and not value.alternatives
    return exact and value.interval.is_point


@lru_cache(maxsize=64)
def _last_place(places: int) -> Fraction:
    return Fraction(1, 10**places)


def _exactly(claim: Quantity, relation: Relation) -> Relation:
    """Return that a claim which says "exactly" is not borne out by what only rounds to it."""
    if relation.agrees and relation.how in _NEARLY and claim.text.casefold().startswith(_EXACTLY):
        return Relation(Outcome.DISAGREE, How.DIFFERENT)
    return relation


def _fold(text: str) -> str:
    return "".join(text.split()).casefold()


def _relate_readings(claim: Quantity, evidence: Quantity) -> Relation:
    if claim.fault or evidence.fault:
        return _relate_faulty(claim, evidence)
    if claim.kind is Kind.MONEY or evidence.kind is Kind.MONEY:
        return relate_money(claim, evidence)
    if claim.kind in _CALENDAR and evidence.kind in _CALENDAR:
        if Kind.TIME in {claim.kind, evidence.kind}:
            return relate_times(claim, evidence)
        return relate_dates(claim, evidence)
    if claim.kind in _AMOUNTS and evidence.kind in _AMOUNTS:
        return relate_amounts(claim, evidence)
    return Relation(Outcome.INCOMPARABLE, How.OTHER_KIND)


def _relate_faulty(claim: Quantity, evidence: Quantity) -> Relation:
    """Compare values of which one is vague ("several"), impossible (30 February) or without a clock."""
    if _fold(claim.text) == _fold(evidence.text) and claim.fault == evidence.fault:
        return Relation(Outcome.COULD_BE, How.FAULT)
    if "vague" in {claim.fault, evidence.fault}:
        if claim.kind is evidence.kind and claim.unit == evidence.unit:
            apart = not overlap(claim.interval, evidence.interval)
            return Relation(Outcome.DISAGREE if apart else Outcome.COULD_BE, How.VAGUE)
        return Relation(Outcome.COULD_BE, How.VAGUE)
    impossible = claim.fault is not None and claim.fault != "no_clock" and evidence.fault is None
    if impossible and claim.kind is evidence.kind:
        return Relation(Outcome.DISAGREE, How.FAULT)
    return Relation(Outcome.INCOMPARABLE, How.FAULT)


def _relate_texts(claim: Value, evidence: Value) -> Relation:
    if isinstance(claim, TextValue) and isinstance(evidence, TextValue):
        return _relate_two_texts(claim, evidence)
    if _fold(claim.text) == _fold(evidence.text):
        return Relation(Outcome.COULD_BE, How.OTHER_KIND)
    return Relation(Outcome.INCOMPARABLE, How.OTHER_KIND)


def _relate_two_texts(claim: TextValue, evidence: TextValue) -> Relation:
    kinds = {claim.kind, evidence.kind}
    if Kind.VERSION in kinds:
        return _relate_versions(claim, evidence)
    if len(kinds) > 1 and not kinds <= _WORDING:
        return Relation(Outcome.INCOMPARABLE, How.OTHER_KIND)
    same = claim.folded == evidence.folded
    if Kind.PHONE in kinds:
        same = _digits(claim.text) == _digits(evidence.text)
    return Relation(Outcome.AGREE, How.EQUAL) if same else Relation(Outcome.DISAGREE, How.DIFFERENT)


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _relate_versions(claim: TextValue, evidence: TextValue) -> Relation:
    """Compare versions part by part: 3.2 is not 3.20, and 1.0 may be 1.0.0."""
    if claim.kind is not evidence.kind and _version(claim.text) != _version(evidence.text):
        return Relation(Outcome.INCOMPARABLE, How.OTHER_KIND)
    one, other = _version(claim.text), _version(evidence.text)
    if one == other:
        return Relation(Outcome.AGREE, How.EQUAL)
    shorter, longer = sorted((one, other), key=len)
    if longer[: len(shorter)] == shorter and all(part == "0" for part in longer[len(shorter) :]):
        return Relation(Outcome.COULD_BE, How.READINGS)
    return Relation(Outcome.DISAGREE, How.DIFFERENT)


def _version(text: str) -> list[str]:
    parts = re.split(
        r"[.\-_+ ]+",
        text.strip().casefold().removeprefix("version").strip().removeprefix("v").strip(" ."),
    )
    return [part.lstrip("0") or "0" if part.isdigit() else part for part in parts]
