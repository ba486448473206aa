"""What asks for reviews: the claims of a logged report that are left for a person, and what they rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.evidence import RowLocator, SpanLocator
from verifier.core.review_identity import hash_claim, hash_evidence
from verifier.core.verdicts import Disposition
from verifier.store.storable import storable_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.evidence import Locator
    from verifier.core.report import GroundingReport, JudgedClaim
    from verifier.store.pool import Connection

_EntryKey = tuple[bytes, bytes]


async def add_reviews(conn: Connection, report: GroundingReport) -> None:
    """Ask a person about each claim of a logged report whose verdict is left for review.

    The same claim on the same evidence is one entry, whoever asks; one that expired is opened again, unless
    its evidence was erased.
    """
    asked: dict[_EntryKey, list[JudgedClaim]] = {}
    for judged in report.judged:
        if judged.verdict.disposition is Disposition.REVIEW:
            key = hash_claim(judged.claim), hash_evidence(judged, report.turn.question)
            asked.setdefault(key, []).append(judged)
    if not asked:
        return
    entries = await _add_entries(conn, asked)
    await _add_requests(conn, report.report_id, asked, entries)
    await _add_spans(conn, asked, entries)
    await _add_rows(conn, asked, entries)


ADD_ENTRIES: Final[LiteralString] = """
    INSERT INTO review AS w (tenant_id, claim_hash, evidence_hash, code, answers)
    SELECT current_tenant(), asked.claim_hash, asked.evidence_hash, asked.code, 1
      FROM unnest($1::bytea[], $2::bytea[], $3::text[]) AS asked (claim_hash, evidence_hash, code)
     ORDER BY asked.claim_hash, asked.evidence_hash
        ON CONFLICT (tenant_id, claim_hash, evidence_hash) DO UPDATE
       SET answers = w.answers + 1,
           state = CASE WHEN w.expired_why <> 'erased' THEN 'open' ELSE w.state END,
           round = CASE WHEN w.expired_why <> 'erased' THEN w.round + 1 ELSE w.round END,
           disputed = w.disputed AND coalesce(w.expired_why = 'erased', true),
           expired_at = CASE WHEN w.expired_why = 'erased' THEN w.expired_at END,
           expired_why = CASE WHEN w.expired_why = 'erased' THEN w.expired_why END
    RETURNING review_id, claim_hash, evidence_hash
"""


async def _add_entries(
    conn: Connection, asked: dict[_EntryKey, list[JudgedClaim]]
) -> dict[_EntryKey, int]:
    """Record the entries in the order of their hashes, so that two reports never wait for each other."""
    keys = sorted(asked)
    rows = await conn.fetch(
        ADD_ENTRIES,
        [key[0] for key in keys],
        [key[1] for key in keys],
        [asked[key][0].verdict.code.value for key in keys],
    )
    return {(row["claim_hash"], row["evidence_hash"]): row["review_id"] for row in rows}


ADD_REQUESTS: Final[LiteralString] = """
    INSERT INTO review_request (tenant_id, review_id, report_id, claim_id, code, start_at, end_at)
    SELECT current_tenant(), asked.review_id, $1, asked.claim_id, asked.code, asked.start_at, asked.end_at
      FROM unnest($2::bigint[], $3::text[], $4::text[], $5::integer[], $6::integer[])
           AS asked (review_id, claim_id, code, start_at, end_at)
"""


async def _add_requests(
    conn: Connection,
    report_id: str,
    asked: dict[_EntryKey, list[JudgedClaim]],
    entries: dict[_EntryKey, int],
) -> None:
    requests = [
        (
            entries[key],
            judged.claim.claim_id,
            judged.verdict.code.value,
            judged.claim.span.start,
            judged.claim.span.end,
        )
        for key, claims in asked.items()
        for judged in claims
    ]
    await conn.execute(ADD_REQUESTS, report_id, *_columns(requests))


ADD_SPANS: Final[LiteralString] = """
    INSERT INTO review_evidence
           (tenant_id, review_id, position, source_id, version_id, start_at, end_at, seen_version_id)
    SELECT current_tenant(), cited.review_id, cited.position, v.source_id, v.version_id, cited.start_at,
           cited.end_at, coalesce(n.version_id, 0)
      FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::integer[], $5::integer[], $6::integer[])
           AS cited (review_id, position, key, seq, start_at, end_at)
           JOIN source s ON s.tenant_id = current_tenant() AND s.key = cited.key
           JOIN document_version v
             ON v.tenant_id = s.tenant_id AND v.source_id = s.source_id AND v.seq = cited.seq
           LEFT JOIN document_version n
             ON n.tenant_id = s.tenant_id AND n.source_id = s.source_id AND n.state = 'current'
        ON CONFLICT DO NOTHING
"""


async def _add_spans(
    conn: Connection, asked: dict[_EntryKey, list[JudgedClaim]], entries: dict[_EntryKey, int]
) -> None:
    """Record the spans of stored versions; documents that came with the turn never change."""
    spans = [
        (
            entries[key],
            position,
            storable_text(locator.source),
            locator.seq,
            locator.span.start,
            locator.span.end,
        )
        for key, position, locator in _places(asked)
        if isinstance(locator, SpanLocator) and locator.seq is not None
    ]
    if spans:
        await conn.execute(ADD_SPANS, *_columns(spans))


ADD_ROWS: Final[LiteralString] = """
    INSERT INTO review_evidence
           (tenant_id, review_id, position, database, table_name, row_key, column_name, fingerprint)
    SELECT current_tenant(), r.review_id, r.position, r.database, r.table_name, r.row_key, r.column_name,
           decode(r.fingerprint, 'hex')
      FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
           AS r (review_id, position, database, table_name, row_key, column_name, fingerprint)
        ON CONFLICT DO NOTHING
"""


async def _add_rows(
    conn: Connection, asked: dict[_EntryKey, list[JudgedClaim]], entries: dict[_EntryKey, int]
) -> None:
    rows = [
        (
            entries[key],
            position,
            locator.database,
            locator.table,
            storable_text(locator.key),
            locator.column,
            locator.fingerprint,
        )
        for key, position, locator in _places(asked)
        if isinstance(locator, RowLocator)
    ]
    if rows:
        await conn.execute(ADD_ROWS, *_columns(rows))


def _places(
    asked: dict[_EntryKey, list[JudgedClaim]],
) -> Iterator[tuple[_EntryKey, int, Locator]]:
    for key, claims in asked.items():
        distinct = dict.fromkeys(one.locator for one in claims[0].verdict.evidence)
        for position, locator in enumerate(distinct):
            yield key, position, locator


def _columns(rows: Sequence[tuple[object, ...]]) -> list[list[object]]:
    return [list(column) for column in zip(*rows, strict=True)]
