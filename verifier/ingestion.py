"""Ingest from wherever documents come: files, streams, manifests, rows of a database, the web."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from verifier.errors import InputError
from verifier.ingest.limits import ReadLimits
from verifier.ingest.requests import check_terms, in_language

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from verifier.connections import Connections
    from verifier.embedders import Embedders
    from verifier.ingest.fetching import FetchPolicy
    from verifier.ingest.files import ReadOptions
    from verifier.ingest.formats import Format
    from verifier.ingest.requests import Incoming, IngestSummary, IngestTerms, Progress
    from verifier.settings import Settings


class Ingestion:
    """Reads documents in threads or processes of their own, and ingests them for one tenant."""

    def __init__(self, connections: Connections, settings: Settings, embedders: Embedders) -> None:
        self._connections = connections
        self._settings = settings
        self._embedders = embedders

    @property
    def limits(self) -> ReadLimits:
        """How much of a document is read, and what reading it may cost."""
        return ReadLimits(
            max_bytes=self._settings.max_document_bytes,
            max_pages=self._settings.max_document_pages,
            max_seconds=self._settings.max_document_seconds,
            max_memory_mb=self._settings.max_document_memory_mb,
        )

    def options(self, form: Format | None, key_column: str | None) -> ReadOptions:
        """Return how files are read, within the limits of the settings."""
        from verifier.ingest.files import ReadOptions

        return ReadOptions(
            form=form,
            key_column=key_column,
            limits=self.limits,
            jobs=self._settings.ingest_jobs,
        )

    async def ingest(
        self, requests: Iterable[Incoming], on_progress: Callable[[Progress], None] | None
    ) -> IngestSummary:
        """Ingest documents that are at hand."""
        from verifier.ingest.pipeline import ingest_documents

        pool = await self._connections.store()
        tenant, embedder = self._settings.tenant, self._embedders.load()
        beside = self._embedders.load_beside()
        told = in_language(requests, self._settings.language)
        return await ingest_documents(
            pool, tenant, embedder, told, beside=beside, on_progress=on_progress
        )

    async def ingest_path(
        self,
        path: Path,
        terms: IngestTerms,
        options: ReadOptions,
        *,
        key: str | None,
        on_progress: Callable[[Progress], None] | None,
    ) -> IngestSummary:
        """Ingest a file or a folder."""
        from verifier.ingest.files import FolderRequests, read_path

        check_terms(terms)
        found = await asyncio.to_thread(read_path, path, terms, key=key, options=options)
        summary = await self.ingest(found, on_progress)
        if isinstance(found, FolderRequests):
            return replace(summary, passed_over=found.passed_over)
        return summary

    async def ingest_bytes(
        self,
        content: bytes,
        terms: IngestTerms,
        options: ReadOptions,
        *,
        key: str,
        on_progress: Callable[[Progress], None] | None,
    ) -> IngestSummary:
        """Ingest what came from no file."""
        from verifier.ingest.files import read_stream

        check_terms(terms)
        found = await asyncio.to_thread(read_stream, content, terms, key=key, options=options)
        return await self.ingest(found, on_progress)

    async def ingest_rows(
        self,
        rows: str,
        terms: IngestTerms,
        options: ReadOptions,
        *,
        key: str,
        database: str,
        on_progress: Callable[[Progress], None] | None,
    ) -> IngestSummary:
        """Ingest the rows of a table or a SELECT statement of a canonical database."""
        from verifier.ingest.row_export import exported
        from verifier.store.row_export import export_rows

        check_terms(terms)
        pool = await self._connections.canonical(database)
        timeout_s = self._connections.canonical_timeout_s(database)
        lines = export_rows(pool, rows, timeout_s=timeout_s)
        async with exported(lines, terms, key=key, options=options) as requests:
            return await self.ingest(requests, on_progress)

    async def ingest_url(
        self,
        url: str,
        terms: IngestTerms,
        options: ReadOptions,
        *,
        key: str | None,
        on_progress: Callable[[Progress], None] | None,
    ) -> IngestSummary:
        """Ingest what stands at a URL, where the settings let anything be fetched."""
        from verifier.ingest.fetching import fetch
        from verifier.ingest.formats import choose_format

        if self._settings.fetch_urls == "off":
            raise InputError(
                f"{url[:200]}: nothing is fetched from the web unless it is allowed; give --fetch, or set"
                ' fetch_urls = "public"'
            )
        check_terms(terms)
        fetched = await asyncio.to_thread(fetch, url, self.fetch_policy)
        told = replace(
            options,
            form=options.form or choose_format(fetched.media_type, fetched.url),
            declared=fetched.charset,
            url=fetched.url,
        )
        return await self.ingest_bytes(
            fetched.content, terms, told, key=key or url.partition("#")[0], on_progress=on_progress
        )

    @property
    def fetch_policy(self) -> FetchPolicy:
        """What may be fetched: public addresses, up to the limit of a document."""
        from verifier.ingest.fetching import FetchPolicy

        return FetchPolicy(max_bytes=self._settings.max_document_bytes)
