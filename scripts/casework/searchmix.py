"""Many vectors that lie as a few real ones do, and the figures that show how alike they lie.

A made vector is a mean of a real one and four of its nearest, of any weights, moved along the directions in
which near real ones differ. The constants are chosen by how far the nearest are and by the local intrinsic
dimension, as these change with the number of real ones; neither the index nor its recall has a say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from casework.searchtexts import Matrix

Halves: TypeAlias = NDArray[np.float16]

BATCH: Final = 20_000
_NEAREST: Final = 50
_CLOSE: Final = 10
_MIXED: Final = 5
_STRENGTH: Final = 0.85
"""Length of a move, of a direction of length 1."""
_REVISED: Final = 0.3
_SAMPLE: Final = 1_000
_AROUND: Final = 100


class Mixer:
    """Makes vectors from real ones."""

    def __init__(self, bases: Matrix, random: np.random.Generator) -> None:
        self._bases = bases
        self._random = random
        self._near = _find_nearest(bases, _NEAREST)
        self._moves = self._find_directions()

    def _find_directions(self) -> Matrix:
        """Return what makes moves of random numbers: the covariance of the differences of near vectors.

        So the variance of a move is the square of that of those differences, and 1 in all: the tail of theirs
        is mostly the noise of few real ones.
        """
        pairs = self._bases[:, None, :] - self._bases[self._near[:, :_CLOSE]]
        differences = pairs.reshape(-1, self._bases.shape[1])
        covariance = differences.T @ differences
        moves: Matrix = (covariance / np.linalg.norm(covariance)).astype(np.float32)
        return moves

    def make(self, count: int) -> Halves:
        """Return so many vectors."""
        made = np.empty((count, self._bases.shape[1]), np.float16)
        for start in range(0, count, BATCH):
            made[start : start + BATCH] = self._mix(min(BATCH, count - start))
        return made

    def revise(self, vectors: Halves) -> Halves:
        """Return vectors beside the given ones, as of another wording."""
        made = np.empty_like(vectors)
        for start in range(0, len(vectors), BATCH):
            part = vectors[start : start + BATCH].astype(np.float32)
            made[start : start + BATCH] = self._move(part, _REVISED)
        return made

    def _mix(self, count: int) -> Matrix:
        one = self._random.integers(0, len(self._bases), count)
        shares = self._random.dirichlet(np.ones(_MIXED), count).astype(np.float32)
        shares = -np.sort(-shares, axis=1)
        mixed = shares[:, :1] * self._bases[one]
        for share in shares[:, 1:].T:
            other = self._near[one, self._random.integers(0, _NEAREST, count)]
            mixed += share[:, None] * self._bases[other]
        return self._move(_unit(mixed), _STRENGTH)

    def _move(self, vectors: Matrix, strength: float) -> Matrix:
        steps = self._random.standard_normal(vectors.shape, np.float32) @ self._moves
        return _unit(vectors + np.float32(strength) * steps)


def _unit(vectors: Matrix) -> Matrix:
    unit: Matrix = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def _find_nearest(vectors: Matrix, count: int) -> NDArray[np.int64]:
    found = []
    for start in range(0, len(vectors), BATCH // 10):
        part = vectors[start : start + BATCH // 10]
        cosines = part @ vectors.T
        cosines[np.arange(len(part)), np.arange(start, start + len(part))] = -2
        best = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
        order = np.argsort(-np.take_along_axis(cosines, best, axis=1), axis=1)
        found.append(np.take_along_axis(best, order, axis=1))
    return np.concatenate(found)


def describe(vectors: NDArray[np.floating[Any]], queries: Matrix, seed: int) -> dict[str, float]:
    """Return medians of a sample: cosine distances to the nearest, local dimension, and those of queries.

    The dimension is the maximum-likelihood estimate of Levina and Bickel (2004) from the 100 nearest. A pair
    nearer than 0.001 counts as a repetition.
    """
    chosen = np.random.default_rng(seed).permutation(len(vectors))[:_SAMPLE]
    near = _distances(vectors[chosen].astype(np.float32), vectors, _AROUND + 1)[:, 1:]
    asked = _distances(queries, vectors, _AROUND)
    return {
        "vectors": len(vectors),
        **{f"to the {rank}": _median(near[:, rank - 1]) for rank in (1, 10, 100)},
        "dimension": _median(_local_dimension(near)),
        **{f"query to the {rank}": _median(asked[:, rank - 1]) for rank in (1, 10)},
        "query dimension": _median(_local_dimension(asked)),
        "repeated": round(float(np.mean(near[:, 0] < 1e-3)), 4),
    }


def _median(values: Matrix) -> float:
    return round(float(np.median(values)), 3)


def _local_dimension(distances: Matrix) -> Matrix:
    lengths = np.sqrt(2 * distances)
    local: Matrix = 1 / np.mean(np.log(lengths[:, -1:] / lengths[:, :-1]), axis=1)
    return local


def _distances(queries: Matrix, vectors: NDArray[np.floating[Any]], count: int) -> Matrix:
    """Return the cosine distances to the nearest, ascending; both are unit vectors."""
    nearest = np.full((len(queries), count), -2.0, np.float32)
    for start in range(0, len(vectors), BATCH):
        cosines = queries @ vectors[start : start + BATCH].astype(np.float32).T
        both = np.concatenate([nearest, cosines], axis=1)
        nearest = -np.partition(-both, count - 1, axis=1)[:, :count]
    return np.clip(1 - -np.sort(-nearest, axis=1), 1e-7, None).astype(np.float32)
