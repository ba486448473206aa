"""Amounts of a whole of which the clause says that they are a part's: the total, of each item of an order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.binding.subjects import NAMING, numbers_around
from verifier.core.part_phrases import find_part_word, is_amount, leads_inside

if TYPE_CHECKING:
    from verifier.core.binding.passages import Spot
    from verifier.core.facts.model import EvidenceFact, ThingMention


def find_part_of_whole(spot: Spot, fact: EvidenceFact) -> str | None:
    """Return what the clause names as a part of the fact's thing: an item, a half, a name before "of" it."""
    if fact.thing is None or fact.clause is not None or not is_amount(spot.stated.value):
        return None
    text, offset = spot.passage.sentence.text, spot.passage.sentence.span.start
    for mention in spot.passage.mentions:
        if mention.by not in NAMING or fact.thing not in mention.things:
            continue
        start = mention.span.start - offset
        part = find_part_word(text[max(0, spot.clause.start - offset) : start], fact.cues)
        if part is not None:
            return part
        for other in spot.passage.mentions:
            between = text[other.span.end - offset : start] if _is_another(other, fact) else ""
            if between and leads_inside(between):
                return spot.passage.text_of(other.span)
    return None


def _is_another(mention: ThingMention, fact: EvidenceFact) -> bool:
    """Return whether a mention names something else than the fact's thing and what encloses it."""
    own = numbers_around(fact)
    return mention.by in NAMING and not any(one.number in own for one in mention.things)
