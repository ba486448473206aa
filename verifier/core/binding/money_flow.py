"""Which way the money of a calculated amount goes: what is dearer saves nothing, a refund is not due."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.binding.flows import low_of
from verifier.core.binding.roles import Role
from verifier.core.binding.selections import OVER_MANY
from verifier.core.binding.subjects import enclosing
from verifier.core.derivation import Operation
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.values import Quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.judging import Judgement
    from verifier.core.binding.passages import Spot
    from verifier.core.facts.model import EvidenceFact

_SAVING: Final = frozenset({"save", "saves", "saved", "saving"})
_PAIR: Final = 2


def find_other_way(spot: Spot, derived: Judgement, view: EvidenceView) -> str | None:
    """Return the word that says that the money goes another way than the values tell, or None."""
    return _costs_more(spot, derived) or _mixes_signs(derived) or _flows_back(spot, derived, view)


def _flows_back(spot: Spot, derived: Judgement, view: EvidenceView) -> str | None:
    """Return the word for who pays the difference of a swap, where it is the other one."""
    if derived.derivation is None or derived.derivation.operation is not Operation.DIFFERENCE:
        return None
    ends = {view.roles.swapped(one.fact): low_of(one.fact.fact.value) for one in derived.deciding}
    old, new = ends.get(Role.OLD), ends.get(Role.NEW)
    if old is None or new is None:
        return None
    lists, words = load_word_lists("derivation_cues"), _phrases(spot)
    gets = next((one for one in words if one in lists["refunds"] | _SAVING), None)
    pays = next((one for one in words if one in lists["charges"] | lists["due"]), None)
    if new > old:
        return gets if pays is None else None
    return pays if gets is None else None


def _phrases(spot: Spot) -> Sequence[str]:
    """Return the phrases of three and of two words of the clause, and its words."""
    words = read_words(spot.text)
    pairs = ["_".join(pair) for pair in pairwise(words)]
    return [*("_".join(words[at : at + 3]) for at in range(len(words) - 2)), *pairs, *words]


def _costs_more(spot: Spot, derived: Judgement) -> str | None:
    """Return "save" where what is named first costs more: one saves with the cheaper one."""
    words = read_words(spot.text)
    told = next((word for word in words if word in _SAVING), None)
    if told is None or derived.derivation is None:
        return None
    if derived.derivation.operation is not Operation.DIFFERENCE or len(derived.deciding) != _PAIR:
        return None
    placed = sorted((_first_named(spot, one.fact), at) for at, one in enumerate(derived.deciding))
    values = [derived.deciding[at].fact.fact.value for _, at in placed]
    first, second = values
    if placed[0][0] == placed[1][0] or not isinstance(first, Quantity):
        return None
    if not isinstance(second, Quantity) or first.interval.low is None:
        return None
    return told if first.interval.low > (second.interval.low or 0) else None


def _first_named(spot: Spot, fact: EvidenceFact) -> int:
    """Return where the sentence first names the thing of a fact; behind its end where it does not."""
    things = {fact.thing, *(enclosing(fact.thing) if fact.thing is not None else ())}
    places = (
        one.span.start
        for one in spot.passage.mentions
        if any(thing in things for thing in one.things)
    )
    return min(places, default=spot.passage.sentence.span.end)


def _mixes_signs(derived: Judgement) -> str | None:
    """Return what speaks against a sum or the like of what came in and what went out."""
    if derived.derivation is None or derived.derivation.operation not in OVER_MANY:
        return None
    told = (low_of(one.fact.fact.value) for one in derived.deciding)
    lows = [low for low in told if low is not None]
    mixed = any(low < 0 for low in lows) and any(low > 0 for low in lows)
    return "in and out" if mixed else None
