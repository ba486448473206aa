"""Pairing the pieces of two texts (sentences, chunks): what stayed, moved, changed, came and went."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.diff_alignment import align

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from verifier.core.diff_alignment import Pair

ALIKE: Final = 0.5
"""The share of words in common (Dice) from which on two pieces are one that was changed."""
COMMON_WORD: Final = 16
"""A word that more pieces than this have tells nothing of them; it also bounds the work."""
MOST_CANDIDATES: Final = 24
MOST_PLACES: Final = 512
"""Of a longer piece so many of its rarest words are looked up."""
FEW_WORDS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of a text: `exact` is equal where nothing changed, `masked` where only values did.

    `words` are its words without values, folded, and `values` the values; of pieces that are about as
    alike in words, those with equal values are partners.
    """

    exact: Hashable
    masked: Hashable
    words: frozenset[str]
    values: frozenset[Hashable] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Index pairs (old, new) of pieces, and the indices of those that have no partner."""

    same: tuple[Pair, ...]
    moved: tuple[Pair, ...]
    changed: tuple[Pair, ...]
    removed: tuple[int, ...]
    added: tuple[int, ...]


def pair_pieces(old: Sequence[Piece], new: Sequence[Piece]) -> Pairing:
    """Return which pieces of `new` are which of `old`; each has at most one partner. Near linear."""
    rest = _Rest(old, new)
    same = rest.take(align([one.exact for one in old], [one.exact for one in new]))
    moved = rest.take(_pair_anywhere(rest, "exact", fewest=0))
    changed = rest.take(_align_masked(rest))
    changed += rest.take(_pair_anywhere(rest, "masked", fewest=FEW_WORDS))
    changed += rest.take(_pair_alike(rest))
    return Pairing(
        same=tuple(same),
        moved=tuple(sorted(moved, key=_by_new)),
        changed=tuple(sorted(changed, key=_by_new)),
        removed=tuple(rest.old_left),
        added=tuple(rest.new_left),
    )


def _by_new(pair: Pair) -> int:
    return pair[1]


class _Rest:
    """The pieces that have no partner yet, by their indices in order."""

    def __init__(self, old: Sequence[Piece], new: Sequence[Piece]) -> None:
        self.old, self.new = old, new
        self.old_left, self.new_left = list(range(len(old))), list(range(len(new)))

    def take(self, pairs: Iterable[Pair]) -> list[Pair]:
        taken = list(pairs)
        gone_old, gone_new = {i for i, _ in taken}, {j for _, j in taken}
        self.old_left = [i for i in self.old_left if i not in gone_old]
        self.new_left = [j for j in self.new_left if j not in gone_new]
        return taken


def _pair_anywhere(rest: _Rest, name: str, *, fewest: int) -> Iterator[Pair]:
    waiting: defaultdict[Hashable, deque[int]] = defaultdict(deque)
    for i in rest.old_left:
        if len(rest.old[i].words) >= fewest:
            waiting[getattr(rest.old[i], name)].append(i)
    for j in rest.new_left:
        left = waiting.get(getattr(rest.new[j], name))
        if left:
            yield left.popleft(), j


def _align_masked(rest: _Rest) -> Iterator[Pair]:
    old, new = rest.old_left, rest.new_left
    for i, j in align([rest.old[i].masked for i in old], [rest.new[j].masked for j in new]):
        yield old[i], new[j]


def _pair_alike(rest: _Rest) -> list[Pair]:
    """Pair the most alike first; of equals those that stand nearest."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for j in rest.new_left:
        for word in rest.new[j].words:
            places[word].append(j)
    shift = len(rest.new) / max(len(rest.old), 1)
    ranked = sorted(
        (-likeness, abs(j - i * shift), i, j)
        for i in rest.old_left
        for j, likeness in _find_alike(rest.old[i], rest.new, places)
    )
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, i, j in ranked:
        if i not in pairs and j not in taken:
            pairs[i] = j
            taken.add(j)
    return list(pairs.items())


def _find_alike(
    piece: Piece, new: Sequence[Piece], places: dict[str, list[int]]
) -> Iterator[tuple[int, float]]:
    telling = [
        found for word in piece.words if 0 < len(found := places.get(word, [])) <= COMMON_WORD
    ]
    telling = sorted(telling, key=len)[:MOST_PLACES]
    shared = Counter(j for found in telling for j in found)
    for j, _ in shared.most_common(MOST_CANDIDATES):
        other = new[j]
        words = len(piece.words) + len(other.words)
        common = 2 * len(piece.words & other.words)
        if common >= ALIKE * words:
            values = len(piece.values) + len(other.values)
            yield j, (common + 2 * len(piece.values & other.values)) / (words + values)
