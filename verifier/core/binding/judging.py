"""What becomes of a value of an answer: proved, derived, refuted, absent, or left open with its reason."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.attribute_comparison import compare_attribute
from verifier.core.binding.vocabulary import load_weights
from verifier.core.lexicons import load_word_lists
from verifier.core.relations import Outcome
from verifier.core.text import fold
from verifier.core.text_stems import stem
from verifier.core.units import unit_of
from verifier.core.values import Interval, Kind, Quantity, TextValue
from verifier.core.verdicts import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.scoring import Candidate
    from verifier.core.binding.setting import Setting
    from verifier.core.derivation import Derivation
    from verifier.core.values import Value


class Fate(StrEnum):
    """What binding found of a value."""

    PROVED = "proved"
    DERIVED = "derived"
    REFUTED = "refuted"
    ABSENT = "absent"
    AMBIGUOUS = "ambiguous"
    OPEN = "open"
    ECHOED = "echoed"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judgement:
    """The fate of a value, and the candidates that decided.

    `right` is what the evidence has instead, `in_order` tells that earlier and later were told apart by the
    order of the values.
    """

    fate: Fate
    detail: str
    deciding: tuple[Candidate, ...] = ()
    right: str | None = None
    reason: Reason | None = None
    derivation: Derivation | None = None
    in_order: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """A judgement with everything that the value was held against, the best first."""

    judgement: Judgement
    candidates: Sequence[Candidate]


_ZONE: Final = re.compile(
    r"\b(?!AM\b|PM\b)[A-Z]{2,5}\b|[+-]\d|\b(?:[Ee]ast|[Ww]est|[Cc]entral|[Pp]acific|[Mm]ountain)"
)
_CALENDAR: Final = frozenset({Kind.DATE, Kind.TIME, Kind.QUARTER})
_NEAR_RATIOS: Final = tuple(
    (Fraction(low), Fraction(high)) for low, high in (("0.5", 2), (50, 200), ("0.005", "0.02"))
)
_VALUED: Final = frozenset({Outcome.AGREE, Outcome.DISAGREE, Outcome.COULD_BE})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Compared:
    """A candidate with the relation of its value to the claimed one."""

    candidate: Candidate
    outcome: Outcome


def compare_all(
    value: Value, ranked: Sequence[Candidate], setting: Setting, *, denied: bool
) -> list[Compared]:
    """Return the candidates with their outcomes, those that can't be compared left out.

    A refund is written without the sign that a record of payments gives it, and an amount per month where
    the words around say so ("Price per month: 9 EUR").
    """
    found = []
    gives_back = "refund" in setting.groups | setting.near_groups
    floor = ranked[0].points - load_weights().clear if ranked else 0
    for one in ranked:
        held = one.fact.fact.value
        if one.points < floor and _is_far(value, held):
            found.append(Compared(candidate=one, outcome=Outcome.DISAGREE))
            continue
        claim = _per_what(value, held, setting)
        outcome = compare_value(claim, _unsigned(held) if gives_back else held)
        if outcome in _VALUED:
            found.append(Compared(candidate=one, outcome=_turned(outcome) if denied else outcome))
    return found


def _is_far(value: Value, held: Value) -> bool:
    """Return whether two plain amounts are so far apart that no rounding or minor unit makes them one.

    It spares what no longer matters but for its presence the whole relation.
    """
    if not isinstance(value, Quantity) or not isinstance(held, Quantity):
        return False
    if value.kind in _CALENDAR or held.kind in _CALENDAR:
        return False
    if value.unit != held.unit and value.unit is not None and held.unit is not None:
        return False
    if value.alternatives or held.alternatives or not value.interval.is_point:
        return False
    mine, theirs = value.interval.low, held.interval.low
    if not held.interval.is_point or not mine or not theirs:
        return False
    ratio = abs(mine / theirs)
    return not any(low < ratio < high for low, high in _NEAR_RATIOS)


def _per_what(value: Value, held: Value, setting: Setting) -> Value:
    """Return an amount with the time that it is per, where the words around it tell the evidence's."""
    if not isinstance(value, Quantity) or not isinstance(held, Quantity):
        return value
    if value.per is not None or held.per is None:
        return value
    words = load_word_lists("cautions").get(f"per_{held.per}", frozenset())
    told = {stem(word) for word in words} & (setting.clause | setting.around)
    return replace(value, per=held.per) if told else value


def _unsigned(value: Value) -> Value:
    if not isinstance(value, Quantity) or value.interval.high is None or value.interval.high >= 0:
        return value
    low, high = value.interval.low, value.interval.high
    nominal = None if value.nominal is None else abs(value.nominal)
    interval = Interval(low=-high, high=None if low is None else -low)
    return replace(value, interval=interval, nominal=nominal)


def _turned(outcome: Outcome) -> Outcome:
    opposite = {Outcome.AGREE: Outcome.DISAGREE, Outcome.DISAGREE: Outcome.AGREE}
    return opposite.get(outcome, outcome)


def compare_value(claim: Value, evidence: Value) -> Outcome:
    """Return the relation of two values; counted things are compared by their number."""
    if isinstance(claim, Quantity) and isinstance(evidence, Quantity):
        claim = _in_zone_of(claim, evidence)
    if isinstance(claim, TextValue) and isinstance(evidence, TextValue):
        same = claim.folded == evidence.folded
        return Outcome.AGREE if same else Outcome.DISAGREE
    outcome = compare_attribute(claim, evidence)
    if outcome is Outcome.AGREE and _leaves_period_out(claim, evidence):
        return Outcome.COULD_BE
    if outcome is Outcome.INCOMPARABLE and _leaves_period_out(claim, evidence):
        assert isinstance(claim, Quantity)  # noqa: S101 -- the line above looked
        bare = compare_attribute(replace(claim, per=None), evidence)
        return Outcome.COULD_BE if bare is Outcome.AGREE else outcome
    return outcome


