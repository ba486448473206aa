"""What becomes of a value of an answer: proved, derived, refuted, absent, or left open with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from verifier.core.binding.comparing import MOST_NEAR
from verifier.core.binding.vocabulary import load_weights
from verifier.core.relations import Outcome
from verifier.core.text import fold
from verifier.core.values import Quantity
from verifier.core.verdicts import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.comparing import Compared, Comparisons
    from verifier.core.binding.scoring import Candidate
    from verifier.core.derivation import Derivation


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
    order of the values, `described` that of things alike those were chosen that all descriptions fit.
    """

    fate: Fate
    detail: str
    deciding: tuple[Candidate, ...] = ()
    right: str | None = None
    reason: Reason | None = None
    derivation: Derivation | None = None
    in_order: bool = False
    described: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """A judgement with everything that the value was held against, the best first."""

    judgement: Judgement
    candidates: Sequence[Candidate]


def decide(compared: Comparisons) -> Judgement | None:
    """Return what the best candidates say together; None where none is above the floor.

    All that are near the best must agree. A refutation needs more than a proof: a higher floor, and no
    agreeing candidate anywhere near.
    """
    weights = load_weights()
    near = compared.near(weights.near)
    if not near or near[0].candidate.strength < weights.accept:
        return None
    if len(near) == MOST_NEAR:
        return unbound()
    best = near[0].candidate.points
    outcomes = {one.outcome for one in near}
    deciding = tuple(one.candidate for one in near)
    if outcomes == {Outcome.AGREE} and all(_may_prove(one.candidate) for one in near):
        return _proved(near)
    if outcomes == {Outcome.AGREE}:
        return unbound()
    if outcomes == {Outcome.DISAGREE}:
        return _refuted(near, compared)
    described = [one for one in near if one.outcome is Outcome.AGREE and _describes(one.candidate)]
    if described and described[0].candidate.points == best:
        return _proved(described)
    detail = "two readings of the evidence differ: " + _told(near)
    if outcomes == {Outcome.COULD_BE}:
        detail = f"{_told(near)} is there, but may or may not be the same value"
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


def _refuted(near: Sequence[Compared], compared: Comparisons) -> Judgement:
    weights = load_weights()
    candidates = tuple(one.candidate for one in near)
    nearby = compared.near(weights.clear)
    close = any(one.outcome is not Outcome.DISAGREE for one in nearby) or any(
        one.outcome is not Outcome.DISAGREE and _is_as_told(one, near)
        for one in compared.of_named()
    )
    if (
        close
        or len(nearby) == MOST_NEAR
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


def unbound() -> Judgement:
    """Return that the evidence has the value, and nothing says that it is of this."""
    detail = "the evidence has it, and nothing tells that it is said of this"
    return Judgement(fate=Fate.OPEN, detail=detail, reason=Reason.UNBOUND)
