"""Decisions of reviewers, and entries that are opened again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.reviews import Decision, Expiry, ReviewState
from verifier.errors import InputError, UnknownThing
from verifier.store.storable import is_storable, storable_text

if TYPE_CHECKING:
    from datetime import datetime

    from asyncpg import Record

    from verifier.store.pool import Connection

LARGEST_ID: Final = 2**63 - 1
LONGEST_NAME: Final = 200
LONGEST_REASON: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDecision:
    """What one reviewer said in one round.

    `stands` is False of what he decided anew since, of earlier rounds, and of an entry that expired.
    """

    decision_id: int
    reviewer: str
    decision: Decision
    reason: str
    decided_at: datetime
    round: int
    supersedes: int | None
    stands: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _LockedEntry:
    review_id: int
    state: ReviewState
    round: int
    expired_why: Expiry | None


LOCK_ENTRY: Final[LiteralString] = """
    SELECT review_id, state, round, expired_why
      FROM review
     WHERE tenant_id = current_tenant() AND review_id = $1
       FOR NO KEY UPDATE
"""


async def _lock_entry(conn: Connection, review_id: int) -> _LockedEntry:
    row = await conn.fetchrow(LOCK_ENTRY, check_id(review_id))
    if row is None:
        raise unknown_review(review_id)
    why = row["expired_why"]
    return _LockedEntry(
        review_id=row["review_id"],
        state=ReviewState(row["state"]),
        round=row["round"],
        expired_why=None if why is None else Expiry(why),
    )


def check_id(review_id: int) -> int:
    """Return the id, which an entry may have. Raises UnknownThing where none can."""
    if not 0 < review_id <= LARGEST_ID:
        raise unknown_review(review_id)
    return review_id


def unknown_review(review_id: int) -> UnknownThing:
    """Return the error that names an entry which does not exist."""
    return UnknownThing(
        f"there is no review {review_id}; `verifier reviews list` shows those there are"
    )


ADD_DECISION: Final[LiteralString] = """
    INSERT INTO review_decision AS d
           (tenant_id, review_id, round, reviewer, decision, reason, supersedes)
    SELECT current_tenant(), $1, $2, $3, $4, $5,
           (SELECT max(own.decision_id)
              FROM review_decision own
             WHERE own.tenant_id = current_tenant() AND own.review_id = $1 AND own.round = $2
               AND own.reviewer = $3)
    RETURNING decision_id, reviewer, decision, reason, decided_at, round, supersedes, true AS stands
"""
NOTE_DECIDED: Final[LiteralString] = """
    UPDATE review w
       SET state = 'decided',
           disputed = (SELECT count(DISTINCT d.decision) > 1
                         FROM review_decision d
                        WHERE d.tenant_id = w.tenant_id AND d.review_id = w.review_id
                          AND d.round = w.round
                          AND NOT EXISTS (SELECT
                                            FROM review_decision later
                                           WHERE later.tenant_id = d.tenant_id
                                             AND later.review_id = d.review_id
                                             AND later.supersedes = d.decision_id))
     WHERE w.tenant_id = current_tenant() AND w.review_id = $1
"""


async def add_decision(
    conn: Connection, review_id: int, decision: Decision, *, by: str, reason: str
) -> RecordedDecision:
    """Record what a reviewer decided, beside what others did; his own earlier decision is superseded.

    Raises UnknownThing for another entry, InputError for one that expired, or without name or reason.
    """
    reviewer, told = read_name(by), read_reason(reason)
    entry = await _lock_entry(conn, review_id)
    if entry.expired_why is not None:
        raise InputError(
            f"review {review_id} has expired ({entry.expired_why.value}); reopen it before it is decided"
        )
    row = await conn.fetchrow(ADD_DECISION, review_id, entry.round, reviewer, decision.value, told)
    await conn.execute(NOTE_DECIDED, review_id)
    return decision_of(row)


ADD_REOPENING: Final[LiteralString] = """
    INSERT INTO review_reopening (tenant_id, review_id, round, by, reason)
    VALUES (current_tenant(), $1, $2, $3, $4)
"""
REOPEN_ENTRY: Final[LiteralString] = """
    UPDATE review
       SET state = 'open', round = $2, disputed = false, expired_why = NULL, expired_at = NULL
     WHERE tenant_id = current_tenant() AND review_id = $1
"""


async def reopen_review(conn: Connection, review_id: int, *, by: str, reason: str) -> int:
    """Open a decided or expired entry again and return its new round; earlier decisions are kept.

    Raises UnknownThing for another entry, InputError where it is open, or where its evidence was erased.
    """
    name, told = read_name(by), read_reason(reason)
    entry = await _lock_entry(conn, review_id)
    if entry.state is ReviewState.OPEN:
        raise InputError(f"review {review_id} is open; it waits for a decision")
    if entry.expired_why is Expiry.ERASED:
        raise InputError(
            f"the evidence of review {review_id} was erased; nothing is left to decide"
        )
    await conn.execute(ADD_REOPENING, review_id, entry.round + 1, name, told)
    await conn.execute(REOPEN_ENTRY, review_id, entry.round + 1)
    return entry.round + 1


def read_name(name: str) -> str:
    """Return the name of a person, without space around it. Raises InputError where it is none."""
    read = name.strip()
    if not read or not is_storable(read) or len(read) > LONGEST_NAME:
        raise InputError(
            f"a review needs the name of a person, of at most {LONGEST_NAME} characters"
        )
    return read


def read_reason(reason: str) -> str:
    """Return a reason without space around it. Raises InputError where it is blank or too long."""
    read = storable_text(reason.strip())
    if not read or len(read) > LONGEST_REASON:
        raise InputError(f"a review needs a reason, of at most {LONGEST_REASON:,} characters")
    return read


def decision_of(row: Record) -> RecordedDecision:
    """Return the decision of a row."""
    return RecordedDecision(**{**dict(row), "decision": Decision(row["decision"])})
