"""Pools of read-only connections to canonical databases, and the borrowing of one connection."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

import asyncpg
from asyncpg import exceptions as driver

from verifier.errors import DatabaseTimeout, DatabaseUnavailable
from verifier.store.driver_errors import describe_address
from verifier.store.pooler_notice import choose_connector

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

CanonicalPool: TypeAlias = asyncpg.Pool
STATEMENT_TIMEOUT_S: Final = 5.0
_SHORTEST_TIMEOUT_MS: Final = 1
# What a driver raises besides its own errors: a cut stream, a pool of another loop, bytes that are no text.
_FAILURES: Final = (
    driver.PostgresError,
    driver.InterfaceError,
    driver.InternalClientError,
    OSError,
    EOFError,
    RuntimeError,
    ValueError,
)


class _CanonicalConnection(asyncpg.Connection):  # type: ignore[misc]
    """A connection that knows the limit to which its server holds each statement, if it took our settings."""

    __slots__ = ("limit_ms",)

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.limit_ms: int | None = None


async def open_canonical_pool(
    dsn: str,
    *,
    timeout_s: float = STATEMENT_TIMEOUT_S,
    connect_timeout_s: float = 5.0,
    max_size: int = 4,
    statement_cache_size: int = 100,
) -> CanonicalPool:
    """Return a pool whose connections are made when first needed, so that a server may be down now.

    A transaction pooler on the way is noticed, and served by one transaction a statement without prepared
    statements; `statement_cache_size=0` says so beforehand. A connection string that can't be used is told
    by a SettingsError when it is first used.
    """
    limit_ms = _in_ms(timeout_s)
    settings = {
        "default_transaction_read_only": "on",
        "statement_timeout": str(limit_ms),
        "jit": "off",
    }

    def note_direct(connection: _CanonicalConnection) -> None:
        connection.limit_ms = limit_ms

    return await asyncpg.create_pool(
        dsn,
        connect=choose_connector(describe_address(dsn), settings, note_direct=note_direct),
        connection_class=_CanonicalConnection,
        min_size=0,
        max_size=max_size,
        timeout=connect_timeout_s,
        command_timeout=timeout_s * 2,
        statement_cache_size=statement_cache_size,
        reset=_leave_as_it_is,
    )


@asynccontextmanager
async def reading(pool: CanonicalPool, timeout_s: float) -> AsyncIterator[asyncpg.Connection]:
    """Yield a connection that can't write, and whose statements may take `timeout_s`.

    Directly connected, both are settings of the connection, and a statement is one round trip; behind a
    pooler, and in a pool that others made, they are those of a transaction. Raises DatabaseUnavailable,
    DatabaseTimeout and SettingsError.
    """
    limit_ms = _in_ms(timeout_s)
    with _translating(f"within {timeout_s:g} seconds"):
        _check_loop(pool)
        async with asyncio.timeout(timeout_s * 2), pool.acquire(timeout=timeout_s) as connection:
            held_to = getattr(connection, "limit_ms", None)
            if held_to is not None:
                # The server ends a statement itself, unless it was given a longer limit for all.
                async with asyncio.timeout(timeout_s if held_to > limit_ms else None):
                    yield connection
                return
            async with connection.transaction(readonly=True):
                await connection.execute(
                    f"SET LOCAL statement_timeout = {limit_ms}; SET LOCAL jit = off"
                )
                yield connection


@asynccontextmanager
async def borrow_connection(pool: CanonicalPool) -> AsyncIterator[asyncpg.Connection]:
    """Yield a connection of the pool. Raises DatabaseUnavailable, DatabaseTimeout and SettingsError."""
    with _translating("in time"):
        _check_loop(pool)
        async with pool.acquire() as connection:
            yield connection


@contextmanager
def _translating(limit: str) -> Iterator[None]:
    try:
        yield
    except (TimeoutError, driver.QueryCanceledError, driver.LockNotAvailableError) as error:
        raise DatabaseTimeout(f"the canonical tables did not answer {limit}") from error
    except _FAILURES as error:
        raise DatabaseUnavailable(f"the canonical tables can't be read: {error}") from error


def _check_loop(pool: CanonicalPool) -> None:
    """Refuse a pool of another event loop, in which its connections would wait for ever.

    The driver tells the loop of a pool nowhere else.
    """
    loop = getattr(pool, "_loop", None)
    if loop is not None and loop is not asyncio.get_running_loop():
        raise DatabaseUnavailable(
            "the pool belongs to another event loop; open one in the loop that verifies"
        )


def _in_ms(timeout_s: float) -> int:
    return max(int(timeout_s * 1000), _SHORTEST_TIMEOUT_MS)


async def _leave_as_it_is(connection: object) -> None:
    """Skip the statements that clear a session: every setting here ends with its transaction."""
