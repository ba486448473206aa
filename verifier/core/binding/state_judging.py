"""Judging a word for a state: it, or another state of its class, is told of the same thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.binding.evidence_view import states_of
from verifier.core.binding.gates import find_objection
from verifier.core.binding.judging import Compared, Fate, Judged, Judgement, decide, unbound
from verifier.core.binding.predicates import is_predicated
from verifier.core.binding.scoring import rank_facts
from verifier.core.binding.setting import read_setting
from verifier.core.binding.states import group_of
from verifier.core.relations import Outcome
from verifier.core.values import Kind
from verifier.core.verdicts import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Passage
    from verifier.core.binding.scoring import Candidate
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.values import TextValue


def judge_state(
    passage: Passage, stated: StatedValue, value: TextValue, view: EvidenceView, *, denied: bool
) -> Judged | None:
    """Return what becomes of a state that is said of a thing; None where it only describes in passing."""
    if not is_predicated(passage, stated):
        return None
    setting = read_setting(passage, stated)
    ranked = rank_facts(setting, view.states(passage, group_of(value.folded) or ""))
    if not ranked and not setting.things:
        return None
    judgement = decide(list(_compare(value, ranked, denied=denied))) or unbound()
    if judgement.fate in {Fate.PROVED, Fate.REFUTED}:
        objections = (
            find_objection(passage, stated, one.fact, setting, view) for one in judgement.deciding
        )
        word = next((one for one in objections if one is not None), None)
        if word is not None:
            detail = f"{judgement.detail}; {word!r} may make this something else"
            judgement = Judgement(fate=Fate.OPEN, detail=detail, reason=Reason.UNBOUND)
    return Judged(judgement=judgement, candidates=ranked)


def _compare(value: TextValue, ranked: Sequence[Candidate], *, denied: bool) -> Iterator[Compared]:
    """Yield the candidates with whether their state is the claimed one, or is not the denied one."""
    for one in ranked:
        held = one.fact.fact.value
        same = any(state.name == value.folded for state in states_of(one.fact))
        if held.kind is Kind.BOOLEAN:
            yes = held.text == "true"
            if not same and not yes:
                continue
            same = same and yes
        outcome = Outcome.AGREE if same is not denied else Outcome.DISAGREE
        yield Compared(candidate=one, outcome=outcome)
