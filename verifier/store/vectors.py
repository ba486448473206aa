"""Vectors as Postgres reads them."""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING

from asyncpg import exceptions as driver

from verifier.errors import InputError, WrongEmbeddingSpace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    QueryVector: TypeAlias = NDArray[np.float32] | Sequence[float]


def encode_vector(vector: QueryVector) -> str:
    """Return a vector of length one in pgvector's text form. Raises InputError where it has no direction."""
    import numpy as np

    direction = np.asarray(vector, dtype=np.float64)
    if direction.ndim != 1 or direction.size == 0:
        raise InputError("the query's vector must be a flat row of numbers")
    length = float(np.linalg.norm(direction))
    if not math.isfinite(length) or length == 0.0:
        raise InputError("the query's vector is zero or holds a value that is no number")
    return "[" + ",".join(map(repr, (direction / length).astype(np.float32).tolist())) + "]"


@contextmanager
def naming_the_space() -> Iterator[None]:
    """Raise WrongEmbeddingSpace where Postgres refuses a vector's length."""
    try:
        yield
    except driver.DataError as error:
        if "dimensions" not in str(error):
            raise
        raise WrongEmbeddingSpace(f"the vector does not fit the store's space: {error}") from error
