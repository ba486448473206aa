"""Verifying with everything a process is connected to, and logging what came of it."""

from __future__ import annotations

import logging
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.policy import read_policy
from verifier.core.turns import Turn
from verifier.errors import VerifierError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Mapping, Sequence
    from typing import Unpack

    from verifier.connections import Connections
    from verifier.core.catalog import Catalog
    from verifier.core.conflicts import Dispute, StoredPlace
    from verifier.core.policy import Policy
    from verifier.core.report import GroundingReport, Provenance
    from verifier.core.streaming_events import StreamEvent, StreamTerms
    from verifier.core.turn_recorder import TurnRecorder
    from verifier.settings import Settings
    from verifier.store.chunks import StoredChunk
    from verifier.verify.known_names import CanonicalNames
    from verifier.verify.ledger_check import LedgerCheck
    from verifier.verify.verifier import Backing

_LOGGER: Final = logging.getLogger(__name__)


class Verification:
    """Holds answers of one tenant against their turns, the canonical databases and the store.

    The verdicts open no connection that they do not need; the log, unless it is `off`, is one write after.
    """

    def __init__(
        self,
        connections: Connections,
        catalog: Catalog,
        settings: Settings,
        *,
        names: CanonicalNames | None = None,
    ) -> None:
        self._connections = connections
        self._catalog = catalog
        self._tenant = settings.tenant
        self._answer_log = settings.answer_log
        self.policy = read_policy(settings.policy, settings.hold)
        self._checks_ledger = settings.check_ledger_against_database
        self._names = names

    async def verify(
        self, answer: str, turn: Turn | TurnRecorder, policy: Policy | None = None
    ) -> GroundingReport:
        """Return the grounding report of `answer` and log it; a log that fails loses no report.

        Where no `policy` is passed, that of the settings holds.
        """
        report = await self.judge(answer, turn, policy)
        if self._answer_log != "off":
            await self._log(report)
        return report

    async def judge(
        self, answer: str, turn: Turn | TurnRecorder, policy: Policy | None = None
    ) -> GroundingReport:
        """Return the grounding report of `answer` as `verify` does; it is not logged."""
        from verifier.verify.policy import verify_under

        return await verify_under(
            policy or self.policy,
            answer,
            await self._fill(self._freeze(turn)),
            backing=self.backing(),
            provenance=self._provenance(turn),
        )

    async def stream(
        self,
        pieces: AsyncIterable[str],
        turn: Turn | TurnRecorder,
        policy: Policy | None = None,
        **terms: Unpack[StreamTerms],
    ) -> AsyncGenerator[StreamEvent, None]:
        """Yield what may be shown of an answer that is still being written; its report is logged."""
        from verifier.verify.streaming import stream_answer
        from verifier.verify.streaming_parts import PartJudge

        chosen = policy or self.policy
        judge = PartJudge(
            await self._fill(self._freeze(turn)), chosen, self.backing(), self._provenance(turn)
        )

        async def verify(answer: str) -> GroundingReport:
            return await self.verify(answer, turn, chosen)

        async with aclosing(stream_answer(pieces, judge, chosen, verify, **terms)) as events:
            async for event in events:
                yield event

    async def check_ledger(self, turn: Turn | TurnRecorder) -> LedgerCheck:
        """Return how the facts of the turn's tool results stand to the canonical tables."""
        from verifier.verify.ledger_check import check_ledger

        return await check_ledger(self._freeze(turn), self.backing())

    def _freeze(self, turn: Turn | TurnRecorder) -> Turn:
        begun = turn if isinstance(turn, Turn) else turn.freeze()
        return replace(begun, check_ledger_against_database=True) if self._checks_ledger else begun

    def backing(self) -> Backing:
        """Return what answers are held against besides their turns; names are read once."""
        from verifier.verify.known_names import CanonicalNames
        from verifier.verify.verifier import Backing

        lend_pool = self._connections.canonical
        timeouts_s = {
            entity.database: self._connections.canonical_timeout_s(entity.database)
            for entity in self._catalog.entity_types
        }
        if self._names is None:
            self._names = CanonicalNames(self._catalog, lend_pool, timeouts_s=timeouts_s)
        return Backing(
            catalog=self._catalog,
            lend_pool=lend_pool,
            names=self._names,
            find_chunks=self._find_chunks,
            find_disputes=self._find_disputes,
            timeouts_s=timeouts_s,
        )

    async def _fill(self, turn: Turn) -> Turn:
        """Fetch what the turn names by id; without the store it stays `incomplete_evidence`."""
        from verifier.retrieved import fill_retrieved

        try:
            return await fill_retrieved(turn, self._read_chunks)
        except VerifierError as error:
            _LOGGER.warning("the chunks of the turn could not be read: %s", error)
            return turn

    async def _find_chunks(self, chunk_ids: Sequence[str]) -> frozenset[str]:
        return frozenset(await self._read_chunks(chunk_ids))

    async def _find_disputes(self, places: Sequence[StoredPlace]) -> Sequence[Dispute]:
        from verifier.store.conflict_places import find_disputes
        from verifier.store.pool import tenant_transaction

        pool = await self._connections.store()
        async with tenant_transaction(pool, self._tenant, read_only=True) as conn:
            return await find_disputes(conn, places)

    async def _read_chunks(self, chunk_ids: Sequence[str]) -> Mapping[str, StoredChunk]:
        from verifier.store.chunks import find_chunks
        from verifier.store.pool import tenant_transaction

        pool = await self._connections.store()
        async with tenant_transaction(pool, self._tenant, read_only=True) as conn:
            return await find_chunks(conn, chunk_ids)

    def _provenance(self, turn: Turn | TurnRecorder) -> Provenance:
        from verifier.verify.verifier import begin_provenance, note_turn

        begun = begin_provenance(self._catalog)
        if isinstance(turn, Turn):
            return note_turn(begun, turn)
        told = note_turn(begun, turn.freeze())
        return replace(told, basis=turn.basis, retriever=turn.retriever)

    async def _log(self, report: GroundingReport) -> None:
        from verifier.core.report_json import report_to_json
        from verifier.core.turn_json import turn_to_json
        from verifier.store.answers import add_report
        from verifier.store.pool import tenant_transaction

        try:
            async with tenant_transaction(await self._connections.store(), self._tenant) as conn:
                await add_report(
                    conn,
                    report,
                    report_json=report_to_json(report),
                    turn_json=turn_to_json(report.turn),
                    redacted=self._answer_log == "redacted",
                )
        except VerifierError as error:
            _LOGGER.warning("report %s was not logged: %s", report.report_id, error)
