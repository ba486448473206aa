"""Searching the store with the models of one process."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Unpack

    from verifier.connections import Connections
    from verifier.core.documents import SearchResult
    from verifier.core.search_options import SearchTerms
    from verifier.embedders import Embedders


class Retrieval:
    """Searches the store of one tenant."""

    def __init__(self, connections: Connections, embedders: Embedders, tenant: str) -> None:
        self._connections = connections
        self._embedders = embedders
        self._tenant = tenant

    async def search(self, query: str, **terms: Unpack[SearchTerms]) -> SearchResult:
        """Return what `verifier.store.search.semantic_search` finds; no model is loaded that it needs not."""
        from verifier.store.search import semantic_search

        return await semantic_search(
            await self._connections.store(),
            query,
            tenant=self._tenant,
            embedder=self._embedders.load(),
            reranker=self._embedders.load_reranker(),
            **terms,
        )
