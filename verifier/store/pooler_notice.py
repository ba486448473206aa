"""Making connections, and noticing a transaction pooler on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import asyncpg
from asyncpg import exceptions as driver

from verifier.store.driver_errors import connecting_to

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

MARK: Final = "verifier.direct"
"""A setting that a server keeps for the whole session, and that no pooler passes on."""


def choose_connector(
    address: str,
    settings: Mapping[str, str],
    *,
    note_direct: Callable[[asyncpg.Connection], None],
) -> Callable[..., Awaitable[asyncpg.Connection]]:
    """Return what makes connections: directly while that can be, else as a transaction pooler needs it.

    Direct ones have the `settings`, and are passed to `note_direct`; the others have neither settings nor
    prepared statements. With a `statement_cache_size` of 0 none is direct.
    """
    pooled = False

    async def connect(*args: object, **options: object) -> asyncpg.Connection:
        nonlocal pooled
        with connecting_to(address):
            if not pooled and options["statement_cache_size"]:
                connection = await _connect_directly(settings, *args, **options)
                if connection is not None:
                    note_direct(connection)
                    return connection
                pooled = True
            return await asyncpg.connect(*args, **{**options, "statement_cache_size": 0})

    return connect


async def _connect_directly(
    settings: Mapping[str, str], *args: object, **options: object
) -> asyncpg.Connection | None:
    """Return a connection that has the settings, or None where something on the way does not keep them.

    Poolers refuse settings that they can't keep, or drop them without a word; then the mark is missing.
    """
    try:
        connection = await asyncpg.connect(
            *args, **options, server_settings={**settings, MARK: "on"}
        )
    except driver.ProtocolViolationError:
        return None
    try:
        # Not a prepared statement, which a pooler could send to two servers by halves.
        await connection.execute(f"SHOW {MARK}")
    except driver.UndefinedObjectError:
        await connection.close()
        return None
    except BaseException:
        connection.terminate()
        raise
    return connection
