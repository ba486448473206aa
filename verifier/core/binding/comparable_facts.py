"""Which facts a quantity is held against: those of its readings, and of a range the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.binding.pools import Pool
from verifier.core.binding.vocabulary import groups_of
from verifier.core.facts.dimensions import groups_for
from verifier.core.facts.model import FactOrigin
from verifier.core.values import Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Passage
    from verifier.core.facts.model import EvidenceFact

_ASIDES: Final = frozenset({FactOrigin.USER, FactOrigin.ARGUMENT})
_ENDS: Final = frozenset({"min", "max", "minimum", "maximum", "from", "to", "low", "high"})


def proof_of(
    value: Quantity,
    passage: Passage,
    view: EvidenceView,
    *,
    used: AbstractSet[EvidenceFact],
    priced: bool,
) -> Pool:
    """Return the facts that one of the value's readings could be compared with, and that prove anything.

    Prices are left out where the value is not `priced`. What is `used` is among them, but for a range:
    without it, its ends speak for themselves.
    """

    def find() -> list[EvidenceFact]:
        proof = view.proof_for(passage, _of_dimension(value, view))
        return [fact for fact in proof if priced or not is_price(fact)]

    if any(map(_is_range, used)):
        return Pool(without_ends([fact for fact in find() if fact not in used]), view)
    key = (*_groups(value), view.named_calls(passage), priced)
    return view.pool(key, lambda: without_ends(find()))


def asides_of(value: Quantity, view: EvidenceView) -> Pool:
    """Return the facts that a value could be compared with, and that only the user or a call states."""

    def find() -> list[EvidenceFact]:
        return [fact for fact in view.evidence.of_dimension(value) if fact.origin in _ASIDES]

    return view.pool(("asides", *groups_for(value)), find)


def _groups(value: Quantity) -> tuple[str, ...]:
    readings = (value, *value.alternatives)
    return tuple(dict.fromkeys(name for one in readings for name in groups_for(one)))


def _of_dimension(value: Quantity, view: EvidenceView) -> Iterable[EvidenceFact]:
    readings = (value, *value.alternatives)
    return dict.fromkeys(fact for one in readings for fact in view.evidence.of_dimension(one))


def is_price(fact: EvidenceFact) -> bool:
    """Return whether a fact's words name a price."""
    return "price" in groups_of(fact.cues)


def without_ends(facts: list[EvidenceFact]) -> list[EvidenceFact]:
    """Return the facts without the ends of a range that is among them as a whole."""
    ranges = {(fact.thing, frozenset(fact.fact.attribute)) for fact in facts if _is_range(fact)}
    if not ranges:
        return facts
    return [
        fact
        for fact in facts
        if not _ENDS & set(fact.fact.attribute)
        or (fact.thing, frozenset(fact.fact.attribute) - _ENDS) not in ranges
    ]


def _is_range(fact: EvidenceFact) -> bool:
    return isinstance(fact.fact.value, Quantity) and fact.fact.value.writing is Writing.RANGE
