"""How a sentence speaks: whether it states anything at all, and whether it denies a value."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.facts.model import NamedBy
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import holds, is_question, is_talk, read_words

if TYPE_CHECKING:
    from verifier.core.binding.passages import Passage
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.sentences import Sentence
    from verifier.core.spans import Span

_DENIALS: Final = frozenset({"not", "never", "neither", "nor", "none", "cannot"})
_ONLY_MORE: Final = (("not", "only"), ("not", "just"))
_REACH: Final = 4
_VERB: Final = r"\s+(?:is|are|was|were|has|costs?|starts?|begins?|ends?|opens?|closes?)\b"
_OPENERS: Final = frozenset({"then", "next", "first", "also", "and", "so", "now", "to", "just"})


DENIALS: Final = _DENIALS | {"isn't", "aren't", "wasn't", "hasn't", "haven't", "doesn't", "yet"}


def states_nothing(sentence: Sentence) -> bool:
    """Return whether a sentence asks or refuses, and so claims nothing."""
    return is_question(sentence.text) or holds(read_words(sentence.text), "refusals")


def is_tentative(passage: Passage) -> bool:
    """Return whether a sentence greets, requests, proposes or tells a wish: no claim yet."""
    if is_talk(passage.sentence.text):
        return True
    words = read_words(passage.text_without_dates(passage.sentence.span))
    lists = load_word_lists("cautions")
    opening = next((word for word in words if not word.isdecimal() and word not in _OPENERS), "")
    if opening in lists["requests"] and not _is_noun(opening, passage.sentence.text):
        return True
    pairs = ("_".join(pair) for pair in pairwise(words))
    return any(word in lists["tentative"] for word in (*words, *pairs))


def _is_noun(opening: str, text: str) -> bool:
    """Return whether a word that could open a request names something: "Check-in", "Power costs"."""
    return re.search(rf"\b{re.escape(opening)}(?:-\w|{_VERB})", text, re.IGNORECASE) is not None


def denies(passage: Passage, clause: Span, stated: StatedValue) -> bool:
    """Return whether the clause denies its value: "is not 50%", "never at 21 °C"."""
    before = read_words(_without_names(passage, clause.start, stated.span.start))
    near = before[-_REACH:]
    pairs = set(pairwise(near))
    count = sum(_denies(word) for word in near) + (before[-1:] == ("no",))
    count -= sum(pair in pairs for pair in _ONLY_MORE)
    return count % 2 == 1


def _without_names(passage: Passage, start: int, end: int) -> str:
    """Return a part of the sentence, each whole name in it one sign: "Never Mind" denies nothing."""
    text, offset, kept, at = passage.sentence.text, passage.sentence.span.start, [], start
    for one in passage.mentions:
        if one.by == NamedBy.NAME and at <= one.span.start and one.span.end <= end:
            kept += [text[at - offset : one.span.start - offset], "#"]
            at = one.span.end
    return "".join((*kept, text[at - offset : max(at, end) - offset]))


def _denies(word: str) -> bool:
    return word in _DENIALS or word.endswith("n't")
