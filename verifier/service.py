"""The one façade: every interface calls it, and it wires everything together."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.connections import STORE_DATABASE
from verifier.core.documents import MARKDOWN, Document, SourceKey
from verifier.core.turns import Turn
from verifier.errors import InputError, TenantRequired
from verifier.examination import examine
from verifier.ingest.requests import IngestRequest
from verifier.ingestion import Ingestion
from verifier.keeping import Keeping, open_shared
from verifier.retrieval import Retrieval
from verifier.settings import Settings, choose_settings

if TYPE_CHECKING:
    from collections.abc import (
        AsyncGenerator,
        AsyncIterable,
        AsyncIterator,
        Callable,
        Iterable,
        Sequence,
    )
    from typing import Unpack

    from verifier.audit.evaluation import Evaluation
    from verifier.core.checks import Check
    from verifier.core.documents import SearchResult
    from verifier.core.evaluation import EvaluationCase
    from verifier.core.policy import Policy
    from verifier.core.ports import Embedder, Reranker
    from verifier.core.report import GroundingReport
    from verifier.core.search_options import SearchTerms
    from verifier.core.streaming_events import StreamEvent, StreamTerms
    from verifier.core.turn_recorder import TurnRecorder
    from verifier.ingest.formats import Format
    from verifier.ingest.requests import Incoming, IngestSummary, IngestTerms, Progress
    from verifier.keeping import Shared
    from verifier.verify.ledger_check import LedgerCheck


@asynccontextmanager
async def open_verifier(
    dsn: str | None = None,
    *,
    data_dir: Path | None = None,
    tenant: str | None = None,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
) -> AsyncIterator[Verifier]:
    """Yield a verifier over `dsn`, or over the embedded Postgres of `data_dir` where none is given.

    What is not passed comes from `settings`, else from the environment and `verifier.toml`. Nothing is opened
    before it is needed. Raises SettingsError and CatalogError at once, at first use StoreError, ModelError.
    """
    chosen = choose_settings(settings, dsn=dsn, data_dir=data_dir, tenant=tenant)
    verifier = Verifier(chosen, embedder=embedder, reranker=reranker)
    try:
        yield verifier
    finally:
        await verifier.close()


class Verifier(Keeping):
    """One tenant's verbs, for many tasks of one event loop at once. `open_verifier` yields one."""

    def __init__(
        self,
        settings: Settings,
        *,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        shared: Shared | None = None,
    ) -> None:
        super().__init__(settings, shared or open_shared(settings, embedder, reranker))
        self._owns_what_is_shared = shared is None
        self._retrieval = Retrieval(self._connections, self._embedders, settings.tenant)
        self._ingestion = Ingestion(self._connections, settings, self._embedders)

    async def close(self) -> None:
        """Give back what was opened; what `for_tenant` returned closes nothing."""
        if self._owns_what_is_shared:
            await self._connections.close()

    def for_tenant(self, tenant: str) -> Verifier:
        """Return the same verbs for another tenant, over the same connections and models; it costs nothing.

        Raises TenantRequired for a blank name.
        """
        if not tenant.strip():
            raise TenantRequired("no tenant is named; name the one whose rows are meant")
        return Verifier(
            self._settings.model_copy(update={"tenant": tenant}),
            shared=replace(self._shared, names=self._verification.backing().names),
        )

    async def connect(self) -> None:
        """Open the store now instead of at first use. Raises StoreError."""
        await self._connections.store()

    async def load_model(self) -> None:
        """Read the model of the settings now instead of at first use. Raises ModelError."""
        await self._embedders.load().embed_query("ready")

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

        The suffix or `form` tells the format. Of CSV, JSON lines and JSON lists a thousand rows are a source,
        or with `key_column` each. What can't be read of a folder is listed; else it is UnreadableDocument.
        """
        how, at = self._ingestion.options(form, key_column), Path(path)
        return await self._ingestion.ingest_path(at, terms, how, key=key, on_progress=on_progress)

    async def ingest_bytes(
        self,
        content: bytes,
        *,
        key: str,
        form: Format | None = None,
        key_column: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        **terms: Unpack[IngestTerms],
    ) -> IngestSummary:
        """Ingest what came from no file, as `ingest` does; Markdown where no `form` is told."""
        how = self._ingestion.options(form, key_column)
        return await self._ingestion.ingest_bytes(
            content, terms, how, key=key, on_progress=on_progress
        )

    async def ingest_rows(
        self,
        rows: str,
        *,
        key: str,
        database: str = STORE_DATABASE,
        key_column: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        **terms: Unpack[IngestTerms],
    ) -> IngestSummary:
        """Ingest the rows of a table, or those that one SELECT statement returns, as those of a file.

        `database` is one that the settings declare, else the store's; nothing is ever written there. An
        ORDER BY, or a `key_column`, keeps rows in their sources. Raises InputError for a wrong statement.
        """
        options = self._ingestion.options(None, key_column)
        return await self._ingestion.ingest_rows(
            rows, terms, options, key=key, database=database, on_progress=on_progress
        )

    async def ingest_url(
        self,
        url: str,
        *,
        key: str | None = None,
        form: Format | None = None,
        key_column: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        **terms: Unpack[IngestTerms],
    ) -> IngestSummary:
        """Ingest what stands at a URL, its key the URL, its format as the server tells.

        Raises InputError unless settings allow it, and for addresses, also of redirects, that are not public.
        """
        how = self._ingestion.options(form, key_column)
        return await self._ingestion.ingest_url(url, terms, how, key=key, on_progress=on_progress)

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
            limits=self._ingestion.limits,
        )
        return await self.ingest_requests(requests, on_progress=on_progress)

    async def ingest_requests(
        self,
        requests: Iterable[Incoming],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> IngestSummary:
        """Ingest documents that are at hand, in order; one that fails costs no other."""
        return await self._ingestion.ingest(requests, on_progress)

    async def semantic_search(self, query: str, **terms: Unpack[SearchTerms]) -> SearchResult:
        """Return the chunks of approved sources that are nearest to `query`, five where no `k` is told.

        `terms` are the fields of `verifier.core.search_options.SearchOptions`: filters, moments, thresholds.
        """
        return await self._retrieval.search(query, **terms)

    def turn(self, **fields: object) -> TurnRecorder:
        """Return a recorder of one turn; `fields` are those of `Turn`, such as question and principal."""
        from verifier.core.turn_recorder import TurnRecorder

        return TurnRecorder(**({"tenant": self.tenant} | fields))

    async def verify(
        self,
        answer: str,
        turn: Turn | TurnRecorder | None = None,
        *,
        evidence: object = None,
        policy: Policy | None = None,
    ) -> GroundingReport:
        """Return the grounding report of `answer`, and log it; what the `policy` made of it is its `release`.

        Without a turn, `evidence` is one tool call's result; without a policy, that of the settings holds.
        What can't be checked is a verdict, never an exception; a report that can't be logged still returns.
        """
        if evidence is not None and turn is not None:
            raise InputError("pass either a turn or evidence; a turn records its own tool results")
        begun = self.turn() if turn is None else turn
        if evidence is not None and not isinstance(begun, Turn):
            begun.record("evidence", None, evidence)
        return await self._verification.verify(answer, begun, policy)

    async def evaluate(
        self,
        cases: Sequence[EvaluationCase],
        *,
        on_progress: Callable[[int], None] | None = None,
    ) -> Evaluation:
        """Return how the verdicts on labelled answers agree with their labels. No report of it is logged.

        `on_progress` is told the number of the case that begins.
        """
        from verifier.audit.evaluation import evaluate_cases

        return await evaluate_cases(self._verification.judge, cases, on_progress=on_progress)

    def stream(
        self,
        pieces: AsyncIterable[str],
        turn: Turn | TurnRecorder | None = None,
        *,
        policy: Policy | None = None,
        **terms: Unpack[StreamTerms],
    ) -> AsyncGenerator[StreamEvent, None]:
        """Yield what may be shown of an answer that is being written; last, the report that `verify` gives.

        Nothing is held back for longer than `max_delay_s` without being told. Closed, it closes `pieces`.
        """
        return self._verification.stream(pieces, turn or self.turn(), policy, **terms)

    async def check_ledger_against_database(self, turn: Turn | TurnRecorder) -> LedgerCheck:
        """Return which facts of the turn's tool results are out of date by the canonical tables."""
        return await self._verification.check_ledger(turn)

    async def doctor(self) -> tuple[Check, ...]:
        """Return what was found of server, extension, schema, index, model and catalog; never raises."""
        return await examine(self._connections, self.tenant, self._catalog, self._embedders)
