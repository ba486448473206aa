"""Current versions whose review has lapsed, and the logged answers that rest on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleVersion:
    """A current version past its review. `answers` counts the logged reports that rest on it."""

    source_id: int
    version_id: int
    key: str
    title: str | None
    seq: int
    review_until: datetime
    verified_by: str | None
    chunks: int
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RestingAnswer:
    """A logged report that rests on a version, and which of its claims do."""

    version_id: int
    report_id: str
    created_at: datetime
    claim_ids: tuple[str, ...]


LIST_STALE_VERSIONS: Final[LiteralString] = """
    WITH stale AS MATERIALIZED (
           SELECT source_id, version_id, seq, review_until, verified_by
             FROM document_version
            WHERE tenant_id = current_tenant()
              AND state = 'current'
              AND review_until < $1),
         resting AS (
           SELECT each.version_id, count(*) AS answers
             FROM (SELECT DISTINCT c.version_id, c.report_id
                     FROM stale
                          JOIN report_citation c
                            ON c.tenant_id = current_tenant()
                           AND c.source_id = stale.source_id
                           AND c.version_id = stale.version_id) AS each
            GROUP BY each.version_id)
    SELECT stale.source_id, stale.version_id, s.key, s.title, stale.seq, stale.review_until,
           stale.verified_by,
           (SELECT count(*)
              FROM current_chunk c
             WHERE c.tenant_id = s.tenant_id AND c.source_id = s.source_id) AS chunks,
           coalesce(resting.answers, 0) AS answers
      FROM stale
           JOIN source s ON s.tenant_id = current_tenant() AND s.source_id = stale.source_id
           LEFT JOIN resting ON resting.version_id = stale.version_id
     ORDER BY answers DESC, stale.review_until, s.key
"""


async def list_stale_versions(conn: Connection, *, now: datetime) -> tuple[StaleVersion, ...]:
    """Return the stale versions, those with most answers first; at `review_until` itself none is."""
    return tuple(StaleVersion(**dict(row)) for row in await conn.fetch(LIST_STALE_VERSIONS, now))


LIST_RESTING_ANSWERS: Final[LiteralString] = """
    SELECT c.version_id, c.report_id, r.created_at, array_agg(DISTINCT c.claim_id) AS claim_ids
      FROM unnest($1::bigint[], $2::bigint[]) AS stale (source_id, version_id)
           JOIN report_citation c
             ON c.tenant_id = current_tenant()
            AND c.source_id = stale.source_id
            AND c.version_id = stale.version_id
           JOIN report r ON r.tenant_id = c.tenant_id AND r.report_id = c.report_id
     GROUP BY c.version_id, c.report_id, r.created_at
     ORDER BY r.created_at DESC, c.report_id
     LIMIT $3
"""


async def list_resting_answers(
    conn: Connection, versions: Sequence[StaleVersion], *, limit: int
) -> tuple[RestingAnswer, ...]:
    """Return the newest answers that rest on any of the versions, at most `limit`, newest first."""
    rows = await conn.fetch(
        LIST_RESTING_ANSWERS,
        [version.source_id for version in versions],
        [version.version_id for version in versions],
        limit,
    )
    return tuple(
        RestingAnswer(
            version_id=row["version_id"],
            report_id=row["report_id"],
            created_at=row["created_at"],
            claim_ids=tuple(row["claim_ids"]),
        )
        for row in rows
    )
