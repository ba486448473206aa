"""Sources that may not be used any more, and how many logged answers rest on them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, LiteralString

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.store.audit_scope import AuditScope
    from verifier.store.pool import Connection


class Bar(StrEnum):
    """Why a source may not be used: nobody approved it, somebody denied it, or no version answers."""

    PENDING = "pending"
    DENIED = "denied"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class BarredSource:
    """A source that may not be used, on which logged answers rest; `answers` counts them.

    `by`, `at` and `reason` tell who barred it, when and why, None where nobody did: it just waits.
    """

    source_id: int
    key: str
    title: str | None
    why: Bar
    by: str | None
    at: datetime | None
    reason: str | None
    versions: tuple[int, ...]
    version_ids: tuple[int, ...]
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BarredSources:
    """Those that are listed, and how many there are of all."""

    listed: tuple[BarredSource, ...]
    found: int


LIST_BARRED_SOURCES: Final[LiteralString] = """
    WITH barred AS MATERIALIZED (
           SELECT s.source_id, s.key, s.title,
                  CASE WHEN s.permission <> 'approved' THEN s.permission ELSE 'withdrawn' END AS why
             FROM source s
            WHERE s.tenant_id = current_tenant()
              AND ($1::bigint IS NULL OR s.source_id = $1)
              AND (s.permission <> 'approved'
                   OR (EXISTS (SELECT
                                 FROM document_version v
                                WHERE v.tenant_id = current_tenant() AND v.source_id = s.source_id
                                  AND v.state = 'withdrawn')
                       AND NOT EXISTS (SELECT
                                         FROM document_version v
                                        WHERE v.tenant_id = current_tenant()
                                          AND v.source_id = s.source_id AND v.state = 'current')))),
         resting AS MATERIALIZED (
           SELECT barred.source_id, barred.key, barred.title, barred.why, counted.answers
             FROM barred
                  CROSS JOIN LATERAL (
                      SELECT count(*) AS answers
                        FROM (SELECT DISTINCT c.created_at, c.report_id
                                FROM report_citation c
                               WHERE c.tenant_id = current_tenant()
                                 AND c.source_id = barred.source_id
                                 AND ($2::timestamptz IS NULL OR c.created_at >= $2)) AS each
                  ) AS counted
            WHERE counted.answers > 0),
         listed AS (
           SELECT source_id, key, title, why, answers
             FROM resting
            ORDER BY answers DESC, key
            LIMIT $3)
    SELECT listed.source_id, listed.key, listed.title, listed.why, decided.by,
           decided.recorded_at AS at, decided.reason, cited.versions, cited.version_ids, listed.answers,
           (SELECT count(*) FROM resting) AS found
      FROM listed
           LEFT JOIN LATERAL (
               SELECT b.by, b.recorded_at, b.reason
                 FROM basis_change b
                WHERE b.tenant_id = current_tenant() AND b.source_id = listed.source_id
                  AND b.action = CASE listed.why WHEN 'denied' THEN 'deny'
                                                 WHEN 'withdrawn' THEN 'withdraw' END
                ORDER BY b.basis DESC
                LIMIT 1) AS decided ON true
           CROSS JOIN LATERAL (
               SELECT array_agg(v.seq ORDER BY v.seq) AS versions,
                      array_agg(v.version_id ORDER BY v.seq) AS version_ids
                 FROM document_version v
                WHERE v.tenant_id = current_tenant() AND v.source_id = listed.source_id
                  AND EXISTS (SELECT
                                FROM report_citation c
                               WHERE c.tenant_id = current_tenant()
                                 AND c.source_id = listed.source_id
                                 AND c.version_id = v.version_id
                                 AND ($2::timestamptz IS NULL OR c.created_at >= $2))) AS cited
     ORDER BY listed.answers DESC, listed.key
"""


async def list_barred_sources(conn: Connection, scope: AuditScope) -> BarredSources:
    """Return the sources on which answers rest and that may not be used, those with most answers first."""
    rows = await conn.fetch(LIST_BARRED_SOURCES, scope.source_id, scope.since, scope.limit)
    return BarredSources(
        listed=tuple(
            BarredSource(
                source_id=row["source_id"],
                key=row["key"],
                title=row["title"],
                why=Bar(row["why"]),
                by=row["by"],
                at=row["at"],
                reason=row["reason"],
                versions=tuple(row["versions"]),
                version_ids=tuple(row["version_ids"]),
                answers=row["answers"],
            )
            for row in rows
        ),
        found=rows[0]["found"] if rows else 0,
    )
