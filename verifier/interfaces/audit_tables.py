"""What audits found as tables of a page, a row an entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.interfaces.html_report import ANSWERS, PageTable
from verifier.interfaces.wording import describe_moment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.audit.drift import DriftAudit, DriftedAnswer
    from verifier.audit.orphans import OrphanAudit
    from verifier.audit.staleness import StaleAudit
    from verifier.audit.superseded import SupersededAudit
    from verifier.audit.unapproved import UnapprovedAudit
    from verifier.core.kept_spans import Standing
    from verifier.store.audit_scope import RestingAnswer
    from verifier.store.conflict_reach import ConflictEntries
    from verifier.store.superseded import AffectedAnswer

_NAMED: Final = 5
_ID: Final = 12


def superseded_rows(audit: SupersededAudit, stands: Standing) -> PageTable | None:
    """Return a row for each version of which cited words no longer stand; None without any."""
    rows = tuple(
        (
            one.version.key,
            str(one.version.seq),
            "none" if one.version.current_seq is None else str(one.version.current_seq),
            str(one.version.answers),
            str(one.changed),
            str(one.gone),
            f"{one.spans[stands]} of {sum(one.spans.values())}",
            _name(one.answers),
        )
        for one in audit.versions
    )
    columns = ("source", "version", "current", "answers", "changed", "gone", "spans that stand")
    return _table("Versions, the most affected first", (*columns, ANSWERS), rows)


def stale_rows(audit: StaleAudit) -> PageTable | None:
    """Return a row for each stale source; None without any."""
    rows = tuple(
        (
            one.version.key,
            str(one.version.seq),
            describe_moment(one.version.review_until),
            one.version.verified_by or "–",
            str(one.version.chunks),
            str(one.version.answers),
            _name(one.answers),
        )
        for one in audit.sources
    )
    columns = ("source", "version", "reviewed until", "by", "chunks", "answers", ANSWERS)
    return _table("Sources past their review", columns, rows)


def unapproved_rows(audit: UnapprovedAudit) -> PageTable | None:
    """Return a row for each source that may not be used; None without any."""
    rows = tuple(
        (
            one.source.key,
            one.source.why.value,
            one.source.by or "–",
            describe_moment(one.source.at),
            one.source.reason or "–",
            str(one.source.answers),
            _name(one.answers),
        )
        for one in audit.sources
    )
    columns = ("source", "now", "by", "when", "why", "answers", ANSWERS)
    return _table("Sources that may not be used", columns, rows)


def drift_rows(audit: DriftAudit) -> PageTable | None:
    """Return a row for each table that drifted, and for each that could not be read; None without any."""
    drifted = (
        (
            f"{one.database}/{one.table}",
            ", ".join(f"{number} {drift}" for drift, number in one.drifts.items() if number),
            ", ".join(name or "the row" for name in one.columns),
            str(one.rows),
            str(one.answers),
            _name(one.newest),
        )
        for one in audit.tables
    )
    unread = (
        (
            f"{one.database}/{one.table}",
            f"can't be told: {one.reason}",
            "–",
            "–",
            str(one.answers),
            "–",
        )
        for one in audit.unread
    )
    columns = ("table", "rows now", "columns", "rows", "answers", "newest answers")
    return _table("Tables, those first on which most answers rest", columns, (*drifted, *unread))


def orphan_rows(audit: OrphanAudit) -> PageTable | None:
    """Return a row for each thing that leads nowhere; None without any."""
    erased = (
        (
            f"{one.key}@{one.seq}",
            f"erased {describe_moment(one.erased_at)} by {one.erased_by or 'nobody known'}",
            str(one.answers),
        )
        for one in audit.erased
    )
    silent = (
        (one.key, f"no version is current ({', '.join(one.states)})", str(one.answers))
        for one in audit.silent
    )
    ahead = (
        (one.report_id[:_ID], f"dated {describe_moment(one.created_at)}, which is to come", "1")
        for one in audit.ahead.newest
    )
    return _table("What leads nowhere", ("what", "why", "answers"), (*erased, *silent, *ahead))


def conflict_rows(conflicts: ConflictEntries) -> PageTable | None:
    """Return a row for each conflict; None without any."""
    rows = tuple(
        (
            one.subject,
            one.attribute,
            f"{one.value} ({one.key}@{one.seq})",
            f"{one.other_value} ({one.other_place or _place(one.other_key, one.other_seq)})",
            one.state,
            one.assigned_to or "–",
            str(one.answers),
        )
        for one in conflicts.listed
    )
    columns = ("subject", "attribute", "one side", "other side", "state", "assigned to", "answers")
    return _table("Conflicts that are not resolved", columns, rows)


def _place(key: str | None, seq: int | None) -> str:
    return f"{key}" if seq is None else f"{key}@{seq}"


def _name(answers: Iterable[RestingAnswer | AffectedAnswer | DriftedAnswer]) -> str:
    """Return the ids of the newest answers, cut as the command cuts them."""
    ids = [answer.report_id[:_ID] for answer in answers]
    return ", ".join(ids[:_NAMED]) + (" …" if len(ids) > _NAMED else "")


def _table(
    heading: str, columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]
) -> PageTable | None:
    return PageTable(heading=heading, columns=columns, rows=rows) if rows else None
