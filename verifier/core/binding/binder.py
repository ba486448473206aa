"""Binding an answer: every value that it states, judged against the facts of its turn."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from verifier.core.binding.codes import judge_code
from verifier.core.binding.comparing import compare_value
from verifier.core.binding.contrasts import open_contrasts
from verifier.core.binding.evidence_view import EvidenceView
from verifier.core.binding.judging import Fate, Judgement
from verifier.core.binding.operands import StatedBefore
from verifier.core.binding.passages import Passage, read_passages
from verifier.core.binding.presence import judge_presence
from verifier.core.binding.quantity_judging import QuantityJudge
from verifier.core.binding.scope import scope_of
from verifier.core.binding.speaking import denies, is_tentative, states_nothing
from verifier.core.binding.state_judging import judge_state
from verifier.core.facts.model import FactOrigin
from verifier.core.relations import Outcome
from verifier.core.values import Kind, Quantity, TextValue
from verifier.core.verdicts import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from verifier.core.binding.judging import Judged
    from verifier.core.binding.scoring import Candidate
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import EvidenceFact, TurnEvidence
    from verifier.core.spans import Span
    from verifier.core.turns import Turn

_MOST_KEPT: Final = 10
_MOST_VALUES: Final = 60
_ADDED: Final = (
    re.compile(  # "plus a fee of", "and a fee of", "but the room", ","; not "and you pay"
        r"""\bplus\b
      | (?:,|\b(?:and|then|with|but)\b|&)\s*(?:\b(?:and|but|then|also)\s+)*
        (?:\b(?:an?|the|another)\b(?:(?!\b(?:is|are|was|costs?|pays?|charged|comes)\b).)*)?$""",
        re.VERBOSE | re.IGNORECASE | re.DOTALL,
    )
)
_UNDECIDED: Final = frozenset({Fate.OPEN, Fate.AMBIGUOUS})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoundValue:
    """A value of the answer with its fate. `candidates` are what it was held against, the best first."""

    passage: Passage
    stated: StatedValue
    clause: Span
    denied: bool
    judgement: Judgement
    candidates: tuple[Candidate, ...]


def bind_answer(
    answer: str, turn: Turn, evidence: TurnEvidence, *, hidden: frozenset[str] = frozenset()
) -> tuple[BoundValue, ...]:
    """Return the values that the answer states, in order, each with its fate.

    Questions, greetings, offers and refusals state none; what a sentence requests or proposes is only
    judged where the evidence settles it. `hidden` are folded keys of things that the turn
    may not see: facts of theirs prove nothing.
    """
    return AnswerBinder(turn, evidence, hidden=hidden).bind(answer)


class AnswerBinder:
    """Binds one answer, or part after part of it, to the evidence of its turn.

    `before` is what the parts before have stated; later values may be derived from it.
    """

    def __init__(
        self,
        turn: Turn,
        evidence: TurnEvidence,
        *,
        hidden: frozenset[str] = frozenset(),
        before: list[StatedBefore] | None = None,
    ) -> None:
        self._view = EvidenceView(evidence, turn, hidden)
        self._before = [] if before is None else before

    def bind(self, part: str, start: int = 0) -> tuple[BoundValue, ...]:
        """Return the values of the sentences that end behind `start`; those before only lead to them."""
        return tuple(
            bound
            for passage in read_passages(part, self._view)
            if passage.sentence.span.end > start and not states_nothing(passage.sentence)
            for bound in _bind(passage, self._view, self._before)
        )


def _bind(passage: Passage, view: EvidenceView, before: list[StatedBefore]) -> Iterator[BoundValue]:
    """Yield the values that a passage claims: of a request or proposal those that are settled."""
    if len(passage.values) > _MOST_VALUES:
        yield from _bind_crowd(passage, view)
        return
    found = tuple(open_contrasts(tuple(_bind_each(passage, view, before))))
    tentative = is_tentative(passage)
    for one in found:
        if not (tentative and _is_undecided(one.stated, one.judgement)):
            yield one


def _bind_each(
    passage: Passage, view: EvidenceView, before: list[StatedBefore]
) -> Iterator[BoundValue]:
    """Yield the values of a passage that can be checked at all, and keep what is proved."""
    used: dict[Span, set[EvidenceFact]] = {}
    former: BoundValue | None = None
    for stated in passage.values:
        clause = passage.clause_of(stated.span)
        denied = denies(passage, scope_of(passage, stated), stated)
        taken = used.setdefault(clause, set())
        judged = _judge(passage, stated, view, (taken, before), denied=denied)
        if judged is None:
            continue
        if judged.judgement.fate is Fate.PROVED and not stated.is_text:
            taken.update(one.fact for one in judged.judgement.deciding)
        before.extend(_stated(passage, stated, judged))
        bound = BoundValue(
            passage=passage,
            stated=stated,
            clause=clause,
            denied=denied,
            judgement=judged.judgement,
            candidates=tuple(judged.candidates[:_MOST_KEPT]),
        )
        yield bound if former is None else _unless_added(bound, former)
        former = bound


def _unless_added(bound: BoundValue, former: BoundValue) -> BoundValue:
    """Leave open what is added to an equal value before it and rests on the same fact: "75 plus 75"."""
    first, second = former.judgement, bound.judgement
    if {first.fate, second.fate} != {Fate.PROVED} or bound.stated.is_text or former.stated.is_text:
        return bound
    if compare_value(former.stated.value, bound.stated.value) is not Outcome.AGREE:
        return bound
    facts = {one.fact for one in second.deciding if one.fact.clause is None}
    sentence = bound.passage.sentence
    start, end = former.stated.span.end, bound.stated.span.start
    between = sentence.text[start - sentence.span.start : end - sentence.span.start]
    if not facts or not facts <= {one.fact for one in first.deciding} or not _ADDED.search(between):
        return bound
    judgement = Judgement(
        fate=Fate.OPEN,
        detail=f"{second.detail}, which is there once and added to itself here",
        deciding=second.deciding,
        reason=Reason.UNBOUND,
    )
    return replace(bound, judgement=judgement)


def _bind_crowd(passage: Passage, view: EvidenceView) -> Iterator[BoundValue]:
    """Yield the values of a sentence that has too many to tell whose each is: absent ones, the rest open."""
    for stated in passage.values:
        yield BoundValue(
            passage=passage,
            stated=stated,
            clause=stated.span,
            denied=False,
            judgement=judge_presence(stated, view),
            candidates=(),
        )


def _is_undecided(stated: StatedValue, judgement: Judgement) -> bool:
    """Return whether a request or proposal has nothing to answer for here: "wait about 30 seconds"."""
    if judgement.fate is Fate.ABSENT:
        return stated.value.kind is Kind.DURATION
    return judgement.fate in _UNDECIDED


def _stated(passage: Passage, stated: StatedValue, judged: Judged) -> Iterator[StatedBefore]:
    """Yield what later values may be derived from: a fact's value, or one that is not refuted."""
    judgement = judged.judgement
    if not isinstance(stated.value, Quantity) or judgement.fate in {Fate.REFUTED, Fate.ABSENT}:
        return
    value, candidate = stated.value, _holder(stated.value, judged)
    if candidate is not None and isinstance(candidate.fact.fact.value, Quantity):
        value = candidate.fact.fact.value
    yield StatedBefore(
        passage=passage,
        stated=stated,
        value=value,
        candidate=candidate,
        given=judgement.fate in {Fate.ECHOED, Fate.DERIVED},
        derivation=judgement.derivation if judgement.fate is Fate.DERIVED else None,
    )


