"""Citations that lead nowhere any more, and accepted answers that cite nothing stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from asyncpg import Record

    from verifier.store.audit_scope import AuditScope
    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasedCitation:
    """An erased version on which answers rest; its text can be read no more. `answers` counts them."""

    source_id: int
    version_id: int
    key: str
    seq: int
    erased_by: str | None
    erased_at: datetime | None
    reason: str | None
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentSource:
    """A source on which answers rest and of which no version is current; `states`: those that it has."""

    source_id: int
    key: str
    title: str | None
    states: tuple[str, ...]
    answers: int


LIST_ERASED_CITATIONS: Final[LiteralString] = """
    SELECT v.source_id, v.version_id, s.key, v.seq, t.erased_by, t.erased_at, t.reason, resting.answers,
           count(*) OVER () AS found
      FROM document_version v
           JOIN source s ON s.tenant_id = current_tenant() AND s.source_id = v.source_id
           LEFT JOIN tombstone t ON t.tenant_id = current_tenant() AND t.version_id = v.version_id
           CROSS JOIN LATERAL (
               SELECT count(*) AS answers
                 FROM (SELECT DISTINCT c.created_at, c.report_id
                         FROM report_citation c
                        WHERE c.tenant_id = current_tenant()
                          AND c.source_id = v.source_id
                          AND c.version_id = v.version_id
                          AND ($2::timestamptz IS NULL OR c.created_at >= $2)) AS each) AS resting
     WHERE v.tenant_id = current_tenant()
       AND v.state = 'erased'
       AND ($1::bigint IS NULL OR v.source_id = $1)
       AND resting.answers > 0
     ORDER BY resting.answers DESC, s.key, v.seq
     LIMIT $3
"""


async def list_erased_citations(
    conn: Connection, scope: AuditScope
) -> tuple[tuple[ErasedCitation, ...], int]:
    """Return the erased versions on which most answers rest, and how many there are of all."""
    rows = await conn.fetch(LIST_ERASED_CITATIONS, scope.source_id, scope.since, scope.limit)
    listed = tuple(
        ErasedCitation(**{name: value for name, value in row.items() if name != "found"})
        for row in rows
    )
    return listed, rows[0]["found"] if rows else 0


LIST_SILENT_SOURCES: Final[LiteralString] = """
    SELECT s.source_id, s.key, s.title, resting.answers,
           ARRAY(SELECT DISTINCT v.state
                   FROM document_version v
                  WHERE v.tenant_id = current_tenant() AND v.source_id = s.source_id
                  ORDER BY v.state) AS states,
           count(*) OVER () AS found
      FROM source s
           CROSS JOIN LATERAL (
               SELECT count(*) AS answers
                 FROM (SELECT DISTINCT c.created_at, c.report_id
                         FROM report_citation c
                        WHERE c.tenant_id = current_tenant()
                          AND c.source_id = s.source_id
                          AND ($2::timestamptz IS NULL OR c.created_at >= $2)) AS each) AS resting
     WHERE s.tenant_id = current_tenant()
       AND ($1::bigint IS NULL OR s.source_id = $1)
       AND NOT EXISTS (SELECT
                         FROM document_version v
                        WHERE v.tenant_id = current_tenant() AND v.source_id = s.source_id
                          AND v.state = 'current')
       AND resting.answers > 0
     ORDER BY resting.answers DESC, s.key
     LIMIT $3
"""


async def list_silent_sources(
    conn: Connection, scope: AuditScope
) -> tuple[tuple[SilentSource, ...], int]:
    """Return the sources without a current version on which most answers rest, and how many of all."""
    rows = await conn.fetch(LIST_SILENT_SOURCES, scope.source_id, scope.since, scope.limit)
    listed = tuple(
        SilentSource(
            source_id=row["source_id"],
            key=row["key"],
            title=row["title"],
            states=tuple(row["states"]),
            answers=row["answers"],
        )
        for row in rows
    )
    return listed, rows[0]["found"] if rows else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedAnswer:
    """A logged report, named."""

    report_id: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedAnswers:
    """How many there are, and the newest of them."""

    found: int
    newest: tuple[LoggedAnswer, ...]


LIST_UNANCHORED: Final[LiteralString] = """
    WITH unanchored AS MATERIALIZED (
           SELECT r.report_id, r.created_at
             FROM report r
            WHERE r.tenant_id = current_tenant()
              AND r.accepted AND r.outcome = 'accepted' AND r.claims > 0
              AND ($1::timestamptz IS NULL OR r.created_at >= $1)
              AND NOT EXISTS (SELECT
                                FROM report_citation c
                               WHERE c.tenant_id = current_tenant() AND c.report_id = r.report_id)
              AND NOT EXISTS (SELECT
                                FROM report_row w
                               WHERE w.tenant_id = current_tenant() AND w.report_id = r.report_id))
    SELECT report_id, created_at, (SELECT count(*) FROM unanchored) AS found
      FROM unanchored
     ORDER BY created_at DESC, report_id DESC
     LIMIT greatest($2::integer, 1)
"""
LIST_AHEAD: Final[LiteralString] = """
    WITH ahead AS MATERIALIZED (
           SELECT r.report_id, r.created_at
             FROM report r
            WHERE r.tenant_id = current_tenant() AND r.created_at > $1)
    SELECT report_id, created_at, (SELECT count(*) FROM ahead) AS found
      FROM ahead
     ORDER BY created_at DESC, report_id DESC
     LIMIT greatest($2::integer, 1)
"""


async def list_unanchored(conn: Connection, scope: AuditScope) -> LoggedAnswers:
    """Return the accepted answers that rest on no stored version and no row, but on their turn alone."""
    rows = await conn.fetch(LIST_UNANCHORED, scope.since, scope.answers)
    return _answers(rows, scope)


async def list_ahead(conn: Connection, scope: AuditScope, *, now: datetime) -> LoggedAnswers:
    """Return the reports that are dated later than `now`: a clock was wrong, then or now."""
    rows = await conn.fetch(LIST_AHEAD, now, scope.answers)
    return _answers(rows, scope)


def _answers(rows: Sequence[Record], scope: AuditScope) -> LoggedAnswers:
    named = (LoggedAnswer(report_id=row["report_id"], created_at=row["created_at"]) for row in rows)
    return LoggedAnswers(
        found=rows[0]["found"] if rows else 0, newest=tuple(named)[: scope.answers]
    )
