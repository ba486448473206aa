"""Which facts a quantity is held against: those of its readings, and of a range the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.binding.vocabulary import groups_of
from verifier.core.values import Quantity, Writing

if TYPE_CHECKING:
    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.facts.model import EvidenceFact

_ENDS: Final = frozenset({"min", "max", "minimum", "maximum", "from", "to", "low", "high"})


def facts_for(value: Quantity, view: EvidenceView) -> list[EvidenceFact]:
    """Return the facts that one of the value's readings could be compared with."""
    readings = (value, *value.alternatives)
    found = (fact for one in readings for fact in view.evidence.of_dimension(one))
    return list(dict.fromkeys(found))


def is_price(fact: EvidenceFact) -> bool:
    """Return whether a fact's words name a price."""
    return "price" in groups_of(fact.cues)


def without_ends(facts: list[EvidenceFact]) -> list[EvidenceFact]:
    """Return the facts without the ends of a range that is among them as a whole."""
    ranges = {
        (fact.thing, frozenset(fact.fact.attribute))
        for fact in facts
        if isinstance(fact.fact.value, Quantity) and fact.fact.value.writing is Writing.RANGE
    }
    if not ranges:
        return facts
    return [
        fact
        for fact in facts
        if not _ENDS & set(fact.fact.attribute)
        or (fact.thing, frozenset(fact.fact.attribute) - _ENDS) not in ranges
    ]
