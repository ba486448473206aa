"""Why a value was bound as it was: the candidates, their points, and why each lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.binding.comparing import bare_count, compare_value
from verifier.core.binding.evidence_view import states_of
from verifier.core.binding.judging import Fate
from verifier.core.binding.vocabulary import load_weights
from verifier.core.facts.model import FactOrigin
from verifier.core.relations import Outcome
from verifier.core.values import Kind, TextValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.binding.binder import BoundValue
    from verifier.core.binding.scoring import Candidate
    from verifier.core.derivation import Operand
    from verifier.core.evidence import Locator
    from verifier.core.facts.model import EvidenceFact, Thing
    from verifier.core.spans import Span

_DECIDED: Final = {
    Fate.DERIVED: "it is an operand",
    Fate.AMBIGUOUS: "among the best, which do not settle it",
    Fate.OPEN: "the best, and not enough",
}
_TURNED: Final = {Outcome.AGREE: Outcome.DISAGREE, Outcome.DISAGREE: Outcome.AGREE}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedCandidate:
    """A fact that was weighed. Points are in tenths; `why` says what became of it.

    `things` run from the nearest outwards. `outcome` says whether the fact bears out what is said, a denial
    taken into account. `clause` is the text of a fact that prose states. The judgement rests on those that
    `decided`.
    """

    things: tuple[str, ...]
    attribute: tuple[str, ...]
    period: str | None
    value: str
    locator: Locator
    clause: str | None
    subject_points: int
    attribute_points: int
    outcome: Outcome
    decided: bool
    why: str

    @property
    def points(self) -> int:
        """How well the fact fits."""
        return self.subject_points + self.attribute_points


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedOperand:
    """A value that a derivation used; `locator` is None for one that the answer itself states."""

    things: tuple[str, ...]
    attribute: tuple[str, ...]
    value: str
    locator: Locator | None
    from_user: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedDerivation:
    """How a value follows from others, its operands in the order of the calculation."""

    operation: str
    wording: str
    operands: tuple[ExplainedOperand, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The fate of one value of an answer, and everything that it was held against, the best first.

    `detail` says why, with the word that speaks against it where one does.
    """

    text: str
    span: Span
    clause: Span
    denied: bool
    fate: Fate
    detail: str
    reason: str | None
    right: str | None
    accept_floor: int
    reject_floor: int
    candidates: tuple[ExplainedCandidate, ...]
    derivation: ExplainedDerivation | None


def explain_value(bound: BoundValue) -> Explanation:
    """Return why a bound value came out as it did."""
    weights = load_weights()
    judgement = bound.judgement
    weighed = tuple(_weighed(bound))
    outcomes = [_outcome(one.fact, bound) for one in weighed]
    return Explanation(
        text=bound.stated.value.text,
        span=bound.stated.span,
        clause=bound.clause,
        denied=bound.denied,
        fate=judgement.fate,
        detail=judgement.detail,
        reason=None if judgement.reason is None else judgement.reason.value,
        right=judgement.right,
        accept_floor=weights.accept,
        reject_floor=weights.reject,
        candidates=tuple(
            _explain(one, outcome, bound, _best(weighed, outcomes))
            for one, outcome in zip(weighed, outcomes, strict=True)
        ),
        derivation=_derivation(bound),
    )


def _weighed(bound: BoundValue) -> Iterator[Candidate]:
    """Yield the candidates that were kept, and those that decided from behind them."""
    yield from bound.candidates
    if bound.judgement.derivation is None:
        kept = {one.fact for one in bound.candidates}
        yield from (one for one in bound.judgement.deciding if one.fact not in kept)


def _outcome(fact: EvidenceFact, bound: BoundValue) -> Outcome:
    value = bound.stated.value
    if isinstance(value, TextValue) and value.kind is Kind.STATE:
        outcome = _state_outcome(value, fact)
    else:
        outcome = compare_value(bare_count(value), fact.fact.value)
    return _TURNED.get(outcome, outcome) if bound.denied else outcome


def _state_outcome(value: TextValue, fact: EvidenceFact) -> Outcome:
    """Return whether a fact tells the state; a flag that is off tells nothing of other states."""
    same = any(state.name == value.folded for state in states_of(fact))
    held = fact.fact.value
    if held.kind is Kind.BOOLEAN and held.text != "true":
        return Outcome.DISAGREE if same else Outcome.INCOMPARABLE
    return Outcome.AGREE if same else Outcome.DISAGREE


def _best(weighed: Sequence[Candidate], outcomes: Sequence[Outcome]) -> int:
    """Return the points of the best candidate that can be compared."""
    pairs = zip(weighed, outcomes, strict=True)
    return max((one.points for one, told in pairs if told is not Outcome.INCOMPARABLE), default=0)


def _explain(
    candidate: Candidate, outcome: Outcome, bound: BoundValue, best: int
) -> ExplainedCandidate:
    fact = candidate.fact.fact
    decided = any(one.fact is candidate.fact for one in bound.judgement.deciding)
    clause = candidate.fact.clause
    return ExplainedCandidate(
        things=_things(candidate.fact.thing),
        attribute=fact.attribute,
        period=fact.period,
        value=fact.value.text,
        locator=fact.locator,
        clause=None if clause is None else clause.text,
        subject_points=candidate.subject,
        attribute_points=candidate.attribute,
        outcome=outcome,
        decided=decided,
        why=_DECIDED.get(bound.judgement.fate, "it decided")
        if decided
        else _lost(candidate, outcome, best),
    )


def _lost(candidate: Candidate, outcome: Outcome, best: int) -> str:
    weights = load_weights()
    if outcome is Outcome.INCOMPARABLE:
        return "lost: it can't be compared with the value"
    if candidate.rival:
        return "lost: the clause names another thing of this kind"
    if candidate.strength < weights.accept:
        return f"lost: {candidate.strength} points are below the floor of {weights.accept}"
    if best - candidate.points > weights.near:
        return f"lost: {best - candidate.points} points behind the best"
    if outcome is Outcome.DISAGREE:
        return "lost: it says otherwise, and too little tells that it is meant"
    return "lost: too little tells that it is meant"


def _things(thing: Thing | None) -> tuple[str, ...]:
    named = []
    while thing is not None:
        named.append(next(iter((*thing.names, *thing.keys)), f"thing {thing.number}"))
        thing = thing.outer
    return tuple(named)


def _derivation(bound: BoundValue) -> ExplainedDerivation | None:
    derivation = bound.judgement.derivation
    if derivation is None:
        return None
    held = {id(one): one.fact for one in bound.judgement.deciding}
    return ExplainedDerivation(
        operation=derivation.operation.value,
        wording=derivation.wording,
        operands=tuple(_operand(one, held.get(id(one.key))) for one in derivation.operands),
    )


def _operand(operand: Operand, fact: EvidenceFact | None) -> ExplainedOperand:
    return ExplainedOperand(
        things=() if fact is None else _things(fact.thing),
        attribute=() if fact is None else fact.fact.attribute,
        value=operand.value.text,
        locator=None if fact is None else fact.fact.locator,
        from_user=fact is not None and fact.origin is FactOrigin.USER,
    )
