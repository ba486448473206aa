"""What withdrawing or erasing a source, or a version of it, would touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactCounts:
    """What is there of the versions. `answering` are chunks that searches return now.

    `passages` are embedded texts that no other version has: erasing removes them. `answers` counts the logged
    reports that rest on the versions, `accepted` those of them that were accepted.
    """

    chunks: int
    answering: int
    passages: int
    answers: int
    accepted: int
    open_reviews: int
    open_conflicts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthCount:
    """How many answers of a month, by UTC, rest on something. `month` is as in 2026-11."""

    month: str
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionImpact:
    """A version that would be touched, and how many answers rest on it."""

    seq: int
    state: str
    answers: int
    newest_answer_at: datetime | None


COUNT_IMPACT: Final[LiteralString] = """
    WITH own AS MATERIALIZED (
           SELECT DISTINCT c.input_hash
             FROM chunk c
            WHERE c.tenant_id = current_tenant() AND c.version_id = ANY ($2::bigint[])),
         resting AS MATERIALIZED (
           SELECT DISTINCT c.report_id
             FROM report_citation c
            WHERE c.tenant_id = current_tenant() AND c.source_id = $1
              AND c.version_id = ANY ($2::bigint[]))
    SELECT (SELECT count(*)
              FROM chunk c
             WHERE c.tenant_id = current_tenant() AND c.version_id = ANY ($2::bigint[])) AS chunks,
           (SELECT count(*)
              FROM current_chunk c
             WHERE c.tenant_id = current_tenant() AND c.source_id = $1
               AND c.version_id = ANY ($2::bigint[]) AND c.permission = 'approved') AS answering,
           (SELECT count(*)
              FROM own
             WHERE NOT EXISTS (SELECT
                                 FROM chunk o
                                WHERE o.tenant_id = current_tenant() AND o.input_hash = own.input_hash
                                  AND o.version_id <> ALL ($2::bigint[]))) AS passages,
           (SELECT count(*) FROM resting) AS answers,
           (SELECT count(*)
              FROM resting
                   JOIN report r
                     ON r.tenant_id = current_tenant() AND r.report_id = resting.report_id
             WHERE r.accepted) AS accepted,
           (SELECT count(DISTINCT w.review_id)
              FROM review_evidence e
                   JOIN review w ON w.tenant_id = current_tenant() AND w.review_id = e.review_id
             WHERE e.tenant_id = current_tenant() AND e.version_id = ANY ($2::bigint[])
               AND w.state = 'open') AS open_reviews,
           (SELECT count(*)
              FROM conflict k
             WHERE k.tenant_id = current_tenant()
               AND k.state IN ('open', 'assigned')
               AND (k.version_id = ANY ($2::bigint[])
                    OR k.other_version_id = ANY ($2::bigint[])
                    OR (k.other_source_id = $1 AND k.other_version_id IS NULL))) AS open_conflicts
"""


async def count_impact(
    conn: Connection, source_id: int, version_ids: Sequence[int]
) -> ImpactCounts:
    """Return what there is of these versions of a source."""
    row = await conn.fetchrow(COUNT_IMPACT, source_id, list(version_ids))
    return ImpactCounts(**dict(row))


COUNT_BY_VERSION: Final[LiteralString] = """
    SELECT v.seq, v.state, resting.answers, resting.newest_answer_at
      FROM document_version v
           CROSS JOIN LATERAL (
               SELECT count(*) AS answers, max(each.created_at) AS newest_answer_at
                 FROM (SELECT DISTINCT c.created_at, c.report_id
                         FROM report_citation c
                        WHERE c.tenant_id = current_tenant() AND c.source_id = v.source_id
                          AND c.version_id = v.version_id) AS each) AS resting
     WHERE v.tenant_id = current_tenant() AND v.version_id = ANY ($1::bigint[])
     ORDER BY v.seq
"""


async def count_by_version(
    conn: Connection, version_ids: Sequence[int]
) -> tuple[VersionImpact, ...]:
    """Return the versions, the oldest first, each with the answers that rest on it."""
    rows = await conn.fetch(COUNT_BY_VERSION, list(version_ids))
    return tuple(VersionImpact(**dict(row)) for row in rows)


COUNT_BY_MONTH: Final[LiteralString] = """
    SELECT to_char(each.created_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month, count(*) AS answers
      FROM (SELECT DISTINCT c.created_at, c.report_id
              FROM report_citation c
             WHERE c.tenant_id = current_tenant() AND c.source_id = $1
               AND c.version_id = ANY ($2::bigint[])) AS each
     GROUP BY month
     ORDER BY month
"""


async def count_by_month(
    conn: Connection, source_id: int, version_ids: Sequence[int]
) -> tuple[MonthCount, ...]:
    """Return how many answers of each month rest on these versions; months without any are left out."""
    rows = await conn.fetch(COUNT_BY_MONTH, source_id, list(version_ids))
    return tuple(MonthCount(**dict(row)) for row in rows)
