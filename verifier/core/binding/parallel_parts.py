"""Parts of a record that are named alike, of which the clause tells the other one: origin and destination."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.speech import find_row, read_words
from verifier.core.text_stems import stem
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Spot
    from verifier.core.facts.model import EvidenceFact, Thing

_TEXTS = frozenset({Kind.TEXT, Kind.NAME})


def find_other_part(spot: Spot, fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return what the clause tells of the part beside the fact's own, where it tells nothing of its own."""
    return _text_of_other(spot, fact, view) or _word_of_other(spot, fact, view)


def _text_of_other(spot: Spot, fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return the text of another part: "arrives in Porto" of what leaves Porto and arrives in Leeds."""
    own_part, words = fact.fact.attribute[:1], read_words(spot.text)
    if len(fact.fact.attribute) < 2:
        return None
    texts = [one for one in view.record_of(fact) if one.fact.value.kind in _TEXTS]
    own = {
        one.fact.attribute[1:]: read_words(one.fact.value.text)
        for one in texts
        if one.fact.attribute[:1] == own_part and len(one.fact.attribute) > 1
    }
    for one in texts:
        mine = own.get(one.fact.attribute[1:])
        other = read_words(one.fact.value.text)
        if one.fact.attribute[:1] == own_part or not mine or not other or mine == other:
            continue
        if find_row(other, words) is not None and find_row(mine, words) is None:
            return one.fact.value.text
    return None


def _word_of_other(spot: Spot, fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return the word that names another part of the kind: "the Fern Lamp (new)" of the old item."""
    thing, words = fact.thing, read_words(spot.passage.sentence.text)
    if thing is None:
        return None
    stems = {stem(word) for word in words}
    for other in _parts_beside(thing, view):
        apart = other.kinds - thing.kinds - fact.cues
        if stems & (thing.kinds - other.kinds) or _names_only(spot, other, thing):
            continue
        told = next((word for word in words if stem(word) in apart), None)
        if told is not None:
            return told
    return None


def _parts_beside(thing: Thing, view: EvidenceView) -> list[Thing]:
    """Return the things of the same record whose kind shares a word with this one's, and has another."""
    outer = None if thing.outer is None else thing.outer.number
    found = [
        other
        for kinds, things in view.parts.get((outer, thing.position), {}).items()
        if kinds & thing.kinds and kinds - thing.kinds
        for other in things
    ]
    return sorted(found, key=lambda one: one.number)


def _names_only(spot: Spot, other: Thing, thing: Thing) -> bool:
    mentions = spot.passage.mentions
    return any(other in mention.things and thing not in mention.things for mention in mentions)
