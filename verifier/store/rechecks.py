"""Logged reports that are verified again: what each rests on, what became of it, and what came out."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from asyncpg import exceptions as driver

from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from verifier.core.rechecks import Recheck, RecheckedClaim
    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class RecheckScope:
    """Which reports are meant: those made since a moment, resting on a source, or on a row of a table.

    What is None does not count; a table goes by its name with or without its schema.
    """

    since: datetime | None = None
    source: str | None = None
    table: str | None = None
    row_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopedReport:
    """A report in scope. `moved` tells that a version or permission that it rests on is another now.

    `by_ledger` tells that tool results prove something in it, `zoned` that its turn names a time zone; `rows`
    are the canonical rows that it cites as database, table, key and fingerprint.
    """

    report_id: str
    created_at: datetime
    catalog_hash: str | None
    verifier_version: str
    redacted: bool
    moved: bool
    by_ledger: bool
    zoned: bool
    rows: tuple[tuple[str, str, str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionStanding:
    """A document version that an answer rests on, and what answers in its place at the moment asked for.

    `current_seq` and its text are None where nothing answers; `text` is empty where it was erased.
    """

    source: str
    seq: int
    version_id: int
    state: str
    permission: str
    text: str
    current_seq: int | None
    current_text: str | None
    review_until: datetime | None


LIST_SCOPED_REPORTS: Final[LiteralString] = """
    SELECT r.report_id, r.created_at, r.catalog_hash, r.verifier_version, r.redacted,
           EXISTS (SELECT
                     FROM report_citation c
                          JOIN document_version v USING (tenant_id, version_id)
                          JOIN source s ON s.tenant_id = c.tenant_id AND s.source_id = c.source_id
                          LEFT JOIN publication p
                            ON p.tenant_id = c.tenant_id AND p.version_id = c.version_id
                           AND p.basis_to IS NULL AND p.valid_from <= $6
                           AND (p.valid_to IS NULL OR p.valid_to > $6)
                    WHERE c.tenant_id = r.tenant_id AND c.report_id = r.report_id
                      AND (p.version_id IS NULL OR s.permission <> 'approved'
                           OR v.state = 'erased' OR v.review_until < $6)) AS moved,
           jsonb_path_exists(r.report, '$.verdicts[*].evidence[*].locator ? (@.kind == "ledger")')
               AS by_ledger,
           r.turn ? 'timezone' AS zoned,
           ARRAY(SELECT ARRAY[w.database, w.table_name, w.row_key, encode(w.fingerprint, 'hex')]
                   FROM report_row w
                  WHERE w.tenant_id = r.tenant_id AND w.report_id = r.report_id) AS rows
      FROM report r
     WHERE r.tenant_id = current_tenant()
       AND ($1::timestamptz IS NULL OR r.created_at >= $1)
       AND (r.created_at, r.report_id) > ($7, $8)
       AND ($2::text IS NULL
            OR EXISTS (SELECT
                         FROM report_citation c
                              JOIN source s USING (tenant_id, source_id)
                        WHERE c.tenant_id = r.tenant_id AND c.report_id = r.report_id AND s.key = $2))
       AND ($3::text IS NULL
            OR EXISTS (SELECT
                         FROM report_row w
                        WHERE w.tenant_id = r.tenant_id AND w.report_id = r.report_id
                          AND (w.table_name = $3 OR split_part(w.table_name, '.', 2) = $3)
                          AND w.row_key = $4))
     ORDER BY r.created_at, r.report_id
     LIMIT $5
"""
Place = tuple["datetime", str]


async def list_scoped_reports(
    conn: Connection, scope: RecheckScope, *, moment: datetime, after: Place, limit: int
) -> tuple[ScopedReport, ...]:
    """Return the next reports in scope behind `after`, the oldest first, with what moved by `moment`."""
    rows = await conn.fetch(
        LIST_SCOPED_REPORTS,
        scope.since,
        scope.source,
        scope.table,
        scope.row_key,
        limit,
        moment,
        *after,
    )
    return tuple(
        ScopedReport(**(dict(row) | {"rows": tuple(tuple(one) for one in row["rows"])}))
        for row in rows
    )


LIST_CITED: Final[LiteralString] = """
    SELECT c.report_id, s.key AS source, v.seq, c.start_at, c.end_at, c.code
      FROM report_citation c
           JOIN document_version v USING (tenant_id, version_id)
           JOIN source s ON s.tenant_id = c.tenant_id AND s.source_id = c.source_id
     WHERE c.tenant_id = current_tenant() AND c.report_id = ANY($1::text[])
     ORDER BY s.key, v.seq
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportCitation:
    """A span of a document version that a verdict of a report rests on, with the verdict's code."""

    report_id: str
    source: str
    seq: int
    span: Span
    code: str


async def list_cited(conn: Connection, report_ids: Sequence[str]) -> tuple[ReportCitation, ...]:
    """Return what the reports cite of stored versions, version by version."""
    return tuple(
        ReportCitation(
            report_id=row["report_id"],
            source=row["source"],
            seq=row["seq"],
            span=Span(row["start_at"], row["end_at"]),
            code=row["code"],
        )
        for row in await conn.fetch(LIST_CITED, report_ids)
    )


