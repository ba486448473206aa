"""Amounts whose record says that they are paid: a paid deposit is not due, nor was it paid to the payer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.lexicons import load_word_lists
from verifier.core.speech import find_row, read_words
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Spot
    from verifier.core.facts.model import EvidenceFact

_YES: Final = frozenset({"true", "yes"})
_PASSIVE: Final = (("been",), ("you", "were"), ("you", "are"), ("you", "got"), ("to", "you"))


def find_unsettled(spot: Spot, fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return the word that says that a paid amount is to be paid, or was paid to the reader; or None."""
    if fact.fact.value.kind is not Kind.MONEY or not _is_paid(fact, view):
        return None
    lists, words = load_word_lists("cautions"), read_words(spot.text)
    for phrase in lists["to_be_paid"]:
        if find_row(tuple(phrase.split("_")), words) is not None:
            return phrase.replace("_", " ")
    paid = next((at for at, word in enumerate(words) if word in lists["settling"]), None)
    if paid is None or "you" not in words:
        return None
    near = (words[paid - 1 : paid], words[max(0, paid - 2) : paid], words[paid + 1 : paid + 3])
    return words[paid] if any(one in _PASSIVE for one in near) else None


def _is_paid(fact: EvidenceFact, view: EvidenceView) -> bool:
    """Return whether a field beside the amount says that it is paid."""
    beside = view.unnamed(fact.position) if fact.thing is None else view.beside(fact.thing.number)
    settling = load_word_lists("cautions")["settling"]
    return any(
        one.fact.value.kind is Kind.BOOLEAN
        and one.fact.attribute[:-1] == fact.fact.attribute[:-1]
        and not settling.isdisjoint(one.fact.attribute[-1:])
        and one.fact.value.text.casefold() in _YES
        for one in beside
    )
