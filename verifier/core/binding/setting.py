"""What stands around a value of an answer: the things that are named near it, and the words."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.binding.references import find_other
from verifier.core.binding.vocabulary import groups_of, load_weights
from verifier.core.facts.model import NamedBy, ThingMention
from verifier.core.spans import Span
from verifier.core.text import content_stems
from verifier.core.text_stems import stem
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.core.binding.passages import Passage
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import Thing
    from verifier.core.values import Value

_MOST_THINGS: Final = 400
_NAMING: Final = frozenset({"key", "name"})
_CALENDAR: Final = frozenset({Kind.DATE, Kind.QUARTER})
_LONGEST_TITLE: Final = 40
_TITLE: Final = re.compile(
    r"\b(?P<word>[^\W\d_]+)\s*(?:no\.?|number|id)?\s*[(#:]*\s*\Z", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Setting:
    """Points of the things that are named, by their numbers, and the stems of the words.

    `upward` are those of things that enclose a named one. `named` are the things that the clause names by
    id or name, in `mentions`; `clause` are its stems without the value, `around` those of the sentence, of
    what leads into it and of the column head.
    """

    things: Mapping[int, int]
    upward: Mapping[int, int]
    named: Mapping[int, Thing]
    mentions: tuple[ThingMention, ...]
    clause: frozenset[str]
    around: frozenset[str]
    groups: frozenset[str]
    near_groups: frozenset[str]
    dates: tuple[Quantity, ...] = ()
    anchored: frozenset[int] = frozenset()


def read_setting(passage: Passage, stated: StatedValue) -> Setting:
    """Return the setting of a value of a passage."""
    clause = passage.clause_of(stated.span)
    things: defaultdict[int, int] = defaultdict(int)
    upward: defaultdict[int, int] = defaultdict(int)
    named: dict[int, Thing] = {}
    mentions: list[ThingMention] = []
    anchored: set[int] = set()
    least = load_weights().inherited
    for mention, points in _placed(passage, stated, clause):
        if len(mention.things) > _MOST_THINGS:
            continue
        if mention.by in _NAMING and points >= least:
            anchored.update(thing.number for thing in mention.things)
        close = mention.by in _NAMING and clause.contains(mention.span)
        mentions += [mention] if close else []
        for thing in mention.things:
            things[thing.number] += points
            if close:
                named[thing.number] = thing
        outers = {
            outer.number: points * load_weights().outside // 10
            for thing in mention.things
            for outer in enclosing(thing)
        }
        for number, share in outers.items():
            upward[number] += share
    here = _stems(_words_around(passage, stated, clause)) | _stems(passage.head_of(stated.span))
    around = passage.stems.union(*(parent.stems for parent in passage.parents[:3]))
    return Setting(
        things=things,
        upward=upward,
        named=named,
        mentions=tuple(mentions),
        clause=here,
        around=around,
        groups=groups_of(here),
        near_groups=groups_of(around),
        anchored=frozenset(anchored),
        dates=tuple(
            one.value
            for one in passage.values
            if one is not stated
            and clause.contains(one.span)
            and isinstance(one.value, Quantity)
            and one.value.kind in _CALENDAR
        ),
    )


def _words_around(passage: Passage, stated: StatedValue, clause: Span) -> str:
    """Return the clause without the value, names, and titles of names ("Order" of "Order K-207")."""
    text, offset = passage.sentence.text, passage.sentence.span.start
    apart = [stated.span.shift(-offset)]
    for mention in passage.mentions:
        if mention.by in _NAMING and clause.contains(mention.span):
            place = mention.span.shift(-offset)
            title = _TITLE.search(text, max(0, place.start - _LONGEST_TITLE), place.start)
            kinds = {kind for thing in mention.things for kind in thing.kinds}
            titled = title is not None and stem(title["word"].casefold()) in kinds
            apart.append(Span(title.start(), place.end) if title and titled else place)
    kept, at = [], clause.start - offset
    for span in sorted(apart):
        kept.append(text[at : max(at, span.start)])
        at = max(at, span.end)
    kept.append(text[at : max(at, clause.end - offset)])
    return " ".join(kept)


def enclosing(thing: Thing) -> Iterator[Thing]:
    """Yield the things that enclose a thing, from the nearest outwards."""
    outer = thing.outer
    while outer is not None:
        yield outer
        outer = outer.outer


@lru_cache(maxsize=4_096)
def _stems(text: str) -> frozenset[str]:
    return frozenset(content_stems(text))


def _placed(
    passage: Passage, stated: StatedValue, clause: Span
) -> Iterator[tuple[ThingMention, int]]:
    """Yield the mentions that may say whose the value is, each with its points."""
    weights = load_weights()
    here = [one for one in passage.mentions if one is not stated.key and one.span != stated.span]
    other = find_other(
        passage, clause.shift(-passage.sentence.span.start).of(passage.sentence.text)
    )
    if other is not None:
        if other:
            told = ThingMention(span=clause, things=other, by=NamedBy.NAME)
            yield told, _points(told, weights.same_clause)
        return
    inside = [one for one in here if clause.contains(one.span)]
    outside = [one for one in here if not clause.contains(one.span)]
    own = _by_turns(here, stated, passage) or _own(inside, stated, passage.values)
    if own is not None and own not in inside:
        inside, outside = [own], []
    for mention in inside:
        rival = mention.by in _NAMING and own is not None and not _alike(mention, own)
        yield mention, _points(mention, weights.inherited // 2 if rival else weights.same_clause)
    alone = sum(_comparable(one.value, stated.value) for one in passage.values) == 1
    named_here = any(one.by in _NAMING for one in inside)
    last = None if named_here else _last_before(outside, stated)
    for mention in outside:
        place = weights.only_value if alone or mention is last else weights.same_sentence
        if last is not None and mention.by in _NAMING and not _alike(mention, last):
            place = weights.inherited // 2
        yield mention, _points(mention, place)
    depth = weights.inherited
    for parent in passage.parents:
        yield from ((mention, _points(mention, depth)) for mention in parent.mentions)
        depth = max(depth * 3 // 4, 2)
    if not any(one.by in _NAMING for one in here):
        for recent in passage.recent:
            if recent not in passage.parents:
                yield from (
                    (mention, _points(mention, weights.recent)) for mention in recent.mentions
                )


def _last_before(mentions: Sequence[ThingMention], stated: StatedValue) -> ThingMention | None:
    """Return the last thing that the sentence names before the value: it goes on speaking of it."""
    before = [one for one in mentions if one.by in _NAMING and one.span.end <= stated.span.start]
    return before[-1] if before else None


def _by_turns(
    mentions: Sequence[ThingMention], stated: StatedValue, passage: Passage
) -> ThingMention | None:
    """Return the mention that "respectively" gives to a value: the first to the first, and so on."""
    if "respectively" not in passage.sentence.text.casefold():
        return None
    naming = [one for one in mentions if one.by in _NAMING]
    alike = [one for one in passage.values if _comparable(one.value, stated.value)]
    return naming[alike.index(stated)] if len(naming) == len(alike) else None


def _points(mention: ThingMention, place: int) -> int:
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
    naming = [one for one in mentions if one.by in _NAMING]
    before = [one for one in naming if one.span.end <= stated.span.start]
    rivals = [one for one in values if one is not stated and _comparable(one.value, stated.value)]
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


def _comparable(one: Value, other: Value) -> bool:
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return family(one) == family(other)
    return not isinstance(one, Quantity) and not isinstance(other, Quantity)


def family(value: Quantity) -> str:
    """Return what kind of values a quantity stands beside: money, calendar, percent, amounts."""
    if value.kind in {Kind.DATE, Kind.TIME, Kind.QUARTER}:
        return "calendar"
    return value.kind.value
