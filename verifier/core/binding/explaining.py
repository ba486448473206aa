"""Why a value was bound as it was: the candidates, their points, and why each lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.core.binding.judging import bare_count, compare_value
from verifier.core.binding.vocabulary import load_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.binder import BoundValue
    from verifier.core.binding.scoring import Candidate
    from verifier.core.evidence import Locator
    from verifier.core.relations import Outcome
    from verifier.core.spans import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedCandidate:
    """A fact that was weighed. Points are in tenths; `why` says what became of it."""

    things: tuple[str, ...]
    attribute: tuple[str, ...]
    value: str
    locator: Locator
    subject_points: int
    attribute_points: int
    outcome: Outcome
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The fate of one value of an answer, and everything that it was held against, the best first."""

    text: str
    span: Span
    fate: str
    detail: str
    accept_floor: int
    reject_floor: int
    candidates: tuple[ExplainedCandidate, ...]


def explain_value(bound: BoundValue) -> Explanation:
    """Return why a bound value came out as it did."""
    weights = load_weights()
    return Explanation(
        text=bound.stated.value.text,
        span=bound.stated.span,
        fate=bound.judgement.fate.value,
        detail=bound.judgement.detail,
        accept_floor=weights.accept,
        reject_floor=weights.reject,
        candidates=tuple(_explain(one, bound) for one in bound.candidates),
    )


def _explain(candidate: Candidate, bound: BoundValue) -> ExplainedCandidate:
    fact = candidate.fact.fact
    outcome = compare_value(bare_count(bound.stated.value), fact.value)
    return ExplainedCandidate(
        things=_things(candidate),
        attribute=fact.attribute,
        value=fact.value.text,
        locator=fact.locator,
        subject_points=candidate.subject,
        attribute_points=candidate.attribute,
        outcome=outcome,
        why=_why(candidate, bound.candidates, bound.judgement.deciding),
    )


def _things(candidate: Candidate) -> tuple[str, ...]:
    named = []
    thing = candidate.fact.thing
    while thing is not None:
        named.append(next(iter((*thing.names, *thing.keys)), f"thing {thing.number}"))
        thing = thing.outer
    return tuple(named)


def _why(candidate: Candidate, ranked: Sequence[Candidate], deciding: Sequence[Candidate]) -> str:
    if any(one.fact is candidate.fact for one in deciding):
        return "it decided"
    if candidate.rival:
        return "lost: the clause names another thing of this kind"
    weights = load_weights()
    if candidate.points < weights.accept:
        return f"lost: {candidate.points} points are below the floor of {weights.accept}"
    behind = ranked[0].points - candidate.points
    if behind > weights.near:
        return f"lost: {behind} points behind the best"
    return "lost: it can't be compared with the value"
