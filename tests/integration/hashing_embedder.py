"""A small real embedder: texts that share word stems have similar vectors, always the same ones."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from verifier.core.spaces import EmbeddingSpace
from verifier.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

WORD = re.compile(r"\w+")


@dataclass(slots=True, kw_only=True)
class HashingEmbedder:
    """Sums one fixed direction a stem; remembers what it was asked for.

    `refuses` names texts on which the call fails, `skips` texts whose vector comes out as zeros.
    """

    model: str = "stems"
    dimension: int = 64
    token_limit: int = 256
    refuses: Callable[[str], bool] = lambda _text: False
    skips: Callable[[str], bool] = lambda _text: False
    embedded: list[str] = field(default_factory=list)
    calls: int = 0

    @property
    def space(self) -> EmbeddingSpace:
        return EmbeddingSpace(
            provider="tests", model=self.model, revision="1", dimension=self.dimension
        )

    def count_tokens(self, text: str) -> int:
        return 2 + sum(1 + len(word) // 8 for word in WORD.findall(text))

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        refused = [text for text in texts if self.refuses(text)]
        if refused:
            raise ModelError(f"the model refuses {refused[0][:20]!r}")
        self.embedded += texts
        return np.stack([self._vector(text) for text in texts])

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._vector(text)

    def _vector(self, text: str) -> NDArray[np.float32]:
        if self.skips(text):
            return np.zeros(self.dimension, np.float32)
        total = np.full(self.dimension, 1e-3)
        for word in WORD.findall(text.casefold()):
            digest = hashlib.shake_128(f"{self.model} {word[:6]}".encode()).digest(self.dimension)
            total += np.frombuffer(digest, np.uint8) / 127.5 - 1
        unit: NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
        return unit
