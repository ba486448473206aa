"""Which way money goes in a list of signed amounts: what came in was not paid, what went out not received."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from verifier.core.binding.evidence_index import list_of
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.text_stems import stem
from verifier.core.values import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Spot
    from verifier.core.facts.model import EvidenceFact
    from verifier.core.values import Value


_TO_READER: Final = {("you",), ("me",), ("us",)}
_OF_READER: Final = {("you", "were"), ("you", "are"), ("you", "got")}


def find_other_flow(spot: Spot, fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return the word for money that goes the other way than the sign of the fact tells, or None.

    A sign tells the way where other records of the list have the other one, and the answer writes none.
    """
    own, told = low_of(fact.fact.value), low_of(spot.stated.value)
    if not own or told is None or told < 0:
        return None
    found = list(_ways(read_words(spot.text)))
    if {going for _, going in found} != {own > 0}:
        return None
    return found[0][0] if (own < 0) in view.signs.get(list_of(fact), ()) else None


def _ways(words: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    """Yield the words for money that comes or goes, each with whether it goes: it comes in "paid you"."""
    lists = load_word_lists("cautions")
    for at, word in enumerate(words):
        if word in lists["outgoing"]:
            turned = (
                words[at + 1 : at + 2] in _TO_READER or words[max(0, at - 2) : at] in _OF_READER
            )
            yield word, not turned
        elif word in lists["incoming"]:
            yield word, False


@cache
def words_of_paying() -> frozenset[str]:
    """Return the stems of words for money that goes out, which a record of payments has with a minus."""
    return frozenset(map(stem, load_word_lists("cautions")["outgoing"]))


def low_of(value: Value) -> Fraction | None:
    """Return the least that an amount may be; None of a text."""
    return value.interval.low if isinstance(value, Quantity) else None
