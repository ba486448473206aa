"""The answer log: grounding reports, and which document versions and rows each rests on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.evidence import RowLocator, SpanLocator
from verifier.core.log_redaction import REDACTED, redact_report, redact_turn
from verifier.errors import InputError, UnknownThing
from verifier.store.late_reports import without_erased
from verifier.store.review_requests import add_reviews
from verifier.store.sources import add_tenant
from verifier.store.storable import storable_json, storable_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from verifier.core.evidence import Locator
    from verifier.core.report import GroundingReport, JudgedClaim
    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedReport:
    """A report as it was logged: JSON of the report and of the turn it judged."""

    report_id: str
    created_at: datetime
    report: Mapping[str, object]
    turn: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawReport:
    """A report as the text of its JSON, numbers as they were written; `redacted` ones hold no texts."""

    report_id: str
    created_at: datetime
    report: str
    redacted: bool


ADD_REPORT: Final[LiteralString] = """
    INSERT INTO report
           (tenant_id, report_id, created_at, answer, turn, report, accepted, claims, outcome, basis,
            catalog_hash, verifier_version, redacted)
    VALUES (current_tenant(), $1, $2, $3, $4::text::jsonb, $5::text::jsonb, $6, $7, $8, $9, $10, $11, $12)
        ON CONFLICT DO NOTHING
    RETURNING report_id
"""


async def add_report(
    conn: Connection,
    report: GroundingReport,
    *,
    report_json: Mapping[str, object],
    turn_json: Mapping[str, object],
    redacted: bool = False,
) -> bool:
    """Log the report with what it rests on and what it asks people; return False where it stands already.

    NUL and lone surrogates, which Postgres can't hold, become U+FFFD in the log; what stood in a version
    that was erased since is left out. A `redacted` one is logged without any of its texts.
    """
    await add_tenant(conn)
    answer, turn_json, report_json = await without_erased(conn, report, turn_json, report_json)
    if redacted:
        answer, turn_json, report_json = (
            REDACTED,
            redact_turn(turn_json),
            redact_report(report_json),
        )
    added = await conn.fetchval(
        ADD_REPORT,
        report.report_id,
        report.provenance.created_at,
        storable_text(answer),
        storable_json(turn_json),
        storable_json(report_json),
        report.accepted,
        report.claims,
        report.outcome,
        report.provenance.basis,
        report.provenance.catalog_hash,
        report.provenance.verifier_version,
        redacted,
    )
    if added is None:
        return False
    await _add_citations(conn, report)
    await _add_rows(conn, report)
    await add_reviews(conn, report)
    return True


ADD_REPORT_CITATIONS: Final[LiteralString] = """
    INSERT INTO report_citation
           (tenant_id, report_id, claim_id, position, source_id, version_id, ordinal, start_at, end_at,
            text_hash, code, created_at)
    SELECT current_tenant(), $1, cited.claim_id, cited.position, v.source_id, v.version_id,
           cited.ordinal, cited.start_at, cited.end_at,
           decode(CASE WHEN v.state = 'erased' THEN repeat('00', 32) ELSE cited.text_hash END, 'hex'),
           cited.code, $11
      FROM unnest($2::text[], $3::integer[], $4::text[], $5::integer[], $6::integer[], $7::integer[],
                  $8::integer[], $9::text[], $10::text[])
           AS cited (claim_id, position, key, seq, ordinal, start_at, end_at, text_hash, code)
           JOIN source s ON s.tenant_id = current_tenant() AND s.key = cited.key
           JOIN document_version v
             ON v.tenant_id = s.tenant_id AND v.source_id = s.source_id AND v.seq = cited.seq
