"""Judging an id: it stands in the evidence, or it does not. Whose it is, is what its own claims say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.binding.cautions import rest_of_clause
from verifier.core.binding.gates import find_objection
from verifier.core.binding.judging import Fate, Judged, Judgement, unbound
from verifier.core.binding.pools import Pool
from verifier.core.binding.scoring import rank_facts
from verifier.core.binding.setting import read_setting
from verifier.core.binding.subjects import enclosing
from verifier.core.comparison import relate
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import list_words, read_words
from verifier.core.text_stems import stem
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Passage
    from verifier.core.binding.setting import Setting
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import EvidenceFact
    from verifier.core.values import TextValue


def judge_code(
    passage: Passage, stated: StatedValue, value: TextValue, view: EvidenceView, *, denied: bool
) -> Judged | None:
    """Return what becomes of an id; None where it stands in the evidence and is not all that is said."""
    facts = _holding(value, view)
    proof = view.proof(facts)
    if not proof and stated.key is not None:
        return None
    if not proof:
        return Judged(judgement=view.missing(stated, facts, denied=denied), candidates=())
    if denied or not _says_only_that(passage, stated, proof):
        return None
    setting = read_setting(passage, stated)
    ranked = rank_facts(setting, Pool(proof, view), view)
    if setting.named and not any(_is_of(one.fact, setting) for one in ranked):
        return Judged(judgement=unbound(), candidates=ranked)
    if not setting.named and all(_is_of_another(one.fact, view) for one in ranked):
        return Judged(judgement=unbound(), candidates=ranked)
    objections = (find_objection(passage, stated, one.fact, setting, view) for one in ranked)
    if all(one is not None for one in objections):
        return None if stated.key is not None else Judged(judgement=unbound(), candidates=ranked)
    detail = f"the evidence holds {value.text!r}"
    judgement = Judgement(fate=Fate.PROVED, detail=detail, deciding=tuple(ranked[:1]))
    return Judged(judgement=judgement, candidates=ranked)


def _is_of_another(fact: EvidenceFact, view: EvidenceView) -> bool:
    """Return whether the user asked for what one call was about, and the fact is of another like it."""
    own = view.call_of(fact)
    if own is None or own.call_id in view.asked_calls:
        return False
    return any(one.call_id in view.asked_calls and one.tool == own.tool for one in view.turn.calls)


def _is_of(fact: EvidenceFact, setting: Setting) -> bool:
    """Return whether a fact is of a thing that the clause names."""
    thing = fact.thing
    return thing is not None and (
        thing.number in setting.named
        or any(outer.number in setting.named for outer in enclosing(thing))
        or any(outer is thing for one in setting.named.values() for outer in enclosing(one))
    )


def _holding(value: TextValue, view: EvidenceView) -> Sequence[EvidenceFact]:
    """Return the facts that hold the id; a version or a number to call is compared part by part."""
    held = view.evidence.holds_text(value.folded)
    if held or value.kind is Kind.IDENTIFIER:
        return held
    alike = view.evidence.of_dimension(value)
    return [
        fact
        for fact in alike
        if fact.fact.value.text == value.text or relate(value, fact.fact.value).agrees
    ]


def _says_only_that(passage: Passage, stated: StatedValue, proof: list[EvidenceFact]) -> bool:
    """Return whether the sentence says no more than that this is the thing's id."""
    if any(one is not stated for one in passage.values):
        return False
    known = {*load_word_lists("cautions")["plain"], *list_words("neutral"), *list_words("linking")}
    known |= list_words("finding")
    cues = {cue for fact in proof for cue in fact.cues}
    cues |= {kind for fact in proof if fact.thing is not None for kind in fact.thing.kinds}
    words = read_words(rest_of_clause(passage, passage.sentence.span))
    return all(word in known or stem(word) in cues for word in words)