def _leaves_period_out(claim: Value, evidence: Value) -> bool:
    """Return whether a claim is per month or the like, and the evidence does not say per what."""
    if not isinstance(claim, Quantity) or not isinstance(evidence, Quantity):
        return False
    return claim.per is not None and evidence.per is None


def _in_zone_of(claim: Quantity, evidence: Quantity) -> Quantity:
    """Return a time without its zone where neither it nor the evidence writes one: both are local."""
    open_ = claim.utc_offset_s is not None and evidence.utc_offset_s is None
    return replace(claim, utc_offset_s=None) if open_ and not _ZONE.search(claim.text) else claim


def decide(compared: Sequence[Compared]) -> Judgement | None:
    """Return what the best candidates say together; None where none is above the floor.

    All that are near the best must agree. A refutation needs more than a proof: a higher floor, and no
    agreeing candidate anywhere near.
    """
    weights = load_weights()
    if not compared or compared[0].candidate.strength < weights.accept:
        return None
    best = compared[0].candidate.points
    near = [one for one in compared if one.candidate.points >= best - weights.near]
    outcomes = {one.outcome for one in near}
    deciding = tuple(one.candidate for one in near)
    if outcomes == {Outcome.AGREE} and all(_may_prove(one.candidate) for one in near):
        return _proved(near)
    if outcomes == {Outcome.AGREE}:
        return unbound()
    if outcomes == {Outcome.DISAGREE}:
        return _refuted(near, compared, best)
    described = [one for one in near if one.outcome is Outcome.AGREE and _describes(one.candidate)]
    if described and described[0].candidate.points == best:
        return _proved(described)
    detail = "two readings of the evidence differ: " + _told(near)
    if outcomes == {Outcome.COULD_BE}:
        detail = "it depends on what is left open there: " + _told(near)
    return Judgement(fate=Fate.AMBIGUOUS, detail=detail, deciding=deciding)


def _describes(candidate: Candidate) -> bool:
    """Return whether a fact is what one of several things is like: the 8 hours of "blue, 8 hours"."""
    thing = candidate.fact.thing
    return (
        thing is not None
        and candidate.subject > 0
        and isinstance(candidate.fact.fact.value, Quantity)
        and fold(candidate.fact.fact.value.text) in thing.descriptors
    )


def _may_prove(candidate: Candidate) -> bool:
    """Return whether no word speaks against the fact; prose says too much besides to prove by a value."""
    if candidate.fact.clause is not None:
        return False
    weights = load_weights()
    return candidate.attribute >= -3 * weights.unmatched and candidate.subject >= 0


def _proved(near: Sequence[Compared]) -> Judgement:
    candidates = tuple(one.candidate for one in near)
    fact = candidates[0].fact.fact
    name = " ".join(fact.attribute) or "it"
    return Judgement(fate=Fate.PROVED, detail=f"{name} is {fact.value.text!r}", deciding=candidates)


def _refuted(near: Sequence[Compared], compared: Sequence[Compared], best: int) -> Judgement:
    weights = load_weights()
    candidates = tuple(one.candidate for one in near)
    close = any(
        one.outcome is not Outcome.DISAGREE
        and (one.candidate.points >= best - weights.clear or _is_as_told(one, near))
        for one in compared
    )
    if (
        close
        or near[0].candidate.strength < weights.reject
        or not all(_is_told(one) for one in candidates)
    ):
        detail = "the evidence has it, and nothing tells that it is said of this"
        return Judgement(fate=Fate.OPEN, detail=detail, deciding=candidates, reason=Reason.UNBOUND)
    rights = dict.fromkeys(one.fact.fact.value.text for one in candidates)
    right = next(iter(rights)) if len(rights) == 1 else None
    told = " or ".join(repr(one) for one in list(rights)[:3])
    name = " ".join(candidates[0].fact.fact.attribute) or "it"
    return Judgement(
        fate=Fate.REFUTED, detail=f"{name} is {told}", deciding=candidates, right=right
    )


def _is_as_told(one: Compared, near: Sequence[Compared]) -> bool:
    """Return whether a fact of a named thing has as much of the clause's words as the best."""
    told = near[0].candidate.attribute - load_weights().near
    return one.candidate.named and one.candidate.attribute >= told


def _is_told(candidate: Candidate) -> bool:
    """Return whether words tell that the fact is meant: its attribute, and its thing where it has one."""
    weights = load_weights()
    if candidate.fact.clause is not None:
        return candidate.attribute >= weights.prose * 4 // 5
    return candidate.anchored and candidate.direct and candidate.attribute >= weights.cue


def _told(near: Sequence[Compared]) -> str:
    texts = dict.fromkeys(repr(one.candidate.fact.fact.value.text) for one in near)
    return " and ".join(list(texts)[:3])


def bare_count(value: Value) -> Value:
    """Return "two orders" as the number two: what is counted is a matter of words, not of units."""
    if not isinstance(value, Quantity) or value.kind is not Kind.QUANTITY or value.unit is None:
        return value
    if unit_of(value.unit) is None and value.per is None:
        return replace(value, kind=Kind.NUMBER, unit=None, alternatives=())
    return value


def unbound() -> Judgement:
    """Return that the evidence has the value, and nothing says that it is of this."""
    detail = "the evidence has it, and nothing tells that it is said of this"
    return Judgement(fate=Fate.OPEN, detail=detail, reason=Reason.UNBOUND)
