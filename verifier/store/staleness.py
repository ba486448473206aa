"""Current versions whose review has lapsed, and how many logged answers rest on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.store.audit_scope import AuditScope
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
class StaleVersions:
    """Those that are listed, and how many there are of all."""

    listed: tuple[StaleVersion, ...]
    found: int


LIST_STALE_VERSIONS: Final[LiteralString] = """
    WITH stale AS MATERIALIZED (
           SELECT v.source_id, v.version_id, v.seq, v.review_until, v.verified_by, resting.answers
             FROM document_version v
                  CROSS JOIN LATERAL (
                      SELECT count(*) AS answers
                        FROM (SELECT DISTINCT c.created_at, c.report_id
                                FROM report_citation c
                               WHERE c.tenant_id = current_tenant()
                                 AND c.source_id = v.source_id
                                 AND c.version_id = v.version_id
                                 AND ($3::timestamptz IS NULL OR c.created_at >= $3)) AS each
                  ) AS resting
            WHERE v.tenant_id = current_tenant()
              AND v.state = 'current'
              AND v.review_until < $1
              AND ($2::bigint IS NULL OR v.source_id = $2)),
         listed AS (
           SELECT stale.source_id, stale.version_id, s.key, s.title, stale.seq, stale.review_until,
                  stale.verified_by, stale.answers
             FROM stale
                  JOIN source s ON s.tenant_id = current_tenant() AND s.source_id = stale.source_id
            ORDER BY stale.answers DESC, stale.review_until, s.key
            LIMIT $4)
    SELECT listed.source_id, listed.version_id, listed.key, listed.title, listed.seq, listed.review_until,
           listed.verified_by, listed.answers,
           (SELECT count(*)
              FROM current_chunk c
             WHERE c.tenant_id = current_tenant() AND c.source_id = listed.source_id) AS chunks,
           (SELECT count(*) FROM stale) AS found
      FROM listed
     ORDER BY listed.answers DESC, listed.review_until, listed.key
"""


async def list_stale_versions(
    conn: Connection, scope: AuditScope, *, now: datetime
) -> StaleVersions:
    """Return the stale versions, those with most answers first; at `review_until` itself none is."""
    rows = [
        dict(row)
        for row in await conn.fetch(
            LIST_STALE_VERSIONS, now, scope.source_id, scope.since, scope.limit
        )
    ]
    found = rows[0]["found"] if rows else 0
    for row in rows:
        del row["found"]
    return StaleVersions(listed=tuple(StaleVersion(**row) for row in rows), found=found)
