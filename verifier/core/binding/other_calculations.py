"""Whether a sentence speaks of another calculation: of what else it names, of a way back, of a part."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.binding.fairness import MULTIPLYING
from verifier.core.binding.flows import find_other_flow
from verifier.core.binding.paired import find_whole
from verifier.core.binding.subjects import enclosing, numbers_of
from verifier.core.binding.ways import find_turned_way
from verifier.core.derivation import Operation
from verifier.core.speech import read_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.judging import Judgement
    from verifier.core.binding.passages import Spot
    from verifier.core.facts.model import EvidenceFact, Thing

_CAN: Final = frozenset({"can", "could", "may"})
_SPEAKER: Final = frozenset({"i", "we"})
_QUOTIENTS: Final = frozenset({Operation.RATIO, Operation.SHARE, Operation.UNIT_PRICE})


def find_other_calculation(spot: Spot, derived: Judgement, view: EvidenceView) -> str | None:
    """Return the word by which a derived value is told of something else, or None."""
    if derived.derivation is None:
        return None
    facts = [one.fact for one in derived.deciding]
    found = _against(spot, derived.derivation.operation, facts, view)
    return next((word for word in found if word is not None), None)


def _against(
    spot: Spot, operation: Operation, facts: Sequence[EvidenceFact], view: EvidenceView
) -> Iterator[str | None]:
    for fact in facts:
        yield find_turned_way(spot, fact, view)
        yield find_other_flow(spot, fact, view)
    if operation in MULTIPLYING:
        yield _named_beside(spot, facts)
    if operation is Operation.EXTREME:
        yield _may_be_had(spot)
    if operation in _QUOTIENTS:
        whole = find_whole(spot.passage, spot.stated)
        yield None if whole is None else whole.text


def _named_beside(spot: Spot, facts: Sequence[EvidenceFact]) -> str | None:
    """Return what else the clause names where one thing's price is multiplied: "with the double"."""
    things = [fact.thing for fact in facts if fact.thing is not None]
    own = frozenset[int]().union(*map(numbers_of, things))
    for mention in spot.passage.mentions:
        if not spot.clause.contains(mention.span) or mention.span.overlaps(spot.stated.span):
            continue
        if things and not any(one.number in own or _is_in(one, things) for one in mention.things):
            return spot.passage.text_of(mention.span)
    return None


def _is_in(thing: Thing, others: Sequence[Thing]) -> bool:
    return any(other in enclosing(thing) for other in others)


def _may_be_had(spot: Spot) -> str | None:
    """Return "can" where the first or last of a list is told of what one can have of it."""
    pairs = pairwise(read_words(spot.text))
    return next((word for who, word in pairs if word in _CAN and who not in _SPEAKER), None)
