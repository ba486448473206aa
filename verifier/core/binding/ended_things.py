"""Things that hold an amount no longer: what an expired card or a used voucher is said to be worth now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Spot
    from verifier.core.facts.model import EvidenceFact

_STATES: Final = frozenset({"status", "state"})
_YES: Final = frozenset({"true", "yes"})
_NO: Final = frozenset({"false", "no"})
_UNTIL: Final = frozenset({"until", "till", "to", "through"})
_ONGOING: Final = frozenset({"active", "valid"})


def find_ended(spot: Spot, fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return the word that says what a thing holds at present, where its record says that it has ended."""
    lists = load_word_lists("cautions")
    held = load_word_lists("derivation_cues")["vague"] | lists["stored"]
    words = read_words(spot.text)
    told = next((word for word in words if word in lists["present"]), None)
    if told is None or fact.thing is None or held.isdisjoint(fact.fact.attribute[-1:]):
        return None
    if lists["ended"] & set(read_words(spot.passage.sentence.text)):
        return None
    return told if any(_tells_end(one, view) for one in view.beside(fact.thing.number)) else None


def _tells_end(fact: EvidenceFact, view: EvidenceView) -> bool:
    value, field = fact.fact.value, set(fact.fact.attribute)
    lists = load_word_lists("cautions")
    if isinstance(value, Quantity):
        now, last = view.turn.now, value.interval.high
        ends = bool(field & lists["expiring"]) or ("valid" in field and bool(field & _UNTIL))
        return (
            ends
            and value.kind is Kind.DATE
            and now is not None
            and last is not None
            and last < now.toordinal()
        )
    text = value.text.casefold()
    if field & _STATES:
        return bool(lists["ended"] & set(read_words(text.replace("_", " "))))
    return bool(field & lists["ended"] and text in _YES) or bool(field & _ONGOING and text in _NO)
