"""Requests that their callers named, so that one sent twice is done once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final, LiteralString, TypeAlias

if TYPE_CHECKING:
    from uuid import UUID

    from verifier.store.pool import Connection

KEPT: Final = timedelta(hours=24)
_TRIES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestName:
    """What a caller named which request: the name is the key's own, the hash is of all that was sent."""

    key_id: int
    name: str
    request_hash: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResponse:
    """What the request came to when it was done."""

    status: int
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """The request is the caller's to do; `run` is to be told when it ends."""

    run: UUID


class Refusal(StrEnum):
    """Why a named request is neither done nor answered."""

    RUNNING = "running"
    OTHER_REQUEST = "other_request"


Beginning: TypeAlias = Begun | StoredResponse | Refusal

BEGIN_REQUEST: Final[LiteralString] = """
    INSERT INTO idempotency_key AS k
           (tenant_id, key_id, name, request_hash, run, deadline, expires_at)
    VALUES (current_tenant(), $1, $2, $3, gen_random_uuid(), clock_timestamp() + $4::interval,
            clock_timestamp() + $5::interval)
    ON CONFLICT (tenant_id, key_id, name) DO UPDATE
       SET request_hash = excluded.request_hash, run = excluded.run, deadline = excluded.deadline,
           expires_at = excluded.expires_at, status = NULL, media_type = NULL, response = NULL
     WHERE k.expires_at <= clock_timestamp()
        OR (k.status IS NULL AND k.deadline <= clock_timestamp()
            AND k.request_hash = excluded.request_hash)
    RETURNING run
"""

READ_REQUEST: Final[LiteralString] = """
    SELECT request_hash, status, media_type, response
      FROM idempotency_key
     WHERE tenant_id = current_tenant() AND key_id = $1 AND name = $2
"""

REMOVE_EXPIRED: Final[LiteralString] = """
    DELETE FROM idempotency_key k
     USING (SELECT key_id, name
              FROM idempotency_key
             WHERE tenant_id = current_tenant() AND expires_at <= clock_timestamp()
             ORDER BY key_id, name
             LIMIT 1000
               FOR UPDATE SKIP LOCKED) AS old
     WHERE k.tenant_id = current_tenant() AND k.key_id = old.key_id AND k.name = old.name
"""


async def begin_request(conn: Connection, named: RequestName, runs_for: timedelta) -> Beginning:
    """Begin a named request, or return what it came to, or why it can't be begun.

    One that was begun and did not end within `runs_for` died, and is begun again. A name is kept for a day.
    """
    await conn.execute(REMOVE_EXPIRED)
    for _ in range(_TRIES):
        run = await conn.fetchval(
            BEGIN_REQUEST, named.key_id, named.name, named.request_hash, runs_for, KEPT
        )
        if run is not None:
            return Begun(run=run)
        row = await conn.fetchrow(READ_REQUEST, named.key_id, named.name)
        if row is None:  # abandoned between the two statements
            continue
        if row["request_hash"] != named.request_hash:
            return Refusal.OTHER_REQUEST
        if row["status"] is None:
            return Refusal.RUNNING
        return StoredResponse(
            status=row["status"], media_type=row["media_type"], content=row["response"]
        )
    return Refusal.RUNNING


FINISH_REQUEST: Final[LiteralString] = """
    UPDATE idempotency_key
       SET status = $4, media_type = $5, response = $6
     WHERE tenant_id = current_tenant() AND key_id = $1 AND name = $2 AND run = $3
"""


async def finish_request(
    conn: Connection, named: RequestName, run: UUID, response: StoredResponse
) -> None:
    """Keep what the request came to, unless another run has taken its place."""
    await conn.execute(
        FINISH_REQUEST,
        named.key_id,
        named.name,
        run,
        response.status,
        response.media_type,
        response.content,
    )


ABANDON_REQUEST: Final[LiteralString] = """
    DELETE FROM idempotency_key
     WHERE tenant_id = current_tenant() AND key_id = $1 AND name = $2 AND run = $3 AND status IS NULL
"""


async def abandon_request(conn: Connection, named: RequestName, run: UUID) -> None:
    """Forget a run that came to nothing, so that the request may be sent again at once."""
    await conn.execute(ABANDON_REQUEST, named.key_id, named.name, run)
