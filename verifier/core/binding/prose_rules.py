"""The rules that a sentence of prose states, each with what it depends on."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.binding.rule_matching import Above
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
    """A part of a sentence that states something, and what it depends on."""

    words: RuleWords
    span: Span
    above: Above


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProseSentence:
    """A sentence as rules: the whole first, then the parts that stand by themselves.

    `words` are those of the whole; without `is_plain` it asks, or a sign denies it.
    """

    words: RuleWords
    above: Above
    is_plain: bool
    rules: tuple[Rule, ...]


def read_sentence(
    place: Surroundings,
    mentions: Sequence[ValueMention],
    following: Surroundings | None,
    beside: Above,
) -> ProseSentence:
    """Return the rules of a sentence; none where it asks, is struck out, or the next takes it back.

    `beside` is what the record says that holds the text.
    """
    text = place.sentence
    parts = find_parts(text, mentions)
    stems = beside.stems.union(*(stems_above(one) for one in (*place.above, parts.label)))
    above = Above(stems=stems, names=beside.names)
    plain = is_plain(text)
    words = [read_rule_words(text, span, mentions) for span in parts.spans]
    taken = following is not None and following.earlier is place and takes_back(following.sentence)
    rules = [
        Rule(words=read, span=span, above=above)
        for read, span in zip(words, parts.spans, strict=True)
        if plain and not taken
    ]
    return ProseSentence(
        words=words[0], above=above, is_plain=plain, rules=tuple(_settled(rules, place))
    )


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


def read_record(texts: Iterable[str], names: Iterable[str], fields: Iterable[str]) -> Above:
    """Return what a record says beside a text: short texts with their names, the fields that lead to it."""
    told = (*texts, *(" ".join(field_words(field)) for field in fields))
    stems = frozenset().union(*(stems_above(text) for text in told))
    return Above(stems=stems, names=frozenset().union(*(read_stems(name) for name in names)))


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
        if not words.is_vague:
            yield rule
            continue
        stems = rule.above.stems | _earlier_subjects(place)
        yield replace(rule, above=replace(rule.above, stems=stems))


def _earlier_subjects(place: Surroundings) -> frozenset[str]:
    found: set[str] = set()
    earlier, left = place.earlier, _MOST_EARLIER
    while earlier is not None and left:
        words = read_rule_words(earlier.sentence, Span(0, len(earlier.sentence)), ())
        found |= words.subject or words.needed
        earlier, left = earlier.earlier, left - 1
    return frozenset(found)
