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
    | {"me", "us", "you", "him", "them"}
)
_LEADING: Final = frozenset(
    {"has", "have", "had", "already", "just", "also", "last", "first", "then", "now", "recently"}
)
_REACHING: Final = frozenset({"to", "recipient", "receiver", "addressee", "consignee"})
_SHARED_LETTERS: Final = 4


def find_untold_agent(spot: Spot, fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return the name before an active verb of the fact, where no field tells that it is who did it.

    Behind "has" or "last" that is who the record is sent to, and who it does not name.
    """
    if fact.clause is not None:
        return None
    words = read_words(spot.text)
    verbs = fact.cues | {stem(name) for name in fact.fact.attribute}
    for at, word in enumerate(words):
        if stem(word) not in verbs:
            continue
        start = _start_of_verb(words, at)
        before = words[:start] if _has_object(words[at + 1 : at + 2], fact) else ()
        after = words[at + 2 :] if words[at + 1 : at + 2] == (_BY,) else ()
        for name, field, is_own in _names(spot, fact, view):
            told = read_words(name)
            strict = start == at or not is_own or bool(_REACHING & set(field))
            leads = strict and before[-len(told) :] == told
            if told and (leads or after[: len(told)] == told) and not _does(field, word):
                return name
    return None


def _start_of_verb(words: tuple[str, ...], at: int) -> int:
    """Return where a verb begins with the words that lead to it: "has already counted"."""
    while at and words[at - 1] in _LEADING:
        at -= 1
    return at


def _has_object(following: tuple[str, ...], fact: EvidenceFact) -> bool:
    kinds = fact.thing.kinds if fact.thing is not None else frozenset()
    generic = load_word_lists("cautions")["generic"]
    return any(word in _OBJECTS or word in generic or stem(word) in kinds for word in following)


def _names(
    spot: Spot, fact: EvidenceFact, view: EvidenceView
) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Yield the texts of the fact's record with their field, then the names of things that do not hold it."""
    own = numbers_around(fact)
    around = [one for number in sorted(own) for one in view.beside(number)]
    for one in (*around, *view.unnamed(fact.position)):
        if one.fact.value.kind is Kind.TEXT:
            yield one.fact.value.text, one.fact.attribute, True
    yield from _addressees(fact, view)
    for mention in spot.passage.mentions:
        if not own & {thing.number for thing in mention.things}:
            written = spot.passage.text_of(mention.span)
            if mention.by in NAMING or written[:1].isupper():
                yield written, tuple(sorted(mention.things[0].kinds)), False


def _addressees(
    fact: EvidenceFact, view: EvidenceView
) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Yield whom the call of a fact is told to send something to."""
    call = view.call_of(fact)
    for name, told in call.arguments.items() if call is not None else ():
        if name in _REACHING and isinstance(told, str):
            yield told, (name,), True


def _does(field: tuple[str, ...], verb: str) -> bool:
    """Return whether a field is of who did it: `closed_by`, `approver`."""
    return field == (_BY,) or any(
        part[:_SHARED_LETTERS] == verb[:_SHARED_LETTERS] for part in field
    )
