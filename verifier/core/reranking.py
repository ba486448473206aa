"""Putting the first hits of a search in another order, by a model that reads each with the query."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from verifier.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from verifier.core.documents import SearchHit


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevances:
    """How relevant texts are, in their order, the higher the more; comparable within one call alone.

    `values` has the shape (texts,). `shortened` are the positions of those texts of which the model read
    the first part only.
    """

    values: NDArray[np.float32]
    shortened: frozenset[int] = frozenset()


def reorder(hits: Sequence[SearchHit], judged: Relevances, k: int) -> tuple[SearchHit, ...]:
    """Return the k most relevant hits with their relevance; those of equal relevance stay as they were.

    Raises ModelError where a hit has no relevance, or one that is no finite number.
    """
    import numpy as np

    values = np.asarray(judged.values, dtype=np.float32)
    if values.shape != (len(hits),) or not np.isfinite(values).all():
        raise ModelError(
            f"the reranker must give a finite number for each of {len(hits)} texts; it gave an array of"
            f" shape {values.shape}"
        )
    ranked = (
        replace(hits[at], relevance=float(values[at]), read_in_part=at in judged.shortened)
        for at in np.argsort(-values, kind="stable")[:k].tolist()
    )
    return tuple(ranked)
