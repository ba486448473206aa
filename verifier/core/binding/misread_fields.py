"""Fields that are easily misread: a plan for a fact, a number for a count, a cost for a price."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.binding.vocabulary import groups_of
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.text_stems import stem
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Spot
    from verifier.core.facts.model import EvidenceFact

_PAST: Final = frozenset({"was", "were", "had", "has", "have"})
_COST: Final = "cost"


def find_misread_field(spot: Spot, fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return the word of a field that is another attribute than the clause takes it for, or None."""
    if fact.clause is not None or len(fact.fact.attribute) != 1:
        return None
    name = fact.fact.attribute[0]
    taken = (
        _is_plan(spot, name, view)
        or _is_number(spot, name)
        or (name == _COST and _has_price(fact, view))
    )
    return name if taken else None


def _is_plan(spot: Spot, name: str, view: EvidenceView) -> bool:
    """Return whether a date that was planned is told as done: "was returned on" of the field `return`."""
    value = spot.stated.value
    if value.kind is not Kind.DATE or name not in load_word_lists("cautions")["planned"]:
        return False
    if view.turn.now is not None:
        return False
    words = read_words(spot.text)
    done = any(word != name and stem(word) == stem(name) for word in words)
    return done and bool(_PAST & set(words))


def _is_number(spot: Spot, name: str) -> bool:
    """Return whether what tells one of several is told as a count: "2 floors" of the field `floor`."""
    value = spot.stated.value
    if not isinstance(value, Quantity) or value.kind is not Kind.QUANTITY or value.unit is None:
        return False
    return name in load_word_lists("cautions")["numbered"] and stem(name) == stem(value.unit)


def _has_price(fact: EvidenceFact, view: EvidenceView) -> bool:
    """Return whether the record has a price beside its cost, which is then what was paid for it."""
    if fact.thing is None:
        return False
    return any(
        "price" in groups_of(one.cues) and _COST not in one.fact.attribute
        for one in view.beside(fact.thing.number)
    )
