"""One run of an ingest, window by window: survey, stage, embed, publish."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from verifier.errors import (
    DatabaseReadOnly,
    DatabaseUnavailable,
    InputError,
    MissingExtension,
    SchemaMismatch,
    StoreError,
    WrongEmbeddingSpace,
)
from verifier.ingest.decision import Step
from verifier.ingest.document_work import DocumentWork, failed, measure, require_vectors
from verifier.ingest.embedding import EMBED_BATCH, BatchEmbedding, embed_in_batches
from verifier.ingest.parts import withdraw_rest
from verifier.ingest.preparation import PreparedDocument, prepare
from verifier.ingest.requests import IngestOutcome, Outcome, PartsEnd, Progress
from verifier.ingest.staging import (
    Published,
    chunk,
    publish_document,
    relabel_document,
    stage_documents,
    survey_documents,
)
from verifier.store.passages import add_embeddings, get_inputs
from verifier.store.pool import retrying, tenant_transaction
from verifier.store.spaces import active_space, ensure_space
from verifier.store.storable import refusing_unstorable
from verifier.store.versions import fail_version

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from verifier.core.documents import InputHash
    from verifier.core.ports import Embedder
    from verifier.ingest.embedding import EmbeddedBatch
    from verifier.ingest.requests import Incoming, IngestRequest
    from verifier.ingest.staging import CutDocument
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
class IngestRun:
    """What the windows of one run share."""

    pool: Pool
    tenant: str
    embedder: Embedder
    total: int | None
    on_progress: Callable[[Progress], None] | None
    embed_batch: int = EMBED_BATCH
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
        staged = await self._stage(surveyed)
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
            return failed(key, InputError(error))
        self.seen.add(identity)
        try:
            return prepare(request)
        except InputError as error:
            return failed(key, error)

    async def _survey(
        self, documents: Sequence[PreparedDocument | IngestOutcome]
    ) -> list[DocumentWork | IngestOutcome]:
        """Decide on each document without writing, and find the vectors that current ones lack."""
        prepared = [one for one in documents if isinstance(one, PreparedDocument)]
        async with tenant_transaction(self.pool, self.tenant, read_only=True) as conn:
            decisions = await survey_documents(conn, prepared)
            works = [
                DocumentWork(document=document, decision=decision)
                for document, decision in zip(prepared, decisions, strict=True)
            ]
            active = await active_space(conn)
            if active is not None:
                await measure(conn, active[0], works)
        surveyed = iter(works)
        return [one if isinstance(one, IngestOutcome) else next(surveyed) for one in documents]

    async def _stage(
        self, surveyed: Sequence[DocumentWork | IngestOutcome]
    ) -> list[DocumentWork | IngestOutcome]:
        """Write what has to be written: together, or one by one where that fails."""
        staged = list(surveyed)
        cut: list[tuple[int, CutDocument]] = []
        for place, work in enumerate(surveyed):
            if isinstance(work, DocumentWork) and work.decision.step in WRITES:
                try:
                    cut.append((place, (work.document, await chunk(work.document, self.embedder))))
                except (InputError, StoreError) as error:
                    staged[place] = failed(work.document.key, error)
        documents = [document for _, document in cut]
        for (place, _), work in zip(cut, await self._write_or_split(documents), strict=True):
            staged[place] = work
        return staged

    async def _write_or_split(
        self, documents: Sequence[CutDocument]
    ) -> Sequence[DocumentWork | IngestOutcome]:
        try:
            return await self._write(documents)
        except NOTHING_SERVES:
            raise
        except (InputError, StoreError) as error:
            if len(documents) == 1:
                return [failed(documents[0][0].key, error)]
        return [one for each in documents for one in await self._write_or_split([each])]

    async def _write(self, documents: Sequence[CutDocument]) -> Sequence[DocumentWork]:
        if not documents:
            return []
        space_id = await self._space()

        async def stage(conn: Connection) -> list[DocumentWork]:
            with refusing_unstorable(documents[0][0].key):
                decisions = await stage_documents(conn, documents)
            works = [
                DocumentWork(document=document, decision=decision)
                for (document, _), decision in zip(documents, decisions, strict=True)
            ]
            await measure(conn, space_id, works)
            return works

        return await self._transact(stage)

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
        embedded = 0

        async def keep(batch: EmbeddedBatch) -> None:
            nonlocal embedded
            await self._transact(
                lambda conn: add_embeddings(conn, space_id, batch.hashes, batch.vectors)
            )
            for input_hash in batch.hashes:
                wanted[input_hash].embedded += 1
            embedded += len(batch.hashes)
            self._report(embedded=embedded, to_embed=len(wanted))

        await embed_in_batches(embedding, inputs, keep, size=self.embed_batch)
        return embedding.refused

    async def _finish(self, work: DocumentWork, refused: Mapping[InputHash, str]) -> IngestOutcome:
        try:
            require_vectors(work, refused)
            published = await self._complete(work)
        except NOTHING_SERVES:
            raise
        except (InputError, StoreError) as error:
            await self._fail(work, str(error))
            told = work.outcome(Outcome.FAILED, str(error))
            return replace(told, error_type=type(error).__name__)
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
