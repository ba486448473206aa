"""Ingest of documents whose chunks were cut and embedded elsewhere: nothing is cut, no model is asked."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from verifier.core.documents import ChunkDraft, Document, InputHash, SourceKey, hash_input
from verifier.core.spans import Span
from verifier.errors import InputError, ModelError
from verifier.ingest.document_work import failed
from verifier.ingest.pipeline import WINDOW_DOCUMENTS, ingest_documents
from verifier.ingest.requests import IngestRequest
from verifier.store.first_load import suspend_indexes
from verifier.store.pool import tenant_transaction
from verifier.store.spaces import ensure_space, index_space
from verifier.store.storable import is_storable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from verifier.core.spaces import EmbeddingSpace
    from verifier.ingest.requests import Incoming, IngestSummary, IngestTerms, Progress
    from verifier.store.pool import Pool

BETWEEN: Final = "\n\n"
"""Stands between two chunks in the text of a document."""
VECTORS_A_COMMIT: Final = 4_096
_HELD_DOCUMENTS: Final = 3 * WINDOW_DOCUMENTS
"""Whose vectors are held: those of the window at work, of the next, and of one that is being read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedDocument:
    """Chunk texts in their order, with `vectors` of shape (len(chunks), dimension), of any length.

    The text of the version is the chunks, joined by a blank line. `metadata` of None leaves what stands.
    """

    key: str
    chunks: Sequence[str]
    vectors: NDArray[np.float32]
    title: str | None = None
    url: str | None = None
    metadata: Mapping[str, object] | None = None


async def add_embedded(
    pool: Pool,
    tenant: str,
    space: EmbeddingSpace,
    documents: Iterable[EmbeddedDocument],
    *,
    terms: IngestTerms | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> IngestSummary:
    """Ingest documents with their vectors, as `ingest_documents` does those without.

    `space` names what made the vectors; it becomes the tenant's where it has none. Documents are taken as
    they come, some hundred at a time in memory. One whose vectors do not fit its chunks or the space fails
    with the reason and costs no other. A load into a space in which no tenant has a vector yet goes without
    its indexes, which are made at the end; searches meanwhile read all that is there. Raises
    WrongEmbeddingSpace where the tenant's space is another, StoreError where the database does not serve.
    """
    given = GivenVectors(space=space)
    requests = _Requests(documents=documents, given=given, terms=terms or {})
    async with tenant_transaction(pool, tenant) as conn:
        space_id = await ensure_space(conn, space)
        await suspend_indexes(conn, space_id)
    try:
        return await ingest_documents(
            pool, tenant, given, requests, on_progress=on_progress, embed_batch=VECTORS_A_COMMIT
        )
    finally:
        async with tenant_transaction(pool, tenant) as conn:
            await index_space(conn, space_id)


@dataclass(slots=True, kw_only=True)
class GivenVectors:
    """An embedder that hands out vectors that were given, those of the last documents."""

    space: EmbeddingSpace
    token_limit: int = 1
    _vectors: dict[InputHash, tuple[int, NDArray[np.float32]]] = field(default_factory=dict)
    _held: deque[tuple[int, Sequence[InputHash]]] = field(default_factory=deque)
    _taken: int = 0

    def count_tokens(self, text: str) -> int:
        """Return 0: no text is too long, since none is embedded here."""
        del text
        return 0

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the given vectors of `texts`. Raises ModelError for a text that none was given for."""
        import numpy as np

        found = [self._vectors.get(hash_input(text)) for text in texts]
        missing = found.index(None) if None in found else None
        if missing is not None:
            raise ModelError(f"no vector was given for {texts[missing][:40]!r}")
        return np.stack([held[1] for held in found if held is not None])

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Raise ModelError: vectors of questions are not given."""
        raise ModelError(f"no vector was given for the query {text[:40]!r}")

    def hold(self, hashes: Sequence[InputHash], vectors: NDArray[np.float32]) -> None:
        """Hold the vectors of one document, and let go those of the oldest."""
        self._taken += 1
        self._held.append((self._taken, hashes))
        for input_hash, vector in zip(hashes, vectors, strict=True):
            self._vectors[input_hash] = (self._taken, vector)
        if len(self._held) > _HELD_DOCUMENTS:
            number, old = self._held.popleft()
            for input_hash in old:
                if self._vectors.get(input_hash, (0,))[0] == number:
                    del self._vectors[input_hash]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Requests:
    """The documents as requests, made as they are taken."""

    documents: Iterable[EmbeddedDocument]
    given: GivenVectors
    terms: IngestTerms

    def __iter__(self) -> Iterator[Incoming]:
        for document in self.documents:
            try:
                yield self._request(document)
            except InputError as error:
                yield failed(document.key, error)

    def _request(self, document: EmbeddedDocument) -> IngestRequest:
        vectors = _check(document, self.given.space.dimension)
        chunks = _cut(document.chunks)
        self.given.hold([chunk.input_hash for chunk in chunks], vectors)
        stated: IngestTerms = {"metadata": document.metadata, **self.terms}
        made = Document(
            key=SourceKey(document.key),
            text=BETWEEN.join(document.chunks),
            title=document.title,
            url=document.url,
            chunks=chunks,
        )
        return IngestRequest(document=made, **stated)


def _check(document: EmbeddedDocument, dimension: int) -> NDArray[np.float32]:
    """Return the vectors as a matrix of float32. Raises InputError naming what does not fit."""
    import numpy as np

    if isinstance(document.chunks, str) or not document.chunks:
        raise InputError(f"{document.key} has no chunks; give at least one text")
    for ordinal, text in enumerate(document.chunks):
        if not text.strip() or not is_storable(text):
            raise InputError(
                f"chunk {ordinal} of {document.key} is blank, or holds a NUL or a lone surrogate"
            )
    vectors = np.asarray(document.vectors, dtype=np.float32)
    if vectors.shape != (len(document.chunks), dimension):
        raise InputError(
            f"{document.key} has {len(document.chunks)} chunks and vectors of shape {vectors.shape};"
            f" give {(len(document.chunks), dimension)}, a row a chunk"
        )
    return vectors


def _cut(texts: Sequence[str]) -> tuple[ChunkDraft, ...]:
    chunks, at = [], 0
    for ordinal, text in enumerate(texts):
        chunks.append(
            ChunkDraft(
                ordinal=ordinal,
                span=Span(at, at + len(text)),
                text=text,
                heading_path=(),
                embedded_input=text,
                input_hash=hash_input(text),
            )
        )
        at += len(text) + len(BETWEEN)
    return tuple(chunks)
