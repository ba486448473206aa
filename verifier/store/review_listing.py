"""The review queue as it is read: lists of entries, and all that is known of one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.reviews import Expiry, ReviewOrder, ReviewState
from verifier.core.spans import Span
from verifier.core.verdicts import VerdictCode
from verifier.store.reviews import RecordedDecision, check_id, decision_of, unknown_review
from verifier.store.storable import is_storable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from asyncpg import Record

    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewFilter:
    """Which entries are meant; None leaves a condition out. `disputed` means reviewers who disagree.

    `source` is the key of a source that the evidence stands in, `reviewer` somebody who decided,
    `assigned_to` who is to look at it.
    """

    state: ReviewState | None = None
    code: VerdictCode | None = None
    source: str | None = None
    reviewer: str | None = None
    assigned_to: str | None = None
    disputed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewEntry:
    """A claim with its evidence, as one entry of the queue. `answers` counts the logged reports that ask it.

    `claim` is the text of the claim in the first of them, None where none is kept any more. `reviewers`
    counts those whose decision stands; `disputed` tells that they disagree. `assigned_to` is to look at it.
    """

    review_id: int
    state: ReviewState
    code: VerdictCode
    answers: int
    created_at: datetime
    round: int
    disputed: bool
    reviewers: int
    sources: tuple[str, ...]
    claim: str | None
    expired_why: Expiry | None = None
    expired_at: datetime | None = None
    assigned_to: str | None = None
    assigned_by: str | None = None
    assigned_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """A claim of a logged report that asks the entry, with the code of its verdict there."""

    report_id: str
    claim_id: str
    code: VerdictCode
    requested_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedClaim:
    """The claim in the first logged report that asks: `span` lies in its `answer`.

    `evidence` is what the verdict rests on, in the form of the report's JSON; `turn` that of its turn.
    """

    report_id: str
    question: str | None
    answer: str
    span: Span
    detail: str | None
    evidence: tuple[Mapping[str, object], ...]
    turn: Mapping[str, object]


_SELECT_ENTRY: Final[LiteralString] = """
    SELECT w.review_id, w.state, w.code, w.answers, w.created_at, w.round, w.disputed, w.expired_why,
           w.expired_at, w.assigned_to, w.assigned_by, w.assigned_at, first.claim,
           (SELECT count(DISTINCT d.reviewer)
              FROM review_decision d
             WHERE d.tenant_id = w.tenant_id AND d.review_id = w.review_id AND d.round = w.round
               AND w.state <> 'expired') AS reviewers,
           ARRAY(SELECT DISTINCT s.key
                   FROM review_evidence e
                        JOIN source s ON s.tenant_id = e.tenant_id AND s.source_id = e.source_id
                  WHERE e.tenant_id = w.tenant_id AND e.review_id = w.review_id
                  ORDER BY s.key) AS sources
"""
_FIRST_REQUEST: Final[LiteralString] = """
           LEFT JOIN LATERAL (
               SELECT substr(r.answer, q.start_at + 1, q.end_at - q.start_at) AS claim
                 FROM review_request q
                      JOIN report r ON r.tenant_id = q.tenant_id AND r.report_id = q.report_id
                WHERE q.tenant_id = w.tenant_id AND q.review_id = w.review_id
                ORDER BY q.requested_at, q.report_id
                LIMIT 1) AS first ON true
