"""Turns kept in the store while their answer is written, for agents that are not in this process."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from verifier.core.keys import Scope
from verifier.core.turn_events import (
    EventKind,
    TurnEvent,
    restore_turn,
    write_call,
    write_search,
    write_turn,
)
from verifier.core.turn_json import turn_to_json
from verifier.core.turn_recorder import TurnRecorder
from verifier.core.turns import Origin
from verifier.errors import InputError, UnknownThing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.connections import Connections
    from verifier.core.documents import SearchHit, SearchResult
    from verifier.core.keys import Caller
    from verifier.core.turns import RetrievedChunk, ToolCall, Turn
    from verifier.store.pool import Connection
    from verifier.store.served_turns import StoredTurn, TurnHolder

MOST_EVENTS: Final = 500
MOST_BYTES_OF_ONE: Final = 1_000_000
MOST_BYTES: Final = 5_000_000
LASTS: Final = timedelta(hours=24)
LONGEST: Final = timedelta(days=7)
_RANDOM_BYTES: Final = 24
_LONGEST_ID: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedTurn:
    """A turn that runs: what was recorded in it, and until when it may be used; `turn` is a turn file."""

    turn_id: str
    begun_at: datetime
    expires_at: datetime
    calls: int
    searches: int
    origin: Origin
    turn: Mapping[str, object]


class ServedTurns:
    """Turns of one tenant that are known by their id. `Verifier.turns` is one.

    `by` is the key that asks, None the application itself, which may use every turn of its tenant. A key may
    use those that it began itself or that were begun for it, with the scope admin every one; any other id is
    UnknownThing, as are those that expired. Calls told by a key that may not supply them make the turn's
    evidence that of a caller.
    """

    def __init__(self, connections: Connections, tenant: str) -> None:
        self._connections = connections
        self._tenant = tenant

    async def begin(
        self,
        turn: Turn | None = None,
        *,
        by: Caller | None = None,
        for_key: str | None = None,
        lasts: timedelta = LASTS,
        **turn_fields: Any,  # noqa: ANN401 -- the fields of `Turn`, as they are
    ) -> str:
        """Begin a turn, told whole or by its fields, and return the id by which it is known for a day.

        Its own calls and chunks are recorded first. `for_key` is the name of the key that uses it, in place
        of `by`, as the key of an agent that knows none of the application's. Raises InputError, and
        UnknownThing where no such key serves.
        """
        from verifier.store.served_turns import add_turn, sweep_turns

        if not timedelta(0) < lasts <= LONGEST:
            raise InputError(f"a turn lasts more than nothing and at most {LONGEST.days} days")
        told = self._own(turn or TurnRecorder(**turn_fields).freeze())
        turn_id = f"turn_{secrets.token_urlsafe(_RANDOM_BYTES)}"
        written = write_turn(replace(told, turn_id=told.turn_id or turn_id))
        _check_size(written, "the turn")
        async with self._connections.transaction(self._tenant) as conn:
            await sweep_turns(conn)
            await add_turn(
                conn,
                turn_id,
                written,
                key_id=await _user_of(conn, by, for_key),
                vouched=_vouches(by) and told.origin is Origin.APPLICATION,
                lasts=lasts,
            )
            for call in told.calls:
                await self._append(conn, turn_id, _call_event(call), by)
        return turn_id

    async def record(self, turn_id: str, call: ToolCall, *, by: Caller | None = None) -> str:
        """Record a tool call with its result and return its id; one without is named by its number.

        Raises UnknownThing, and InputError where the call is too large or the turn holds too much.
        """
        event = _call_event(call)
        async with self._connections.transaction(self._tenant) as conn:
            number = await self._append(conn, turn_id, event, by)
        return call.call_id or f"call-{number}"

    async def retrieved(
        self,
        turn_id: str,
        hits: SearchResult | Sequence[SearchHit | RetrievedChunk],
        *,
        by: Caller | None = None,
    ) -> None:
        """Record chunks that were given to the model. Raises UnknownThing, InputError."""
        event = TurnEvent(kind=EventKind.SEARCH, text=write_search(hits))
        async with self._connections.transaction(self._tenant) as conn:
            await self._append(conn, turn_id, event, by)

    async def get(self, turn_id: str, *, by: Caller | None = None) -> TurnRecorder:
        """Return the turn with all that was recorded until now, to verify an answer in. Raises UnknownThing.

        Chunks of the store have no text: `Verifier.verify` fills it in.
        """
        return (await self._read(turn_id, by))[1]

    async def describe(self, turn_id: str, *, by: Caller | None = None) -> ServedTurn:
        """Return what was recorded in the turn, and when it expires. Raises UnknownThing."""
        stored, restored = await self._read(turn_id, by)
        turn = restored.freeze()
        return ServedTurn(
            turn_id=stored.turn_id,
            begun_at=stored.begun_at,
            expires_at=stored.expires_at,
            calls=stored.calls,
            searches=stored.events - stored.calls,
            origin=turn.origin,
            turn=turn_to_json(turn),
        )

    async def _read(self, turn_id: str, by: Caller | None) -> tuple[StoredTurn, TurnRecorder]:
        from verifier.store.served_turns import list_events

        async with self._connections.transaction(self._tenant, read_only=True) as conn:
            stored = await self._find(conn, turn_id, by)
            events = await list_events(conn, stored.turn_id)
        return stored, restore_turn(stored.turn, events, vouched=stored.vouched)

    def _own(self, turn: Turn) -> Turn:
        if turn.tenant not in {None, self._tenant}:
            raise InputError(f"the turn is of another tenant than {self._tenant!r}; leave it out")
        return replace(turn, tenant=self._tenant)

    async def _append(
        self, conn: Connection, turn_id: str, event: TurnEvent, by: Caller | None
    ) -> int:
        from verifier.store.served_turns import append_event

        _check_size(event.text, f"the {event.kind.value}")
        _check_id(turn_id)
        number = await append_event(
            conn,
            turn_id,
            event,
            holder=_holder(by),
            vouched=event.kind is EventKind.SEARCH or _vouches(by),
            most_events=MOST_EVENTS,
            most_bytes=MOST_BYTES,
        )
        if number is not None:
            return number
        held = await self._find(conn, turn_id, by)
        raise InputError(
            f"the turn holds {held.events} calls and searches of {held.size:,} bytes; it takes at most "
            f"{MOST_EVENTS} and {MOST_BYTES:,} bytes; begin another"
        )

    async def _find(self, conn: Connection, turn_id: str, by: Caller | None) -> StoredTurn:
        from verifier.store.served_turns import find_turn

        _check_id(turn_id)
        found = await find_turn(conn, turn_id, _holder(by))
        if found is None:
            raise _unknown(turn_id)
        return found


def _holder(by: Caller | None) -> TurnHolder:
    from verifier.store.served_turns import TurnHolder

    if by is None:
        return TurnHolder(key_id=None, sees_all=True)
    return TurnHolder(key_id=by.key_id, sees_all=by.may(Scope.ADMIN))


async def _user_of(conn: Connection, by: Caller | None, for_key: str | None) -> int | None:
    """Return the id of the key that uses a turn, besides those that may use every one."""
    from verifier.store.api_keys import list_keys

    if for_key is None:
        return None if by is None else by.key_id
    for one in await list_keys(conn):
        if one.name == for_key and one.revoked_at is None:
            return one.key_id
    raise UnknownThing(f"no key {for_key!r} serves; `verifier keys list` shows those there are")


def _vouches(by: Caller | None) -> bool:
    return by is None or by.may_supply_calls


def _call_event(call: ToolCall) -> TurnEvent:
    return TurnEvent(kind=EventKind.CALL, text=write_call(call))


def _check_size(written: str, what: str) -> None:
    if len(written) > MOST_BYTES_OF_ONE:
        raise InputError(
            f"{what} is {len(written):,} bytes of JSON; at most {MOST_BYTES_OF_ONE:,} are recorded; "
            "tell a part of it, with complete: false"
        )


def _check_id(turn_id: str) -> None:
    if len(turn_id) > _LONGEST_ID or not turn_id.isascii() or not turn_id.isprintable():
        raise _unknown(turn_id[:_LONGEST_ID])


def _unknown(turn_id: str) -> UnknownThing:
    return UnknownThing(f"there is no turn {turn_id!r}, or it has expired; begin one")
