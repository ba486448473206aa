"""Another field of a record that more of the clause's words fit than the one it is held against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.binding.fact_words import stems_of
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.passages import Spot
    from verifier.core.binding.setting import Setting
    from verifier.core.facts.model import EvidenceFact

_TEXTS: Final = frozenset({Kind.TEXT, Kind.STATE, Kind.BOOLEAN, Kind.IDENTIFIER})


def find_closer_field(
    spot: Spot, fact: EvidenceFact, setting: Setting, view: EvidenceView
) -> str | None:
    """Return the word that another amount of the record has, and the fact lacks: "the card limit".

    The other has all words of the clause that the fact has: the limit of an overdraft is not that of a
    card.
    """
    own = fact.cues & setting.clause
    if fact.clause is not None or spot.stated.is_text or not own:
        return None
    known = stems_of(fact, view)
    for other in view.record_of(fact):
        theirs = other.cues & setting.clause
        if other.fact.value.kind not in _TEXTS and own < theirs and theirs - known:
            return min(theirs - known)
    return None
