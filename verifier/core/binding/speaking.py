"""How a sentence speaks: whether it states anything at all, and whether it denies a value."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.speech import is_question, is_talk, read_words

if TYPE_CHECKING:
    from verifier.core.binding.passages import Passage
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.sentences import Sentence
    from verifier.core.spans import Span

_DENIALS: Final = frozenset({"not", "no", "never", "without", "neither", "nor", "none", "cannot"})
_ONLY_MORE: Final = (("no", "more"), ("no", "less"), ("not", "only"), ("no", "later"))


def states_nothing(sentence: Sentence) -> bool:
    """Return whether a sentence asks, greets, offers, refuses, and so claims nothing."""
    return is_question(sentence.text) or is_talk(sentence.text)


def denies(passage: Passage, clause: Span, stated: StatedValue) -> bool:
    """Return whether the clause denies its value: "is not 50%", "never at 21 °C"."""
    offset = passage.sentence.span.start
    before = read_words(passage.sentence.text[clause.start - offset : stated.span.start - offset])
    pairs = set(pairwise(before))
    count = sum(word in _DENIALS or word.endswith("n't") for word in before)
    count -= sum(pair in pairs for pair in _ONLY_MORE)
    return count % 2 == 1
