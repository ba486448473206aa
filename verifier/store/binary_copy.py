"""Rows in the binary form of COPY, made of a whole matrix at once.

The form: https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.4; of a halfvec, pgvector's
`halfvec_send`: dimension, an unused number, then the elements as big-endian float16.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from verifier.core.documents import InputHash

HASH_BYTES: Final = 32
ROWS_A_PIECE: Final = 1_024
"""Rows that are encoded and sent together: about 1 MB at 384 dimensions."""

_HEADER: Final = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
_TRAILER: Final = b"\xff\xff"


async def encode_vector_rows(
    hashes: Sequence[InputHash], vectors: NDArray[np.float32]
) -> AsyncIterator[bytes]:
    """Yield rows of a hash (bytea) and its vector (halfvec); `vectors` has a row for each hash."""
    yield _HEADER
    for start in range(0, len(hashes), ROWS_A_PIECE):
        end = start + ROWS_A_PIECE
        yield _encode_piece(hashes[start:end], vectors[start:end])
    yield _TRAILER


def _encode_piece(hashes: Sequence[InputHash], vectors: NDArray[np.float32]) -> bytes:
    import numpy as np

    count, dimension = vectors.shape
    rows = np.zeros(
        count,
        dtype=[
            ("fields", ">i2"),
            ("hash_bytes", ">i4"),
            ("hash", np.uint8, HASH_BYTES),
            ("vector_bytes", ">i4"),
            ("dimension", ">i2"),
            ("unused", ">i2"),
            ("vector", ">f2", dimension),
        ],
    )
    rows["fields"] = 2
    rows["hash_bytes"] = HASH_BYTES
    rows["hash"] = np.frombuffer(b"".join(hashes), np.uint8).reshape(count, HASH_BYTES)
    rows["vector_bytes"] = 4 + 2 * dimension
    rows["dimension"] = dimension
    with np.errstate(over="ignore"):  # Postgres refuses what becomes infinite
        rows["vector"] = vectors
    return rows.tobytes()
