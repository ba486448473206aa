"""What in a clause names another thing than the one whose fact it is held against."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.binding.cautions import rest_of_clause
from verifier.core.binding.subjects import numbers_around, numbers_of
from verifier.core.facts.model import NamedBy
from verifier.core.lexicons import load_word_lists
from verifier.core.spans import Span
from verifier.core.speech import read_words
from verifier.core.text_stems import stem
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Passage, Spot
    from verifier.core.binding.scoring import Candidate
    from verifier.core.binding.setting import Setting
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import EvidenceFact, Thing, ThingMention


_VERBS: Final = {("is",), ("are",), ("was",), ("were",), ("has",), ("have",), ("had",), ("will",)}
_STRANGER: Final = re.compile(  # "Kevin Smith (DOB: "
    r"(?P<name>[A-Z][a-z]+ [A-Z][a-z]+)\s*[(:,–-]?\s*(?:[A-Za-z]+:\s*)?\Z"
)


def find_quantifier(spot: Spot, fact: EvidenceFact) -> str | None:
    """Return a word that speaks of all of several, of none, or of the first of them.

    A word of the field's own name does not ("last payment on"), nor does "each" behind a price.
    """
    listed = load_word_lists("cautions")["quantifying"]
    amounts = sum(not one.is_text for one in spot.passage.values)
    narrowed = spot.clause != spot.passage.clause_of(spot.stated.span)
    part = spot.clause if amounts > 1 or narrowed else spot.passage.sentence.span
    words = read_words(rest_of_clause(spot.passage, part))
    own = {part for name in fact.fact.attribute for part in read_words(name)}
    if spot.stated.value.kind is Kind.MONEY:
        offset = spot.passage.sentence.span.start
        own |= {"each"} & set(
            read_words(spot.passage.sentence.text[spot.stated.span.end - offset :])[:1]
        )
    return next((word for word in words if word in listed and word not in own), None)


def find_others(
    spot: Spot,
    fact: EvidenceFact,
    together: Sequence[Candidate],
    known: frozenset[str],
    view: EvidenceView,
) -> str | None:
    """Return what the clause says of other things only: the doctor of another appointment.

    `known` are words, folded, that are fields of the fact's own record, whatever else they name; nor does
    its own field name another ("Economy price"), nor what a text of that record says in lower case. One
    beside it in a list is another where the clause does not name the fact's thing.
    """
    if fact.thing is None:
        return None
    facts = (*(one.fact for one in together), fact)
    own = {number for one in facts for number in numbers_around(one)}
    things = {one.thing.number for one in facts if one.thing is not None}
    mentions = [
        one
        for one in spot.passage.mentions
        if spot.clause.contains(one.span) and not one.span.overlaps(spot.stated.span)
    ]
    named = any(thing.number in things for one in mentions for thing in one.things)
    related = own if named else things
    field = {word for name in fact.fact.attribute for word in read_words(name.replace("_", " "))}
    for mention in mentions:
        akin = any(one.number in own or related & numbers_of(one) for one in mention.things)
        written = spot.passage.text_of(mention.span)
        own_field = set(read_words(written)) <= field
        if not (akin or own_field or _is_common(written, known) or _is_told(written, facts, view)):
            return written
    return _other_subject(spot, own, things)


def _other_subject(spot: Spot, own: set[int], things: set[int]) -> str | None:
    """Return what a clause without a subject goes on to speak of: "The lamp, which costs 9 EUR, was"."""
    if read_words(spot.text)[:1] not in _VERBS:
        return None
    before = [
        one
        for one in spot.passage.mentions
        if one.by in {NamedBy.KEY, NamedBy.NAME} and one.span.end <= spot.clause.start
    ]
    akin = any(
        thing.number in own or things & numbers_of(thing) for one in before for thing in one.things
    )
    return None if akin or not before else spot.passage.text_of(before[0].span)


def _is_told(written: str, facts: Sequence[EvidenceFact], view: EvidenceView) -> bool:
    """Return whether words in lower case stand in a text of a fact's record: "front brake pads"."""
    texts = (
        one.fact.value.text.casefold()
        for fact in facts
        if fact.thing is not None
        for one in view.beside(fact.thing.number)
        if one.fact.value.kind is Kind.TEXT
    )
    return written.islower() and any(written in text for text in texts)


def names_stranger(passage: Passage, stated: StatedValue) -> bool:
    """Return whether a person or the like that no evidence names stands right before the value."""
    offset = passage.sentence.span.start
    found = _STRANGER.search(passage.sentence.text, 0, stated.span.start - offset)
    if found is None:
        return False
    name = Span(*found.span("name")).shift(offset)
    return not any(name.overlaps(one.span) for one in passage.mentions)


def _is_common(written: str, known: frozenset[str]) -> bool:
    """Return whether words only say what kind of thing it is: "your line", though a device is called Line."""
    generic = load_word_lists("cautions")["generic"]
    return written.islower() and all(
        word in known or word in generic for word in read_words(written)
    )


def find_other_name(spot: Spot, fact: EvidenceFact, setting: Setting) -> str | None:
    """Return a name that is not the thing's own: of somebody in its record, or the start of its name."""
    thing = fact.thing
    if thing is None or not thing.names or thing.number in setting.named:
        return None
    for mention in spot.passage.mentions:
        before = mention.span.start < spot.stated.span.start
        if before and spot.clause.contains(mention.span) and not _is_own(spot, mention, thing):
            return spot.passage.text_of(mention.span)
    return None


def _is_own(spot: Spot, mention: ThingMention, thing: Thing) -> bool:
    written = spot.passage.text_of(mention.span)
    if mention.by == NamedBy.DESCRIPTOR:
        inside = mention.span.start > spot.passage.sentence.span.start
        return not (written[:1].isupper() and (inside or " " in written))
    if mention.by == NamedBy.PART:
        ends = {stem(name.split()[-1].casefold()) for name in thing.names}
        return stem(written.split()[-1].casefold()) in ends
    return True
