"""The rules that a sentence of prose states, each with what it depends on."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.binding.rule_parts import find_parts
from verifier.core.binding.rule_words import RuleWords, read_rule_words, read_stems, stem_of
from verifier.core.field_names import field_words
from verifier.core.lead_ins import takes_back
from verifier.core.lexicons import load_word_lists
from verifier.core.spans import Span
from verifier.core.speech import is_question, read_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from verifier.core.quantities import ValueMention
    from verifier.core.surroundings import Surroundings

_TURNING: Final = frozenset("≠≈<>≤≥≮≯∼~❌❎✗✘✖✕🚫⛔👎")
_MOST_EARLIER: Final = 12
_NUMBERING: Final = re.compile(r"\A\s*(?:§\s*)?\d{1,3}(?:\.\d{1,3})*[.)]?\s+")  # "2.1 Fees"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A part of a sentence that states something; `above` are the stems of what it depends on."""

    words: RuleWords
    span: Span
    above: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProseSentence:
    """A sentence as rules: the whole first, then the parts that stand by themselves.

    `words` are those of the whole, `above` the stems of what stands above it.
    """

    words: RuleWords
    above: frozenset[str]
    rules: tuple[Rule, ...]


def read_sentence(
    place: Surroundings,
    mentions: Sequence[ValueMention],
    following: Surroundings | None,
    beside: frozenset[str],
) -> ProseSentence:
    """Return the rules of a sentence; none where it asks, is struck out, or the next takes it back.

    `beside` are the stems of the record that holds the text.
    """
    text = place.sentence
    parts = find_parts(text, mentions)
    above = beside.union(*(stems_above(one) for one in (*place.above, parts.label)))
    words = [read_rule_words(text, span, mentions) for span in parts.spans]
    taken = following is not None and following.earlier is place and takes_back(following.sentence)
    rules = [
        Rule(words=read, span=span, above=above)
        for read, span in zip(words, parts.spans, strict=True)
        if not taken and is_plain(text)
    ]
    return ProseSentence(words=words[0], above=above, rules=tuple(_settled(rules, place)))


def is_plain(text: str) -> bool:
    """Return whether a sentence states what its words say: no question, no sign that denies or strikes."""
    return _TURNING.isdisjoint(text) and not is_question(text)


@lru_cache(maxsize=2_048)
def stems_above(text: str) -> frozenset[str]:
    """Return the stems of a text that stands above others, without those that only say that rules follow."""
    lists = load_word_lists("rule_words")
    words = read_words(_NUMBERING.sub("", text))
    if len(words) == 2 and words[0] in lists["readers"] and words[1] in lists["addressed"]:
        return frozenset()
    counted = {
        number
        for word, number in pairwise(words)
        if word in lists["numbered"] and number.isdecimal()
    }
    return read_stems(_NUMBERING.sub("", text)) - _general_stems() - counted


def stems_of_record(texts: Iterable[str], fields: Iterable[str]) -> frozenset[str]:
    """Return the stems of what a record says beside a text, and of the fields that lead to it."""
    names = (" ".join(field_words(field)) for field in fields)
    return frozenset().union(*(stems_above(text) for text in (*texts, *names)))


@lru_cache(maxsize=1)
def _general_stems() -> frozenset[str]:
    return frozenset(stem_of(word) for word in load_word_lists("rule_words")["general"])


def _settled(rules: Iterable[Rule], place: Surroundings) -> Iterator[Rule]:
    """Yield the rules whose subject is told; those that leave it to earlier sentences have these above."""
    pointing = load_word_lists("rule_words")["pointing"]
    for rule in rules:
        words = rule.words
        if words.opening in pointing:
            continue
        if words.subject and (words.opening != "the" or len(words.subject) > 1):
            yield rule
        else:
            yield replace(rule, above=rule.above | _earlier_subjects(place))


def _earlier_subjects(place: Surroundings) -> frozenset[str]:
    found: set[str] = set()
    earlier, left = place.earlier, _MOST_EARLIER
    while earlier is not None and left:
        words = read_rule_words(earlier.sentence, Span(0, len(earlier.sentence)), ())
        found |= words.subject or words.needed
        earlier, left = earlier.earlier, left - 1
    return frozenset(found)
