"""Values that follow from bound facts by an operation that the sentence names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.binding.chance_hits import may_be_chance
from verifier.core.binding.compared import read_comparison
from verifier.core.binding.date_bounds import is_span_of_days
from verifier.core.binding.fairness import Fairness
from verifier.core.binding.judging import Fate, Judgement
from verifier.core.binding.operands import (
    COUNTS,
    StatedBefore,
    find_again,
    find_facts,
    find_held,
    find_stated,
    take_beside,
)
from verifier.core.binding.scoring import Candidate
from verifier.core.derivation import Operand, Operation, derive, find_cues
from verifier.core.lexicons import load_word_lists
from verifier.core.quantities.currencies import currency_family
from verifier.core.speech import read_words
from verifier.core.values import Kind, Quantity
from verifier.core.verdicts import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Spot
    from verifier.core.binding.setting import Setting
    from verifier.core.derivation import Derivation
    from verifier.core.values import Value

_OTHER_KINDS: Final = {
    Operation.PRODUCT: frozenset(
        {Kind.NUMBER, Kind.QUANTITY, Kind.DURATION, Kind.PERCENT, Kind.MONEY}
    ),
    Operation.SHARE: frozenset({Kind.NUMBER, Kind.QUANTITY, Kind.MONEY, Kind.DURATION}),
    Operation.AS_PERCENT: frozenset({Kind.NUMBER}),
    Operation.PERCENT_OF: frozenset({Kind.PERCENT, Kind.NUMBER, Kind.MONEY}),
    Operation.CHANGE_PERCENT: frozenset({Kind.NUMBER, Kind.QUANTITY, Kind.MONEY, Kind.DURATION}),
    Operation.CHANGE_POINTS: frozenset({Kind.PERCENT, Kind.NUMBER}),
    Operation.BASIS_POINTS: frozenset({Kind.PERCENT, Kind.NUMBER, Kind.MONEY}),
    Operation.DISCOUNT: frozenset({Kind.PERCENT, Kind.MONEY, Kind.NUMBER}),
    Operation.MARKUP: frozenset({Kind.PERCENT, Kind.MONEY, Kind.NUMBER}),
    Operation.RATIO: frozenset({Kind.NUMBER, Kind.QUANTITY, Kind.MONEY, Kind.DURATION}),
    Operation.UNIT_PRICE: frozenset({Kind.NUMBER, Kind.QUANTITY, Kind.MONEY, Kind.DURATION}),
    Operation.DATE_DIFFERENCE: frozenset({Kind.DATE}),
    Operation.DATE_SHIFT: frozenset({Kind.DATE, Kind.DURATION, Kind.NUMBER}),
}
"""Beside values of the claim's own dimension: what each operation may take as operands."""


def derive_value(
    spot: Spot, value: Value, setting: Setting, view: EvidenceView, before: Sequence[StatedBefore]
) -> Judgement | None:
    """Return the judgement of a derived value, or None where no named operation gives it.

    Operands are what the answer has stated `before`, then facts of results that are
    complete, the nearest first; where the clause names two things or more, only theirs.
    """
    if not isinstance(value, Quantity) or is_span_of_days(value):
        return None
    sentence = spot.passage.sentence
    cues = find_cues(sentence.text, spot.stated.span.shift(-sentence.span.start))
    if not cues:
        return None
    kinds = frozenset({value.kind}).union(*(_OTHER_KINDS.get(one, frozenset()) for one in cues))
    counted = kinds if Operation.PRODUCT in cues else kinds - COUNTS
    own, unproved = find_stated(spot, before, counted, view)
    compared = read_comparison(spot)
    facts = take_beside(own, find_facts(kinds, setting, view, compared))
    value = _rated(value, spot, facts)
    fairness = Fairness(spot, setting.clause | setting.around, view)
    cues = fairness.settle(cues)
    proved = [one for one in own if one.key is not None or one.from_user]
    left: Judgement | None = None
    known = [*find_held(own, facts), *proved]
    stated = frozenset(map(id, own))
    offers = (own, [*own, *facts], [*known, *facts], facts, *find_again(value, before))
    for operands in filter(None, offers):
        claimed = _settle(value, operands)
        derivation = derive(claimed, cues, operands, now=view.turn.now)
        if derivation is None:
            continue
        fair = fairness.allows(derivation, facts, own) and not may_be_chance(
            spot, value, derivation, stated, view
        )
        judgement = _judgement(derivation, unproved=unproved) if fair else _doubtful(derivation)
        if judgement.fate is Fate.DERIVED:
            return judgement
        left = left or judgement
    return left


def _doubtful(derivation: Derivation) -> Judgement:
    detail = f"it may follow, and nothing tells that it is meant: {derivation.wording}"
    return Judgement(fate=Fate.OPEN, detail=detail, reason=Reason.UNBOUND)


def _rated(value: Quantity, spot: Spot, facts: Sequence[Operand]) -> Quantity:
    """Return an amount with the time that the words behind it say it is for: "$8 more per month"."""
    if value.kind is not Kind.MONEY or value.per is not None:
        return value
    offset = spot.passage.sentence.span.start
    behind = spot.passage.sentence.text[spot.stated.span.end - offset : spot.clause.end - offset]
    words, lists = set(read_words(behind)), load_word_lists("cautions")
    rates = sorted({one.value.per for one in facts if one.value.per is not None})
    told = (one for one in rates if words & lists.get(f"per_{one}", frozenset()))
    return replace(value, per=next(told, None))


def _settle(value: Quantity, operands: Sequence[Operand]) -> Quantity:
    """Return an amount of open dollars or the like in the one currency of the operands."""
    if value.kind is not Kind.MONEY or value.currency is not None or value.unit is None:
        return value
    told = {one.value.currency for one in operands if one.value.kind is Kind.MONEY} - {None}
    code = next(iter(told)) if len(told) == 1 else None
    if code is None or code not in currency_family(value.unit):
        return value
    return replace(value, currency=code, unit=None, alternatives=())


def _judgement(derivation: Derivation, *, unproved: bool) -> Judgement:
    """Return the judgement of a derived value; one that rests on what is not proved itself stays open."""
    if unproved and any(one.key is None and not one.from_user for one in derivation.operands):
        detail = f"it follows from what the answer states: {derivation.wording}"
        return Judgement(fate=Fate.OPEN, detail=detail, reason=Reason.UNBOUND)
    keys = (one.key for one in derivation.operands)
    return Judgement(
        fate=Fate.DERIVED,
        detail=f"it follows: {derivation.wording}",
        deciding=tuple(one for one in keys if isinstance(one, Candidate)),
        derivation=derivation,
    )
