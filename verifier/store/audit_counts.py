"""Citations of the answer log counted as a chart needs them: by source, by month, by verdict code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.store.audit_scope import AuditScope
    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class LogCounts:
    """What the log holds. `ahead` counts reports dated later than the clock: it was set back since."""

    reports: int
    accepted: int
    citing: int
    ahead: int
    oldest: datetime | None
    newest: datetime | None


COUNT_LOG: Final[LiteralString] = """
    SELECT count(*) AS reports,
           count(*) FILTER (WHERE r.accepted) AS accepted,
           count(*) FILTER (WHERE EXISTS (
               SELECT
                 FROM report_citation c
                WHERE c.tenant_id = current_tenant() AND c.report_id = r.report_id)) AS citing,
           count(*) FILTER (WHERE r.created_at > $2) AS ahead,
           min(r.created_at) AS oldest,
           max(r.created_at) AS newest
      FROM report r
     WHERE r.tenant_id = current_tenant()
       AND ($1::timestamptz IS NULL OR r.created_at >= $1)
"""


async def count_log(conn: Connection, scope: AuditScope, *, now: datetime) -> LogCounts:
    """Return how many reports the log holds since the scope's moment, of every source."""
    row = await conn.fetchrow(COUNT_LOG, scope.since, now)
    return LogCounts(**dict(row))


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthShare:
    """A month by UTC, as in 2026-11: answers that cite, and how many of these rest on something in doubt.

    In doubt is a version past its review, one that is no longer current, or a source that may not be used; an
    answer may be counted in several.
    """

    month: str
    answers: int
    stale: int
    moved: int
    barred: int


COUNT_MONTHS: Final[LiteralString] = """
    WITH standing AS MATERIALIZED (
           SELECT v.source_id, v.version_id,
                  v.state = 'current' AND v.review_until IS NOT NULL AND v.review_until < $3 AS stale,
                  v.state <> 'current' AS moved,
                  s.permission <> 'approved' AS barred
             FROM document_version v
                  JOIN source s ON s.tenant_id = current_tenant() AND s.source_id = v.source_id
            WHERE v.tenant_id = current_tenant()
              AND ($1::bigint IS NULL OR v.source_id = $1)),
         each AS (
           SELECT c.created_at, c.report_id,
                  bool_or(standing.stale) AS stale,
                  bool_or(standing.moved) AS moved,
                  bool_or(standing.barred) AS barred
             FROM standing
                  JOIN report_citation c
                    ON c.tenant_id = current_tenant()
                   AND c.source_id = standing.source_id
                   AND c.version_id = standing.version_id
                   AND ($2::timestamptz IS NULL OR c.created_at >= $2)
            GROUP BY c.created_at, c.report_id)
    SELECT to_char(date_trunc('month', created_at AT TIME ZONE 'UTC'), 'YYYY-MM') AS month,
           count(*) AS answers,
           count(*) FILTER (WHERE stale) AS stale,
           count(*) FILTER (WHERE moved) AS moved,
           count(*) FILTER (WHERE barred) AS barred
      FROM each
     GROUP BY month
     ORDER BY month
"""


async def count_months(
    conn: Connection, scope: AuditScope, *, now: datetime
) -> tuple[MonthShare, ...]:
    """Return the months in which answers were given that cite, the first one first."""
    rows = await conn.fetch(COUNT_MONTHS, scope.source_id, scope.since, now)
    return tuple(MonthShare(**dict(row)) for row in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeCount:
    """A verdict code, and how many citations of claims there are that it was given to."""

    code: str
    citations: int


COUNT_CODES: Final[LiteralString] = """
    SELECT c.code, count(*) AS citations
      FROM report_citation c
     WHERE c.tenant_id = current_tenant()
       AND ($1::bigint IS NULL OR c.source_id = $1)
       AND ($2::timestamptz IS NULL OR c.created_at >= $2)
     GROUP BY c.code
     ORDER BY citations DESC, c.code
"""


async def count_codes(conn: Connection, scope: AuditScope) -> tuple[CodeCount, ...]:
    """Return the verdict codes of claims that cite, those of most citations first."""
    rows = await conn.fetch(COUNT_CODES, scope.source_id, scope.since)
    return tuple(CodeCount(**dict(row)) for row in rows)
