"""Whoever is said to have done what a record only says was done: "Ann Lee closed the case" of `closed`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.binding.subjects import NAMING, numbers_around
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.text_stems import stem
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Spot
    from verifier.core.facts.model import EvidenceFact

_BY: Final = "by"
_OBJECTS: Final = frozenset(
    {"the", "a", "an", "your", "this", "that", "my", "our", "their", "his", "her", "it", "all"}
)
_SHARED_LETTERS: Final = 4


def find_untold_agent(spot: Spot, fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return the name before an active verb of the fact, where no field tells that it is who did it."""
    if fact.clause is not None:
        return None
    words = read_words(spot.text)
    for at, word in enumerate(words):
        if stem(word) not in fact.cues:
            continue
        before = words[:at] if _has_object(words[at + 1 : at + 2], fact) else ()
        after = words[at + 2 :] if words[at + 1 : at + 2] == (_BY,) else ()
        for name, field in _names(spot, fact, view):
            told = read_words(name)
            names = before[-len(told) :] == told or after[: len(told)] == told
            if told and names and not _does(field, word):
                return name
    return None


def _has_object(following: tuple[str, ...], fact: EvidenceFact) -> bool:
    kinds = fact.thing.kinds if fact.thing is not None else frozenset()
    generic = load_word_lists("cautions")["generic"]
    return any(word in _OBJECTS or word in generic or stem(word) in kinds for word in following)


def _names(
    spot: Spot, fact: EvidenceFact, view: EvidenceView
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the texts of the fact's record with their field, and the names of things that do not hold it."""
    own = numbers_around(fact)
    around = [one for number in sorted(own) for one in view.beside(number)]
    for one in (*around, *view.unnamed(fact.position)):
        if one.fact.value.kind is Kind.TEXT:
            yield one.fact.value.text, one.fact.attribute
    offset = spot.passage.sentence.span.start
    for mention in spot.passage.mentions:
        if mention.by in NAMING and not own & {thing.number for thing in mention.things}:
            kinds = sorted(mention.things[0].kinds)
            yield mention.span.shift(-offset).of(spot.passage.sentence.text), tuple(kinds)


def _does(field: tuple[str, ...], verb: str) -> bool:
    """Return whether a field is of who did it: `closed_by`, `approver`."""
    return field == (_BY,) or any(
        part[:_SHARED_LETTERS] == verb[:_SHARED_LETTERS] for part in field
    )
