"""Values that a sentence only sets another against: "€89 instead of €99" does not say that it costs €99."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.binding.judging import Fate, Judgement
from verifier.core.verdicts import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.binding.binder import BoundValue
    from verifier.core.facts.model import EvidenceFact

_LONGEST: Final = 60
_SAID: Final = frozenset({Fate.PROVED, Fate.REFUTED, Fate.OPEN, Fate.AMBIGUOUS})
_AGAINST: Final = re.compile(  # "instead of the usual ", "down from "
    r"""\b(?:instead\s+of|rather\s+than|in\s+place\s+of|as\s+opposed\s+to|in\s+lieu\s+of|
        (?:down|up|reduced|lowered|raised|increased|discounted|marked\s+down)\s+from|no\s+longer|
        previously|formerly)\s+
        (?:(?:the|its|a|an|at)\s+)?(?:(?:usual|regular|old|former|previous|original|list|full)\s+)?
        (?:(?:price|rate|fee|amount|total)\s+(?:of\s+)?)?[(*]*\Z""",
    re.IGNORECASE | re.VERBOSE,
)


def open_contrasts(found: Sequence[BoundValue]) -> Iterator[BoundValue]:
    """Yield the values of a passage; one that another is set against is left open.

    What differs from a fact says so itself, so that the fact refutes nothing. Where the fact decides another
    value of the sentence too, it does not prove this one, but what is calculated from it may stand beside it.
    """
    for one in found:
        fate = one.judgement.fate
        shared = fate is Fate.PROVED and any(
            other is not one and other.judgement.fate in _SAID and _facts_of(one) & _facts_of(other)
            for other in found
        )
        if (fate is Fate.REFUTED or shared) and _is_set_against(one):
            yield replace(one, judgement=_left_open(one.judgement))
        else:
            yield one


def _is_set_against(one: BoundValue) -> bool:
    sentence = one.passage.sentence
    start = one.stated.span.start - sentence.span.start
    return _AGAINST.search(sentence.text[max(0, start - _LONGEST) : start]) is not None


def _facts_of(one: BoundValue) -> set[EvidenceFact]:
    return {candidate.fact for candidate in one.judgement.deciding}


def _left_open(judgement: Judgement) -> Judgement:
    return Judgement(
        fate=Fate.OPEN,
        detail=f"{judgement.detail}; this value is only what another is set against",
        deciding=judgement.deciding,
        reason=Reason.UNBOUND,
    )