"""


async def _add_citations(conn: Connection, report: GroundingReport) -> None:
    """Record the spans of stored versions; documents that came with the turn have none."""
    cited = [
        (
            judged.claim.claim_id,
            position,
            storable_text(locator.source),
            locator.seq,
            locator.ordinal,
            locator.span.start,
            locator.span.end,
            locator.text_hash,
            judged.verdict.code.value,
        )
        for judged, position, locator in _locators(report)
        if isinstance(locator, SpanLocator) and locator.seq is not None
    ]
    if cited:
        await conn.execute(
            ADD_REPORT_CITATIONS,
            report.report_id,
            *(list(c) for c in zip(*cited, strict=True)),
            report.provenance.created_at,
        )


ADD_REPORT_ROWS: Final[LiteralString] = """
    INSERT INTO report_row
           (tenant_id, report_id, claim_id, position, database, table_name, row_key, column_name,
            fingerprint, code)
    SELECT current_tenant(), $1, r.claim_id, r.position, r.database, r.table_name, r.row_key,
           r.column_name, decode(r.fingerprint, 'hex'), r.code
      FROM unnest($2::text[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::text[],
                  $8::text[], $9::text[])
           AS r (claim_id, position, database, table_name, row_key, column_name, fingerprint, code)
"""


async def _add_rows(conn: Connection, report: GroundingReport) -> None:
    """Record the canonical rows that were read, so that a changed row finds its answers."""
    rows = [
        (
            judged.claim.claim_id,
            position,
            locator.database,
            locator.table,
            storable_text(locator.key),
            locator.column,
            locator.fingerprint,
            judged.verdict.code.value,
        )
        for judged, position, locator in _locators(report)
        if isinstance(locator, RowLocator)
    ]
    if rows:
        await conn.execute(
            ADD_REPORT_ROWS, report.report_id, *(list(c) for c in zip(*rows, strict=True))
        )


def _locators(report: GroundingReport) -> Iterator[tuple[JudgedClaim, int, Locator]]:
    for judged in report.judged:
        evidence = [each for finding in judged.verdict.findings for each in finding.evidence]
        distinct = dict.fromkeys(each.locator for each in evidence)
        for position, locator in enumerate(distinct):
            yield judged, position, locator


GET_REPORT: Final[LiteralString] = """
    SELECT report_id, created_at, report, turn
      FROM report
     WHERE tenant_id = current_tenant() AND report_id = $1
"""


async def get_report(conn: Connection, report_id: str) -> LoggedReport:
    """Return the logged report of that id. Raises UnknownThing."""
    row = await conn.fetchrow(GET_REPORT, storable_text(report_id))
    if row is None:
        raise UnknownThing(f"there is no report {report_id!r}")
    return LoggedReport(
        report_id=row["report_id"],
        created_at=row["created_at"],
        report=json.loads(row["report"]),
        turn=json.loads(row["turn"]),
    )


FIND_REPORT_IDS: Final[LiteralString] = """
    SELECT report_id
      FROM report
     WHERE tenant_id = current_tenant() AND starts_with(report_id, $1)
     ORDER BY report_id <> $1, report_id
     LIMIT 2
"""
SHORTEST_ID: Final = 6


async def resolve_report(conn: Connection, written: str) -> str:
    """Return the id of the one report whose id is or begins with `written`.

    Raises UnknownThing where there is none, InputError where several begin so or too little is given.
    """
    sought = storable_text(written.strip())
    rows = await conn.fetch(FIND_REPORT_IDS, sought)
    found = [row["report_id"] for row in rows]
    if not sought or not found:
        raise UnknownThing(f"there is no report {written!r}")
    if found[0] == sought:
        return sought
    if len(found) > 1 or len(sought) < SHORTEST_ID:
        raise InputError(f"several reports may be meant by {written!r}; give more of the id")
    return str(found[0])


READ_RAW_REPORTS: Final[LiteralString] = """
    SELECT report_id, created_at, report::text AS report, redacted
      FROM report
     WHERE tenant_id = current_tenant() AND report_id = ANY ($1::text[])
     ORDER BY created_at, report_id
"""


async def read_raw_reports(conn: Connection, report_ids: Sequence[str]) -> tuple[RawReport, ...]:
    """Return the reports of those ids that are in the log, the oldest first."""
    rows = await conn.fetch(READ_RAW_REPORTS, list(report_ids))
    return tuple(RawReport(**dict(row)) for row in rows)
