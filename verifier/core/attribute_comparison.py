"""Whether a record or row bears out what is claimed of one of its attributes."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from verifier.core.comparison import Outcome, relate
from verifier.core.evidence import Polarity
from verifier.core.quantities.currencies import currency_family
from verifier.core.values import Kind, Quantity, TextValue, Value, Writing

_NO_CURRENCY: Final = "XXX"
_OPPOSITE: Final = {Outcome.AGREE: Outcome.DISAGREE, Outcome.DISAGREE: Outcome.AGREE}


def compare_attribute(
    claim: Value, evidence: Value, *, polarity: Polarity = Polarity.STATED
) -> Outcome:
    """Return the relation of a claimed value to the one value that a record holds.

    Money that names no currency, or only an open mark such as "$", is meant in the record's currency
    where that is one the mark may stand for. A denied state agrees with any other state.
    """
    if isinstance(claim, Quantity) and isinstance(evidence, Quantity):
        money = claim.kind is Kind.MONEY and evidence.kind is Kind.MONEY
        related = _compare_money(claim, evidence) if money else relate(claim, evidence).outcome
        open_ended = related is Outcome.AGREE and _turns_into_ends(claim, evidence)
        return Outcome.COULD_BE if open_ended else related
    outcome = relate(claim, evidence).outcome
    if polarity is Polarity.STATED:
        return outcome
    denies_state = isinstance(claim, TextValue) and claim.kind in {Kind.STATE, Kind.BOOLEAN}
    return _OPPOSITE.get(outcome, outcome) if denies_state else Outcome.INCOMPARABLE


def _turns_into_ends(claim: Quantity, evidence: Quantity) -> bool:
    """Return whether a range, or an end of prices ("from $9"), is claimed where the record has one value.

    "Under $60" and "over 10 left" say less than the record, and are true of it.
    """
    value = evidence.interval.low
    if value is None or not evidence.interval.is_point:
        return False
    if claim.writing is Writing.RANGE:
        return True
    ends = (claim.interval.low, claim.interval.high)
    return claim.writing is Writing.BOUND and claim.kind is Kind.MONEY and value in ends


def _compare_money(claim: Quantity, evidence: Quantity) -> Outcome:
    if claim.currency is None and evidence.currency is None and claim.unit == evidence.unit:
        claim = replace(claim, currency=_NO_CURRENCY, unit=None)
        return relate(claim, replace(evidence, currency=_NO_CURRENCY, unit=None)).outcome
    meant = evidence.currency is not None and (
        claim.unit is None or evidence.currency in currency_family(claim.unit)
    )
    if claim.currency is None and meant:
        claim = replace(claim, currency=evidence.currency, unit=None, alternatives=())
    return relate(claim, evidence).outcome
