"""This project's store as an application uses it: versions, publication, full text and all."""

from __future__ import annotations

import asyncio
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from serving import Corpus, K, Piece, by_document, serve

from verifier import open_verifier
from verifier.core.documents import ChunkDraft, Document, SourceKey, hash_input
from verifier.core.spaces import EmbeddingSpace
from verifier.core.spans import Span
from verifier.ingest.embedded_documents import VECTORS_A_COMMIT
from verifier.ingest.pipeline import ingest_documents
from verifier.ingest.requests import IngestRequest
from verifier.store.first_load import suspend_indexes
from verifier.store.pool import open_pool, tenant_transaction
from verifier.store.spaces import ensure_space, index_space

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from verifier import Verifier
    from verifier.ingest.requests import IngestSummary
    from verifier.store.spaces import SpaceId

BETWEEN = "\n\n"


class Prepared:
    """An embedder whose vectors are there already; a query is the number of one."""

    token_limit = 256

    def __init__(self, corpus: Corpus, revision: str) -> None:
        self._corpus = corpus
        self.space = EmbeddingSpace(
            provider="bench",
            model="prepared",
            revision=revision,
            dimension=corpus.vectors.shape[1],
        )

    def count_tokens(self, text: str) -> int:
        """Return 0: nothing is too long."""
        del text
        return 0

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of the texts."""
        return np.array([self._corpus.vector(text) for text in texts], np.float32)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of the query of that number."""
        vector: NDArray[np.float32] = self._corpus.queries[int(text)]
        return vector


class OwnStore:
    """Two tenants, each with an embedding space of its own: one is searched, one is ingested again."""

    def __init__(self, corpus: Corpus, dsn: str, stack: ExitStack) -> None:
        self._runner = stack.enter_context(asyncio.Runner())
        self._first, self._second = (
            self._open(corpus, dsn, tenant, stack) for tenant in ("first", "second")
        )
        self._vectors = Prepared(corpus, "first")
        self._pool = self._runner.run(open_pool(dsn))
        stack.callback(lambda: self._runner.run(self._pool.close()))
        self._space = self._runner.run(self._begin_load())

    def _open(self, corpus: Corpus, dsn: str, tenant: str, stack: ExitStack) -> Verifier:
        opened = open_verifier(dsn, tenant=tenant, embedder=Prepared(corpus, tenant))
        verifier = self._runner.run(opened.__aenter__())
        stack.callback(lambda: self._runner.run(opened.__aexit__(None, None, None)))
        return verifier

    async def _begin_load(self) -> SpaceId:
        """Make the space without its indexes, as a first load does (`add_embedded`)."""
        async with tenant_transaction(self._pool, "first") as conn:
            space = await ensure_space(conn, self._vectors.space)
            await suspend_indexes(conn, space)
            return space

    def write(self, pieces: list[Piece]) -> None:
        """Ingest documents whose chunks and vectors are there."""
        requests = [_make_request(name, own) for name, own in by_document(pieces).items()]
        _check(
            self._runner.run(
                ingest_documents(
                    self._pool, "first", self._vectors, requests, embed_batch=VECTORS_A_COMMIT
                )
            )
        )

    def build_index(self) -> None:
        """Make the indexes, those of the present and of the past."""
        self._runner.run(self._index())

    async def _index(self) -> None:
        async with tenant_transaction(self._pool, "first") as conn:
            await index_space(conn, self._space)

    def search(self, query: int, group: int | None) -> list[str]:
        """Return the texts of the nearest, filtered by the metadata of their source."""
        filters = None if group is None else {"grp": group}
        found = self._runner.run(self._first.semantic_search(str(query), k=K, filters=filters))
        return [hit.text for hit in found.hits]

    def ingest(self, pieces: list[Piece]) -> None:
        """Ingest all documents; those that did not change are left as they are."""
        requests = [_make_request(name, own) for name, own in by_document(pieces).items()]
        _check(self._runner.run(self._second.ingest_requests(requests)))

    def reconnect(self) -> None:
        """Do nothing: no setting of the database matters."""


def _check(summary: IngestSummary) -> None:
    if summary.failed:
        raise RuntimeError(summary.failed[0].error)


def _make_request(name: str, own: list[Piece]) -> IngestRequest:
    chunks, at = [], 0
    for ordinal, piece in enumerate(own):
        chunks.append(
            ChunkDraft(
                ordinal=ordinal,
                span=Span(at, at + len(piece.text)),
                text=piece.text,
                heading_path=(),
                embedded_input=piece.text,
                input_hash=hash_input(piece.text),
            )
        )
        at += len(piece.text) + len(BETWEEN)
    document = Document(
        key=SourceKey(name),
        text=BETWEEN.join(piece.text for piece in own),
        chunks=tuple(chunks),
    )
    return IngestRequest(document=document, metadata={"grp": own[0].group})


if __name__ == "__main__":
    read = Corpus(Path(sys.argv[1]))
    with ExitStack() as exits:
        serve(OwnStore(read, sys.argv[2], exits), read)
