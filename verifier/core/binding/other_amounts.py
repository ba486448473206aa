"""What makes an amount another one: a noun behind the name of a thing, a count of several."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.binding.vocabulary import groups_of
from verifier.core.facts.model import NamedBy
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.text_stems import stem
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.binding.passages import Passage, Spot
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import EvidenceFact
    from verifier.core.spans import Span

_VERB_ENDS: Final = ("s", "ed")
_ADDED: Final = re.compile(  # but not "plus 15 EUR for breakfast"
    r"[ )]*[,;(]? ?(?:plus|\+|excluding|excl\.?|not including) (?P<what>[a-z]{3,})", re.IGNORECASE
)


def find_compound(spot: Spot, fact: EvidenceFact) -> str | None:
    """Return the noun that makes a name another thing's: the pillow of "the wool throw pillow"."""
    passage = spot.passage
    text, offset = passage.sentence.text, passage.sentence.span.start
    for mention in passage.mentions:
        if mention.by not in {NamedBy.NAME, NamedBy.PART} or not spot.clause.contains(mention.span):
            continue
        if 0 <= spot.stated.span.start - mention.span.end <= 1:
            continue
        after = text[mention.span.end - offset :]
        word = after.split()[0] if after.startswith(" ") and after.split() else ""
        kinds = frozenset().union(*(thing.kinds for thing in mention.things))
        if word.strip(".,;:!?)").isdecimal() or _makes_other(word, fact.cues | kinds):
            return word
    return None


def _makes_other(word: str, known: frozenset[str]) -> bool:
    """Return whether a word behind a name is a noun of its own, not a verb nor what the thing is."""
    lists = load_word_lists("cautions")
    if not word.isalpha() or not word.islower() or word.endswith(_VERB_ENDS):
        return False
    if word in lists["plain"] or word in lists["after_names"]:
        return False
    stems = frozenset({stem(word)})
    return not stems & known and not groups_of(stems)


def find_multiple(passage: Passage, clause: Span, stated: StatedValue) -> str | None:
    """Return the count before a name, or behind "for", that makes a price the price of several.

    Or what is told as an extra to it: "120 EUR plus breakfast" is no price with breakfast.
    """
    if stated.value.kind is not Kind.MONEY:
        return None
    text, offset = passage.sentence.text, passage.sentence.span.start
    added = _ADDED.match(text, stated.span.end - offset)
    if added is not None:
        return added["what"]
    for other in passage.values:
        counted = other.value.kind is Kind.QUANTITY and clause.contains(other.span)
        before = read_words(text[: other.span.start - offset])[-1:]
        if counted and before == ("for",) and _is_several(read_words(other.value.text)[0]):
            return other.value.text
    for mention in passage.mentions:
        before = tuple(text[: mention.span.start - offset].split())[-1:]
        named = mention.by in {NamedBy.NAME, NamedBy.PART} and clause.contains(mention.span)
        if named and before and _is_several(before[0]):
            return before[0]
        leading = text[: mention.span.start - offset].split()[-2:-1]
        keyed = mention.by == NamedBy.KEY and clause.contains(mention.span)
        if keyed and leading and _is_several(leading[0]) and not _is_each(text, stated, offset):
            return leading[0]
    return None


def _is_each(text: str, stated: StatedValue, offset: int) -> bool:
    return read_words(text[stated.span.end - offset :])[:1] == ("each",)


def _is_several(word: str) -> bool:
    return word.casefold() in load_word_lists("cautions")["several"] or (
        word.isdecimal() and word != "1"
    )
