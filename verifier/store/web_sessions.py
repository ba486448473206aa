"""Sessions of the web page: opened for a key, found by the hash of their token, closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, LiteralString

from verifier.errors import InputError
from verifier.store.api_keys import read_caller

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from verifier.store.api_keys import FoundCaller
    from verifier.store.pool import Connection

OPEN_SESSION: Final[LiteralString] = """
    INSERT INTO web_session (tenant_id, token_hash, key_id, expires_at)
    SELECT k.tenant_id, $1, k.key_id, least(k.expires_at, clock_timestamp() + $3::interval)
      FROM api_key k
     WHERE k.tenant_id = current_tenant()
       AND k.key_id = $2
       AND k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
    RETURNING expires_at
"""

REMOVE_EXPIRED: Final[LiteralString] = """
    DELETE FROM web_session
     WHERE tenant_id = current_tenant() AND expires_at <= clock_timestamp()
"""


async def open_session(
    conn: Connection, token_hash: bytes, key_id: int, lasts: timedelta
) -> datetime:
    """Record a session of the key and return when it ends, with the key at the latest.

    Removes the tenant's sessions that have ended. Raises InputError where the key serves no more.
    """
    await conn.execute(REMOVE_EXPIRED)
    expires_at: datetime | None = await conn.fetchval(OPEN_SESSION, token_hash, key_id, lasts)
    if expires_at is None:
        raise InputError("the key serves no more; sign in with another one")
    return expires_at


FIND_SESSION: Final[LiteralString] = """
    SELECT tenant_id, key_id, name, scopes, may_act_for_principals, may_supply_calls, expires_in_s,
           used_lately
      FROM find_web_session($1)
"""


async def find_session(conn: Connection, token_hash: bytes) -> FoundCaller | None:
    """Return whose session it is; None where it is unknown, has ended, or its key serves no more."""
    row = await conn.fetchrow(FIND_SESSION, token_hash)
    return None if row is None else read_caller(row)


CLOSE_SESSION: Final[LiteralString] = """
    DELETE FROM web_session
     WHERE tenant_id = current_tenant() AND token_hash = $1
"""


async def close_session(conn: Connection, token_hash: bytes) -> None:
    """Remove a session; one that there is not is no error."""
    await conn.execute(CLOSE_SESSION, token_hash)


CLOSE_SESSIONS_OF_KEY: Final[LiteralString] = """
    DELETE FROM web_session
     WHERE tenant_id = current_tenant() AND key_id = $1
"""


async def close_sessions_of(conn: Connection, key_id: int) -> None:
    """Remove every session of a key."""
    await conn.execute(CLOSE_SESSIONS_OF_KEY, key_id)
