"""What stands around a value of an answer: the things that are named near it, and the words."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.binding.scope import scope_of
from verifier.core.binding.subjects import NAMING, are_comparable, enclosing, place_mentions
from verifier.core.binding.vocabulary import groups_of, load_weights
from verifier.core.spans import Span
from verifier.core.speech import read_words
from verifier.core.text import content_stems
from verifier.core.text_stems import stem
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.core.binding.passages import Passage
    from verifier.core.binding.stated_values import StatedValue
    from verifier.core.facts.model import Thing, ThingMention

_MOST_THINGS: Final = 400
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
    least = load_weights().inherited
    placed = [
        (mention, points)
        for mention, points in place_mentions(passage, stated, clause)
        if len(mention.things) <= _MOST_THINGS
    ]
    mentions = [one for one, _ in placed if one.by in NAMING and clause.contains(one.span)]
    things, upward = _add_up(placed)
    scope = scope_of(passage, stated) if stated.is_text else clause
    written = f"{_words_around(passage, stated, scope)} {passage.head_of(stated.span)}"
    here = _stems(written)
    around = passage.stems.union(*(parent.stems for parent in passage.parents[:3]))
    return Setting(
        things=things,
        upward=upward,
        named={thing.number: thing for one in mentions for thing in one.things},
        mentions=tuple(mentions),
        clause=here,
        around=around,
        groups=groups_of(here.union(read_words(written))),
        near_groups=groups_of(around),
        anchored=frozenset(
            thing.number
            for one, points in placed
            if one.by in NAMING and points >= least
            for thing in one.things
        ),
        dates=_dates_of(passage, stated, clause),
    )


def _dates_of(passage: Passage, stated: StatedValue, clause: Span) -> tuple[Quantity, ...]:
    """Return the dates that say when a value is: those between it and the next of its kind, or all."""
    inside = [one for one in passage.values if clause.contains(one.span) and one is not stated]
    later = [one for one in inside if one.span.start > stated.span.start]
    rivals = (one.span.start for one in later if are_comparable(one.value, stated.value))
    end = next(rivals, clause.end)
    near = [one for one in later if one.span.start < end]
    for part in (near, inside):
        values = (one.value for one in part)
        dates = [one for one in values if isinstance(one, Quantity) and one.kind in _CALENDAR]
        if dates:
            return tuple(dates)
    return ()


def _add_up(
    placed: Sequence[tuple[ThingMention, int]],
) -> tuple[dict[int, int], dict[int, int]]:
    """Return the points of the things that are named, and of those that enclose one."""
    things: defaultdict[int, int] = defaultdict(int)
    upward: defaultdict[int, int] = defaultdict(int)
    for mention, points in placed:
        for thing in mention.things:
            things[thing.number] += points
        share = points * load_weights().outside // 10
        outers = {outer.number for thing in mention.things for outer in enclosing(thing)}
        for number in outers:
            upward[number] += share
    return things, upward


def _words_around(passage: Passage, stated: StatedValue, clause: Span) -> str:
    """Return the clause without the value, names, and titles of names ("Order" of "Order K-207")."""
    text, offset = passage.sentence.text, passage.sentence.span.start
    apart = [stated.span.shift(-offset)]
    for mention in passage.mentions:
        if mention.by in NAMING and clause.contains(mention.span):
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


@lru_cache(maxsize=4_096)
def _stems(text: str) -> frozenset[str]:
    return frozenset(content_stems(text))
