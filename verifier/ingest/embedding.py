"""Embedding what has no vector yet: batched across documents, committed batch by batch.

A text that the model refuses costs only its own document: a failed batch is halved until the refused
text stands alone. A model that refuses everything is given up on after a while.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from verifier.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from verifier.core.documents import InputHash
    from verifier.core.ports import Embedder

EMBED_BATCH: Final = 64
"""Inputs a commit: what a crash can cost, a few seconds of a CPU."""

REFUSALS_LIMIT: Final = 24
"""Calls refused in a row, none served between: more than halving one batch for one bad text takes."""


@dataclass(slots=True, kw_only=True)
class BatchEmbedding:
    """Vectors and refusals of the batches of one run."""

    embedder: Embedder
    dimension: int
    refused: dict[InputHash, str] = field(default_factory=dict)
    _refusals_in_a_row: int = 0

    async def embed(
        self, inputs: Mapping[InputHash, str]
    ) -> Mapping[InputHash, NDArray[np.float32]]:
        """Return the vectors that the model gave; `refused` holds the reasons for the others."""
        readable = await asyncio.to_thread(self._readable, inputs)
        vectors: dict[InputHash, NDArray[np.float32]] = {}
        pending = [readable] if readable else []
        while pending:
            batch = pending.pop()
            try:
                vectors.update(await self._call(batch, inputs))
            except Exception as error:
                self._refusals_in_a_row += 1
                if len(batch) == 1 or self._refusals_in_a_row > REFUSALS_LIMIT:
                    self._refuse(batch, str(error) or type(error).__name__)
                else:
                    half = len(batch) // 2
                    pending += [batch[half:], batch[:half]]
        return vectors

    async def _call(
        self, batch: Sequence[InputHash], inputs: Mapping[InputHash, str]
    ) -> Mapping[InputHash, NDArray[np.float32]]:
        rows = await self.embedder.embed_documents([inputs[input_hash] for input_hash in batch])
        if rows.shape != (len(batch), self.dimension):
            raise ModelError(
                f"the model gave an array of shape {rows.shape} for {len(batch)} texts,"
                f" not {(len(batch), self.dimension)}"
            )
        self._refusals_in_a_row = 0
        usable = _usable_rows(rows)
        self._refuse(
            [input_hash for input_hash, row in zip(batch, usable, strict=True) if not row],
            "the model gave no vector",
        )
        return {
            input_hash: row
            for input_hash, row, is_usable in zip(batch, rows, usable, strict=True)
            if is_usable
        }

    def _readable(self, inputs: Mapping[InputHash, str]) -> list[InputHash]:
        limit = self.embedder.token_limit
        counts = {
            input_hash: self.embedder.count_tokens(text) for input_hash, text in inputs.items()
        }
        for input_hash, tokens in counts.items():
            if tokens > limit:
                self._refuse([input_hash], f"{tokens} tokens, of which the model reads {limit}")
        return [input_hash for input_hash, tokens in counts.items() if tokens <= limit]

    def _refuse(self, batch: Sequence[InputHash], reason: str) -> None:
        self.refused.update(dict.fromkeys(batch, reason))


def _usable_rows(rows: NDArray[np.float32]) -> Sequence[bool]:
    """Return, by row, whether it can be stored in half precision and has a direction."""
    import numpy as np

    with np.errstate(over="ignore"):
        halves = rows.astype(np.float16)
    return [bool(np.isfinite(half).all() and half.any()) for half in halves]
