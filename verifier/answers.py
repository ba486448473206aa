"""The answer log of one tenant: verifying again what was answered, and letting go of what is old."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, TypedDict

from verifier.core.verdicts import Disposition
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Unpack

    from verifier.audit.answer_evidence import AnswerDetail
    from verifier.audit.recheck_run import RecheckProgress, RecheckRun
    from verifier.connections import Connections
    from verifier.core.rechecks import Recheck
    from verifier.settings import Settings
    from verifier.store.answers import LoggedReport
    from verifier.store.report_listing import ReportListing
    from verifier.verbs import RunVerb
    from verifier.verify.verifier import Backing

MOST_LISTED: Final = 10_000
_SWEPT_AT_ONCE: Final = 1_000


class ReportTerms(TypedDict, total=False):
    """Which reports are listed, and how many, 100 if not told.

    Those given in [since, until), moments with a zone; with this worst disposition; older than the one whose
    id is `beyond`, the last of a list that goes on.
    """

    since: datetime | None
    until: datetime | None
    outcome: str | None
    beyond: str | None
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportList:
    """Logged reports in one line each, the newest first; `more` tells that there are older ones."""

    reports: tuple[ReportListing, ...]
    more: bool


class Answers:
    """Rechecks the logged answers of one tenant. `Verifier.answers` is one."""

    def __init__(
        self, connections: Connections, settings: Settings, *, back: Callable[[], Backing]
    ) -> None:
        self._connections = connections
        self._settings = settings
        self._back = back

    async def list(self, **terms: Unpack[ReportTerms]) -> ReportList:
        """Return logged reports, the newest first. Raises InputError for a limit outside 1 to 10,000."""
        from verifier.store.report_listing import ReportFilter, list_reports

        limit, outcome = terms.get("limit", 100), terms.get("outcome")
        if not 1 <= limit <= MOST_LISTED:
            raise InputError(f"limit is {limit}; give 1 to {MOST_LISTED:,}")
        chosen = ReportFilter(
            since=_zoned(terms.get("since"), "since"),
            until=_zoned(terms.get("until"), "until"),
            outcome=None if outcome is None else _outcome(outcome),
            beyond=terms.get("beyond"),
        )
        async with self._connections.transaction(self._settings.tenant, read_only=True) as conn:
            found = await list_reports(conn, chosen, limit=limit + 1)
        return ReportList(reports=found[:limit], more=len(found) > limit)

    async def show(self, report: str) -> LoggedReport:
        """Return a logged report with the turn that it judged; `report` is its id or how that begins.

        Raises UnknownThing, InputError where several begin so.
        """
        from verifier.store.answers import get_report, resolve_report

        async with self._connections.transaction(self._settings.tenant, read_only=True) as conn:
            return await get_report(conn, await resolve_report(conn, report))

    async def beside(self, report: str) -> AnswerDetail:
        """Return a logged answer with the stored places that it cites, and what stands there now.

        `report` is its id or how that begins. Raises UnknownThing.
        """
        from verifier.audit.answer_evidence import show_answer

        async with self._connections.transaction(self._settings.tenant, read_only=True) as conn:
            return await show_answer(conn, report)

    async def recheck(self, report: str, *, as_of: datetime | None = None) -> Recheck:
        """Return what a logged answer comes to today, claim by claim, and why; it is recorded.

        `report` is its id or how that begins; `as_of` holds rows and versions to another moment. The logged
        report itself is never changed. Raises UnknownThing, and InputError for a moment without a zone.
        """
        from verifier.audit.recheck_run import recheck_report

        pool = await self._connections.store()
        return await recheck_report(
            pool, self._settings.tenant, self._back(), report, as_of=_zoned(as_of, "as_of")
        )

    async def recheck_all(
        self,
        *,
        since: datetime | None = None,
        source: str | None = None,
        entity: str | None = None,
        as_of: datetime | None = None,
        on_progress: Callable[[RecheckProgress], None] | None = None,
    ) -> RecheckRun:
        """Return which logged answers no longer stand: those since a moment, on a source, on a row.

        `entity` is TABLE:KEY. Only answers are verified again of which a row, a version, a permission, the
        catalog or this package is another than it was. Raises UnknownThing for a source that there is not.
        """
        from verifier.audit.recheck_run import recheck_reports
        from verifier.store.pool import tenant_transaction
        from verifier.store.rechecks import RecheckScope
        from verifier.store.sources import get_source

        table, key = (None, None) if entity is None else _read_entity(entity)
        pool = await self._connections.store()
        if source is not None:
            async with tenant_transaction(pool, self._settings.tenant, read_only=True) as conn:
                await get_source(conn, source)
        scope = RecheckScope(since=_zoned(since, "since"), source=source, table=table, row_key=key)
        return await recheck_reports(
            pool,
            self._settings.tenant,
            self._back(),
            scope,
            as_of=_zoned(as_of, "as_of"),
            on_progress=on_progress,
        )

    def retention_ends(self, days: int | None = None) -> datetime:
        """Return the moment before which answers are old: so many days ago, else as the settings say.

        Raises InputError where neither tells, and for days outside 1 to 36,500.
        """
        kept = self._settings.answer_log_days if days is None else days
        if kept is None:
            raise InputError(
                "no one told how long answers are kept; set answer_log_days, or give --days"
            )
        if not 1 <= kept <= 36_500:
            raise InputError(f"answers can't be kept {kept} days; give 1 to 36,500")
        return datetime.now(UTC) - timedelta(days=kept)

    async def count_older(self, than: datetime) -> int:
        """Return how many logged answers were given before that moment."""
        from verifier.store.pool import tenant_transaction
        from verifier.store.rechecks import count_older_reports

        pool = await self._connections.store()
        async with tenant_transaction(pool, self._settings.tenant, read_only=True) as conn:
            return await count_older_reports(conn, than)

    async def sweep(
        self, than: datetime, *, on_progress: Callable[[int], None] | None = None
    ) -> int:
        """Remove the answers given before that moment, with their citations and rechecks; return how many.

        What was removed before an interruption stays removed.
        """
        from verifier.store.pool import tenant_transaction
        from verifier.store.rechecks import sweep_reports

        pool, gone = await self._connections.store(), 0
        while True:
            async with tenant_transaction(pool, self._settings.tenant) as conn:
                swept = await sweep_reports(conn, than, limit=_SWEPT_AT_ONCE)
            gone += swept
            if on_progress is not None:
                on_progress(gone)
            if not swept:
                return gone


class BlockingAnswers:
    """`verifier.answers.Answers`, verb by verb."""

    def __init__(self, answers: Answers, run: RunVerb) -> None:
        self._answers = answers
        self._run = run

    def list(self, **terms: Unpack[ReportTerms]) -> ReportList:
        """Return logged reports, as `Answers.list`."""
        return self._run(self._answers.list(**terms))

    def show(self, report: str) -> LoggedReport:
        """Return a logged report, as `Answers.show`."""
        return self._run(self._answers.show(report))

    def beside(self, report: str) -> AnswerDetail:
        """Return a logged answer with what it cites, as `Answers.beside`."""
        return self._run(self._answers.beside(report))

    def recheck(self, report: str, *, as_of: datetime | None = None) -> Recheck:
        """Return what a logged answer comes to today, as `Answers.recheck`."""
        return self._run(self._answers.recheck(report, as_of=as_of))

    def recheck_all(
        self,
        *,
        since: datetime | None = None,
        source: str | None = None,
        entity: str | None = None,
        as_of: datetime | None = None,
    ) -> RecheckRun:
        """Return which logged answers no longer stand, as `Answers.recheck_all`."""
        return self._run(
            self._answers.recheck_all(since=since, source=source, entity=entity, as_of=as_of)
        )

    def sweep(self, than: datetime) -> int:
        """Remove the answers given before that moment, as `Answers.sweep`."""
        return self._run(self._answers.sweep(than))


def _zoned(moment: datetime | None, name: str) -> datetime | None:
    if moment is not None and moment.tzinfo is None:
        raise InputError(f"`{name}` has no time zone; give an offset, such as +00:00")
    return moment


def _read_entity(entity: str) -> tuple[str, str]:
    table, _, key = entity.partition(":")
    if not table.strip() or not key.strip():
        raise InputError(f"{entity!r} names no row; give TABLE:KEY, such as shop.product:17")
    return table.strip(), key.strip()


def _outcome(named: str) -> str:
    """Return the disposition of that name. Raises InputError that tells which there are."""
    if named not in set(Disposition):
        raise InputError(f"{named!r} is not one of {', '.join(Disposition)}")
    return named
