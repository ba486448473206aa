"""The seams of the engine: a tier that judges claims, and the models that search is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from verifier.core import verdicts
    from verifier.core.claims import Claim
    from verifier.core.reranking import Relevances
    from verifier.core.spaces import EmbeddingSpace
    from verifier.core.turns import Turn


class TierJudge(Protocol):
    """One way of checking claims. It never raises for what it finds; failures are findings."""

    @property
    def tier(self) -> verdicts.Tier:
        """Which tier this is."""
        ...

    @property
    def round_trips(self) -> int:
        """How many SELECTs on canonical tables this object has made; one object serves one answer."""
        ...

    async def judge(self, claims: Sequence[Claim], turn: Turn) -> tuple[verdicts.Finding, ...]:
        """Return findings on those of `claims` that this tier can say something about."""
        ...


class Embedder(Protocol):
    """A model that turns texts into unit vectors of one embedding space."""

    @property
    def space(self) -> EmbeddingSpace:
        """The embedding space of the vectors; may load the model. Raises ModelError."""
        ...

    @property
    def token_limit(self) -> int:
        """How many tokens of a text the model reads; what is beyond would be cut off silently."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the model makes of `text`, special tokens included."""
        ...

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of `texts`, shape (len(texts), dimension). Raises ModelError."""
        ...

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of a query, shape (dimension,). Raises ModelError."""
        ...


class Reranker(Protocol):
    """A model that reads a query and a text together, and says how relevant the text is."""

    @property
    def name(self) -> str:
        """What results are told to be ordered by; may look for the model. Raises ModelError."""
        ...

    async def rerank(self, query: str, texts: Sequence[str]) -> Relevances:
        """Return the relevance of each of `texts`, one at least. Raises ModelError."""
        ...
