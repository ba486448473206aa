"""Facts by the size of their values: those that a value could be are found without a look at the others."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from verifier.core.text import fold
from verifier.core.values import Interval, Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from verifier.core.facts.model import EvidenceFact

_POINTS: Final = frozenset({Writing.EXACT, Writing.ROUNDED})
_SHARES: Final = frozenset({Kind.PERCENT, Kind.PERCENTAGE_POINT})
_NO_SIZE: Final = frozenset({Kind.TIME, Kind.QUARTER})
_YEARLY: Final = "yearly"
_ZONES_DAYS: Final = 4
_FEW: Final = 50
_SAME: Final = (Fraction(1),)
_PERCENT: Final = (Fraction(1), Fraction(100), Fraction(1, 100))
_MINOR: Final = tuple(Fraction(10) ** power for power in (0, 2, -2, 3, -3, 4, -4))


class _Sort(NamedTuple):
    """What values have in common of which only the size tells whether they are one."""

    kind: Kind
    unit: str | None
    per: str | None
    places: int | None


class ValueIndex:
    """Facts in sorts, each by size. What has more than a size, as a range or a second reading, is apart."""

    def __init__(self, facts: Sequence[EvidenceFact]) -> None:
        self._apart: list[EvidenceFact] = []
        self._codes: defaultdict[str, list[EvidenceFact]] = defaultdict(list)
        self._sorts: dict[_Sort, _BySize] = {}
        if len(facts) <= _FEW:
            self._apart.extend(facts)
            return
        sorts: defaultdict[_Sort, list[tuple[Fraction, int, EvidenceFact]]] = defaultdict(list)
        for at, fact in enumerate(facts):
            value = fact.fact.value
            sort = _sort_of(value) if isinstance(value, Quantity) else None
            if sort is None or not isinstance(value, Quantity) or value.interval.low is None:
                self._apart.append(fact)
                continue
            sorts[sort].append((value.interval.low, at, fact))
            if value.text.strip()[-1:].isalpha():
                self._codes[fold(value.text)].append(fact)
        self._sorts = {sort: _BySize(placed) for sort, placed in sorts.items()}

    def near(self, value: Quantity) -> Iterator[EvidenceFact]:
        """Yield every fact that `value`, in either sign, could be, and some that it is not; some twice."""
        readings = (value, *value.alternatives)
        for sort, by_size in self._sorts.items():
            windows = [one for each in readings for one in _windows(each, sort)]
            if any(one is None for one in windows):
                yield from by_size.facts
            else:
                yield from by_size.within(one for one in windows if one is not None)
        yield from self._codes.get(fold(value.text), ()) if self._codes else ()
        yield from self._apart


class _BySize:
    """Facts of one sort with the low ends of their values, in order."""

    def __init__(self, placed: list[tuple[Fraction, int, EvidenceFact]]) -> None:
        placed.sort(key=lambda one: one[:2])
        self._sizes = [one[0] for one in placed]
        self.facts: Sequence[EvidenceFact] = [one[2] for one in placed]

    def within(self, windows: Iterable[Interval]) -> Iterator[EvidenceFact]:
        """Yield the facts with a size in one of the windows."""
        for one in windows:
            start = 0 if one.low is None else bisect_left(self._sizes, one.low)
            end = None if one.high is None else bisect_right(self._sizes, one.high)
            yield from self.facts[start:end]


def _sort_of(value: Quantity) -> _Sort | None:
    """Return the sort of a value of the evidence; None where its size is not all that there is to it."""
    if value.fault is not None or value.alternatives or value.kind in _NO_SIZE:
        return None
    if value.kind is Kind.DATE:
        high, low = value.interval.high, value.interval.low
        a_day = high is not None and low is not None and high - low <= 1
        plain = a_day and value.writing is not Writing.BOUND and value.unit != _YEARLY
        return _Sort(value.kind, None, None, None) if plain else None
    if not value.interval.is_point or value.writing not in _POINTS:
        return None
    return _Sort(value.kind, value.unit, value.per, value.places)


def _windows(value: Quantity, sort: _Sort) -> Iterator[Interval | None]:
    """Yield where the values of a sort lie that a value could be; None where that may be anywhere."""
    if value.fault is not None or value.kind in _NO_SIZE:
        yield None
    elif Kind.DATE in {value.kind, sort.kind}:
        yield from _days_of(value) if value.kind is sort.kind else ()
    elif _is_scaled(value, sort):
        yield None
    else:
        for factor in _factors(value, sort):
            yield from _sizes(value, sort, factor)


def _days_of(value: Quantity) -> Iterator[Interval | None]:
    """Yield the days of a date, and those that another zone may make of them."""
    low, high = value.interval.low, value.interval.high
    if low is None or high is None or value.unit == _YEARLY:
        yield None
    else:
        yield Interval(low=low - _ZONES_DAYS, high=high + _ZONES_DAYS)


def _is_scaled(value: Quantity, sort: _Sort) -> bool:
    """Return whether units may bring a value to one of the sort by a factor that is not looked for here."""
    if value.per is not None and sort.per is not None and value.per != sort.per:
        return True
    if Kind.MONEY in {value.kind, sort.kind}:
        return False
    units = (value.unit, sort.unit)
    if Kind.DURATION in {value.kind, sort.kind} or {value.kind, sort.kind} & _SHARES:
        return value.unit != sort.unit and not _is_bare(value, sort)
    return None not in units and value.unit != sort.unit


def _factors(value: Quantity, sort: _Sort) -> tuple[Fraction, ...]:
    """Return what may bring a value to one of the sort: minor units to major ones, shares to percent."""
    kinds = {value.kind, sort.kind}
    if len(kinds) == 1:
        return _SAME
    if Kind.MONEY in kinds:
        return _MINOR
    return _PERCENT if kinds & _SHARES else _SAME


def _is_bare(value: Quantity, sort: _Sort) -> bool:
    """Return whether one of the two is a bare number."""
    return (value.kind is Kind.NUMBER and value.unit is None) or (
        sort.kind is Kind.NUMBER and sort.unit is None
    )


def _sizes(value: Quantity, sort: _Sort, factor: Fraction) -> Iterator[Interval]:
    """Yield what a value spans with all that rounds to it or that it rounds to, in either sign."""
    ends = (value.interval.low, value.interval.high, value.nominal)
    known = [one / factor for one in ends if one is not None]
    slack = max(_last_place(value.places) / factor, _last_place(sort.places))
    low = None if value.interval.low is None else min(known) - slack
    high = None if value.interval.high is None else max(known) + slack
    yield Interval(low=low, high=high)
    yield Interval(
        low=None if high is None else -high,
        high=None if low is None else -low,
    )


def _last_place(places: int | None) -> Fraction:
    """Return one of the last place that is written; nothing where none is told."""
    return Fraction(0) if places is None else Fraction(10) ** -places
