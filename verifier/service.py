"""The one façade: every interface calls it, and it wires everything together."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.connections import Connections
from verifier.core.documents import MARKDOWN, Document, SourceKey
from verifier.core.turns import Turn
from verifier.errors import InputError
from verifier.ingest.requests import IngestRequest
from verifier.settings import Settings, choose_settings
from verifier.verification import Verification

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping
    from typing import Unpack

    from verifier.audit.staleness import StaleAudit
    from verifier.core.catalog import Catalog
    from verifier.core.checks import Check
    from verifier.core.documents import SearchResult
    from verifier.core.ports import Embedder
    from verifier.core.report import GroundingReport
    from verifier.core.turn_recorder import TurnRecorder
    from verifier.ingest.formats import Format
    from verifier.ingest.limits import ReadLimits
    from verifier.ingest.requests import Incoming, IngestSummary, IngestTerms, Progress
    from verifier.store.publication import PermissionChange
    from verifier.store.sources import SourceListing


@asynccontextmanager
async def open_verifier(
    dsn: str | None = None,
    *,
    data_dir: Path | None = None,
    tenant: str | None = None,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
) -> AsyncIterator[Verifier]:
    """Yield a verifier over `dsn`, or over the embedded Postgres of `data_dir` where none is given.

    What is not passed comes from `settings`, else from the environment and `verifier.toml`. Nothing is
    connected and no model is loaded before it is needed. Raises SettingsError and CatalogError at once,
    StoreError and ModelError at first use.
    """
    chosen = choose_settings(settings, dsn=dsn, data_dir=data_dir, tenant=tenant)
    verifier = Verifier(chosen, embedder=embedder)
    try:
        yield verifier
    finally:
        await verifier.close()


async def upgrade_database(settings: Settings) -> str:
    """Bring the store's schema to the one that this package works with; return its revision.

    Raises StoreError where the database can't be reached or the login may not change it.
    """
    from verifier.store.schema import HEAD, upgrade_schema

    if settings.dsn is not None:
        await upgrade_schema(settings.dsn.get_secret_value())
        return HEAD
    connections = Connections(settings)
    try:
        await connections.store()
    finally:
        await connections.close()
    return HEAD


class Verifier:
    """Ingest, search, verify and audit for one tenant. Use `open_verifier` to get one.

    One object serves many tasks of one event loop at once.
    """

    def __init__(self, settings: Settings, *, embedder: Embedder | None = None) -> None:
        from verifier.core.catalog import parse_catalog

        self._settings = settings
        self._catalog = parse_catalog(settings.catalog)
        self._connections = Connections(settings)
        self._embedder = embedder
        self._verification = Verification(
            self._connections, self._catalog, tenant=settings.tenant, answer_log=settings.answer_log
        )

    @property
    def tenant(self) -> str:
        """Whose documents and reports are meant."""
        return self._settings.tenant

    @property
    def catalog(self) -> Catalog:
        """The catalog of the settings; empty where they declare none."""
        return self._catalog

    @property
    def read_limits(self) -> ReadLimits:
        """How much of a document is read, and what reading it may cost."""
        from verifier.ingest.limits import ReadLimits

        return ReadLimits(
            max_bytes=self._settings.max_document_bytes,
            max_pages=self._settings.max_document_pages,
            max_seconds=self._settings.max_document_seconds,
            max_memory_mb=self._settings.max_document_memory_mb,
        )

    async def close(self) -> None:
        """Give back what was opened."""
        await self._connections.close()

    async def ingest(
        self,
        path: Path | str,
        *,
        key: str | None = None,
        form: Format | None = None,
        key_column: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        **terms: Unpack[IngestTerms],
    ) -> IngestSummary:
        """Ingest a file, or every document below a folder; unchanged texts are left as they are.

        The suffix tells the format, or `form` does for a file. Of CSV, JSON lines and lists of JSON a
        thousand rows are a source, or each row is one, named by its `key_column`. A file of a folder that
        can't be read is listed as failed, and the rest goes on. Raises UnreadableDocument where `path`
        itself can't be read, InputError where a folder is given a key or a format.
        """
        from verifier.ingest.files import ReadOptions, read_path

        options = ReadOptions(form=form, key_column=key_column, limits=self.read_limits)
        found = await asyncio.to_thread(read_path, Path(path), terms, key=key, options=options)
        return await self.ingest_requests(found, on_progress=on_progress)

    async def ingest_text(
        self,
        key: str,
        text: str,
        *,
        title: str | None = None,
        url: str | None = None,
        **terms: Unpack[IngestTerms],
    ) -> IngestSummary:
        """Ingest one text, read as Markdown, as a version of the source `key`."""
        document = Document(
            key=SourceKey(key), text=text, title=title, url=url, media_type=MARKDOWN
        )
        return await self.ingest_requests([IngestRequest(document=document, **terms)])

    async def ingest_manifest(
        self,
        path: Path,
        *,
        key_column: str = "key",
        valid_from_column: str = "valid_from",
        on_progress: Callable[[Progress], None] | None = None,
    ) -> IngestSummary:
        """Ingest the versions that a CSV lists, one a line, in its order. Raises InputError by line."""
        from verifier.ingest.manifest import read_manifest

        requests = await asyncio.to_thread(
            read_manifest,
            path,
            key_column=key_column,
            valid_from_column=valid_from_column,
            limits=self.read_limits,
        )
        return await self.ingest_requests(requests, on_progress=on_progress)

    async def ingest_requests(
        self,
        requests: Iterable[Incoming],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> IngestSummary:
        """Ingest documents that are at hand, in order; one that fails costs no other."""
        from verifier.ingest.pipeline import ingest_documents

        pool = await self._connections.store()
        return await ingest_documents(
            pool, self.tenant, self._load_embedder(), requests, on_progress=on_progress
        )

    async def approve(self, key: str, *, by: str) -> PermissionChange:
        """Permit the source to be searched and cited. Raises UnknownThing."""
        from verifier.store.pool import tenant_transaction
        from verifier.store.publication import approve

        async with tenant_transaction(await self._connections.store(), self.tenant) as conn:
            return await approve(conn, key, by)

    async def list_sources(self) -> tuple[SourceListing, ...]:
        """Return every source with its current version, by key."""
        from verifier.store.pool import tenant_transaction
        from verifier.store.sources import list_sources

        async with tenant_transaction(
            await self._connections.store(), self.tenant, read_only=True
        ) as conn:
            return await list_sources(conn)

    async def semantic_search(
        self,
        query: str,
        *,
        k: int = 5,
        filters: Mapping[str, str | int | float | bool | None] | None = None,
    ) -> SearchResult:
        """Return the `k` chunks of current, approved sources that are nearest to `query`.

        `filters` names metadata fields that must equal a value of the same type.
        """
        from verifier.store.search import semantic_search

        return await semantic_search(
            await self._connections.store(),
            query,
            tenant=self.tenant,
            embedder=self._load_embedder(),
            k=k,
            filters=filters,
        )

    def turn(self, **fields: object) -> TurnRecorder:
        """Return a recorder of one turn; `fields` are those of `Turn`, such as question and principal."""
        from verifier.core.turn_recorder import TurnRecorder

        return TurnRecorder(**({"tenant": self.tenant} | fields))

    async def verify(
        self, answer: str, turn: Turn | TurnRecorder | None = None, *, evidence: object = None
    ) -> GroundingReport:
        """Return the grounding report of `answer`, and log it.

        Without a turn, `evidence` counts as the result of one successful tool call. What can't be checked
        is a verdict, never an exception; a report that could not be logged is returned all the same.
        """
        if evidence is not None and turn is not None:
            raise InputError("pass either a turn or evidence; a turn records its own tool results")
        begun = self.turn() if turn is None else turn
        if evidence is not None and not isinstance(begun, Turn):
            begun.record("evidence", None, evidence)
        return await self._verification.verify(answer, begun)

    async def audit_stale(self, now: datetime | None = None) -> StaleAudit:
        """Return the sources past their review, and the logged answers that rest on them."""
        from verifier.audit.staleness import audit_stale

        pool = await self._connections.store()
        return await audit_stale(pool, self.tenant, now=now or datetime.now(UTC))

    async def doctor(self) -> tuple[Check, ...]:
        """Return what was found of server, extension, schema, index, model and catalog; never raises."""
        from verifier.examination import examine

        return await examine(self._connections, self._catalog, self._load_embedder())

    def _load_embedder(self) -> Embedder:
        if self._embedder is None:
            from verifier.inference.embedder import SentenceTransformerEmbedder

            self._embedder = SentenceTransformerEmbedder(self._settings.model)
        return self._embedder
