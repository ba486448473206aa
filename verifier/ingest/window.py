"""One run of an ingest, window by window: survey, stage, embed, publish."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from verifier.core.documents import InputHash, VersionState
from verifier.errors import (
    DatabaseReadOnly,
    DatabaseUnavailable,
    InputError,
    MissingExtension,
    SchemaMismatch,
    StoreError,
    WrongEmbeddingSpace,
)
from verifier.ingest.decision import UNPUBLISHED, Decision, Step
from verifier.ingest.embedding import EMBED_BATCH, BatchEmbedding
from verifier.ingest.parts import withdraw_rest
from verifier.ingest.preparation import PreparedDocument, prepare
from verifier.ingest.requests import IngestOutcome, Outcome, PartsEnd, Progress
from verifier.ingest.staging import (
    Published,
    chunk,
    publish_document,
    relabel_document,
    stage_document,
    survey_document,
)
from verifier.store.passages import add_embeddings, count_chunks, get_inputs, list_unembedded
from verifier.store.pool import retrying, tenant_transaction
from verifier.store.spaces import active_space, ensure_space
from verifier.store.storable import refusing_unstorable
from verifier.store.versions import fail_version

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from verifier.core.ports import Embedder
    from verifier.ingest.requests import Incoming, IngestRequest
    from verifier.store.pool import Connection, Pool
    from verifier.store.spaces import SpaceId

T = TypeVar("T")

WRITES: Final = frozenset({Step.STAGE, Step.RESUME})
NOTHING_SERVES: Final = (
    DatabaseReadOnly,
    DatabaseUnavailable,
    MissingExtension,
    SchemaMismatch,
    WrongEmbeddingSpace,
)
"""Errors that no other document would escape."""


@dataclass(slots=True, kw_only=True)
class DocumentWork:
    """One document on its way: what was decided, and which inputs lack a vector, with their chunk."""

    document: PreparedDocument
    decision: Decision
    chunks: int = 0
    missing: Mapping[InputHash, int] = field(default_factory=dict)
    embedded: int = 0

    def outcome(self, outcome: Outcome, error: str | None = None) -> IngestOutcome:
        """Return the outcome with the figures gathered so far."""
        version = self.decision.version
        written = outcome in {Outcome.NEW, Outcome.PENDING}
        return IngestOutcome(
            key=self.document.key,
            outcome=outcome,
            seq=None if version is None else version.seq,
            chunks=self.chunks,
            embedded=self.embedded,
            reused=self.chunks - self.embedded if written else 0,
            error=error,
        )


@dataclass(slots=True, kw_only=True)
class IngestRun:
    """What the windows of one run share."""

    pool: Pool
    tenant: str
    embedder: Embedder
    total: int | None
    on_progress: Callable[[Progress], None] | None
    outcomes: list[IngestOutcome] = field(default_factory=list)
    seen: set[object] = field(default_factory=set)
    space_id: SpaceId | None = None

    async def ingest(self, window: Sequence[Incoming]) -> None:
        """Take one window of documents through all steps and add their outcomes."""
        documents = [request for request in window if not isinstance(request, PartsEnd)]
        await self._ingest_documents(documents)
        for end in window:
            if isinstance(end, PartsEnd):
                self.outcomes += await self._transact(partial(withdraw_rest, end=end))

    async def _ingest_documents(self, window: Sequence[IngestRequest | IngestOutcome]) -> None:
        surveyed = await self._survey([self._prepare(request) for request in window])
        staged = [
            await self._stage(work) if isinstance(work, DocumentWork) else work for work in surveyed
        ]
        refused = await self._embed([work for work in staged if isinstance(work, DocumentWork)])
        for work in staged:
            done = work if isinstance(work, IngestOutcome) else await self._finish(work, refused)
            self.outcomes.append(done)
            self._report(embedded=0, to_embed=0)

    def _prepare(self, request: IngestRequest | IngestOutcome) -> PreparedDocument | IngestOutcome:
        if isinstance(request, IngestOutcome):
            return request
        key = request.document.key
        identity = (key, request.valid_from)
        if identity in self.seen:
            error = f"the key {key!r} stands twice in this run; the first was taken"
            return IngestOutcome(key=key, outcome=Outcome.FAILED, error=error)
        self.seen.add(identity)
        try:
            return prepare(request)
        except InputError as error:
            return _failed(key, error)

    async def _survey(
        self, documents: Sequence[PreparedDocument | IngestOutcome]
    ) -> list[DocumentWork | IngestOutcome]:
        """Decide on each document without writing, and find the vectors that current ones lack."""
        async with tenant_transaction(self.pool, self.tenant, read_only=True) as conn:
            surveyed = [
                DocumentWork(document=document, decision=await survey_document(conn, document))
                if isinstance(document, PreparedDocument)
                else document
                for document in documents
            ]
            active = await active_space(conn)
            if active is not None:
                works = [work for work in surveyed if isinstance(work, DocumentWork)]
                await _measure(conn, active[0], works)
        return surveyed

    async def _stage(self, work: DocumentWork) -> DocumentWork | IngestOutcome:
        if work.decision.step not in WRITES:
            return work
        space_id = await self._space()
        document = work.document
        try:
            chunks = await chunk(document, self.embedder)

            async def stage(conn: Connection) -> DocumentWork:
                with refusing_unstorable(document.key):
                    decision = await stage_document(conn, document, chunks)
                staged = DocumentWork(document=document, decision=decision)
                await _measure(conn, space_id, [staged])
                return staged

            return await self._transact(stage)
        except NOTHING_SERVES:
            raise
        except (InputError, StoreError) as error:
            return _failed(document.key, error)

    async def _embed(self, works: Sequence[DocumentWork]) -> Mapping[InputHash, str]:
        """Give every input that lacks one its vector, and return why some could not get it."""
        wanted: dict[InputHash, DocumentWork] = {}
        for work in works:
            for input_hash in work.missing:
                wanted.setdefault(input_hash, work)
        if not wanted:
            return {}
        space_id = await self._space()
        embedding = BatchEmbedding(embedder=self.embedder, dimension=self.embedder.space.dimension)
        inputs = await self._transact(lambda conn: get_inputs(conn, list(wanted)))
        ordered = sorted(wanted, key=lambda input_hash: len(inputs[input_hash]))
        for start in range(0, len(ordered), EMBED_BATCH):
            batch = ordered[start : start + EMBED_BATCH]
            vectors = await embedding.embed({name: inputs[name] for name in batch})
            await self._keep(space_id, vectors)
            for input_hash in vectors:
                wanted[input_hash].embedded += 1
            self._report(embedded=start + len(batch), to_embed=len(ordered))
        return embedding.refused

    async def _keep(
        self, space_id: SpaceId, vectors: Mapping[InputHash, NDArray[np.float32]]
    ) -> None:
        await self._transact(lambda conn: add_embeddings(conn, space_id, vectors))

    async def _finish(self, work: DocumentWork, refused: Mapping[InputHash, str]) -> IngestOutcome:
        try:
            _require_vectors(work, refused)
            published = await self._complete(work)
        except NOTHING_SERVES:
            raise
        except (InputError, StoreError) as error:
            await self._fail(work, str(error))
            return work.outcome(Outcome.FAILED, str(error))
        written = published.outcome in {Outcome.NEW, Outcome.PENDING}
        caveat = work.document.request.document.caveat if written else None
        return work.outcome(published.outcome, published.note or caveat)

    async def _complete(self, work: DocumentWork) -> Published:
        document, version = work.document, work.decision.version
        step = work.decision.step
        if step is Step.REFUSE:
            raise InputError(
                f"only an operator changes title, URL, metadata or review of {document.key}"
            )
        if step is Step.RELABEL:
            return await self._transact(lambda conn: relabel_document(conn, document))
        if step is Step.NOTHING or version is None:
            return Published(outcome=Outcome.UNCHANGED)
        space_id = await self._space()
        return await self._transact(
            lambda conn: publish_document(conn, space_id, document, version.version_id)
        )

    async def _fail(self, work: DocumentWork, reason: str) -> None:
        version = work.decision.version
        if version is not None and work.decision.step in WRITES:
            await self._transact(lambda conn: fail_version(conn, version.version_id, reason=reason))

    async def _space(self) -> SpaceId:
        """Return the space of the embedder, the first time from the model and the database."""
        if self.space_id is None:
            space = await asyncio.to_thread(lambda: self.embedder.space)
            self.space_id = await self._transact(lambda conn: ensure_space(conn, space))
        return self.space_id

    async def _transact(self, act: Callable[[Connection], Awaitable[T]]) -> T:
        async def attempt() -> T:
            async with tenant_transaction(self.pool, self.tenant) as conn:
                return await act(conn)

        return await retrying(attempt)

    def _report(self, *, embedded: int, to_embed: int) -> None:
        done = len(self.outcomes)
        if self.on_progress is not None:
            self.on_progress(
                Progress(
                    documents=done,
                    total=None if self.total is None or done > self.total else self.total,
                    embedded=embedded,
                    to_embed=to_embed,
                )
            )


async def _measure(conn: Connection, space_id: SpaceId, works: Sequence[DocumentWork]) -> None:
    """Count the chunks of each version, and find the inputs without a vector of those that need them."""
    versions = [work.decision.version for work in works if work.decision.version is not None]
    chunks = await count_chunks(conn, [version.version_id for version in versions])
    needed = [v.version_id for v in versions if v.state in {VersionState.CURRENT, *UNPUBLISHED}]
    missing = await list_unembedded(conn, space_id, needed)
    for work in works:
        version = work.decision.version
        if version is not None:
            work.chunks = chunks.get(version.version_id, 0)
            work.missing = missing.get(version.version_id, {})


def _require_vectors(work: DocumentWork, refused: Mapping[InputHash, str]) -> None:
    for input_hash, ordinal in work.missing.items():
        if input_hash in refused:
            raise InputError(f"chunk {ordinal} could not be embedded: {refused[input_hash]}")


def _failed(key: str, error: Exception) -> IngestOutcome:
    return IngestOutcome(key=key, outcome=Outcome.FAILED, error=str(error))
