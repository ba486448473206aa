"""Cited versions that are no longer current, the spans that are cited of them, and who rests on which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.kept_spans import Standing
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from verifier.store.audit_scope import AuditScope
    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedVersion:
    """A version that answers rest on and that is no longer current. The current ones are None where none is.

    `answers` counts the logged reports that rest on it.
    """

    source_id: int
    version_id: int
    key: str
    title: str | None
    seq: int
    state: str
    current_version_id: int | None
    current_seq: int | None
    answers: int


@dataclass(frozen=True, slots=True, order=True)
class CitedSpan:
    """A span of a version that at least one logged report rests on."""

    version_id: int
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedAnswer:
    """A logged report whose evidence no longer stands, by the worst of its spans, and the claims on these."""

    version_id: int
    report_id: str
    created_at: datetime
    standing: Standing
    claim_ids: tuple[str, ...]


LIST_MOVED_VERSIONS: Final[LiteralString] = """
    WITH moved AS MATERIALIZED (
           SELECT v.source_id, v.version_id, v.seq, v.state, resting.answers
             FROM document_version v
                  CROSS JOIN LATERAL (
                      SELECT count(*) AS answers
                        FROM (SELECT DISTINCT c.created_at, c.report_id
                                FROM report_citation c
                               WHERE c.tenant_id = current_tenant()
                                 AND c.source_id = v.source_id
                                 AND c.version_id = v.version_id
                                 AND ($2::timestamptz IS NULL OR c.created_at >= $2)) AS each
                  ) AS resting
            WHERE v.tenant_id = current_tenant()
              AND v.state NOT IN ('current', 'erased')
              AND ($1::bigint IS NULL OR v.source_id = $1))
    SELECT moved.source_id, moved.version_id, s.key, s.title, moved.seq, moved.state,
           n.version_id AS current_version_id, n.seq AS current_seq, moved.answers
      FROM moved
           JOIN source s ON s.tenant_id = current_tenant() AND s.source_id = moved.source_id
           LEFT JOIN document_version n
             ON n.tenant_id = current_tenant() AND n.source_id = moved.source_id AND n.state = 'current'
     WHERE moved.answers > 0
     ORDER BY s.key, moved.seq
"""


async def list_moved_versions(conn: Connection, scope: AuditScope) -> tuple[MovedVersion, ...]:
    """Return every version on which answers rest and that is neither current nor erased, by key."""
    rows = await conn.fetch(LIST_MOVED_VERSIONS, scope.source_id, scope.since)
    return tuple(MovedVersion(**dict(row)) for row in rows)


LIST_CITED_SPANS: Final[LiteralString] = """
    SELECT moved.version_id, cited.starts, cited.ends
      FROM unnest($1::bigint[], $2::bigint[]) AS moved (source_id, version_id)
           CROSS JOIN LATERAL (
               SELECT array_agg(each.start_at) AS starts, array_agg(each.end_at) AS ends
                 FROM (SELECT DISTINCT c.start_at, c.end_at
                         FROM report_citation c
                        WHERE c.tenant_id = current_tenant()
                          AND c.source_id = moved.source_id
                          AND c.version_id = moved.version_id
                          AND ($3::timestamptz IS NULL OR c.created_at >= $3)) AS each) AS cited
     WHERE cited.starts IS NOT NULL
"""


async def list_cited_spans(
    conn: Connection, versions: Sequence[MovedVersion], scope: AuditScope
) -> Mapping[int, tuple[Span, ...]]:
    """Return by version every span that is cited of it, each once, in no order."""
    rows = await conn.fetch(
        LIST_CITED_SPANS,
        [one.source_id for one in versions],
        [one.version_id for one in versions],
        scope.since,
    )
    return {row["version_id"]: tuple(map(Span, row["starts"], row["ends"])) for row in rows}


COUNT_AFFECTED: Final[LiteralString] = """
    WITH judged AS MATERIALIZED (
           SELECT source_id, version_id, start_at, end_at, standing
             FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::integer[], $5::smallint[])
                  AS given (source_id, version_id, start_at, end_at, standing)),
         moved AS MATERIALIZED (SELECT DISTINCT source_id, version_id FROM judged),
         resting AS (
           SELECT c.version_id, c.created_at, c.report_id, max(judged.standing) AS standing
             FROM moved
                  JOIN report_citation c
                    ON c.tenant_id = current_tenant()
                   AND c.source_id = moved.source_id
                   AND c.version_id = moved.version_id
                   AND ($6::timestamptz IS NULL OR c.created_at >= $6)
                  JOIN judged
                    ON judged.version_id = c.version_id
                   AND judged.start_at = c.start_at
                   AND judged.end_at = c.end_at
            GROUP BY c.version_id, c.created_at, c.report_id)
    SELECT version_id, standing, count(*) AS answers
      FROM resting
     GROUP BY version_id, standing
