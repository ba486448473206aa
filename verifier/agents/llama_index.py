"""A retriever for LlamaIndex over the versioned store: an engine stays as it is and gains versions.

Needs the extra `llama-index`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verifier.agents.retrieval import describe_hit, search_awaiting, search_blocking

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode
except ModuleNotFoundError as missing:
    raise ImportError(
        "the retriever needs llama-index-core: pip install 'grounding-verifier[llama-index]'"
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from llama_index.core.schema import QueryBundle

    from verifier.agents.retrieval import AnyVerifier
    from verifier.core.documents import SearchHit, SearchResult
    from verifier.core.turn_recorder import TurnRecorder


class VerifierRetriever(BaseRetriever):  # type: ignore[misc] # mypy does not follow the framework
    """Returns the `k` nearest chunks of current, approved sources as nodes, nearest first.

    `verifier` is one of `open_verifier` (then only `aretrieve` works) or of `open_blocking_verifier`
    (both work); `options` are further arguments of `semantic_search`, such as filters. A `turn` recorder,
    if given, notes what was retrieved, so that an answer can be verified against it. The id of a node is
    its chunk id, which alone of the metadata is shown to a model; its score is the relevance where hits are
    reranked, else the similarity, else, of a search by words, the coverage. Errors are those of
    `semantic_search`.
    """

    def __init__(
        self,
        verifier: AnyVerifier,
        *,
        k: int = 5,
        options: Mapping[str, Any] | None = None,
        turn: TurnRecorder | None = None,
    ) -> None:
        super().__init__()
        self._verifier = verifier
        self._asked = {"k": k, **(options or {})}
        self._turn = turn

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._nodes(search_blocking(self._verifier, query_bundle.query_str, self._asked))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = await search_awaiting(self._verifier, query_bundle.query_str, self._asked)
        return self._nodes(found)

    def _nodes(self, found: SearchResult) -> list[NodeWithScore]:
        if self._turn is not None:
            self._turn.retrieved(found)
        return [
            NodeWithScore(node=_node(hit, found.basis), score=_score(hit)) for hit in found.hits
        ]


def _score(hit: SearchHit) -> float | None:
    figures = (hit.relevance, hit.similarity, hit.coverage)
    return next((figure for figure in figures if figure is not None), None)


def _node(hit: SearchHit, basis: int) -> TextNode:
    told = describe_hit(hit, basis)
    return TextNode(
        id_=hit.chunk_id,
        text=hit.text,
        start_char_idx=hit.span.start,
        end_char_idx=hit.span.end,
        metadata=told,
        excluded_llm_metadata_keys=[name for name in told if name != "chunk_id"],
        excluded_embed_metadata_keys=list(told),
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=hit.source)},
    )
