"""Binding an answer: every value that it states, judged against the facts of its turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.core.binding.codes import judge_code
from verifier.core.binding.evidence_view import EvidenceView
from verifier.core.binding.judging import Fate
from verifier.core.binding.passages import Passage, read_passages
from verifier.core.binding.quantity_judging import QuantityJudge
from verifier.core.binding.speaking import denies, states_nothing
from verifier.core.binding.state_judging import judge_state
from verifier.core.values import Kind, TextValue

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from verifier.core.binding.judging import Judged, Judgement
    from verifier.core.binding.scoring import Candidate
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import EvidenceFact, TurnEvidence
    from verifier.core.spans import Span
    from verifier.core.turns import Turn

_MOST_KEPT = 10


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

    Questions, greetings, offers and refusals state none. `hidden` are folded keys of things that the turn
    may not see: facts of theirs prove nothing.
    """
    view = EvidenceView(evidence, turn, hidden)
    return tuple(
        bound
        for passage in read_passages(answer, turn, evidence, view.flags)
        if not states_nothing(passage.sentence)
        for bound in _bind(passage, view)
    )


def _bind(passage: Passage, view: EvidenceView) -> Iterator[BoundValue]:
    """Yield the values of a passage that can be checked at all."""
    used: dict[Span, set[EvidenceFact]] = {}
    for stated in passage.values:
        clause = passage.clause_of(stated.span)
        denied = denies(passage, clause, stated)
        taken = used.setdefault(clause, set())
        judged = _judge(passage, stated, view, taken, denied=denied)
        if judged is not None:
            if judged.judgement.fate is Fate.PROVED and not stated.is_text:
                taken.update(one.fact for one in judged.judgement.deciding)
            yield BoundValue(
                passage=passage,
                stated=stated,
                clause=clause,
                denied=denied,
                judgement=judged.judgement,
                candidates=tuple(judged.candidates[:_MOST_KEPT]),
            )


def _judge(
    passage: Passage,
    stated: StatedValue,
    view: EvidenceView,
    used: Container[EvidenceFact],
    *,
    denied: bool,
) -> Judged | None:
    if not isinstance(stated.value, TextValue):
        judge = QuantityJudge(passage, stated, stated.value, view, denied=denied, used=used)
        return judge.judge()
    if stated.value.kind is Kind.STATE:
        return judge_state(passage, stated, stated.value, view, denied=denied)
    return judge_code(passage, stated, stated.value, view, denied=denied)
