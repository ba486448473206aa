"""What entries of the review queue rest on: spans, rows, and what expires when these change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from asyncpg import Record

    from verifier.core.reviews import Expiry
    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedSource:
    """A source of which another version is current than when its evidence was last looked at; 0 is none."""

    source_id: int
    seen_version_id: int
    current_version_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSpan:
    """A span of a version that an entry rests on."""

    review_id: int
    position: int
    version_id: int
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedVersion:
    """A cited span with the texts to read it in: the version's, and the current one's, None where none is."""

    source: str
    seq: int
    state: str
    span: Span
    text: str
    current_seq: int | None
    current_text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedRow:
    """A row of a canonical table as it was when the entry's report read it. `fingerprint` is hexadecimal."""

    review_id: int
    database: str
    table: str
    key: str
    column: str | None
    fingerprint: str
    report_id: str | None
    catalog_hash: str | None


LIST_MOVED_SOURCES: Final[LiteralString] = """
    WITH RECURSIVE seen AS (
           (SELECT source_id, seen_version_id
              FROM review_evidence
             WHERE tenant_id = current_tenant() AND source_id IS NOT NULL
             ORDER BY source_id, seen_version_id
             LIMIT 1)
            UNION ALL
           SELECT following.source_id, following.seen_version_id
             FROM seen
                  CROSS JOIN LATERAL (
                      SELECT e.source_id, e.seen_version_id
                        FROM review_evidence e
                       WHERE e.tenant_id = current_tenant() AND e.source_id IS NOT NULL
                         AND (e.source_id, e.seen_version_id) > (seen.source_id, seen.seen_version_id)
                       ORDER BY e.source_id, e.seen_version_id
                       LIMIT 1) AS following)
    SELECT seen.source_id, seen.seen_version_id, coalesce(v.version_id, 0) AS current_version_id
      FROM seen
           LEFT JOIN document_version v
             ON v.tenant_id = current_tenant() AND v.source_id = seen.source_id AND v.state = 'current'
     WHERE seen.seen_version_id <> coalesce(v.version_id, 0)
     ORDER BY seen.source_id, seen.seen_version_id
"""


async def list_moved_sources(conn: Connection) -> tuple[MovedSource, ...]:
    """Return the sources that moved on since; takes a step a source, however many entries rest on it."""
    return tuple(MovedSource(**dict(row)) for row in await conn.fetch(LIST_MOVED_SOURCES))


LOCK_MOVED_SPANS: Final[LiteralString] = """
    SELECT review_id, position, version_id, start_at, end_at
      FROM review_evidence
     WHERE tenant_id = current_tenant() AND source_id = $1 AND seen_version_id = $2
     ORDER BY review_id, position
     LIMIT $3
       FOR NO KEY UPDATE SKIP LOCKED
"""


async def lock_moved_spans(
    conn: Connection, moved: MovedSource, *, limit: int
) -> tuple[CitedSpan, ...]:
    """Return spans of the source that are to be looked at again, which nobody else looks at meanwhile."""
    rows = await conn.fetch(LOCK_MOVED_SPANS, moved.source_id, moved.seen_version_id, limit)
    return tuple(
        CitedSpan(
            review_id=row["review_id"],
            position=row["position"],
            version_id=row["version_id"],
            span=Span(row["start_at"], row["end_at"]),
        )
        for row in rows
    )


READ_TEXTS: Final[LiteralString] = """
    SELECT version_id, state, text
      FROM document_version
     WHERE tenant_id = current_tenant() AND version_id = ANY ($1::bigint[])
"""


async def read_texts(conn: Connection, version_ids: Sequence[int]) -> Mapping[int, tuple[str, str]]:
    """Return state and text of versions by their id."""
    rows = await conn.fetch(READ_TEXTS, list(version_ids))
    return {row["version_id"]: (row["state"], row["text"]) for row in rows}


NOTE_SEEN: Final[LiteralString] = """
    UPDATE review_evidence e
       SET seen_version_id = $3
      FROM unnest($1::bigint[], $2::integer[]) AS seen (review_id, position)
     WHERE e.tenant_id = current_tenant() AND e.review_id = seen.review_id
       AND e.position = seen.position
"""


async def note_seen(conn: Connection, spans: Sequence[CitedSpan], version_id: int) -> None:
    """Record that the spans were looked for in that version."""
    reviews, positions = [one.review_id for one in spans], [one.position for one in spans]
    await conn.execute(NOTE_SEEN, reviews, positions, version_id)


EXPIRE_ENTRIES: Final[LiteralString] = """
    WITH locked AS (
           SELECT review_id
             FROM review
            WHERE tenant_id = current_tenant() AND review_id = ANY ($1::bigint[])
              AND (state <> 'expired' OR ($2 = 'erased' AND expired_why <> 'erased'))
            ORDER BY claim_hash, evidence_hash
              FOR NO KEY UPDATE)
    UPDATE review w
       SET state = 'expired', expired_why = $2, expired_at = clock_timestamp(), disputed = false
      FROM locked
     WHERE w.tenant_id = current_tenant() AND w.review_id = locked.review_id
    RETURNING w.review_id
"""


