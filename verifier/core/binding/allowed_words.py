"""Words that a clause may have for the way in which it tells its value, whatever the fact is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.binding.references import find_other
from verifier.core.binding.subjects import are_comparable, takes_turns
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.binding.passages import Spot
    from verifier.core.facts.model import EvidenceFact

_OTHER: Final = frozenset({"other", "one", "second", "latter", "former", "first"})
_LEADING: Final = re.compile(  # "from platform 7", "at 14:30", "for 4"
    r"\b(?P<word>from|at|on|in|to|for|with)\s+(?:[a-z]{3,12}\s+)?\Z", re.IGNORECASE
)
_FROM_TO: Final = re.compile(r"\bfrom\b.{0,60}\Z", re.IGNORECASE | re.DOTALL)
_COUNTS: Final = frozenset({Kind.NUMBER, Kind.QUANTITY})
_PAIRED: Final = frozenset({"from", "to"})


def allowed_words(spot: Spot, fact: EvidenceFact) -> frozenset[str]:
    """Return the words, folded, that only say how the value is told."""
    return frozenset(_allowed(spot, fact))


def _allowed(spot: Spot, fact: EvidenceFact) -> Iterator[str]:
    passage, stated = spot.passage, spot.stated
    offset = passage.sentence.span.start
    text = passage.sentence.text
    before = text[: stated.span.start - offset]
    lists = load_word_lists("cautions")
    if takes_turns(passage, stated):
        yield "respectively"
    if find_other(passage, spot.text, passage.known):
        yield from _OTHER
    if stated.value.kind is Kind.MONEY and read_words(text[stated.span.end - offset :])[:1] == (
        "each",
    ):
        yield "each"
    if _FROM_TO.search(before) is not None:
        yield from (*_PAIRED, *lists["of_changes"])
    per = getattr(fact.fact.value, "per", None)
    if per is not None:
        yield from ("per", "a", *lists.get(f"per_{per}", ()))
    yield from _beside_others(spot)


def _beside_others(spot: Spot) -> Iterator[str]:
    """Yield the words that belong to another value of the clause: its preposition, its verb."""
    passage, stated = spot.passage, spot.stated
    offset = passage.sentence.span.start
    for other in passage.values:
        if other is stated or not spot.clause.contains(other.span):
            continue
        leading = _LEADING.search(passage.sentence.text, 0, other.span.start - offset)
        if leading is not None and not are_comparable(stated.value, other.value):
            yield leading["word"].casefold()
        counted = isinstance(stated.value, Quantity) and stated.value.kind in _COUNTS
        if counted and other.value.kind is Kind.MONEY:
            yield from load_word_lists("cautions")["of_money"]
