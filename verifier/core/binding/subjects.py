"""Which mentions of things may say whose a value is, and how much each counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.binding.references import find_other
from verifier.core.binding.vocabulary import load_weights
from verifier.core.facts.model import NamedBy, Thing, ThingMention
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.binding.passages import Passage
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import EvidenceFact
    from verifier.core.spans import Span
    from verifier.core.values import Value

NAMING: Final = frozenset({NamedBy.KEY, NamedBy.NAME})


def place_mentions(
    passage: Passage, stated: StatedValue, clause: Span
) -> Iterator[tuple[ThingMention, int]]:
    """Yield the mentions that may say whose the value is, each with its points, in tenths.

    Those of its own clause count most, then those of the sentence, of what leads down to it, and of the
    sentences before where nothing nearer names a thing.
    """
    weights = load_weights()
    here = [one for one in passage.mentions if one is not stated.key and one.span != stated.span]
    other = find_other(passage, passage.text_of(clause), passage.known)
    if other is not None:
        told = ThingMention(span=clause, things=other, by=NamedBy.NAME)
        yield from [(told, points_of(told, weights.same_clause))] if other else ()
        return
    inside = [one for one in here if clause.contains(one.span)]
    outside = [one for one in here if not clause.contains(one.span)]
    own = in_turn(here, stated, passage) or _own(inside, stated, passage.values)
    if own is not None and own not in inside:
        inside, outside = [own], []
    for mention in inside:
        rival = mention.by in NAMING and own is not None and not _alike(mention, own)
        place = weights.inherited // 2 if rival else weights.same_clause
        yield mention, points_of(mention, place)
    yield from _beside(outside, stated, passage, named=any(one.by in NAMING for one in inside))
    yield from _above(passage, named=any(one.by in NAMING for one in here))


def _beside(
    mentions: Sequence[ThingMention], stated: StatedValue, passage: Passage, *, named: bool
) -> Iterator[tuple[ThingMention, int]]:
    """Yield the mentions of other clauses; `named` tells that the value's own names a thing."""
    weights = load_weights()
    alone = sum(are_comparable(one.value, stated.value) for one in passage.values) == 1
    last = None if named else _last_before(mentions, stated)
    for mention in mentions:
        place = weights.only_value if alone or mention is last else weights.same_sentence
        if last is not None and mention.by in NAMING and not _alike(mention, last):
            place = weights.inherited // 2
        yield mention, points_of(mention, place)


def _above(passage: Passage, *, named: bool) -> Iterator[tuple[ThingMention, int]]:
    """Yield the mentions of the passages that lead down to this one, and of the ones before it."""
    weights = load_weights()
    depth = weights.inherited
    for parent in passage.parents:
        yield from ((mention, points_of(mention, depth)) for mention in parent.mentions)
        depth = max(depth * 3 // 4, 2)
    if named:
        return
    for recent in passage.recent:
        if recent not in passage.parents:
            yield from ((one, points_of(one, weights.recent)) for one in recent.mentions)


def enclosing(thing: Thing) -> Iterator[Thing]:
    """Yield the things that enclose a thing, from the nearest outwards."""
    outer = thing.outer
    while outer is not None:
        yield outer
        outer = outer.outer


def numbers_of(thing: Thing) -> frozenset[int]:
    """Return the numbers of a thing and of those that enclose it."""
    return frozenset((thing.number, *(outer.number for outer in enclosing(thing))))


def numbers_around(fact: EvidenceFact) -> frozenset[int]:
    """Return the numbers of a fact's thing and of those that enclose it."""
    return frozenset() if fact.thing is None else numbers_of(fact.thing)


def _last_before(mentions: Sequence[ThingMention], stated: StatedValue) -> ThingMention | None:
    """Return the last thing that the sentence names before the value: it goes on speaking of it."""
    before = [one for one in mentions if one.by in NAMING and one.span.end <= stated.span.start]
    return before[-1] if before else None


def in_turn(
    mentions: Sequence[ThingMention], stated: StatedValue, passage: Passage
) -> ThingMention | None:
    """Return the mention that "respectively" gives to a value: the first to the first, and so on."""
    if "respectively" not in passage.sentence.text.casefold():
        return None
    naming = [one for one in mentions if one.by in NAMING]
    alike = [one for one in passage.values if are_comparable(one.value, stated.value)]
    return naming[alike.index(stated)] if len(naming) == len(alike) else None


def takes_turns(passage: Passage, stated: StatedValue) -> bool:
    """Return whether "respectively" gives the value a thing of its own."""
    return in_turn(passage.mentions, stated, passage) is not None


def points_of(mention: ThingMention, place: int) -> int:
    """Return the points of a mention in a place: an id tells more than a part of a name."""
    weights = load_weights()
    by = {
        "key": weights.key,
        "name": weights.name,
        "part": weights.part,
        "descriptor": weights.descriptor,
    }
    return place * by[mention.by] // 10


def _own(
    mentions: Sequence[ThingMention], stated: StatedValue, values: Sequence[StatedValue]
) -> ThingMention | None:
    """Return the mention that the value belongs to: the last before it that no other value follows."""
    naming = [one for one in mentions if one.by in NAMING]
    before = [one for one in naming if one.span.end <= stated.span.start]
    rivals = [
        one for one in values if one is not stated and are_comparable(one.value, stated.value)
    ]
    if before:
        last = before[-1]
        between = any(
            last.span.end <= one.span.start and one.span.end <= stated.span.start for one in rivals
        )
        if not between:
            return last
    after = [one for one in naming if one.span.start >= stated.span.end]
    return after[0] if after else (before[-1] if before else None)


def _alike(one: ThingMention, other: ThingMention) -> bool:
    numbers = {thing.number for thing in other.things}
    return one is other or any(
        thing.number in numbers or any(outer.number in numbers for outer in enclosing(thing))
        for thing in one.things
    )


def are_comparable(one: Value, other: Value) -> bool:
    """Return whether two values of a sentence are of one kind: one could be taken for the other."""
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return family(one) == family(other)
    return not isinstance(one, Quantity) and not isinstance(other, Quantity)


def family(value: Quantity) -> str:
    """Return what kind of values a quantity stands beside: money, calendar, percent, amounts."""
    if value.kind in {Kind.DATE, Kind.TIME, Kind.QUARTER}:
        return "calendar"
    return value.kind.value