def _holder(value: Quantity, judged: Judged) -> Candidate | None:
    """Return the fact that has a stated value: the proof, or what only words of its clause put in doubt."""
    judgement = judged.judgement
    if judgement.fate is Fate.PROVED:
        return judgement.deciding[0] if judgement.deciding else None
    if judgement.fate not in _UNDECIDED:
        return None
    named = (one for one in judged.candidates[:_MOST_KEPT] if one.named or one.anchored)
    agreeing = (
        one
        for one in (*judgement.deciding, *named)
        if one.fact.origin is FactOrigin.RESULT
        and compare_value(value, one.fact.fact.value) is Outcome.AGREE
    )
    return next(agreeing, None)


def _judge(
    passage: Passage,
    stated: StatedValue,
    view: EvidenceView,
    earlier: tuple[AbstractSet[EvidenceFact], Sequence[StatedBefore]],
    *,
    denied: bool,
) -> Judged | None:
    if not isinstance(stated.value, TextValue):
        judge = QuantityJudge(
            passage, stated, stated.value, view, denied=denied, used=earlier[0], before=earlier[1]
        )
        return judge.judge()
    if stated.value.kind is Kind.STATE:
        return judge_state(passage, stated, stated.value, view, denied=denied)
    return judge_code(passage, stated, stated.value, view, denied=denied)
