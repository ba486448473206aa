"""Whether another sentence of the evidence says otherwise of what a rule speaks of, or limits it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.binding.rule_matching import is_same_value
from verifier.core.binding.rule_words import stem_of
from verifier.core.comparison import relate
from verifier.core.interval_relations import overlap
from verifier.core.lexicons import load_word_lists
from verifier.core.relations import Outcome
from verifier.core.values import Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.binding.prose_evidence import ProseEvidence
    from verifier.core.binding.prose_rules import Rule
    from verifier.core.binding.rule_words import RuleWords
    from verifier.core.surroundings import Surroundings
    from verifier.core.values import Value

_NUMBERED: Final = re.compile(r"[^\W\d]\d|\d[^\W\d]")
_BOUNDS: Final = frozenset({Writing.BOUND, Writing.RANGE})


def is_limited(rule: Rule, place: Surroundings, prose: ProseEvidence) -> bool:
    """Return whether another sentence of the same subject has another value, or limits the rule."""
    return any(
        _limits(words, above, rule)
        for other, words, above in prose.statements
        if other is not place
    )


def _limits(other: RuleWords, above: frozenset[str], rule: Rule) -> bool:
    told = other.stems | above
    words = rule.words
    core = words.needed
    if not (words.subject or core) <= told or 2 * len(core & told) < len(core):
        return False
    if rule.above.stems - told and above - rule.above.stems - words.stems:
        return False
    if _says_less(other, words) or _are_of_two(told, words.stems):
        return False
    pairs = list(_pairs(words, other))
    if any(_are_apart(one, another) for one, another in pairs):
        return False
    limits = frozenset(stem_of(word) for word in load_word_lists("rule_words")["limiting"])
    if other.stems & limits - words.stems:
        return True
    return any(_differ(one, another) for one, another in pairs)


def _are_of_two(told: frozenset[str], stems: frozenset[str]) -> bool:
    """Return whether each of two sentences names a thing by a number of its own: line L7, line L9."""
    mine, theirs = ({one for one in side if _NUMBERED.search(one)} for side in (stems, told))
    return bool(mine and theirs) and mine.isdisjoint(theirs)


def _says_less(other: RuleWords, words: RuleWords) -> bool:
    """Return whether a sentence only says the general rule, of which this one is a case."""
    fewer = len(other.values) < len(words.values) or other.needed < words.needed
    return fewer and other.needed <= words.needed and other.modes >= words.modes


def _pairs(words: RuleWords, other: RuleWords) -> Iterator[tuple[Quantity, Quantity]]:
    """Yield the values of both that could be compared, without those that the other has too."""
    for one in words.values:
        if not isinstance(one, Quantity) or any(is_same_value(one, two) for two in other.values):
            continue
        for another in other.values:
            if isinstance(another, Quantity) and another.kind is one.kind:
                yield one, another


def _are_apart(one: Quantity, other: Quantity) -> bool:
    """Return whether two bounds part two cases: "at least 24 hours before", "less than 24 hours before"."""
    if not {one.writing, other.writing} <= _BOUNDS or one.unit != other.unit:
        return False
    return not overlap(one.interval, other.interval)


def _differ(one: Value, other: Value) -> bool:
    return relate(one, other).outcome is Outcome.DISAGREE
