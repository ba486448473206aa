"""Bounds that a fact meets and does not tell: "up to 16 weeks" of 6 to 10, "over half" of four friends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.binding.vocabulary import groups_of
from verifier.core.speech import read_words
from verifier.core.text_stems import stem
from verifier.core.values import Kind, Quantity, Writing

if TYPE_CHECKING:
    from verifier.core.binding.passages import Spot
    from verifier.core.binding.setting import Setting
    from verifier.core.facts.model import EvidenceFact

_MOST: Final = frozenset({"limit", "max", "maximum", "cap", "capacity", "allowance", "most"})
_LEAST: Final = frozenset({"min", "minimum", "least"})


def find_loose_bound(spot: Spot, fact: EvidenceFact, setting: Setting) -> str | None:
    """Return a bound of the clause that the fact only happens to meet, or None."""
    value, held = spot.stated.value, fact.fact.value
    if not isinstance(value, Quantity) or not isinstance(held, Quantity):
        return None
    if value.writing is not Writing.BOUND or value.kind is Kind.DATE:
        return None
    if _is_share(value, held) or _is_other_end(value, held) or _turns_limit(value, fact):
        return value.text
    told = _is_named(fact, setting) and not _is_term(value, held, fact)
    return None if told else value.text


def _is_share(value: Quantity, held: Quantity) -> bool:
    """Return whether a part of one is held against a number of things."""
    low, told = value.interval.low or value.interval.high, held.interval.low
    if value.kind is not Kind.NUMBER or low is None or told is None:
        return False
    return 0 < low < 1 <= told


def _is_other_end(value: Quantity, held: Quantity) -> bool:
    """Return whether a range is told by a bound that is not its end."""
    ends = {value.interval.low, value.interval.high} - {None, 0}
    return held.writing is Writing.RANGE and ends.isdisjoint(
        {held.interval.low, held.interval.high}
    )


def _is_term(value: Quantity, held: Quantity, fact: EvidenceFact) -> bool:
    """Return whether a text tells just that amount, as no bound: "bake for 30 minutes" is not "at most"."""
    ends = {value.interval.low, value.interval.high} - {None}
    if held.writing is not Writing.EXACT or held.interval.low not in ends:
        return False
    own = {stem(part) for name in fact.fact.attribute for part in read_words(name)}
    return fact.clause is not None or not fact.cues <= own


def _turns_limit(value: Quantity, fact: EvidenceFact) -> bool:
    """Return whether the most is told as the least, or the least as the most."""
    names = {part for name in fact.fact.attribute for part in read_words(name)}
    is_least = value.interval.high is None
    return bool(names & (_MOST if is_least else _LEAST)) and not names & (
        _LEAST if is_least else _MOST
    )


def _is_named(fact: EvidenceFact, setting: Setting) -> bool:
    """Return whether the words of the clause tell the field."""
    return fact.clause is not None or not (
        fact.cues.isdisjoint(setting.clause) and groups_of(fact.cues).isdisjoint(setting.groups)
    )
