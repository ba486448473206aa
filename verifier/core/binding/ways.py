"""Which way a clause says that something goes: from the one place of its record to the other, or back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.binding.subjects import enclosing
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import find_row, read_words
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Spot
    from verifier.core.facts.model import EvidenceFact

_LONGEST_PLACE: Final = 60
_REACH: Final = 3
_AMOUNTS: Final = frozenset({Kind.MONEY, Kind.NUMBER, Kind.QUANTITY, Kind.DATE, Kind.TIME})
_TO: Final = "to"


def find_turned_way(spot: Spot, fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return the place that is told as the other end of the way: "from CDG" of what goes to it.

    It may stand in the clause, in the head of the value's column, or in what leads down to it.
    """
    starts, goals = _ends(fact, view)
    if not starts or not goals:
        return None
    passage = spot.passage
    texts = (
        spot.text,
        passage.head_of(spot.stated.span),
        *(parent.sentence.text for parent in passage.parents),
    )
    for words in map(read_words, texts):
        for place in sorted(starts ^ goals):
            told = _told_end(place, words)
            if told is not None and told != ("going" if place in starts else "coming"):
                return " ".join(place)
    return None


def _told_end(place: tuple[str, ...], words: tuple[str, ...]) -> str | None:
    """Return whether the words say that one goes from a place, or comes to it; None where neither.

    What is somebody's comes from there: "the plaintiff's offer".
    """
    at = find_row(place, words)
    if find_row((*place[:-1], f"{place[-1]}'s"), words) is not None:
        return "going"
    if at is None:
        return None
    lists = load_word_lists("cautions")
    behind = words[at + len(place) :][:1]
    if behind == (_TO,):
        return "going"
    near = (*reversed(words[max(0, at - _REACH) : at]), *behind)
    for word in near:
        if word.isdecimal():
            break
        for end in ("going", "coming"):
            if word in lists[end]:
                return end
    return None


def _ends(
    fact: EvidenceFact, view: EvidenceView
) -> tuple[set[tuple[str, ...]], set[tuple[str, ...]]]:
    """Return the words of the places that a fact's record, or else its call, goes from and to."""
    own = _sorted(_texts_of(fact, view))
    call = view.call_of(fact)
    return own if any(own) or call is None else _sorted(_texts_of_call(call.arguments))


def _sorted(
    places: Iterable[tuple[set[str], str]],
) -> tuple[set[tuple[str, ...]], set[tuple[str, ...]]]:
    lists = load_word_lists("cautions")
    found: dict[str, set[tuple[str, ...]]] = {"leaving": set(), "reaching": set()}
    for names, place in places:
        words = read_words(place[:_LONGEST_PLACE])
        for end, known in found.items():
            if words and names & lists[end]:
                known.add(words)
    return found["leaving"], found["reaching"]


def _texts_of(fact: EvidenceFact, view: EvidenceView) -> Iterator[tuple[set[str], str]]:
    """Yield the texts of a fact's record, and of what encloses it, with the words of their names."""
    things = () if fact.thing is None else (fact.thing, *enclosing(fact.thing))
    fields = [view.beside(thing.number) for thing in things] or [view.unnamed(fact.position)]
    for one in (one for beside in fields for one in beside):
        if one.fact.value.kind not in _AMOUNTS:
            names = {part for name in one.fact.attribute for part in read_words(name)}
            yield names, one.fact.value.text


def _texts_of_call(arguments: Mapping[str, object]) -> Iterator[tuple[set[str], str]]:
    for name, value in arguments.items():
        if isinstance(value, str):
            yield set(read_words(name.replace("_", " "))), value
