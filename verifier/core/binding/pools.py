"""Facts in sorts of equal weight, so that a value is weighed against a sort of them once.

All that decides a fact's points, but for the things that a clause names, is told by its sort. Of thousands
of rows a clause names a few: those are weighed one by one, the others a sort at a time.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeVar

from verifier.core.binding.points import known_points
from verifier.core.binding.subjects import enclosing
from verifier.core.binding.value_index import ValueIndex
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from verifier.core.binding.evidence_view import EvidenceView
    from verifier.core.binding.setting import Setting
    from verifier.core.facts.model import EvidenceFact, Thing

_Place = tuple[int, int, "EvidenceFact"]
"""A fact behind its rank among those of equal points: the newest call first, then the order of reading."""

_FEW: Final = 8
Of = TypeVar("Of")
_NO_FACTS: Final[frozenset[EvidenceFact]] = frozenset()


class Pool:
    """Facts that a value may be held against, in order, and in sorts."""

    def __init__(self, facts: Sequence[EvidenceFact], view: EvidenceView) -> None:
        self.facts = facts
        self._view = view
        self._narrowed: dict[Hashable, Pool] = {}

    def __len__(self) -> int:
        return len(self.facts)

    @cached_property
    def members(self) -> frozenset[EvidenceFact]:
        """The facts as a set."""
        return frozenset(self.facts)

    @cached_property
    def values(self) -> ValueIndex:
        """The facts by the size of their values."""
        return ValueIndex(self.facts)

    @cached_property
    def counts(self) -> Mapping[int, int]:
        """How many facts each thing has, by its number."""
        return Counter(one.thing.number for one in self.facts if one.thing is not None)

    @cached_property
    def _cues(self) -> Counter[str]:
        return _count_cues(self.facts)

    @cached_property
    def _kinds(self) -> Counter[Hashable]:
        return Counter(map(kind_of_fact, self.facts))

    @cached_property
    def _owners(self) -> Counter[int | None]:
        return Counter(outermost(one.thing) for one in self.facts)

    @cached_property
    def _of_thing(self) -> Mapping[int, Sequence[_Place]]:
        found: defaultdict[int, list[_Place]] = defaultdict(list)
        for at, fact in enumerate(self.facts):
            if fact.thing is not None:
                found[fact.thing.number].append((-fact.position, at, fact))
        return found

    @cached_property
    def _things(self) -> Mapping[int, Thing]:
        return {one.thing.number: one.thing for one in self.facts if one.thing is not None}

    @cached_property
    def _inside(self) -> Mapping[int, Sequence[int]]:
        """The numbers of the things that lie in each thing, however deep."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for thing in self._things.values():
            for outer in enclosing(thing):
                found[outer.number].append(thing.number)
        return found

    @cached_property
    def kinds(self) -> frozenset[str]:
        """What the things of the facts are."""
        return frozenset().union(*(thing.kinds for thing in self._things.values()))

    def numbers_within(self, numbers: AbstractSet[int]) -> frozenset[int]:
        """Return the numbers with those of the things that lie in things of these numbers."""
        inside = (one for number in numbers for one in self._inside.get(number, ()))
        return frozenset(numbers).union(inside)

    @cached_property
    def _beside(self) -> Mapping[int, Sequence[int]]:
        """The numbers of the things that lie directly in each thing."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for thing in self._things.values():
            if thing.outer is not None:
                found[thing.outer.number].append(thing.number)
        return found

    @cached_property
    def _sorts(self) -> Sequence[Sequence[_Place]]:
        sort_of_thing = {
            number: self._sort_of_thing(thing) for number, thing in self._things.items()
        }
        found: defaultdict[Hashable, list[_Place]] = defaultdict(list)
        for at, fact in enumerate(self.facts):
            thing = fact.thing
            sort = (
                fact.cues,
                fact.whole_list,
                fact.fact.period,
                None if fact.clause is None else fact.clause.before,
                None if thing is None else sort_of_thing[thing.number],
                fact.fact.value.kind is Kind.NUMBER,
            )
            found[sort].append((-fact.position, at, fact))
        for places in found.values():
            places.sort()
        return tuple(found.values())

    def _sort_of_thing(self, thing: Thing) -> Hashable:
        """Return what a thing's points depend on while no clause names it, nor what it lies in.

        Things that lie in one with few are weighed one by one where one beside them is named.
        """
        outer = thing.outer
        beside = None if outer is None else outer.number
        if beside is not None and len(self._beside[beside]) < _FEW:
            beside = -1
        alone = self.counts[thing.number] == 1
        return thing.kinds, beside, alone, known_points(thing, self._view)

    @cached_property
    def _place_of(self) -> Mapping[EvidenceFact, int]:
        return {fact: at for at, fact in enumerate(self.facts)}

    def in_place(self, facts: Iterable[EvidenceFact]) -> list[EvidenceFact]:
        """Return some of the facts in order, each once."""
        return sorted(set(facts), key=self._place_of.__getitem__)

    @cached_property
    def _by_cue(self) -> Mapping[str, Sequence[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for at, fact in enumerate(self.facts):
            for cue in fact.cues:
                found[cue].append(at)
        return found

    def with_cues(self, stems: frozenset[str]) -> Iterator[EvidenceFact]:
        """Yield the facts that have any of the stems, in order."""
        places = {at for stem in stems for at in self._by_cue.get(stem, ())}
        return (self.facts[at] for at in sorted(places))

    def narrowed(self, stems: frozenset[str], fits: Callable[[EvidenceFact], bool]) -> Pool:
        """Return the facts that have any of the stems and that `fits` says; of the same stems once."""
        found = self._narrowed.get((stems, fits))
        if found is None:
            facts = [fact for fact in self.with_cues(stems) if fits(fact)]
            found = self._narrowed[stems, fits] = Pool(facts, self._view)
        return found

    def is_of_one_kind(self, used: AbstractSet[EvidenceFact] = _NO_FACTS) -> bool:
        """Return whether all facts, but for those `used`, are readings of one field."""
        return _is_one(self._kinds, Counter(kind_of_fact(one) for one in used & self.members))

    def is_of_one_owner(self, used: AbstractSet[EvidenceFact] = _NO_FACTS) -> bool:
        """Return whether all facts, but for those `used`, lie in one thing, or in none."""
        return _is_one(self._owners, Counter(outermost(one.thing) for one in used & self.members))

    def shared_cues(
        self, stems: frozenset[str], used: AbstractSet[EvidenceFact] = _NO_FACTS
    ) -> frozenset[str]:
        """Return those of the stems that a record's fact has, but for facts that are `used`."""
        gone = _count_cues(used & self.members)
        return frozenset(one for one in stems if self._cues[one] > gone[one])

    def in_order(
        self,
        setting: Setting,
        points: Callable[[EvidenceFact], int],
        used: AbstractSet[EvidenceFact] = _NO_FACTS,
    ) -> Iterator[EvidenceFact]:
        """Yield the facts but for those `used`, the best by their `points` first, as they are drawn."""
        ranked: defaultdict[int, list[Iterable[_Place]]] = defaultdict(list)
        apart = self._weighed_apart(setting, used)
        single: defaultdict[int, list[_Place]] = defaultdict(list)
        for place in self._places_of(apart, used):
            single[points(place[2])].append(place)
        for worth, places in single.items():
            ranked[worth].append(sorted(places))
        for sort in self._sorts:
            rest = _without(sort, apart, used) if apart or used else iter(sort)
            first = next(rest, None)
            if first is not None:
                ranked[points(first[2])].append(chain((first,), rest))
        for worth in sorted(ranked, reverse=True):
            runs = ranked[worth]
            yield from (place[2] for place in (runs[0] if len(runs) == 1 else heapq.merge(*runs)))

    def of_things(
        self,
        numbers: Iterable[int],
        points: Callable[[EvidenceFact], int],
        used: AbstractSet[EvidenceFact] = _NO_FACTS,
    ) -> list[EvidenceFact]:
        """Return the facts of the things of these numbers, but for those `used`, the best first."""
        found = self._places_of(self._of_thing.keys() & numbers, used)
        ranked = sorted((-points(place[2]), place) for place in found)
        return [place[2] for _, place in ranked]

    def _places_of(
        self, apart: AbstractSet[int], used: AbstractSet[EvidenceFact]
    ) -> Iterator[_Place]:
        places = (place for number in apart for place in self._of_thing[number])
        return (place for place in places if place[2] not in used)

    def _weighed_apart(self, setting: Setting, used: AbstractSet[EvidenceFact]) -> set[int]:
        """Return the numbers of the things that the setting names, or whose others it names."""
        found = {*setting.things, *setting.upward}
        found.update(one.thing.number for one in used if one.thing is not None)
        for number in setting.things:
            found.update(self._inside.get(number, ()))
        for thing in setting.named.values():
            if thing.outer is not None:
                beside = self._beside.get(thing.outer.number, ())
                found.update(beside if len(beside) < _FEW else ())
        return found & self._of_thing.keys()


def _count_cues(facts: Iterable[EvidenceFact]) -> Counter[str]:
    return Counter(cue for one in facts if one.clause is None for cue in one.cues)


def _without(
    places: Sequence[_Place], apart: set[int], used: AbstractSet[EvidenceFact]
) -> Iterator[_Place]:
    return (
        place
        for place in places
        if (place[2].thing is None or place[2].thing.number not in apart) and place[2] not in used
    )


def kind_of_fact(fact: EvidenceFact) -> Hashable:
    """Return what further readings of one field have in common."""
    return fact.thing, fact.fact.attribute, fact.position


def outermost(thing: Thing | None) -> int | None:
    """Return the number of the thing that a thing lies in, and that lies in none."""
    if thing is None:
        return None
    while thing.outer is not None:
        thing = thing.outer
    return thing.number


def _is_one(all_of_them: Counter[Of], left_out: Counter[Of]) -> bool:
    gone = sum(1 for one, times in left_out.items() if times == all_of_them[one])
    return len(all_of_them) - gone == 1
