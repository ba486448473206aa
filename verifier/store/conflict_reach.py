"""Conflicts on record, and how many logged answers rest on either side of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from verifier.store.audit_scope import AuditScope
    from verifier.store.pool import Connection

UNRESOLVED: Final = ("open", "assigned")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictEntry:
    """Two places that say different things of one subject and attribute.

    The other side is a source, or `other_place`, as a column of a canonical table. `answers` counts the
    logged reports that rest on the version of either side.
    """

    conflict_id: int
    state: str
    key: str
    seq: int
    other_key: str | None
    other_seq: int | None
    other_place: str | None
    subject: str
    attribute: str
    value: str
    other_value: str
    declared_by: str | None
    assigned_to: str | None
    created_at: datetime
    answers: int


LIST_CONFLICTS: Final[LiteralString] = """
    SELECT k.conflict_id, k.state, s.key, v.seq, o.key AS other_key, w.seq AS other_seq, k.other_place,
           k.subject, k.attribute, k.value, k.other_value, k.declared_by, k.assigned_to, k.created_at,
           resting.answers, count(*) OVER () AS found
      FROM conflict k
           JOIN source s ON s.tenant_id = current_tenant() AND s.source_id = k.source_id
           JOIN document_version v ON v.tenant_id = current_tenant() AND v.version_id = k.version_id
           LEFT JOIN source o ON o.tenant_id = current_tenant() AND o.source_id = k.other_source_id
           LEFT JOIN document_version w
             ON w.tenant_id = current_tenant() AND w.version_id = k.other_version_id
           CROSS JOIN LATERAL (
               SELECT count(*) AS answers
                 FROM (SELECT c.report_id
                         FROM report_citation c
                        WHERE c.tenant_id = current_tenant()
                          AND c.source_id = k.source_id
                          AND c.version_id = k.version_id
                          AND ($2::timestamptz IS NULL OR c.created_at >= $2)
                        UNION
                       SELECT c.report_id
                         FROM report_citation c
                        WHERE c.tenant_id = current_tenant()
                          AND c.source_id = k.other_source_id
                          AND (k.other_version_id IS NULL OR c.version_id = k.other_version_id)
                          AND ($2::timestamptz IS NULL OR c.created_at >= $2)) AS each) AS resting
     WHERE k.tenant_id = current_tenant()
       AND k.state = ANY ($4::text[])
       AND ($1::bigint IS NULL OR k.source_id = $1 OR k.other_source_id = $1)
     ORDER BY resting.answers DESC, k.conflict_id
     LIMIT $3
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictEntries:
    """Those that are listed, and how many there are of all."""

    listed: tuple[ConflictEntry, ...]
    found: int


async def list_conflict_entries(
    conn: Connection, scope: AuditScope, states: Sequence[str] = UNRESOLVED
) -> ConflictEntries:
    """Return the conflicts in these states, those on which most answers rest first."""
    rows = [
        dict(row)
        for row in await conn.fetch(
            LIST_CONFLICTS, scope.source_id, scope.since, scope.limit, list(states)
        )
    ]
    found = rows[0]["found"] if rows else 0
    for row in rows:
        del row["found"]
    return ConflictEntries(listed=tuple(ConflictEntry(**row) for row in rows), found=found)
