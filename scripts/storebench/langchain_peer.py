"""langchain-postgres as its manual advises: PGVectorStore, HNSW, the indexing API with clean-up."""

from __future__ import annotations

import sys
from pathlib import Path
from uuid import NAMESPACE_OID, uuid5

from langchain_classic.indexes import SQLRecordManager, index
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_postgres import Column, PGEngine, PGVectorStore
from langchain_postgres.v2.indexes import HNSWIndex, HNSWQueryOptions
from serving import Corpus, K, Piece, serve

EF_SEARCH = 100
BATCH = 1_000


class Prepared(Embeddings):
    """Vectors that are there already."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of the texts."""
        return [self._corpus.vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of one text."""
        return self._corpus.vector(text)


class LangChainStore:
    """Two tables: one that is written and searched, one that the indexing API keeps."""

    def __init__(self, corpus: Corpus, dsn: str) -> None:
        self._corpus, self._dsn = corpus, dsn
        self._engine = self._connect()
        for table in ("first", "second"):
            self._engine.init_vectorstore_table(
                table,
                vector_size=corpus.vectors.shape[1],
                metadata_columns=[Column("source", "TEXT"), Column("grp", "INTEGER")],
            )
        self._open()
        self._records = SQLRecordManager(
            "pgvectorstore/second", db_url=dsn.replace("postgresql:", "postgresql+psycopg:")
        )
        self._records.create_schema()

    def _connect(self) -> PGEngine:
        return PGEngine.from_connection_string(
            url=self._dsn.replace("postgresql:", "postgresql+asyncpg:")
        )

    def _open(self) -> None:
        self._first, self._second = (
            PGVectorStore.create_sync(
                self._engine,
                Prepared(self._corpus),
                table,
                metadata_columns=["source", "grp"],
                index_query_options=HNSWQueryOptions(ef_search=EF_SEARCH),
            )
            for table in ("first", "second")
        )

    def write(self, pieces: list[Piece]) -> None:
        """Add texts with their vectors in one call."""
        self._first.add_embeddings(
            texts=[piece.text for piece in pieces],
            embeddings=[self._corpus.vectors[piece.row].tolist() for piece in pieces],
            metadatas=[{"source": piece.document, "grp": piece.group} for piece in pieces],
        )

    def build_index(self) -> None:
        """Make an HNSW index of its default parameters."""
        self._first.apply_vector_index(HNSWIndex())

    def search(self, query: int, group: int | None) -> list[str]:
        """Return the texts of the nearest, filtered by a metadata column."""
        found = self._first.similarity_search_by_vector(
            self._corpus.queries[query].tolist(),
            k=K,
            filter=None if group is None else {"grp": group},
        )
        return [document.page_content for document in found]

    def ingest(self, pieces: list[Piece]) -> None:
        """Call the indexing API: hashes of all chunks, and incremental clean-up by source."""
        index(
            [
                Document(
                    page_content=piece.text,
                    metadata={"source": piece.document, "grp": piece.group},
                )
                for piece in pieces
            ],
            self._records,
            self._second,
            cleanup="incremental",
            source_id_key="source",
            batch_size=BATCH,
            key_encoder=_key,
        )

    def reconnect(self) -> None:
        """Make a new engine."""
        self._engine = self._connect()
        self._open()


def _key(document: Document) -> str:
    told = f"{document.metadata['source']}\n{document.metadata['grp']}\n{document.page_content}"
    return str(uuid5(NAMESPACE_OID, told))


if __name__ == "__main__":
    read = Corpus(Path(sys.argv[1]))
    serve(LangChainStore(read, sys.argv[2]), read)
