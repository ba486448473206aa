"""The same verbs without an event loop of one's own."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from verifier.answers import BlockingAnswers
from verifier.blocking_audits import BlockingAudits
from verifier.blocking_sources import BlockingSources
from verifier.blocking_stream import read_pieces, run_stream
from verifier.conflicts import BlockingConflicts
from verifier.connections import STORE_DATABASE
from verifier.core.spaces import BuildExtent
from verifier.keys import BlockingKeys
from verifier.reviews import BlockingReviews
from verifier.service import Verifier
from verifier.settings import Settings, choose_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
    from pathlib import Path
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
    from verifier.core.turns import Turn
    from verifier.ingest.formats import Format
    from verifier.ingest.requests import IngestSummary, IngestTerms
    from verifier.ingest.space_building import BuildProgress, SpaceBuild
    from verifier.spaces import SpaceDrop, SpaceListing, Spaces, SpaceSwitch
    from verifier.upkeep import Mending, Sweep, Upkeep
    from verifier.verbs import RunVerb
    from verifier.verify.ledger_check import LedgerCheck

Result = TypeVar("Result")


@contextmanager
def open_blocking_verifier(
    dsn: str | None = None,
    *,
    data_dir: Path | None = None,
    tenant: str | None = None,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
) -> Iterator[BlockingVerifier]:
    """Yield a verifier whose verbs block; the arguments are those of `open_verifier`.

    Verbs asked for by several threads at once are run one after another. Raises RuntimeError inside a
    running event loop: await `Verifier` there.
    """
    # A factory of its own: a loop that became the thread's current one would be run by others, too.
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        chosen = choose_settings(settings, dsn=dsn, data_dir=data_dir, tenant=tenant)
        verifier = Verifier(chosen, embedder=embedder, reranker=reranker)
        try:
            yield BlockingVerifier(verifier, runner)
        finally:
            runner.run(verifier.close())


class BlockingVerifier:
    """`verifier.service.Verifier`, verb by verb; each call returns when it is done."""

    def __init__(self, verifier: Verifier, runner: asyncio.Runner) -> None:
        self._verifier = verifier
        self._runner = runner
        # Of the thread itself, so that one that asks from within a verb is refused, not stuck.
        self._turn = threading.RLock()

    def ingest(
        self,
        path: Path | str,
        *,
        key: str | None = None,
        form: Format | None = None,
        key_column: str | None = None,
        **terms: Unpack[IngestTerms],
    ) -> IngestSummary:
        """Ingest a file or a folder, as `Verifier.ingest`."""
        return self._run(
            self._verifier.ingest(path, key=key, form=form, key_column=key_column, **terms)
        )

    def ingest_rows(
        self,
        rows: str,
        *,
        key: str,
        database: str = STORE_DATABASE,
        key_column: str | None = None,
        **terms: Unpack[IngestTerms],
    ) -> IngestSummary:
        """Ingest the rows of a table or a SELECT statement, as `Verifier.ingest_rows`."""
        return self._run(
            self._verifier.ingest_rows(
                rows, key=key, database=database, key_column=key_column, **terms
            )
        )

    def ingest_url(
        self, url: str, *, key: str | None = None, **terms: Unpack[IngestTerms]
    ) -> IngestSummary:
        """Ingest what stands at a URL, as `Verifier.ingest_url`."""
        return self._run(self._verifier.ingest_url(url, key=key, **terms))

    def ingest_text(
        self,
        key: str,
        text: str,
        *,
        title: str | None = None,
        url: str | None = None,
        **terms: Unpack[IngestTerms],
    ) -> IngestSummary:
        """Ingest one text, as `Verifier.ingest_text`."""
        return self._run(self._verifier.ingest_text(key, text, title=title, url=url, **terms))

    def semantic_search(self, query: str, **terms: Unpack[SearchTerms]) -> SearchResult:
        """Return the nearest chunks, as `Verifier.semantic_search`."""
        return self._run(self._verifier.semantic_search(query, **terms))

    def turn(self, **fields: object) -> TurnRecorder:
        """Return a recorder of one turn, as `Verifier.turn`."""
        return self._verifier.turn(**fields)

    def verify(
        self,
        answer: str,
        turn: Turn | TurnRecorder | None = None,
        *,
        evidence: object = None,
        policy: Policy | None = None,
    ) -> GroundingReport:
        """Return the grounding report of an answer, as `Verifier.verify`."""
        return self._run(self._verifier.verify(answer, turn, evidence=evidence, policy=policy))

    def evaluate(self, cases: Sequence[EvaluationCase]) -> Evaluation:
        """Return how verdicts agree with labels, as `Verifier.evaluate`."""
        return self._run(self._verifier.evaluate(cases))

    def stream(
        self,
        pieces: Iterable[str],
        turn: Turn | TurnRecorder | None = None,
        *,
        policy: Policy | None = None,
        **terms: Unpack[StreamTerms],
    ) -> Iterator[StreamEvent]:
        """Yield what may be shown of an answer that is being written, as `Verifier.stream`."""
        events = self._verifier.stream(read_pieces(pieces), turn, policy=policy, **terms)
        return run_stream(events, self._run)

    def check_ledger_against_database(self, turn: Turn | TurnRecorder) -> LedgerCheck:
        """Return the facts that are out of date, as `Verifier.check_ledger_against_database`."""
        return self._run(self._verifier.check_ledger_against_database(turn))

    def doctor(self) -> tuple[Check, ...]:
        """Return the checks of the surroundings, as `Verifier.doctor`."""
        return self._run(self._verifier.doctor())

    @property
    def policy(self) -> Policy:
        """What becomes of an answer, as `Verifier.policy`."""
        return self._verifier.policy

    @property
    def sources(self) -> BlockingSources:
        """The sources, as `Verifier.sources`."""
        return BlockingSources(self._verifier.sources, self._run)

    @property
    def spaces(self) -> BlockingSpaces:
        """The embedding spaces, as `Verifier.spaces`."""
        return BlockingSpaces(self._verifier.spaces, self._run)

    @property
    def audits(self) -> BlockingAudits:
        """Which past answers rest on what holds no more, as `Verifier.audits`."""
        return BlockingAudits(self._verifier.audits, self._run)

    @property
    def reviews(self) -> BlockingReviews:
        """What waits for a person, as `Verifier.reviews`."""
        return BlockingReviews(self._verifier.reviews, self._run)

    @property
    def answers(self) -> BlockingAnswers:
        """What was answered, as `Verifier.answers`."""
        return BlockingAnswers(self._verifier.answers, self._run)

    @property
    def conflicts(self) -> BlockingConflicts:
        """Places that disagree, as `Verifier.conflicts`."""
        return BlockingConflicts(self._verifier.conflicts, self._run)

    @property
    def keys(self) -> BlockingKeys:
        """The keys of the tenant, as `Verifier.keys`."""
        return BlockingKeys(self._verifier.keys, self._run)

    @property
    def upkeep(self) -> BlockingUpkeep:
        """The upkeep of the store, as `Verifier.upkeep`."""
        return BlockingUpkeep(self._verifier.upkeep, self._run)

    def _run(self, verb: Coroutine[Any, Any, Result]) -> Result:
        with self._turn:
            try:
                return self._runner.run(verb)
            finally:
                verb.close()  # one that could not be begun would warn that nobody awaited it


class BlockingSpaces:
    """`verifier.spaces.Spaces`, verb by verb."""

    def __init__(self, spaces: Spaces, run: RunVerb) -> None:
        self._spaces = spaces
        self._run = run

    def list(self) -> tuple[SpaceListing, ...]:
        """Return every space, as `Spaces.list`."""
        return self._run(self._spaces.list())

    def build(
        self,
        embedder: Embedder | None = None,
        *,
        model: str | None = None,
        extent: BuildExtent = BuildExtent.ALL,
        on_progress: Callable[[BuildProgress], None] | None = None,
    ) -> SpaceBuild:
        """Embed what is stored with another model, as `Spaces.build`."""
        return self._run(
            self._spaces.build(embedder, model=model, extent=extent, on_progress=on_progress)
        )

    def switch(self, space_id: int) -> SpaceSwitch:
        """Let searches read another space, as `Spaces.switch`."""
        return self._run(self._spaces.switch(space_id))

    def drop(self, space_id: int) -> SpaceDrop:
        """Remove a space, as `Spaces.drop`."""
        return self._run(self._spaces.drop(space_id))


class BlockingUpkeep:
    """`verifier.upkeep.Upkeep`, verb by verb."""

    def __init__(self, upkeep: Upkeep, run: RunVerb) -> None:
        self._upkeep = upkeep
        self._run = run

    def mend(self) -> Mending:
        """Make again what follows from the rest, as `Upkeep.mend`."""
        return self._run(self._upkeep.mend())

    def sweep(self) -> Sweep:
        """Remove what nothing uses, as `Upkeep.sweep`."""
        return self._run(self._upkeep.sweep())

    def check_server(self) -> tuple[Check, ...]:
        """Return whether the server can serve, as `Upkeep.check_server`."""
        return self._run(self._upkeep.check_server())
