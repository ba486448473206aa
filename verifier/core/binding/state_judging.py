"""Judging a word for a state: it, or another state of its class, is told of the same thing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from verifier.core.binding.comparing import Compared, Comparisons
from verifier.core.binding.described import decide_described
from verifier.core.binding.evidence_view import states_of
from verifier.core.binding.gates import find_objection
from verifier.core.binding.joint import decide_each
from verifier.core.binding.judging import Fate, Judged, Judgement, decide, unbound
from verifier.core.binding.predicates import is_predicated, says_state
from verifier.core.binding.scoring import rank_facts
from verifier.core.binding.setting import read_setting
from verifier.core.binding.states import comes_before, groups_of_state, is_implied
from verifier.core.facts.model import NamedBy
from verifier.core.lexicons import load_word_lists
from verifier.core.relations import Outcome
from verifier.core.speech import read_words
from verifier.core.values import Kind
from verifier.core.verdicts import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Passage
    from verifier.core.binding.scoring import Candidate
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.values import TextValue


_REACHED: Final = frozenset({"was", "were", "has", "have", "had"})
_WORDS_BACK: Final = 3
_YES: Final = frozenset({"yes", "true"})


def judge_state(
    passage: Passage, stated: StatedValue, value: TextValue, view: EvidenceView, *, denied: bool
) -> Judged | None:
    """Return what becomes of a state that is said of a thing; None where it only describes in passing."""
    if not is_predicated(passage, stated):
        return None
    setting = read_setting(passage, stated)
    ranked = rank_facts(setting, view.states(passage, value.folded), view)
    if not ranked and (not setting.named or _states_amount(passage, stated)):
        return None
    compare = partial(_compare, value, denied=denied, passed=_is_past(passage, stated))
    compared = Comparisons(ranked, compare)
    judgement = (
        decide_each(compared, passage, stated, setting)
        or decide_described(compared, passage, stated)
        or decide(compared)
        or unbound()
    )
    if judgement.fate is Fate.REFUTED and _is_wanted(passage, value, view):
        judgement = unbound()
    if judgement.fate in {Fate.PROVED, Fate.REFUTED}:
        objections = (
            find_objection(
                passage,
                stated,
                one.fact,
                setting,
                view,
                together=judgement.deciding,
                in_order=judgement.in_order,
                described=judgement.described,
            )
            for one in judgement.deciding
        )
        word = next((one for one in objections if one is not None), None)
        if word is not None:
            detail = f"{judgement.detail}; {word!r} may make this something else"
            judgement = Judgement(fate=Fate.OPEN, detail=detail, reason=Reason.UNBOUND)
    return Judged(judgement=judgement, candidates=ranked)


def _is_wanted(passage: Passage, value: TextValue, view: EvidenceView) -> bool:
    """Return whether a feature may be of what takes a thing's place: "the exchange for a waterproof one"."""
    changing = load_word_lists("cautions")["changing"] & set(read_words(passage.sentence.text))
    feature = value.folded in view.flags or "colour" in groups_of_state(value.folded)
    return bool(changing) and feature


def _states_amount(passage: Passage, stated: StatedValue) -> bool:
    """Return whether the clause has an amount: "420 were delivered" says no state of a thing."""
    clause = passage.clause_of(stated.span)
    return any(
        not one.is_text and clause.contains(one.span) for one in passage.values if one is not stated
    )


def _is_past(passage: Passage, stated: StatedValue) -> bool:
    """Return whether a state is said to have been reached: "has shipped", "your delivered order #7"."""
    before = passage.sentence.text[: stated.span.start - passage.sentence.span.start]
    names_it = any(
        one.by == NamedBy.KEY and one.span.start >= stated.span.end for one in passage.mentions
    )
    if names_it and not says_state(before):
        return True
    return bool(_REACHED & set(read_words(before)[-_WORDS_BACK:]))


def _compare(
    value: TextValue, candidates: Iterable[Candidate], *, denied: bool, passed: bool
) -> Iterator[Compared]:
    """Yield the candidates with whether their state is the claimed one, or is not the denied one."""
    groups = groups_of_state(value.folded)
    for one in candidates:
        held = one.fact.fact.value
        told = states_of(one.fact)
        same = any(state.name == value.folded for state in told)
        if held.kind is Kind.BOOLEAN:
            same = same or one.fact.fact.attribute == (value.folded,)
            yes = held.text.casefold() in _YES
            if not same and not yes:
                continue
            same = same and yes
        elif not same and not groups & {state.group for state in told}:
            continue
        elif passed and any(is_implied(value.folded, state.name) for state in told):
            same = True
        elif passed and any(comes_before(value.folded, state.name) for state in told):
            yield Compared(candidate=one, outcome=Outcome.COULD_BE)
            continue
        outcome = Outcome.AGREE if same is not denied else Outcome.DISAGREE
        yield Compared(candidate=one, outcome=outcome)
