"""Things that are named by the end of an id, or as the other one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.facts.model import NamedBy, ThingMention
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.binding.passages import Passage
    from verifier.core.facts.model import Thing, TurnEvidence

_ENDING: Final = re.compile(
    r"\bend(?:ing|s)?\s+(?:in|with)\s+[*#x.]*(?P<end>\w{2,12})\b", re.IGNORECASE
)
_OTHER: Final = re.compile(r"\bthe\s+(?:other|second)(?:\s+one)?\b|\bthe\s+latter\b", re.IGNORECASE)
_MOST_CHECKED: Final = 50
_SHORTEST_END: Final = 3
_FORMER: Final = re.compile(r"\bthe\s+(?:former|first\s+one)\b", re.IGNORECASE)


def find_written_ends(text: str) -> Iterator[Span]:
    """Yield the figures that are told as the end of a number: the 4336 of "ending in 4336"."""
    for match in _ENDING.finditer(text):
        if match["end"].isdecimal() and len(match["end"]) >= _SHORTEST_END:
            yield Span(*match.span("end"))


def find_endings(
    text: str, evidence: TurnEvidence, found: Sequence[ThingMention]
) -> Iterator[ThingMention]:
    """Yield the mentions of things by the last characters of their ids: "ending in 4336"."""
    for match in _ENDING.finditer(text):
        span = Span(*match.span("end"))
        if any(span.overlaps(one.span) for one in found[:_MOST_CHECKED]):
            continue
        end = match["end"].casefold()
        things = [one for one in evidence.things if any(key.endswith(end) for key in one.keys)]
        told = (fact.thing for fact in evidence.holds_text(end))
        things += [one for one in told if one is not None]
        if things:
            yield ThingMention(span=span, things=tuple(dict.fromkeys(things)), by=NamedBy.KEY)


def find_other(passage: Passage, text: str, things: Sequence[Thing]) -> tuple[Thing, ...] | None:
    """Return the things that "the other one" of a clause may be; None where the clause says no such thing.

    Of two things of a kind that were named it is the one that the clause before does not speak of.
    """
    former = _FORMER.search(text)
    if former is None and _OTHER.search(text) is None:
        return None
    named = _named_before(passage)
    if former is not None:
        return named[0] if len(named) == 2 else ()
    if len(named) == 2:
        return named[1]
    return _left_over(named[0], things) if len(named) == 1 else ()


def _left_over(named: Sequence[Thing], things: Sequence[Thing]) -> tuple[Thing, ...]:
    """Return the only other thing of the kind of the one that was named."""
    first = named[0]
    alike = [one for one in things if one.kinds & first.kinds and one.outer is first.outer]
    others = [one for one in alike if one not in named]
    return tuple(others) if len(others) == 1 else ()


def _named_before(passage: Passage) -> list[tuple[Thing, ...]]:
    mentions = [
        one
        for source in (*reversed(passage.recent), passage)
        for one in source.mentions
        if one.by in {NamedBy.KEY, NamedBy.NAME}
    ]
    return list(dict.fromkeys(one.things for one in mentions))
