"""Lead-ins that make what stands under them something else: "Amounts that you no longer owe:"."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.binding.cautions import rest_of_clause
from verifier.core.binding.fact_words import stems_of
from verifier.core.binding.speaking import DENIALS
from verifier.core.binding.states import read_states
from verifier.core.lexicons import load_word_lists
from verifier.core.sentences import BlockKind
from verifier.core.speech import read_words
from verifier.core.text_stems import stem
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Passage, Spot
    from verifier.core.facts.model import EvidenceFact

_DENYING: Final = DENIALS | {"no", "except", "excluding", "excluded"}
_MODAL: Final = frozenset({"will", "could", "might", "may"})
_WHICH: Final = frozenset({"that", "which", "who"})
_LINKING: Final = frozenset(
    {
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "has",
        "have",
        "had",
        "you",
        "we",
        "already",
    }
)
_ACTORS: Final = frozenset({"you", "we"})
_SAYING: Final = _LINKING | {
    "i",
    "i'll",
    "i've",
    "we've",
    "it",
    "here",
    "here's",
    "please",
    "this",
    "these",
    "can",
}
_LONGEST_TITLE: Final = 6
_SPEAKER: Final = frozenset({"i", "i'll", "we"})
_PART: Final = re.compile(r"[,;–—]")


def find_lead_word(spot: Spot, fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return the word of a lead-in or heading that denies, restricts or delays what it leads to, or None."""
    stems = stems_of(fact, view) | load_word_lists("cautions")["asked"]
    words = (
        word
        for words in _lead_words(spot)
        for word in (*_denying(words), *_restricting(words, stems), *_naming(spot, words, stems))
    )
    return next(words, None)


def find_denial(spot: Spot) -> str | None:
    """Return the word of a lead-in or heading that denies what it leads to, or None."""
    return next((word for words in _lead_words(spot) for word in _denying(words)), None)


def is_lead(passage: Passage) -> bool:
    """Return whether a line heads what follows it."""
    sentence = passage.sentence
    return sentence.block is BlockKind.HEADING or sentence.text.rstrip(" *_").endswith(":")


def is_title(passage: Passage) -> bool:
    """Return whether a line only names what follows it: a short heading, or a lead-in without a verb."""
    words = read_words(passage.sentence.text)
    if len(words) > _LONGEST_TITLE:
        return False
    return passage.sentence.block is BlockKind.HEADING or (
        is_lead(passage) and _SAYING.isdisjoint(words)
    )


def _lead_words(spot: Spot) -> Iterator[tuple[str, ...]]:
    """Yield the words of each line that leads to the value, without an opening phrase: "Before I go on,"."""
    for parent in spot.passage.parents:
        if is_lead(parent):
            yield read_words(_PART.split(rest_of_clause(parent, parent.sentence.span))[-1])


def _denying(words: tuple[str, ...]) -> Iterator[str]:
    return (word for word in words if word in _DENYING)


def _restricting(words: tuple[str, ...], known: frozenset[str]) -> Iterator[str]:
    """Yield the words that set a condition or a time, and what befell things: "that were waived"."""
    shifting = load_word_lists("cautions")["shifting"]
    for before, word in pairwise(words):
        if word in shifting and not _SPEAKER & set(words):
            yield word
        if before == "you" and word in _MODAL:
            yield word
    for at, word in enumerate(words):
        if word in _WHICH or (at and word in _ACTORS and words[at - 1] not in _WHICH):
            said = next((one for one in words[at + 1 :] if one not in _LINKING), "")
            if said.endswith("ed") and not (read_states(said) or {said, stem(said)} & known):
                yield said


def _naming(spot: Spot, words: tuple[str, ...], known: frozenset[str]) -> Iterator[str]:
    """Yield the noun that a line ends in, where it makes an amount another one: "Your refunds:"."""
    narrowing = {stem(word) for word in load_word_lists("cautions")["narrowing"]} - known
    if spot.stated.value.kind is Kind.MONEY:
        yield from (word for word in words[-1:] if stem(word) in narrowing)
