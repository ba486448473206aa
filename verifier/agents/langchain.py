"""A retriever for LangChain over the versioned store: a chain stays as it is and gains versions.

Needs the extra `langchain`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from verifier.agents.retrieval import describe_hit, search_awaiting, search_blocking

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ModuleNotFoundError as missing:
    raise ImportError(
        "the retriever needs langchain-core: pip install 'grounding-verifier[langchain]'"
    ) from missing

if TYPE_CHECKING:
    from verifier.core.documents import SearchResult


class VerifierRetriever(BaseRetriever):  # type: ignore[misc] # mypy does not follow the framework
    """Returns the `k` nearest chunks of current, approved sources as documents, nearest first.

    `verifier` is one of `open_verifier` (then only `ainvoke` and its kin work) or of
    `open_blocking_verifier` (both work); `options` are further arguments of `semantic_search`, such as
    filters. A `turn` recorder, if given, notes what was retrieved, so that an answer can be verified
    against it. The id of a document is its chunk id; where it stands is in its metadata. Errors are those
    of `semantic_search`.
    """

    verifier: Any
    k: int = 5
    options: dict[str, Any] = Field(default_factory=dict)
    turn: Any = None

    def _get_relevant_documents(self, query: str, *, run_manager: object) -> list[Document]:
        del run_manager
        return self._documents(search_blocking(self.verifier, query, self._asked))

    async def _aget_relevant_documents(self, query: str, *, run_manager: object) -> list[Document]:
        del run_manager
        return self._documents(await search_awaiting(self.verifier, query, self._asked))

    @property
    def _asked(self) -> dict[str, Any]:
        return {"k": self.k} | self.options

    def _documents(self, found: SearchResult) -> list[Document]:
        if self.turn is not None:
            self.turn.retrieved(found)
        return [
            Document(
                id=hit.chunk_id, page_content=hit.text, metadata=describe_hit(hit, found.basis)
            )
            for hit in found.hits
        ]