"""


async def count_affected(
    conn: Connection,
    judged: Mapping[CitedSpan, Standing],
    moved: Mapping[int, MovedVersion],
    scope: AuditScope,
) -> Mapping[tuple[int, Standing], int]:
    """Return how many answers rest on spans that were judged, by version and the worst standing of each."""
    if not judged:
        return {}
    rows = await conn.fetch(COUNT_AFFECTED, *_columns(judged, moved), scope.since)
    return {(row["version_id"], _STANDINGS[row["standing"]]): row["answers"] for row in rows}


LIST_AFFECTED: Final[LiteralString] = """
    WITH judged AS MATERIALIZED (
           SELECT source_id, version_id, start_at, end_at, standing
             FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::integer[], $5::smallint[])
                  AS given (source_id, version_id, start_at, end_at, standing)),
         moved AS MATERIALIZED (SELECT DISTINCT source_id, version_id FROM judged),
         resting AS (
           SELECT c.version_id, c.created_at, c.report_id, max(judged.standing) AS standing,
                  row_number() OVER (PARTITION BY c.version_id
                                     ORDER BY c.created_at DESC, c.report_id DESC) AS place
             FROM moved
                  JOIN report_citation c
                    ON c.tenant_id = current_tenant()
                   AND c.source_id = moved.source_id
                   AND c.version_id = moved.version_id
                   AND ($6::timestamptz IS NULL OR c.created_at >= $6)
                  JOIN judged
                    ON judged.version_id = c.version_id
                   AND judged.start_at = c.start_at
                   AND judged.end_at = c.end_at
            GROUP BY c.version_id, c.created_at, c.report_id)
    SELECT newest.version_id, newest.report_id, newest.created_at, newest.standing,
           ARRAY(SELECT DISTINCT c.claim_id
                   FROM report_citation c
                        JOIN judged
                          ON judged.version_id = c.version_id
                         AND judged.start_at = c.start_at
                         AND judged.end_at = c.end_at
                  WHERE c.tenant_id = current_tenant() AND c.report_id = newest.report_id
                    AND c.version_id = newest.version_id
                  ORDER BY c.claim_id) AS claim_ids
      FROM resting AS newest
     WHERE newest.place <= $7
     ORDER BY newest.version_id, newest.place
"""


async def list_affected(
    conn: Connection,
    judged: Mapping[CitedSpan, Standing],
    moved: Mapping[int, MovedVersion],
    scope: AuditScope,
) -> Mapping[int, tuple[AffectedAnswer, ...]]:
    """Return by version the newest answers that rest on spans that were judged."""
    found: dict[int, list[AffectedAnswer]] = {}
    if not judged or scope.answers == 0:
        return {}
    columns = _columns(judged, moved)
    for row in await conn.fetch(LIST_AFFECTED, *columns, scope.since, scope.answers):
        answer = AffectedAnswer(
            version_id=row["version_id"],
            report_id=row["report_id"],
            created_at=row["created_at"],
            standing=_STANDINGS[row["standing"]],
            claim_ids=tuple(row["claim_ids"]),
        )
        found.setdefault(answer.version_id, []).append(answer)
    return {version_id: tuple(answers) for version_id, answers in found.items()}


_STANDINGS: Final = tuple(Standing)


def _columns(
    judged: Mapping[CitedSpan, Standing], moved: Mapping[int, MovedVersion]
) -> Iterable[list[int]]:
    return (
        [moved[one.version_id].source_id for one in judged],
        [one.version_id for one in judged],
        [one.span.start for one in judged],
        [one.span.end for one in judged],
        [_STANDINGS.index(standing) for standing in judged.values()],
    )