"""
_OF_CODE: Final[LiteralString] = " AND w.code = $"
_OF_PERSON: Final[LiteralString] = " AND w.assigned_to = $"
_OF_SOURCE: Final[LiteralString] = """
               AND w.review_id = ANY (ARRAY(
                   SELECT e.review_id
                     FROM review_evidence e
                          JOIN source s ON s.tenant_id = e.tenant_id AND s.source_id = e.source_id
                    WHERE e.tenant_id = current_tenant() AND s.key = $"""
_OF_REVIEWER: Final[LiteralString] = """
               AND w.review_id = ANY (ARRAY(
                   SELECT d.review_id
                     FROM review_decision d
                    WHERE d.tenant_id = current_tenant() AND d.reviewer = $"""
_ORDERS: Final[dict[ReviewOrder, LiteralString]] = {
    ReviewOrder.ANSWERS: "w.answers DESC, w.created_at, w.review_id",
    ReviewOrder.OLDEST: "w.created_at, w.review_id",
}
_STATES: Final = tuple(ReviewState)


def write_listing(chosen: ReviewFilter, order: ReviewOrder) -> tuple[str, list[object]]:
    """Return the statement that lists the entries of a filter, and its arguments; $1 is how many.

    Entries of each state are taken from an index in their order, and the few that remain are sorted; those of
    a source or reviewer are found first, since few of the queue may be theirs.
    """
    states = _STATES if chosen.state is None else (chosen.state,)
    arguments: list[object] = [[state.value for state in states]]
    conditions: list[str] = [" AND w.disputed"] if chosen.disputed else []
    numbers = count(3)
    for value, condition, end in (
        (chosen.code, _OF_CODE, ""),
        (chosen.assigned_to, _OF_PERSON, ""),
        (chosen.source, _OF_SOURCE, "))"),
        (chosen.reviewer, _OF_REVIEWER, "))"),
    ):
        if value is not None:
            conditions.append(f"{condition}{next(numbers)}{end}")
            arguments.append(str(value))
    by = _ORDERS[order]
    statement = f"""
        WITH listed AS MATERIALIZED (
               SELECT w.*
                 FROM unnest($2::text[]) AS wanted (state)
                      CROSS JOIN LATERAL (
                          SELECT w.*
                            FROM review w
                           WHERE w.tenant_id = current_tenant() AND w.state = wanted.state
                                 {"".join(conditions)}
                           ORDER BY {by}
                           LIMIT $1) AS w
                ORDER BY {by}
                LIMIT $1)
        {_SELECT_ENTRY}
          FROM listed w
        {_FIRST_REQUEST}
         ORDER BY {by}
    """  # noqa: S608  # made of the constants above and numbers of arguments
    return statement, arguments


async def list_reviews(
    conn: Connection, chosen: ReviewFilter, order: ReviewOrder, *, limit: int
) -> tuple[ReviewEntry, ...]:
    """Return at most `limit` entries in their order; of equal ones the oldest first."""
    if not all(
        is_storable(name or "") for name in (chosen.source, chosen.reviewer, chosen.assigned_to)
    ):
        return ()
    statement, arguments = write_listing(chosen, order)
    return tuple(_entry(row) for row in await conn.fetch(statement, limit, *arguments))


GET_REVIEW: Final[LiteralString] = f"""
    {_SELECT_ENTRY}
      FROM review w
    {_FIRST_REQUEST}
     WHERE w.tenant_id = current_tenant() AND w.review_id = $1
"""


async def get_review(conn: Connection, review_id: int) -> ReviewEntry:
    """Return the entry of that id. Raises UnknownThing."""
    row = await conn.fetchrow(GET_REVIEW, check_id(review_id))
    if row is None:
        raise unknown_review(review_id)
    return _entry(row)


LIST_DECISIONS: Final[LiteralString] = """
    SELECT d.decision_id, d.reviewer, d.decision, d.reason, d.decided_at, d.round, d.supersedes,
           (w.state <> 'expired' AND d.round = w.round
            AND NOT EXISTS (SELECT
                              FROM review_decision later
                             WHERE later.tenant_id = d.tenant_id AND later.review_id = d.review_id
                               AND later.supersedes = d.decision_id)) AS stands
      FROM review w
           JOIN review_decision d ON d.tenant_id = w.tenant_id AND d.review_id = w.review_id
     WHERE w.tenant_id = current_tenant() AND w.review_id = $1
     ORDER BY d.decision_id
"""


async def list_decisions(conn: Connection, review_id: int) -> tuple[RecordedDecision, ...]:
    """Return every decision on the entry, the oldest first, also those that no longer stand."""
    return tuple(decision_of(row) for row in await conn.fetch(LIST_DECISIONS, review_id))


LIST_REQUESTS: Final[LiteralString] = """
    SELECT report_id, claim_id, code, requested_at
      FROM review_request
     WHERE tenant_id = current_tenant() AND review_id = $1
     ORDER BY requested_at DESC, report_id DESC, claim_id
     LIMIT $2
"""


async def list_requests(
    conn: Connection, review_id: int, *, limit: int
) -> tuple[ReviewRequest, ...]:
    """Return the newest claims that ask the entry, at most `limit`."""
    return tuple(_requests(await conn.fetch(LIST_REQUESTS, review_id, limit)))


FIND_ASKED: Final[LiteralString] = """
    SELECT r.report_id, r.turn ->> 'question' AS question, r.answer, q.start_at, q.end_at, r.turn,
           jsonb_path_query_first(r.report, '$.verdicts[*] ? (@.claim == $claim)',
                                  jsonb_build_object('claim', q.claim_id)) AS verdict
      FROM review_request q
           JOIN report r ON r.tenant_id = q.tenant_id AND r.report_id = q.report_id
     WHERE q.tenant_id = current_tenant() AND q.review_id = $1
     ORDER BY q.requested_at, q.report_id
     LIMIT 1
"""


async def find_asked(conn: Connection, review_id: int) -> AskedClaim | None:
    """Return the claim that asked the entry first; None where no report that asks it is kept."""
    row = await conn.fetchrow(FIND_ASKED, review_id)
    if row is None:
        return None
    verdict = json.loads(row["verdict"] or "{}")
    return AskedClaim(
        report_id=row["report_id"],
        question=row["question"],
        answer=row["answer"],
        span=Span(row["start_at"], row["end_at"]),
        detail=verdict.get("detail"),
        evidence=tuple(verdict.get("evidence", ())),
        turn=json.loads(row["turn"]),
    )


def _requests(rows: list[Record]) -> Iterator[ReviewRequest]:
    for row in rows:
        yield ReviewRequest(**{**dict(row), "code": VerdictCode(row["code"])})


def _entry(row: Record) -> ReviewEntry:
    why = row["expired_why"]
    return ReviewEntry(
        review_id=row["review_id"],
        state=ReviewState(row["state"]),
        code=VerdictCode(row["code"]),
        answers=row["answers"],
        created_at=row["created_at"],
        round=row["round"],
        disputed=row["disputed"],
        reviewers=row["reviewers"],
        sources=tuple(row["sources"]),
        claim=row["claim"] or None,
        expired_why=None if why is None else Expiry(why),
        expired_at=row["expired_at"],
        assigned_to=row["assigned_to"],
        assigned_by=row["assigned_by"],
        assigned_at=row["assigned_at"],
    )
