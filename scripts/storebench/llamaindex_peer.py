"""LlamaIndex's PGVectorStore as its manual advises: HNSW, jsonb, an ingestion pipeline with upserts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llama_index.core import Document
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.schema import (
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
    TransformComponent,
)
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores.types import (
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
)
from llama_index.vector_stores.postgres import PGVectorStore
from serving import Corpus, K, Piece, by_document, serve

if TYPE_CHECKING:
    from collections.abc import Sequence

HNSW = {"hnsw_m": 16, "hnsw_ef_construction": 64, "hnsw_ef_search": 100}
BETWEEN = "\n\n"
_LEFT_OUT = ["grp", "source"]


class Prepared(BaseEmbedding):
    """Vectors that are there already."""

    corpus: Any

    def _get_text_embedding(self, text: str) -> list[float]:
        vector: list[float] = self.corpus.vector(text)
        return vector

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


class Paragraphs(TransformComponent):
    """Cuts a document where the corpus has its chunks."""

    def __call__(self, nodes: Sequence[Document], **_: object) -> list[TextNode]:
        """Return a node for each paragraph."""
        return [
            TextNode(
                text=text,
                metadata=document.metadata,
                excluded_embed_metadata_keys=_LEFT_OUT,
                relationships={NodeRelationship.SOURCE: document.as_related_node_info()},
            )
            for document in nodes
            for text in document.text.split(BETWEEN)
        ]


class LlamaIndexStore:
    """Two tables: one that is written and searched, one that the pipeline keeps."""

    def __init__(self, corpus: Corpus, dsn: str, record: Path) -> None:
        self._corpus, self._dsn = corpus, dsn
        self._first, self._second = self._open("first", None), self._open("second", None)
        self._record = record

    def _open(self, table: str, hnsw: dict[str, Any] | None) -> PGVectorStore:
        return PGVectorStore(
            connection_string=self._dsn.replace("postgresql:", "postgresql+psycopg2:"),
            async_connection_string=self._dsn.replace("postgresql:", "postgresql+asyncpg:"),
            table_name=table,
            embed_dim=self._corpus.vectors.shape[1],
            use_jsonb=True,
            hnsw_kwargs=hnsw,
            indexed_metadata_keys={("grp", "float")},
            initialization_fail_on_error=True,
        )

    def write(self, pieces: list[Piece]) -> None:
        """Add nodes with their vectors in one call."""
        self._first.add(
            [
                TextNode(
                    text=piece.text,
                    embedding=self._corpus.vectors[piece.row].tolist(),
                    metadata={"source": piece.document, "grp": piece.group},
                    relationships={
                        NodeRelationship.SOURCE: RelatedNodeInfo(node_id=piece.document)
                    },
                )
                for piece in pieces
            ]
        )

    def build_index(self) -> None:
        """Make an HNSW index by opening the store with the parameters of its examples."""
        self.reconnect()
        self.search(0, None)

    def search(self, query: int, group: int | None) -> list[str]:
        """Return the texts of the nearest, filtered by an indexed metadata key."""
        found = self._first.query(
            VectorStoreQuery(
                query_embedding=self._corpus.queries[query].tolist(),
                similarity_top_k=K,
                filters=None
                if group is None
                else MetadataFilters(filters=[MetadataFilter(key="grp", value=group)]),
            )
        )
        return [node.text for node in found.nodes or []]

    def ingest(self, pieces: list[Piece]) -> None:
        """Run the pipeline: hashes of whole documents, upserts of those that changed.

        Its record of documents is loaded and kept as it has to be between two processes.
        """
        pipeline = self._pipeline()
        if self._record.exists():
            pipeline.load(str(self._record))
        pipeline.run(
            documents=[
                Document(
                    id_=name,
                    text=BETWEEN.join(piece.text for piece in own),
                    metadata={"source": name, "grp": own[0].group},
                    excluded_embed_metadata_keys=_LEFT_OUT,
                )
                for name, own in by_document(pieces).items()
            ]
        )
        pipeline.persist(str(self._record))

    def _pipeline(self) -> IngestionPipeline:
        return IngestionPipeline(
            transformations=[Paragraphs(), Prepared(corpus=self._corpus)],
            vector_store=self._second,
            docstore=SimpleDocumentStore(),
            docstore_strategy=DocstoreStrategy.UPSERTS,
            disable_cache=True,
        )

    def reconnect(self) -> None:
        """Make a new store object with connections of its own."""
        self._first = self._open("first", dict(HNSW))


if __name__ == "__main__":
    read = Corpus(Path(sys.argv[1]))
    serve(LlamaIndexStore(read, sys.argv[2], Path(sys.argv[1]) / "record"), read)
