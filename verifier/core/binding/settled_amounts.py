"""Amounts whose record says that they are paid: a paid deposit is not due, nor was it paid to the payer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.lexicons import load_word_lists
from verifier.core.speech import find_row, read_words
from verifier.core.values import Kind, flag_of

if TYPE_CHECKING:
    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Spot
    from verifier.core.facts.model import EvidenceFact

_NOT: Final = frozenset({"not", "never", "no", "yet", "once", "be"})
_PAYMENT: Final = frozenset({"payment", "payments"})
_STATES: Final = frozenset({"status", "state", "stage", "phase"})
_PASSIVE: Final = (("been",), ("you", "were"), ("you", "are"), ("you", "got"), ("to", "you"))


def find_unsettled(spot: Spot, fact: EvidenceFact, view: EvidenceView) -> str | None:
    """Return the word that says of a paid amount that it is to be paid, or of another that it is paid."""
    if fact.fact.value.kind is not Kind.MONEY:
        return None
    words, is_paid = read_words(spot.text), _is_paid(fact, view)
    if is_paid is None:
        whole = read_words(spot.passage.sentence.text)  # "it was paid in full: 9 EUR"
        return _said_paid(whole) if _is_only_begun(fact, view) else None
    return _turned(words) if is_paid else _said_paid(words)


def _said_paid(words: tuple[str, ...]) -> str | None:
    """Return the word that says that an amount is paid, where none says that it is to be, or is not."""
    lists = load_word_lists("cautions")
    denied = _NOT & set(words) or any(word.endswith("n't") for word in words)
    if denied or _is_to_be_paid(words):
        return None
    saying = lists["settling"] | _PAYMENT
    return next((word for word in words if word in saying), None)


def _is_to_be_paid(words: tuple[str, ...]) -> str | None:
    for phrase in sorted(load_word_lists("cautions")["to_be_paid"]):
        if find_row(tuple(phrase.split("_")), words) is not None:
            return phrase.replace("_", " ")
    return None


def _turned(words: tuple[str, ...]) -> str | None:
    """Return the word that says that a paid amount is to be paid, or was paid to the reader."""
    told = _is_to_be_paid(words)
    settling = load_word_lists("cautions")["settling"]
    paid = next((at for at, word in enumerate(words) if word in settling), None)
    if told is not None or paid is None or "you" not in words:
        return told
    near = (words[paid - 1 : paid], words[max(0, paid - 2) : paid], words[paid + 1 : paid + 3])
    return words[paid] if any(one in _PASSIVE for one in near) else None


def _is_only_begun(fact: EvidenceFact, view: EvidenceView) -> bool:
    """Return whether the fact's record is in a state before any payment, and nothing in it says paying."""
    lists = load_word_lists("cautions")
    record = list(view.record_of(fact))
    words = {
        word for one in (fact, *record) for name in one.fact.attribute for word in read_words(name)
    }
    kinds = fact.thing.kinds if fact.thing is not None else frozenset()
    if not lists["telling_payment"].isdisjoint(words | kinds):
        return False
    states = [
        set(read_words(one.fact.value.text.replace("_", " ")))
        for one in record
        if not _STATES.isdisjoint(one.fact.attribute[-1:])
    ]
    return any(not lists["begun"].isdisjoint(one) for one in states)


def _is_paid(fact: EvidenceFact, view: EvidenceView) -> bool | None:
    """Return whether a field beside the amount says that it is paid; None where there is none."""
    settling = load_word_lists("cautions")["settling"]
    told = (
        flag_of(one.fact.value)
        for one in view.record_of(fact)
        if one.fact.attribute[:-1] == fact.fact.attribute[:-1]
        and not settling.isdisjoint(one.fact.attribute[-1:])
    )
    return next((flag for flag in told if flag is not None), None)