async def expire_entries(conn: Connection, review_ids: Sequence[int], why: Expiry) -> int:
    """Let entries expire and return how many did; one that had expired keeps its reason, but for erasure.

    Entries are locked in the order in which reports record them.
    """
    return len(await conn.fetch(EXPIRE_ENTRIES, list(review_ids), why.value)) if review_ids else 0


LIST_ERASED: Final[LiteralString] = """
    SELECT DISTINCT w.review_id
      FROM document_version v
           JOIN review_evidence e ON e.tenant_id = v.tenant_id AND e.version_id = v.version_id
           JOIN review w ON w.tenant_id = e.tenant_id AND w.review_id = e.review_id
     WHERE v.tenant_id = current_tenant() AND v.state = 'erased'
       AND w.expired_why IS DISTINCT FROM 'erased'
"""


async def list_erased(conn: Connection) -> tuple[int, ...]:
    """Return the entries that rest on an erased version and were not told so yet."""
    return tuple(row["review_id"] for row in await conn.fetch(LIST_ERASED))


LIST_SPANS: Final[LiteralString] = """
    SELECT s.key, v.seq, v.state, e.start_at, e.end_at, v.text, n.seq AS current_seq,
           CASE WHEN n.version_id <> v.version_id THEN n.text END AS current_text
      FROM review_evidence e
           JOIN source s ON s.tenant_id = e.tenant_id AND s.source_id = e.source_id
           JOIN document_version v ON v.tenant_id = e.tenant_id AND v.version_id = e.version_id
           LEFT JOIN document_version n
             ON n.tenant_id = e.tenant_id AND n.source_id = e.source_id AND n.state = 'current'
     WHERE e.tenant_id = current_tenant() AND e.review_id = $1
     ORDER BY e.position
"""


async def list_spans(conn: Connection, review_id: int) -> tuple[CitedVersion, ...]:
    """Return the spans that an entry rests on. `current_text` is None too where the cited one is current."""
    return tuple(
        CitedVersion(
            source=row["key"],
            seq=row["seq"],
            state=row["state"],
            span=Span(row["start_at"], row["end_at"]),
            text=row["text"],
            current_seq=row["current_seq"],
            current_text=row["current_text"],
        )
        for row in await conn.fetch(LIST_SPANS, review_id)
    )


_SELECT_ROWS: Final[LiteralString] = """
    SELECT e.review_id, e.database, e.table_name, e.row_key, e.column_name, e.fingerprint, first.report_id,
           first.catalog_hash
      FROM review_evidence e
           LEFT JOIN LATERAL (
               SELECT r.report_id, r.catalog_hash
                 FROM review_request q
                      JOIN report r ON r.tenant_id = q.tenant_id AND r.report_id = q.report_id
                WHERE q.tenant_id = e.tenant_id AND q.review_id = e.review_id
                ORDER BY q.requested_at, q.report_id
                LIMIT 1) AS first ON true
     WHERE e.tenant_id = current_tenant() AND e.database IS NOT NULL
"""
LIST_ROWS: Final[LiteralString] = f"{_SELECT_ROWS} AND e.review_id = $1 ORDER BY e.position"


async def list_rows(conn: Connection, review_id: int) -> tuple[CitedRow, ...]:
    """Return the canonical rows that an entry rests on, as they were read for the first that asked it."""
    return tuple(_row(row) for row in await conn.fetch(LIST_ROWS, review_id))


LIST_ENTRIES_OF_ROWS: Final[LiteralString] = """
    SELECT DISTINCT e.review_id
      FROM review_evidence e
           JOIN review w ON w.tenant_id = e.tenant_id AND w.review_id = e.review_id
     WHERE e.tenant_id = current_tenant() AND e.database IS NOT NULL AND e.review_id > $1
       AND w.state <> 'expired'
     ORDER BY e.review_id
     LIMIT $2
"""


async def list_entries_of_rows(conn: Connection, *, after: int, limit: int) -> tuple[int, ...]:
    """Return the next entries behind `after` that rest on canonical rows and have not expired."""
    return tuple(row["review_id"] for row in await conn.fetch(LIST_ENTRIES_OF_ROWS, after, limit))


def _row(row: Record) -> CitedRow:
    return CitedRow(
        review_id=row["review_id"],
        database=row["database"],
        table=row["table_name"],
        key=row["row_key"],
        column=row["column_name"],
        fingerprint=row["fingerprint"].hex(),
        report_id=row["report_id"],
        catalog_hash=row["catalog_hash"],
    )
