"""Pools of read-only connections to canonical databases."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import asyncpg
from asyncpg import exceptions as driver

from verifier.errors import DatabaseTimeout, DatabaseUnavailable, SettingsError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from verifier.store.canonical import CanonicalPool


async def open_canonical_pool(
    dsn: str,
    *,
    timeout_s: float = 5.0,
    connect_timeout_s: float = 5.0,
    max_size: int = 4,
    statement_cache_size: int = 100,
) -> CanonicalPool:
    """Return a pool whose connections are made when first needed, so that a server may be down now.

    Behind a transaction pooler pass `statement_cache_size=0`. Raises SettingsError for a string that is
    no connection string.
    """
    try:
        return await asyncpg.create_pool(
            dsn,
            min_size=0,
            max_size=max_size,
            timeout=connect_timeout_s,
            command_timeout=timeout_s * 2,
            statement_cache_size=statement_cache_size,
            reset=_leave_as_it_is,
        )
    except (ValueError, driver.ClientConfigurationError) as error:
        raise SettingsError(f"the connection string of a canonical database: {error}") from None


@asynccontextmanager
async def borrow_connection(pool: CanonicalPool) -> AsyncIterator[asyncpg.Connection]:
    """Yield a connection of the pool. Raises DatabaseUnavailable and DatabaseTimeout."""
    try:
        async with pool.acquire() as connection:
            yield connection
    except TimeoutError as error:
        raise DatabaseTimeout("the canonical database did not answer in time") from error
    except (OSError, driver.PostgresError, driver.InterfaceError) as error:
        raise DatabaseUnavailable(f"the canonical database can't be read: {error}") from error


async def _leave_as_it_is(connection: object) -> None:
    """Skip the statements that clear a session: every setting here ends with its transaction."""
