"""Vectors that another store made: whether they are of a model's space, and handing them to an ingest."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from verifier.core.documents import hash_input
from verifier.errors import ModelError, WrongEmbeddingSpace

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from verifier.core.ports import Embedder
    from verifier.core.spaces import EmbeddingSpace
    from verifier.ingest.taken_rows import Sample, TakenRows

COMPARED_ROWS: Final = 20
LEAST_COSINE: Final = 0.99
"""Below, vectors were not made by the model at hand; half precision and other backends stay above 0.999."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What embedding some rows anew said. `least` is the lowest cosine to the vector that was there.

    `texts_alone` says that vectors were made of the texts without the metadata; `beyond_model` counts the
    compared rows that are longer than the model reads, so that their vectors know only their beginning.
    """

    compared: int
    least: float | None
    texts_alone: bool = False
    beyond_model: int = 0


async def compare_rows(rows: TakenRows, embedder: Embedder) -> Comparison:
    """Return how near the vectors of some rows are to those that the model makes of the same rows.

    Where they are those of the texts alone, the rows note it. Raises WrongEmbeddingSpace where they are
    not the model's, ModelError.
    """
    samples = await asyncio.to_thread(rows.sample, COMPARED_ROWS)
    comparison = await _compare(samples, embedder)
    if comparison.texts_alone:
        await asyncio.to_thread(rows.take_texts_as_inputs)
    return comparison


async def _compare(samples: Sequence[Sample], embedder: Embedder) -> Comparison:
    told = [sample.embedded_input for sample in samples]
    texts = [sample.text for sample in samples]
    least = await _find_least(samples, told, embedder)
    alone = least < LEAST_COSINE and texts != told
    if alone:
        least = await _find_least(samples, texts, embedder)
    if least < LEAST_COSINE:
        raise WrongEmbeddingSpace(
            f"these are no vectors of {embedder.space}: of {len(samples)} rows embedded anew, one has a"
            f" cosine of {least:.3f} to the vector that is there, {LEAST_COSINE} is the least; name the model"
            " that made them with --model"
        )
    read = texts if alone else told
    beyond = sum(embedder.count_tokens(text) > embedder.token_limit for text in read)
    return Comparison(compared=len(samples), least=least, texts_alone=alone, beyond_model=beyond)


async def _find_least(
    samples: Sequence[Sample], inputs: Sequence[str], embedder: Embedder
) -> float:
    import numpy as np

    made = await embedder.embed_documents(inputs)
    there = np.stack([np.frombuffer(sample.vector, dtype=np.float32) for sample in samples])
    return float((made.astype(np.float64) * there).sum(axis=1).min())


@dataclass(slots=True, kw_only=True)
class TakenVectors:
    """An embedder whose vectors are there already; what is missing is asked of the model, if one is there.

    Nothing is too long for it: what the model read of a row was decided when it was embedded.
    """

    rows: TakenRows
    space: EmbeddingSpace
    model: Embedder | None
    token_limit: int = 1
    asked: int = field(default=0)

    def count_tokens(self, text: str) -> int:
        """Return 0: no text is cut for its length."""
        del text
        return 0

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors that the rows have for `texts`, shape (len(texts), dimension)."""
        import numpy as np

        found = [self.rows.find_vector(hash_input(text)) for text in texts]
        unknown = [text for text, vector in zip(texts, found, strict=True) if vector is None]
        made = iter(await self._embed(unknown))
        return np.stack(
            [
                next(made) if vector is None else np.frombuffer(vector, dtype=np.float32)
                for vector in found
            ]
        )

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Raise ModelError: rows have no vectors of questions."""
        raise ModelError(f"no row has a vector for the query {text[:40]!r}")

    async def _embed(self, texts: Sequence[str]) -> Sequence[NDArray[np.float32]]:
        if not texts:
            return ()
        if self.model is None:
            raise ModelError(
                "no row has a vector for this text, and no model is at hand to make one"
            )
        self.asked += len(texts)
        return list(await self.model.embed_documents(texts))
