"""What it counts for a fact to be of a named thing, and to share an answer's words, in tenths."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.binding.periods import read_period
from verifier.core.binding.subjects import enclosing
from verifier.core.binding.vocabulary import groups_of, load_weights
from verifier.core.comparison import relate
from verifier.core.lexicons import load_word_lists
from verifier.core.text_stems import stem
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.setting import Setting
    from verifier.core.facts.model import EvidenceFact, Thing
    from verifier.core.values import Quantity

_MOST_CUES: Final = 3
_NARROWING: Final = frozenset({"total", "refund", "discount", "difference", "tax", "deposit"})
"""Attributes that a plain amount is not: only a fact with such a word is meant by it."""


def known_points(thing: Thing, view: EvidenceView) -> int:
    """Return points for what the user asked about, and for the newest result."""
    weights = load_weights()
    asked = thing.number in view.asked or any(one.number in view.asked for one in enclosing(thing))
    return (weights.asked if asked else 0) + (
        weights.newest if thing.position == view.newest else 0
    )


def subject_points(setting: Setting, thing: Thing) -> int:
    """Return points for being of a thing that is named, or inside one."""
    inside = load_weights().inside
    points = setting.things.get(thing.number, 0) + setting.upward.get(thing.number, 0)
    share = 10
    for outer in enclosing(thing):
        share = share * inside // 10
        points += setting.things.get(outer.number, 0) * share // 10
    return points


def is_rival(setting: Setting, thing: Thing) -> bool:
    """Return whether the clause names things of this one's kind, and neither it nor what is around it."""
    named = setting.named
    if not named or thing.number in named:
        return False
    if any(outer.number in named for outer in enclosing(thing)):
        return False
    if any(outer.number == thing.number for one in named.values() for outer in enclosing(one)):
        return False
    return any(one.kinds & thing.kinds or one.outer is thing.outer for one in named.values())


def attribute_points(setting: Setting, fact: EvidenceFact) -> int:
    """Return points for sharing the words of the clause, then those around it."""
    weights = load_weights()
    if fact.clause is not None:
        return _prose_points(setting, fact)
    shared = len(setting.clause & fact.cues)
    points = min(shared, _MOST_CUES) * weights.cue
    if not shared:
        points += min(len(setting.around & fact.cues), 2) * weights.nearby_cue
    if not shared and fact.cues & _background():
        points -= weights.same_sentence
    return points + _group_points(setting, fact)


def _group_points(setting: Setting, fact: EvidenceFact) -> int:
    """Return points for naming the same attribute in other words, against naming another one."""
    weights = load_weights()
    groups = groups_of_fact(fact.cues)
    if "rate" in groups and fact.fact.value.kind is Kind.MONEY:
        groups |= {"price"}
    same = setting.groups & groups
    points = weights.group if same else 0
    if not same and setting.near_groups & groups:
        points = weights.group // 2
    if setting.groups and groups and not same:
        points -= weights.nearby_cue
    if (setting.groups & _NARROWING) - groups and not fact.whole_list:
        points -= weights.group
    if (groups & _NARROWING) - setting.groups - setting.near_groups and not same:
        points -= weights.cue
    return points


def period_points(setting: Setting, fact: EvidenceFact, dates: Sequence[Quantity] = ()) -> int:
    """Return points for being of the period that the clause names, against being of another.

    `dates` are those of the fact's record, where it has no period of its own.
    """
    if not setting.dates:
        return 0
    told = read_period(fact.fact.period) if fact.fact.period is not None else None
    dates = dates if told is None else (told,)
    if not dates:
        return 0
    same = any(
        relate(date, one).agrees or relate(one, date).agrees
        for date in setting.dates
        for one in dates
    )
    return load_weights().same_sentence if same else -load_weights().same_sentence


def _prose_points(setting: Setting, fact: EvidenceFact) -> int:
    words = setting.clause
    if not words or fact.clause is None:
        return 0
    covered = len(words & fact.cues) + len((words - fact.cues) & fact.clause.before) // 2
    return load_weights().prose * covered // len(words)


@cache
def _background() -> frozenset[str]:
    return frozenset(stem(word) for word in load_word_lists("cautions")["background"])


@lru_cache(maxsize=8_192)
def groups_of_fact(cues: frozenset[str]) -> frozenset[str]:
    """Return the attributes that a fact's stems name."""
    return groups_of(cues)
