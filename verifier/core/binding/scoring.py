"""How well each fact fits what an answer says around a value; whether it equals it never counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
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

_MOST_CUES: Final = 3
_NARROWING: Final = frozenset({"total", "refund", "discount", "difference", "tax", "deposit"})
"""Attributes that a plain amount is not: only a fact with such a word is meant by it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidate:
    """A fact that a value may speak of; points are in tenths.

    `subject` is for being of a thing that is named, `attribute` for the words. `rival` tells that the
    clause names another thing of the same kind.
    """

    fact: EvidenceFact
    subject: int
    attribute: int
    rival: bool = False
    direct: bool = False
    anchored: bool = False
    named: bool = False
    unmatched: int = 0

    @property
    def points(self) -> int:
        """How well the fact fits, against others."""
        return self.subject + self.attribute - self.unmatched

    @property
    def strength(self) -> int:
        """How well the fact fits by itself."""
        return self.subject + self.attribute


def rank_facts(
    setting: Setting, facts: Sequence[EvidenceFact], view: EvidenceView
) -> list[Candidate]:
    """Return the facts as candidates, the best first; facts are all of the value's dimension.

    Of things alike, those that the user named by id and those of the newest result are meant rather.
    """
    alone = len({(fact.thing, fact.fact.attribute, fact.position) for fact in facts}) == 1
    implied = not setting.things and len({_outermost(fact.thing) for fact in facts}) == 1
    counts = Counter(fact.thing.number for fact in facts if fact.thing is not None)
    ranked = [
        _candidate(setting, fact, view, alone=alone or _is_sole(fact, counts), implied=implied)
        for fact in facts
    ]
    ranked.sort(key=lambda one: (-one.points, -one.fact.position))
    return ranked


def _is_sole(fact: EvidenceFact, counts: Counter[int]) -> bool:
    """Return whether a fact is the only one of its thing that the value could mean; bare numbers are not."""
    return (
        fact.thing is not None
        and counts[fact.thing.number] == 1
        and fact.fact.value.kind is not Kind.NUMBER
    )


def _outermost(thing: Thing | None) -> int | None:
    if thing is None:
        return None
    return next((outer.number for outer in reversed(tuple(enclosing(thing)))), thing.number)


def _candidate(
    setting: Setting, fact: EvidenceFact, view: EvidenceView, *, alone: bool, implied: bool
) -> Candidate:
    weights = load_weights()
    attribute = _attribute_points(setting, fact) + (weights.only_one if alone else 0)
    attribute += _period_points(setting, fact)
    missing = fact.cues - setting.clause - setting.around if fact.clause is None else ()
    unmatched = min(len(missing), 2) * weights.unmatched
    direct = (
        alone
        or bool(setting.clause & fact.cues)
        or bool(setting.groups & _groups_of_fact(fact.cues))
    )
    if fact.thing is None:
        return Candidate(
            fact=fact,
            subject=0,
            attribute=attribute,
            direct=direct,
            anchored=True,
            unmatched=unmatched,
        )
    subject = weights.same_sentence if implied else _subject_points(setting, fact.thing)
    subject += _known_points(fact.thing, view)
    rival = _is_rival(setting, fact.thing)
    if fact.thing.kinds & setting.clause:
        subject += weights.kind
    return Candidate(
        fact=fact,
        subject=subject - (weights.same_clause if rival else 0),
        attribute=attribute,
        rival=rival,
        named=fact.thing.number in setting.named and direct,
        direct=direct,
        unmatched=unmatched,
        anchored=implied or fact.thing.number in setting.anchored,
    )


def _known_points(thing: Thing, view: EvidenceView) -> int:
    """Return points for what the user asked about, and for the newest result."""
    weights = load_weights()
    asked = thing.number in view.asked or any(one.number in view.asked for one in enclosing(thing))
    return (weights.asked if asked else 0) + (
        weights.newest if thing.position == view.newest else 0
    )


def _subject_points(setting: Setting, thing: Thing) -> int:
    inside = load_weights().inside
    points = setting.things.get(thing.number, 0) + setting.upward.get(thing.number, 0)
    share = 10
    for outer in enclosing(thing):
        share = share * inside // 10
        points += setting.things.get(outer.number, 0) * share // 10
    return points


def _is_rival(setting: Setting, thing: Thing) -> bool:
    """Return whether the clause names things of this one's kind, and neither it nor what is around it."""
    named = setting.named
    if not named or thing.number in named:
        return False
    if any(outer.number in named for outer in enclosing(thing)):
        return False
    if any(outer.number == thing.number for one in named.values() for outer in enclosing(one)):
        return False
    return any(one.kinds & thing.kinds or one.outer is thing.outer for one in named.values())


def _attribute_points(setting: Setting, fact: EvidenceFact) -> int:
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
    groups = _groups_of_fact(fact.cues)
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


def _period_points(setting: Setting, fact: EvidenceFact) -> int:
    """Return points for being of the period that the clause names, against being of another."""
    period = fact.fact.period
    if period is None or not setting.dates:
        return 0
    told = read_period(period)
    if told is None:
        return 0
    same = any(relate(date, told).agrees or relate(told, date).agrees for date in setting.dates)
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
def _groups_of_fact(cues: frozenset[str]) -> frozenset[str]:
    return groups_of(cues)
