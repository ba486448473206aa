"""Proving a value by one clause of prose that says all that the answer's clause says, and no more.

Prose says much besides a value: conditions, exceptions, whose it is. A clause proves only where nothing of
it is left away, nothing is added, and no other sentence of the evidence limits what it says.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.binding.judging import Fate, Judgement
from verifier.core.binding.prose_rivals import is_limited
from verifier.core.binding.prose_rules import is_plain, stems_above
from verifier.core.binding.rule_matching import is_same_value, says_the_same, without_words
from verifier.core.binding.rule_parts import find_parts
from verifier.core.binding.rule_words import (
    RuleWords,
    is_counted,
    read_rule_words,
    read_stems,
    stem_of,
)
from verifier.core.binding.scoring import Candidate
from verifier.core.facts.dimensions import groups_for
from verifier.core.facts.model import FactOrigin
from verifier.core.frequencies import add_frequencies
from verifier.core.sentences import BlockKind
from verifier.core.text import fold
from verifier.core.turn_values import read_quantities
from verifier.core.values import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Passage
    from verifier.core.binding.pools import Pool
    from verifier.core.binding.prose_rules import Rule
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import EvidenceFact
    from verifier.core.quantities import ValueMention
    from verifier.core.turns import Turn
    from verifier.core.values import Value

_PROVING: Final = frozenset({FactOrigin.RESULT, FactOrigin.SYSTEM})
_PROSE: Final = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})
_MOST_TRIED: Final = 20
_FREE: Final = stem_of("free")
_ID: Final = re.compile(r"#?(?=[A-Za-z_-]*\d)(?=\d*[A-Za-z])[A-Za-z\d_-]{3,40}")


def prove_by_clause(passage: Passage, stated: StatedValue, view: EvidenceView) -> Judgement | None:
    """Return the proof of a value by a clause of a result or of the operator's text; None without one."""
    facts = _facts_of(passage, stated, view)[:_MOST_TRIED]
    if not facts or passage.sentence.block not in _PROSE or not is_plain(passage.sentence.text):
        return None
    claims, around = _read_claims(passage, stated, view.turn)
    for fact in facts:
        for rule in _rules_of(fact, view):
            if any(says_the_same(claim, rule.words, rule.above, around) for claim in claims):
                return None if _is_limited(rule, fact, view) else _proved(fact)
    return None


def _facts_of(passage: Passage, stated: StatedValue, view: EvidenceView) -> list[EvidenceFact]:
    """Return the same values in the prose of results that are complete, and of the operator's text.

    Of "free", which is no amount as it is written, the clauses that have it.
    """
    value = stated.value if is_counted(stated.value) else None
    told = _told_of(passage, value, view)
    if isinstance(value, Quantity):
        near = told.values.near(value)
        return told.in_place(one for one in near if is_same_value(value, one.fact.value))
    return [
        one
        for one in told.facts
        if (_is_free(one) if value is None else is_same_value(value, one.fact.value))
    ]


def _told_of(passage: Passage, value: Value | None, view: EvidenceView) -> Pool:
    """Return the clauses of complete results and of the operator's text with values like this one."""

    def find() -> list[EvidenceFact]:
        facts = view.evidence.facts if value is None else view.evidence.of_dimension(value)
        return [
            fact
            for fact in view.proof_for(passage, facts)
            if fact.clause is not None
            and fact.clause.place is not None
            and fact.origin in _PROVING
            and not view.is_incomplete(fact)
        ]

    groups = () if value is None else groups_for(value)
    return view.pool(("told", *groups, view.named_calls(passage)), find)


def _is_free(fact: EvidenceFact) -> bool:
    clause = fact.clause
    return fact.is_whole_clause and clause is not None and _FREE in read_stems(clause.text)


def _read_claims(
    passage: Passage, stated: StatedValue, turn: Turn
) -> tuple[Sequence[RuleWords], frozenset[str]]:
    """Return the parts of a sentence that hold a value, and the stems of what stands above them."""
    text = passage.sentence.text
    mentions = _read_values(text, turn)
    parts = find_parts(text, mentions)
    place = stated.span.shift(-passage.sentence.span.start)
    claims = [read_rule_words(text, span, mentions) for span in parts.spans if span.contains(place)]
    texts = (parts.label, *(parent.sentence.text for parent in passage.parents))
    return claims, frozenset().union(*(stems_above(one) for one in texts))


def _read_values(text: str, turn: Turn) -> Sequence[ValueMention]:
    values = read_quantities(text, turn)
    return add_frequencies(text, values)


def _rules_of(fact: EvidenceFact, view: EvidenceView) -> Iterator[Rule]:
    """Yield the rules of a fact's sentence that hold its value, also without the ids it was asked for."""
    place = fact.clause.place if fact.clause is not None else None
    if place is None:
        return
    asked = _asked_ids(fact, view)
    for rule in view.prose.read(place).rules:
        if fact.is_whole_clause or fact.fact.value in rule.words.values:
            yield rule
            shorter = without_words(rule.words, asked)
            if shorter is not rule.words:
                yield replace(rule, words=shorter)


def _asked_ids(fact: EvidenceFact, view: EvidenceView) -> frozenset[str]:
    """Return the ids, folded, that a call was made for, and no other call of its tool for another.

    "Added 2 GB for line L7" then needs no word of L7: nothing else was done.
    """
    call = view.call_of(fact)
    if call is None:
        return frozenset()
    alike = [one for one in view.turn.calls if one.tool == call.tool and one.ok]
    return frozenset(
        fold(value)
        for name, value in call.arguments.items()
        if isinstance(value, str)
        and _ID.fullmatch(value)
        and all(one.arguments.get(name) == value for one in alike)
    )


def _is_limited(rule: Rule, fact: EvidenceFact, view: EvidenceView) -> bool:
    place = fact.clause.place if fact.clause is not None else None
    return place is None or is_limited(rule, place, view.prose)


def _proved(fact: EvidenceFact) -> Judgement:
    clause = fact.clause.text if fact.clause is not None else ""
    candidate = Candidate(fact=fact, subject=0, attribute=0, direct=True)
    return Judgement(
        fate=Fate.PROVED, detail=f"the evidence says so: {clause!r}", deciding=(candidate,)
    )
