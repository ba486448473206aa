"""Which of two facts a comparison speaks of, and against which: "the suite is $20 dearer than the studio"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.text import content_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.passages import Spot
    from verifier.core.binding.scoring import Candidate
    from verifier.core.facts.model import EvidenceFact

_THAN: Final = re.compile(r"\b(?:than|compared (?:to|with)|against)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """The two sides of a comparison around a value: numbers of the things named there, and stems.

    What both sides say tells them apart in nothing and is in neither.
    """

    first: frozenset[int]
    second: frozenset[int]
    first_stems: frozenset[str]
    second_stems: frozenset[str]

    def is_first(self, fact: EvidenceFact) -> bool | None:
        """Return whether a fact is of the side before the value; None where no side, or both, tell it."""
        if fact.thing is not None and fact.thing.number in self.first ^ self.second:
            return fact.thing.number in self.first
        stems = frozenset(content_stems(" ".join(fact.fact.attribute)))
        if fact.thing is not None:
            texts = (*fact.thing.descriptors, *fact.thing.names)
            stems |= frozenset(one for text in texts for one in content_stems(text))
        sides = not stems.isdisjoint(self.first_stems), not stems.isdisjoint(self.second_stems)
        return sides[0] if sides[0] is not sides[1] else None


def read_comparison(spot: Spot) -> Comparison | None:
    """Return the comparison that a value stands in, where words after it say what it is compared with."""
    text, offset = spot.passage.sentence.text, spot.passage.sentence.span.start
    than = _THAN.search(text, spot.stated.span.end - offset)
    if than is None:
        return None
    start = max(spot.clause.start - offset, 0)
    first = frozenset(content_stems(text[start : spot.stated.span.start - offset]))
    second = frozenset(content_stems(text[than.end() :]))
    named = [
        {
            thing.number
            for mention in spot.passage.mentions
            if (mention.span.start - offset >= than.end()) is after
            for thing in mention.things
        }
        for after in (False, True)
    ]
    both = all(named)
    return Comparison(
        first=frozenset(named[0] - named[1] if both else ()),
        second=frozenset(named[1] - named[0] if both else ()),
        first_stems=first - second,
        second_stems=second - first,
    )


def keep_compared(
    ranked: Sequence[Candidate], comparison: Comparison | None
) -> Sequence[Candidate]:
    """Return only the facts of the two sides, where both have some."""
    if comparison is None:
        return ranked
    sides = {id(one): comparison.is_first(one.fact) for one in ranked}
    if not {True, False} <= set(sides.values()):
        return ranked
    return [one for one in ranked if sides[id(one)] is not None]
