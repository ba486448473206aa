"""Embedding what has no vector yet: batched across documents, committed batch by batch.

The model works on one batch while the database writes the one before, and no more are held.
A text that the model refuses costs only its own document: a failed batch is halved until the refused
text stands alone. A model that refuses everything is given up on after a while.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from verifier.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from verifier.core.documents import InputHash
    from verifier.core.ports import Embedder

EMBED_BATCH: Final = 64
"""Inputs a commit: what a crash can cost, a few seconds of a CPU."""

REFUSALS_LIMIT: Final = 24
"""Calls refused in a row, none served between: more than halving one batch for one bad text takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedBatch:
    """The vectors that the model gave: a row of the matrix for each of `hashes`."""

    hashes: tuple[InputHash, ...]
    vectors: NDArray[np.float32]


async def embed_in_batches(
    embedding: BatchEmbedding,
    inputs: Mapping[InputHash, str],
    keep: Callable[[EmbeddedBatch], Awaitable[None]],
    *,
    size: int = EMBED_BATCH,
) -> None:
    """Embed `inputs`, the shortest first, and let `keep` write each batch while the next is embedded.

    `keep` is called for one batch at a time, in order; what it raises ends the embedding.
    """
    ordered = await embedding.order(inputs)
    writing: asyncio.Task[None] | None = None
    try:
        for start in range(0, len(ordered), size):
            batch = await embedding.embed(ordered[start : start + size], inputs)
            if writing is not None:
                await writing
            writing = asyncio.create_task(_keep(keep, batch))
    finally:
        if writing is not None:
            await writing


async def _keep(keep: Callable[[EmbeddedBatch], Awaitable[None]], batch: EmbeddedBatch) -> None:
    if batch.hashes:
        await keep(batch)


@dataclass(slots=True, kw_only=True)
class BatchEmbedding:
    """Refusals of the batches of one run; the vectors are handed back batch by batch."""

    embedder: Embedder
    dimension: int
    refused: dict[InputHash, str] = field(default_factory=dict)
    _refusals_in_a_row: int = 0

    async def order(self, inputs: Mapping[InputHash, str]) -> list[InputHash]:
        """Return what the model can read of `inputs`, by rising tokens; the rest is `refused`."""
        return await asyncio.to_thread(self._order, inputs)

    async def embed(
        self, batch: Sequence[InputHash], inputs: Mapping[InputHash, str]
    ) -> EmbeddedBatch:
        """Return the vectors that the model gave; `refused` holds the reasons for the others."""
        import numpy as np

        given: list[EmbeddedBatch] = []
        pending = [batch] if batch else []
        while pending:
            part = pending.pop()
            try:
                given.append(await self._call(part, inputs))
            except Exception as error:
                self._refusals_in_a_row += 1
                if len(part) == 1 or self._refusals_in_a_row > REFUSALS_LIMIT:
                    self._refuse(part, str(error) or type(error).__name__)
                else:
                    half = len(part) // 2
                    pending += [part[half:], part[:half]]
        rows = [one.vectors for one in given] or [np.empty((0, self.dimension), np.float32)]
        return EmbeddedBatch(
            hashes=tuple(input_hash for one in given for input_hash in one.hashes),
            vectors=np.concatenate(rows),
        )

    async def _call(
        self, batch: Sequence[InputHash], inputs: Mapping[InputHash, str]
    ) -> EmbeddedBatch:
        rows = await self.embedder.embed_documents([inputs[input_hash] for input_hash in batch])
        if rows.shape != (len(batch), self.dimension):
            raise ModelError(
                f"the model gave an array of shape {rows.shape} for {len(batch)} texts,"
                f" not {(len(batch), self.dimension)}"
            )
        self._refusals_in_a_row = 0
        usable = _usable_rows(rows)
        named = list(zip(batch, usable, strict=True))
        self._refuse([name for name, fits in named if not fits], "the model gave no vector")
        hashes = tuple(name for name, fits in named if fits)
        return EmbeddedBatch(hashes=hashes, vectors=rows[usable])

    def _order(self, inputs: Mapping[InputHash, str]) -> list[InputHash]:
        limit = self.embedder.token_limit
        counts = {
            input_hash: self.embedder.count_tokens(text) for input_hash, text in inputs.items()
        }
        for input_hash, tokens in counts.items():
            if tokens > limit:
                self._refuse([input_hash], f"{tokens} tokens, of which the model reads {limit}")
        readable = (name for name, tokens in counts.items() if tokens <= limit)
        return sorted(readable, key=lambda name: (counts[name], name))

    def _refuse(self, batch: Sequence[InputHash], reason: str) -> None:
        self.refused.update(dict.fromkeys(batch, reason))


def _usable_rows(rows: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return, by row, whether it can be stored in half precision and has a direction."""
    import numpy as np

    with np.errstate(over="ignore"):
        halves = rows.astype(np.float16)
    return np.logical_and(np.isfinite(halves).all(axis=1), halves.any(axis=1))
