"""Whether the clause speaks of something else than the fact's record: of what encloses it or lies in it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.binding.subjects import NAMING, enclosing
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.text import fold
from verifier.core.text_stems import stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Spot
    from verifier.core.facts.model import EvidenceFact, Thing, ThingMention

_OWNING: Final = frozenset(
    {"your", "the", "this", "that", "my", "our", "their", "his", "her", "every"}
)
_MEMBERS: Final = frozenset({"item", "product", "line", "articl", "parcel", "passeng"})
_LONGEST_HEAD: Final = 3


def find_other_kind(spot: Spot, fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return the noun of the clause for a thing that the fact is not of: "your line" of its plan."""
    outer = _is_of_a_part(spot, fact, view)
    if outer is not None:
        return outer
    thing = fact.thing
    if thing is None or fact.clause is not None:
        return None
    if _names_inner(spot, thing):
        return "a part of it"
    offset = spot.passage.sentence.span.start
    before = read_words(
        spot.passage.sentence.text[spot.clause.start - offset : spot.stated.span.start - offset]
    )
    owner = _named_owner(spot, fact)
    if owner is not None:
        return owner
    subject = _subject(before)
    own = (
        thing.kinds | fact.cues | {stem(word) for name in thing.names for word in read_words(name)}
    )
    if subject is None or stem(subject) in own or _is_title(spot, subject):
        return None
    return subject if stem(subject) in _kinds_near(thing, view) else None


def find_generic(spot: Spot, facts: Sequence[EvidenceFact]) -> str | None:
    """Return the plural of which the clause says what a record tells of one: "employees have"."""
    things = {fact.thing for fact in facts}
    if len(things) > 1 or any(fact.whole_list or fact.clause is not None for fact in facts):
        return None
    kinds = {kind for thing in things if thing is not None for kind in thing.kinds}
    words = read_words(spot.text)
    said = load_word_lists("cautions")["of_plurals"]
    for noun, verb in pairwise(words[: _LONGEST_HEAD + 1]):
        if noun.endswith("s") and noun != stem(noun) and stem(noun) in kinds and verb in said:
            return noun
    return None


def _is_of_a_part(spot: Spot, fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return the field of a part, told of the whole that has such a field itself: the plan's status."""
    if fact.clause is not None or not fact.fact.attribute:
        return None
    name = fact.fact.attribute[-1:]
    part = _part_of(fact)
    if part is None or part & {stem(word) for word in read_words(spot.passage.sentence.text)}:
        return None
    if any(fact.thing in one.things for one in spot.passage.mentions if one.by in NAMING):
        return None
    thing = fact.thing
    wholes = {outer.number for outer in enclosing(thing)} if thing is not None else set()
    if thing is not None and len(fact.fact.attribute) > 1:
        wholes.add(thing.number)
    around = (
        *(one for number in sorted(wholes) for one in view.beside(number)),
        *view.unnamed(fact.position),
    )
    own = any(one is not fact and one.fact.attribute == name for one in around)
    return " ".join(fact.fact.attribute) if own else None


def _part_of(fact: EvidenceFact) -> frozenset[str] | None:
    """Return the stems of what names the part that a fact is of; None where it is of none."""
    thing = fact.thing
    if len(fact.fact.attribute) > 1:
        return frozenset(
            stem(word) for name in fact.fact.attribute[:-1] for word in read_words(name)
        )
    if thing is None:
        return None
    named = frozenset(stem(word) for name in thing.names for word in read_words(name))
    return thing.kinds | named if thing.kinds or named else None


def _named_owner(spot: Spot, fact: EvidenceFact) -> str | None:
    """Return the thing that the field's name says it is of, where the clause does not: `card_status`."""
    thing = fact.thing
    if thing is None or not thing.kinds:
        return None
    words = read_words(spot.passage.sentence.text)
    head = read_words(spot.passage.head_of(spot.stated.span))
    told = {stem(word) for word in (*words, *head)}
    generic = load_word_lists("cautions")["generic"]
    named = (
        word
        for name in fact.fact.attribute[:-1]
        for word in read_words(name)
        if word in generic and stem(word) not in thing.kinds and stem(word) not in told
    )
    return next(named, None)


def _subject(before: tuple[str, ...]) -> str | None:
    """Return the noun behind "your" or "the" with which the clause begins."""
    generic = load_word_lists("cautions")["generic"]
    for at, word in enumerate(before[:_LONGEST_HEAD]):
        if word in _OWNING and at + 1 < len(before) and before[at + 1] in generic:
            return before[at + 1]
    return None


def _is_title(spot: Spot, noun: str) -> bool:
    """Return whether a noun is the title of something that the clause names by its id."""
    return any(
        one.by in NAMING
        and spot.clause.contains(one.span)
        and any(stem(noun) in thing.kinds for thing in one.things)
        for one in spot.passage.mentions
    )


def _kinds_near(thing: Thing, view: EvidenceView) -> frozenset[str]:
    """Return what the things are that enclose one, that lie in it, or beside it in the same record."""
    outers = tuple(enclosing(thing))
    inner = (view.parts.get((one.number, one.position), {}) for one in (thing, *outers))
    return frozenset().union(
        *(one.kinds for one in outers), *(kinds for one in inner for kinds in one)
    )


def _written(spot: Spot, mention: ThingMention) -> str:
    return fold(spot.passage.text_of(mention.span)).replace("’", "'")


def _names_inner(spot: Spot, thing: Thing) -> bool:
    """Return whether the clause names only what lies in the fact's thing: the deputy, not the employee.

    What kind of a thing it is names it, too: the suite of a booking.
    """
    written = [
        (mention, stem(_written(spot, mention).removesuffix("'s")))
        for mention in spot.passage.mentions
    ]
    if any(
        thing in mention.things and (mention.by in NAMING or kind in thing.kinds)
        for mention, kind in written
    ):
        return False
    named = [
        one
        for mention, kind in written
        for one in mention.things
        if mention.by in NAMING or kind in one.kinds
    ]
    if not named:
        return False
    if spot.stated.is_text and any(one.kinds & _MEMBERS for one in named):
        return False
    return all(thing in enclosing(one) for one in named)
