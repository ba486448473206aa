"""Connections to the store: the pool, the transaction of one tenant, and driver errors in one place."""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, LiteralString, TypeAlias

import asyncpg
from asyncpg import exceptions as driver
from asyncpg.pool import PoolConnectionProxy

from verifier.errors import InputError, SchemaMismatch, TenantRequired
from verifier.store.driver_errors import (
    UPGRADE,
    describe_address,
    reading_dsn,
    retrying,
    translate_errors,
)
from verifier.store.pooler_notice import choose_connector
from verifier.store.storable import is_storable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import numpy as np
    from numpy.typing import NDArray
    from pgvector import HalfVector, Vector

__all__ = [
    "Connection",
    "Pool",
    "open_pool",
    "retrying",
    "tenant_transaction",
    "transaction_before_tenant",
    "translate_errors",
]

Pool: TypeAlias = asyncpg.Pool
# A pool lends a proxy of a connection.
Connection: TypeAlias = asyncpg.Connection | PoolConnectionProxy

_FREE_CONNECTION_TIMEOUT_S: Final = 60.0

ENTER_TENANT: Final[LiteralString] = """
    SELECT set_config('role', 'verifier_app', true),
           set_config('search_path', 'verifier, public, extensions', true),
           set_config('verifier.tenant', $1, true)
"""

LOCATE_VECTORS: Final[LiteralString] = """
    SELECT n.nspname
      FROM pg_catalog.pg_extension e
      JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
     WHERE e.extname = 'vector'
"""


class _StoreConnection(asyncpg.Connection):  # type: ignore[misc]
    """A connection that sends and reads pgvector's types, from when the extension exists."""

    __slots__ = ("knows_vectors",)

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.knows_vectors = False

    async def learn_vectors(self) -> None:
        """Register the codecs; without the extension do nothing, the next use tries again.

        In a transaction, since a pooler may send what stands outside of one to several servers.
        """
        async with self.transaction():
            schema = await self.fetchval(LOCATE_VECTORS)
            if schema is not None:
                await self._register_codecs(schema)
                self.knows_vectors = True

    async def _register_codecs(self, schema: str) -> None:
        from pgvector import HalfVector, Vector

        for name, kind in (("vector", Vector), ("halfvec", HalfVector)):
            await self.set_type_codec(
                name,
                schema=schema,
                format="binary",
                encoder=partial(_encode, kind),
                decoder=kind.from_binary,
            )


def _encode(
    kind: type[Vector | HalfVector],
    numbers: Vector | HalfVector | list[float] | NDArray[np.float32],
) -> bytes:
    if hasattr(numbers, "to_binary"):
        return bytes(numbers.to_binary())
    return bytes(kind(numbers).to_binary())


async def open_pool(
    dsn: str,
    *,
    min_size: int = 1,
    max_size: int = 8,
    command_timeout_s: float = 30.0,
    connect_timeout_s: float = 10.0,
    statement_cache_size: int = 100,
) -> Pool:
    """Return a pool of connections to `dsn`.

    A transaction pooler on the way is noticed, and served without prepared statements;
    `statement_cache_size=0` says so beforehand. Raises DatabaseUnavailable naming host, port and database,
    now or whenever a connection is made, and SettingsError where the string can't be read.
    """
    with reading_dsn():
        return await asyncpg.create_pool(
            dsn,
            connect=choose_connector(describe_address(dsn), {}, note_direct=_leave_untouched),
            connection_class=_StoreConnection,
            min_size=min_size,
            max_size=max_size,
            command_timeout=command_timeout_s,
            timeout=connect_timeout_s,
            statement_cache_size=statement_cache_size,
            setup=_learn_vectors,
            reset=_leave_as_it_is,
        )


async def _learn_vectors(connection: Connection) -> None:
    if not connection.knows_vectors:
        await connection.learn_vectors()


def _leave_untouched(connection: object) -> None:
    """Do nothing with a direct connection: each transaction here brings its settings along."""


async def _leave_as_it_is(connection: object) -> None:
    """Skip the statements that clear a session: all settings here end with their transaction."""


@asynccontextmanager
async def tenant_transaction(
    pool: Pool, tenant: str, *, read_only: bool = False
) -> AsyncIterator[Connection]:
    """Yield a connection in a transaction that sees the rows of `tenant` alone, as verifier_app.

    Commits at the end, rolls back on any exception or cancellation. Raises TenantRequired before
    anything is sent; driver errors come out as StoreErrors.
    """
    if not tenant.strip():
        raise TenantRequired("no tenant is named; name the one whose rows are meant")
    if not is_storable(tenant):
        raise InputError("a tenant's name can't hold NUL or lone surrogates")
    async with _transaction(pool, tenant, read_only=read_only) as connection:
        yield connection


@asynccontextmanager
async def transaction_before_tenant(pool: Pool) -> AsyncIterator[Connection]:
    """Yield a connection that only reads, as verifier_app without a tenant, in which every table refuses.

    It is for the functions that find out whose request it is, and for nothing else.
    """
    async with _transaction(pool, "", read_only=True) as connection:
        yield connection


@asynccontextmanager
async def _transaction(pool: Pool, tenant: str, *, read_only: bool) -> AsyncIterator[Connection]:
    with translate_errors():
        async with (
            pool.acquire(timeout=_FREE_CONNECTION_TIMEOUT_S) as connection,
            connection.transaction(readonly=read_only),
        ):
            await _enter_tenant(connection, tenant)
            yield connection


async def _enter_tenant(connection: Connection, tenant: str) -> None:
    try:
        await connection.execute(ENTER_TENANT, tenant)
    except (driver.InvalidParameterValueError, driver.InsufficientPrivilegeError) as error:
        raise SchemaMismatch(
            f"the login can't act as verifier_app ({error}); {UPGRADE} with this login, "
            "or GRANT verifier_app to it"
        ) from error
