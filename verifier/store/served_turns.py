"""Turns that several processes append to: each append is one statement, numbered by the turn itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.turn_events import EventKind, TurnEvent

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from verifier.store.pool import Connection

SWEPT_A_TIME: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnHolder:
    """Who asks for a turn: the key `key_id`, None for the application itself, or who `sees_all` of them."""

    key_id: int | None
    sees_all: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """A turn as it was begun, and how much happened in it; `size` counts the bytes of all."""

    turn_id: str
    turn: str
    vouched: bool
    events: int
    calls: int
    size: int
    begun_at: datetime
    expires_at: datetime


ADD_TURN: Final[LiteralString] = """
    INSERT INTO served_turn (tenant_id, turn_id, key_id, vouched, turn, size, begun_at, expires_at)
    SELECT current_tenant(), $1, $2, $3, $4, octet_length($4), moment.now, moment.now + $5::interval
      FROM (SELECT clock_timestamp() AS now) AS moment
"""


async def add_turn(
    conn: Connection,
    turn_id: str,
    turn: str,
    *,
    key_id: int | None,
    vouched: bool,
    lasts: timedelta,
) -> None:
    """Begin a turn, `turn` its text; it is `vouched` for where who tells it may supply evidence."""
    await conn.execute(ADD_TURN, turn_id, key_id, vouched, turn, lasts)


APPEND_EVENT: Final[LiteralString] = """
    WITH counted AS (
         UPDATE served_turn
            SET events = events + 1,
                calls = calls + CASE WHEN $4 = 'call' THEN 1 ELSE 0 END,
                size = size + octet_length($5),
                vouched = vouched AND $6
          WHERE tenant_id = current_tenant() AND turn_id = $1 AND expires_at > clock_timestamp()
            AND ($2 OR key_id = $3)
            AND events < $7 AND size + octet_length($5) <= $8
         RETURNING tenant_id, turn_id, events, calls),
         added AS (
         INSERT INTO served_turn_event (tenant_id, turn_id, position, kind, event)
         SELECT tenant_id, turn_id, events, $4, $5
           FROM counted)
    SELECT calls FROM counted
"""


async def append_event(
    conn: Connection,
    turn_id: str,
    event: TurnEvent,
    *,
    holder: TurnHolder,
    vouched: bool,
    most_events: int,
    most_bytes: int,
) -> int | None:
    """Append what happened and return how many calls the turn has now; None where it takes no more.

    That is where there is no such turn for the holder, it expired, or it would hold more than it may. What is
    not `vouched` for makes the whole turn so.
    """
    calls: int | None = await conn.fetchval(
        APPEND_EVENT,
        turn_id,
        holder.sees_all,
        holder.key_id,
        event.kind.value,
        event.text,
        vouched,
        most_events,
        most_bytes,
    )
    return calls


FIND_TURN: Final[LiteralString] = """
    SELECT turn_id, turn, vouched, events, calls, size, begun_at, expires_at
      FROM served_turn
     WHERE tenant_id = current_tenant() AND turn_id = $1 AND expires_at > clock_timestamp()
       AND ($2 OR key_id = $3)
"""


async def find_turn(conn: Connection, turn_id: str, holder: TurnHolder) -> StoredTurn | None:
    """Return the turn, None where the holder has none of that id that still runs."""
    row = await conn.fetchrow(FIND_TURN, turn_id, holder.sees_all, holder.key_id)
    return None if row is None else StoredTurn(**dict(row))


LIST_EVENTS: Final[LiteralString] = """
    SELECT kind, event
      FROM served_turn_event
     WHERE tenant_id = current_tenant() AND turn_id = $1
     ORDER BY position
"""


async def list_events(conn: Connection, turn_id: str) -> tuple[TurnEvent, ...]:
    """Return what happened in the turn, in order."""
    return tuple(
        TurnEvent(kind=EventKind(row["kind"]), text=row["event"])
        for row in await conn.fetch(LIST_EVENTS, turn_id)
    )


SWEEP_TURNS: Final[LiteralString] = """
    SELECT sweep_served_turns($1)
"""


async def sweep_turns(conn: Connection) -> int:
    """Remove some turns that have expired, with what happened in them; return how many."""
    swept: int = await conn.fetchval(SWEEP_TURNS, SWEPT_A_TIME)
    return swept