READ_STANDING: Final[LiteralString] = """
    SELECT s.key AS source, v.seq, v.version_id, v.state, s.permission, v.text,
           n.seq AS current_seq,
           CASE WHEN n.version_id <> v.version_id THEN n.text END AS current_text,
           coalesce(n.review_until, CASE WHEN n.version_id IS NULL THEN v.review_until END)
               AS review_until
      FROM unnest($1::text[], $2::integer[]) AS wanted (key, seq)
           JOIN source s ON s.tenant_id = current_tenant() AND s.key = wanted.key
           JOIN document_version v
             ON v.tenant_id = s.tenant_id AND v.source_id = s.source_id AND v.seq = wanted.seq
           LEFT JOIN LATERAL (
               SELECT d.version_id, d.seq, d.text, d.review_until
                 FROM publication p
                      JOIN document_version d USING (tenant_id, version_id)
                WHERE p.tenant_id = s.tenant_id AND p.source_id = s.source_id
                  AND p.basis_to IS NULL AND p.valid_from <= $3
                  AND (p.valid_to IS NULL OR p.valid_to > $3)
                ORDER BY p.valid_from DESC
                LIMIT 1) AS n ON true
"""


async def read_standing(
    conn: Connection, places: Sequence[tuple[str, int]], *, moment: datetime
) -> Mapping[tuple[str, int], VersionStanding]:
    """Return what became of versions by source and seq, as it is known now of that moment."""
    keys, seqs = [key for key, _ in places], [seq for _, seq in places]
    rows = await conn.fetch(READ_STANDING, keys, seqs, moment)
    return {(row["source"], row["seq"]): VersionStanding(**dict(row)) for row in rows}


LOCK_RECHECKS: Final[LiteralString] = """
    SELECT pg_advisory_xact_lock(hashtextextended('verifier.recheck/' || current_tenant(), 0))
"""
ADD_RECHECKS: Final[LiteralString] = """
    INSERT INTO report_recheck
           (tenant_id, report_id, basis, as_of, standing, flips, content_hash, verifier_version,
            catalog_hash)
    SELECT current_tenant(), made.report_id, $1, made.as_of, made.standing, made.flips::jsonb,
           made.content_hash, $2, $3
      FROM unnest($4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::bytea[])
           WITH ORDINALITY AS made (report_id, as_of, standing, flips, content_hash, position)
           JOIN report r ON r.tenant_id = current_tenant() AND r.report_id = made.report_id
     WHERE made.content_hash IS DISTINCT FROM (SELECT content_hash
                                                 FROM report_recheck
                                                WHERE tenant_id = current_tenant()
                                                  AND report_id = made.report_id
                                                ORDER BY recheck_id DESC
                                                LIMIT 1)
     ORDER BY made.position
"""


async def add_rechecks(
    conn: Connection,
    rechecks: Sequence[Recheck],
    *,
    basis: int,
    verifier_version: str,
    catalog_hash: str | None,
) -> None:
    """Record what came out of rechecks of different reports at one basis.

    What comes to the same as the report's last recheck is not recorded again, and nothing of a report that a
    sweep removed meanwhile.
    """
    made = []
    for one in rechecks:
        flips = json.dumps([_flip(claim) for claim in one.flips], sort_keys=True)
        as_of = None if one.as_of is None else one.as_of.isoformat()
        told = [basis, as_of, one.standing.value, flips, verifier_version, catalog_hash]
        content_hash = hashlib.sha256(json.dumps(told).encode("utf-8")).digest()
        made.append((one.report_id, one.as_of, one.standing.value, flips, content_hash))
    if made:
        await conn.execute(LOCK_RECHECKS)
        columns = [list(column) for column in zip(*made, strict=True)]
        while not await _add(conn, basis, verifier_version, catalog_hash, *columns):
            continue


async def _add(conn: Connection, *values: object) -> bool:
    """Add rechecks, or return False where a report among them was swept meanwhile: next time it is gone."""
    try:
        async with conn.transaction():
            await conn.execute(ADD_RECHECKS, *values)
    except driver.ForeignKeyViolationError:
        return False
    return True


def _flip(claim: RecheckedClaim) -> Mapping[str, object]:
    return {
        "claim": claim.claim_id,
        "before": claim.before.value,
        "now": None if claim.now is None else claim.now.value,
        "standing": claim.standing.value,
        "causes": sorted({one.cause.value for one in claim.changes}),
        "places": sorted({one.place for one in claim.changes if one.place is not None}),
    }


SWEEP_REPORTS: Final[LiteralString] = """
    SELECT sweep_reports($1, $2)
"""
COUNT_OLDER: Final[LiteralString] = """
    SELECT count(*) FROM report WHERE tenant_id = current_tenant() AND created_at < $1
"""


async def sweep_reports(conn: Connection, older_than: datetime, *, limit: int) -> int:
    """Remove reports that are older, at most `limit`, with all that hangs on them; return how many."""
    return int(await conn.fetchval(SWEEP_REPORTS, older_than, limit))


async def count_older_reports(conn: Connection, older_than: datetime) -> int:
    """Return how many reports are older."""
    return int(await conn.fetchval(COUNT_OLDER, older_than))
