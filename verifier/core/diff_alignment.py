"""Aligning two sequences in order: which members of one stand for which of the other.

What is unique on both sides anchors the rest (Cohen's patience diff), gaps that are small are aligned by
the longest common subsequence, and larger ones without an anchor stay apart. So the time is near linear in
the lengths whatever the input, where a full comparison is quadratic.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    Gap: TypeAlias = tuple[int, int, int, int]

SMALL_GAP: Final = 4_096
"""The most pairs of members that are all compared: 64 to 64, so that a member costs at most 64 of them."""
DEEPEST: Final = 12
"""How often the gaps between anchors are anchored again."""

Pair: TypeAlias = tuple[int, int]


def align(old: Sequence[Hashable], new: Sequence[Hashable]) -> tuple[Pair, ...]:
    """Return index pairs of equal members, rising on both sides, nearly as many as there can be."""
    numbers: dict[Hashable, int] = {}
    a = [numbers.setdefault(member, len(numbers)) for member in old]
    b = [numbers.setdefault(member, len(numbers)) for member in new]
    pairs: list[Pair] = []
    gaps = [(0, len(a), 0, len(b))]
    for _ in range(DEEPEST):
        gaps = [inner for gap in gaps for inner in _narrow(a, b, gap, pairs)]
        if not gaps:
            break
    return tuple(sorted(pairs))


def _narrow(a: list[int], b: list[int], gap: Gap, pairs: list[Pair]) -> Iterable[Gap]:
    """Pair what can be paired at once, and return the gaps that are left to look at."""
    start_a, end_a, start_b, end_b = gap = _trim(a, b, gap, pairs)
    if start_a == end_a or start_b == end_b:
        return ()
    if (end_a - start_a) * (end_b - start_b) <= SMALL_GAP:
        pairs += _longest_common(a, b, gap)
        return ()
    anchors = _rising(_unique_pairs(a, b, gap))
    if not anchors:
        return ()
    pairs += anchors
    ends = [*anchors, (end_a, end_b)]
    starts = [(start_a, start_b), *((i + 1, j + 1) for i, j in anchors)]
    return [(i, k, j, m) for (i, j), (k, m) in zip(starts, ends, strict=True)]


def _trim(a: list[int], b: list[int], gap: Gap, pairs: list[Pair]) -> Gap:
    start_a, end_a, start_b, end_b = gap
    while start_a < end_a and start_b < end_b and a[start_a] == b[start_b]:
        pairs.append((start_a, start_b))
        start_a, start_b = start_a + 1, start_b + 1
    while start_a < end_a and start_b < end_b and a[end_a - 1] == b[end_b - 1]:
        end_a, end_b = end_a - 1, end_b - 1
        pairs.append((end_a, end_b))
    return start_a, end_a, start_b, end_b


def _unique_pairs(a: list[int], b: list[int], gap: Gap) -> list[Pair]:
    start_a, end_a, start_b, end_b = gap
    places_a, places_b = _places_of_unique(a, start_a, end_a), _places_of_unique(b, start_b, end_b)
    return [(i, places_b[member]) for member, i in places_a.items() if member in places_b]


def _places_of_unique(members: list[int], start: int, end: int) -> dict[int, int]:
    places: dict[int, int] = {}
    repeated: set[int] = set()
    for place in range(start, end):
        if members[place] in places:
            repeated.add(members[place])
        places[members[place]] = place
    return {member: place for member, place in places.items() if member not in repeated}


def _rising(pairs: list[Pair]) -> list[Pair]:
    """Return the longest run of pairs that rises on both sides; they come rising on the first."""
    ends: list[int] = []
    at_end: list[int] = []
    before: list[int | None] = []
    for number, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(at_end[length - 1] if length else None)
        if length == len(ends):
            ends.append(j)
            at_end.append(number)
        else:
            ends[length], at_end[length] = j, number
    run: list[Pair] = []
    place = at_end[-1] if at_end else None
    while place is not None:
        run.append(pairs[place])
        place = before[place]
    return run[::-1]


def _longest_common(a: list[int], b: list[int], gap: Gap) -> list[Pair]:
    start_a, end_a, start_b, end_b = gap
    rows, columns = end_a - start_a, end_b - start_b
    longest = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        member, row, below = a[start_a + i], longest[i], longest[i + 1]
        for j in range(columns - 1, -1, -1):
            row[j] = below[j + 1] + 1 if member == b[start_b + j] else max(below[j], row[j + 1])
    pairs: list[Pair] = []
    i = j = 0
    while i < rows and j < columns:
        if a[start_a + i] == b[start_b + j]:
            pairs.append((start_a + i, start_b + j))
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs
