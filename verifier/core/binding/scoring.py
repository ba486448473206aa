"""How well each fact fits what an answer says around a value; whether it equals it never counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, overload

from verifier.core.binding.points import (
    attribute_points,
    groups_of_fact,
    is_rival,
    known_points,
    period_points,
    subject_points,
)
from verifier.core.binding.vocabulary import load_weights
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.pools import Pool
    from verifier.core.binding.setting import Setting
    from verifier.core.facts.model import EvidenceFact, Thing


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


class Ranking(Sequence[Candidate]):
    """Facts, the best first; each becomes a candidate when it is asked for, and the same one again."""

    def __init__(self, pool: Pool, used: AbstractSet[EvidenceFact], weigh: _Weighing) -> None:
        self._pool = pool
        self._used = used
        self._weigh = weigh
        self._count = len(pool) - len(used & pool.members if used else ())
        self._coming = pool.in_order(weigh.setting, weigh.points, used)
        self._made: list[Candidate] = []

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> Candidate: ...

    @overload
    def __getitem__(self, at: slice) -> list[Candidate]: ...

    def __getitem__(self, at: int | slice) -> Candidate | list[Candidate]:
        if isinstance(at, slice):
            return [self._candidate(one) for one in range(*at.indices(self._count))]
        return self._candidate(range(self._count)[at])

    def __iter__(self) -> Iterator[Candidate]:
        return map(self._candidate, range(self._count))

    def of_named(self) -> Iterator[Candidate]:
        """Return candidates of the things that the clause names, the best first."""
        return self.of_things(self._weigh.setting.named.keys())

    @property
    def kinds(self) -> frozenset[str]:
        """What the things of the facts are."""
        return self._pool.kinds

    def within(self, numbers: AbstractSet[int]) -> Iterator[Candidate]:
        """Return candidates of the things of these numbers, and of what lies in these, the best first."""
        return self.of_things(self._pool.numbers_within(numbers))

    def of_things(self, numbers: AbstractSet[int]) -> Iterator[Candidate]:
        """Return candidates of the things of these numbers, the best first."""
        facts = self._pool.of_things(numbers, self._weigh.points, self._used)
        return map(self._weigh.candidate, facts)

    def _candidate(self, at: int) -> Candidate:
        made = self._made
        while len(made) <= at:
            made.append(self._weigh.candidate(next(self._coming)))
        return made[at]


def rank_facts(
    setting: Setting,
    pool: Pool,
    view: EvidenceView,
    *,
    used: AbstractSet[EvidenceFact] = frozenset(),
) -> Ranking:
    """Return a pool's facts, but for those `used`, as candidates, the best first; all are of one dimension.

    Of things alike, those that the user named by id and those of the newest result are meant rather.
    """
    return Ranking(pool, used, _Weighing(setting, pool, used, view))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Words:
    """What the words of a fact count: points, those taken for words that are missing, whether they tell."""

    points: int
    unmatched: int
    direct: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Subject:
    """What being of a thing counts."""

    points: int
    rival: bool
    named: bool
    anchored: bool


_CALENDAR: Final = frozenset({Kind.DATE, Kind.TIME, Kind.QUARTER})
_OF_NOTHING: Final = _Subject(points=0, rival=False, named=False, anchored=True)


class _Weighing:
    """Weighs the facts of one value; facts of the same words, or of the same thing, are weighed once."""

    def __init__(
        self, setting: Setting, pool: Pool, used: AbstractSet[EvidenceFact], view: EvidenceView
    ) -> None:
        self.setting = setting
        self._view = view
        self._alone = pool.is_of_one_kind(used)
        self._implied = not setting.things and pool.is_of_one_owner(used)
        self._counts = pool.counts
        self._gone = _count_things(used & pool.members) if used else _NONE_GONE
        self._told = pool.shared_cues(setting.clause, used)
        self._words: dict[tuple[frozenset[str], bool], _Words] = {}
        self._subjects: dict[int, _Subject] = {}

    def points(self, fact: EvidenceFact) -> int:
        """Return how well a fact fits, against others."""
        words = self._words_of(fact)
        points = words.points - words.unmatched + self._subject_of(fact).points
        if self.setting.dates:
            points += period_points(self.setting, fact, self._dates_of(fact))
        return points + load_weights().only_one if self._is_alone(fact) else points

    def candidate(self, fact: EvidenceFact) -> Candidate:
        """Return a fact with all of its points."""
        alone = self._is_alone(fact)
        words, subject = self._words_of(fact), self._subject_of(fact)
        attribute = words.points + (load_weights().only_one if alone else 0)
        direct = alone or words.direct
        return Candidate(
            fact=fact,
            subject=subject.points,
            attribute=attribute + period_points(self.setting, fact, self._dates_of(fact)),
            rival=subject.rival,
            named=subject.named and direct,
            direct=direct,
            unmatched=words.unmatched,
            anchored=subject.anchored,
        )

    def _dates_of(self, fact: EvidenceFact) -> Sequence[Quantity]:
        """Return the date of an element of a list that has just one: the day of a forecast."""
        thing = fact.thing
        if thing is None or thing.keys or thing.names or fact.fact.value.kind in _CALENDAR:
            return ()
        found = [
            one.fact.value
            for one in self._view.beside(thing.number)
            if one.fact.value.kind is Kind.DATE and isinstance(one.fact.value, Quantity)
        ]
        return found if len(found) == 1 else ()

    def _is_alone(self, fact: EvidenceFact) -> bool:
        """Return whether a fact is the only one of its thing that could be meant.

        Bare numbers never are, nor what has none of the words that the clause has of another fact.
        """
        return self._alone or (
            fact.thing is not None
            and not (self._told and self._told.isdisjoint(fact.cues))
            and self._counts[fact.thing.number] - self._gone[fact.thing.number] == 1
            and fact.fact.value.kind is not Kind.NUMBER
        )

    def _words_of(self, fact: EvidenceFact) -> _Words:
        if fact.clause is not None:
            return self._weigh_words(fact)
        key = (fact.cues, fact.whole_list)
        found = self._words.get(key)
        if found is None:
            found = self._words[key] = self._weigh_words(fact)
        return found

    def _weigh_words(self, fact: EvidenceFact) -> _Words:
        setting = self.setting
        missing = fact.cues - setting.clause - setting.around if fact.clause is None else ()
        return _Words(
            points=attribute_points(setting, fact),
            unmatched=min(len(missing), 2) * load_weights().unmatched,
            direct=not setting.clause.isdisjoint(fact.cues)
            or not setting.groups.isdisjoint(groups_of_fact(fact.cues)),
        )

    def _subject_of(self, fact: EvidenceFact) -> _Subject:
        if fact.thing is None:
            return _OF_NOTHING
        found = self._subjects.get(fact.thing.number)
        if found is None:
            found = self._subjects[fact.thing.number] = self._weigh_thing(fact.thing)
        return found

    def _weigh_thing(self, thing: Thing) -> _Subject:
        weights, setting = load_weights(), self.setting
        points = weights.same_sentence if self._implied else subject_points(setting, thing)
        points += known_points(thing, self._view)
        rival = is_rival(setting, thing)
        if not thing.kinds.isdisjoint(setting.clause):
            points += weights.kind
        return _Subject(
            points=points - (weights.same_clause if rival else 0),
            rival=rival,
            named=thing.number in setting.named,
            anchored=self._implied or thing.number in setting.anchored,
        )


def _count_things(facts: Iterable[EvidenceFact]) -> Counter[int]:
    return Counter(one.thing.number for one in facts if one.thing is not None)


_NONE_GONE: Final = _count_things(())
