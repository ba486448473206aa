"""The connections of one process, each made when it is first needed."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.errors import CatalogError, DatabaseUnavailable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from verifier.embedded import EmbeddedPostgres
    from verifier.settings import Settings
    from verifier.store.pool import Connection, Pool

STORE_DATABASE: Final = "default"
"""The canonical database that a catalog means where it names none: the store's own server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolUse:
    """How many connections of a pool are lent, how many are open, and how many there may be."""

    in_use: int
    open: int
    most: int


class Connections:
    """The store's pool and one pool a canonical database; nothing is opened before it is asked for.

    Without a DSN the embedded server is started, and brought to this package's schema, at first use.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = asyncio.Lock()
        self._exit = AsyncExitStack()
        self._embedded: EmbeddedPostgres | None = None
        self._store: Pool | None = None
        self._fits = False
        self._canonical: dict[str, Pool] = {}

    @property
    def opened(self) -> bool:
        """Whether any connection was made."""
        return self._store is not None or bool(self._canonical)

    async def store(self) -> Pool:
        """Return the store's pool. Raises StoreError where it can't be opened or is of another schema."""
        from verifier.store.schema import check_schema

        pool = await self.store_as_it_is()
        async with self._lock:
            if not self._fits:
                async with pool.acquire() as conn:
                    await check_schema(conn)
                self._fits = True
        return pool

    @asynccontextmanager
    async def transaction(
        self, tenant: str, *, read_only: bool = False
    ) -> AsyncIterator[Connection]:
        """Yield a connection of the store in a transaction of the tenant. Raises StoreError."""
        from verifier.store.pool import tenant_transaction

        async with tenant_transaction(await self.store(), tenant, read_only=read_only) as conn:
            yield conn

    @asynccontextmanager
    async def transaction_before_tenant(self) -> AsyncIterator[Connection]:
        """Yield a connection of the store that finds whose request it is. Raises StoreError."""
        from verifier.store.pool import transaction_before_tenant

        async with transaction_before_tenant(await self.store()) as conn:
            yield conn

    @property
    def use(self) -> PoolUse:
        """How much of the store's pool is in use; nothing of one that was not opened."""
        if self._store is None:
            return PoolUse(in_use=0, open=0, most=self._settings.pool_max_size)
        size = self._store.get_size()
        return PoolUse(
            in_use=size - self._store.get_idle_size(),
            open=size,
            most=self._store.get_max_size(),
        )

    async def store_as_it_is(self) -> Pool:
        """Return the store's pool whatever its schema, to look at it. Raises StoreError."""
        self._keep_to_one_loop()
        async with self._lock:
            if self._store is None:
                self._store = await self._open_store()
            return self._store

    async def canonical(self, name: str) -> Pool:
        """Return the read-only pool of the canonical database `name`. Raises StoreError, CatalogError."""
        self._keep_to_one_loop()
        async with self._lock:
            if name not in self._canonical:
                self._canonical[name] = await self._open_canonical(name)
            return self._canonical[name]

    def canonical_timeout_s(self, name: str) -> float:
        """Return how long a statement of the canonical database `name` may take."""
        declared = self._settings.databases.get(name)
        return self._settings.canonical_timeout_s if declared is None else declared.timeout_s

    async def close(self) -> None:
        """Give every connection back, and leave the embedded server."""
        async with self._lock:
            self._store, self._fits, self._loop = None, False, None
            self._canonical.clear()
            await self._exit.aclose()

    def _keep_to_one_loop(self) -> None:
        """Refuse another event loop than that of the first use: a connection lives in one alone."""
        running = asyncio.get_running_loop()
        if self._loop not in {None, running}:
            raise DatabaseUnavailable(
                "the connections belong to another event loop; open a verifier in the loop that uses it"
            )
        self._loop = running

    async def _open_store(self) -> Pool:
        from verifier.store.pool import open_pool

        dsn = await self._store_dsn()
        pool = await open_pool(
            dsn,
            min_size=self._settings.pool_min_size,
            max_size=self._settings.pool_max_size,
            command_timeout_s=self._settings.statement_timeout_s,
            connect_timeout_s=self._settings.connect_timeout_s,
        )
        self._exit.push_async_callback(pool.close)
        return pool

    async def _store_dsn(self) -> str:
        if self._settings.dsn is not None:
            return self._settings.dsn.get_secret_value()
        server = await self._start_embedded()
        return server.app_dsn

    async def _start_embedded(self) -> EmbeddedPostgres:
        from verifier.embedded import start_embedded
        from verifier.store.schema import upgrade_schema

        if self._embedded is None:
            self._embedded = await asyncio.to_thread(start_embedded, self._settings.data_dir)
            self._exit.push_async_callback(asyncio.to_thread, self._embedded.stop)
            await upgrade_schema(self._embedded.owner_dsn)
        return self._embedded

    async def _open_canonical(self, name: str) -> Pool:
        from verifier.store.canonical_pool import open_canonical_pool

        pool = await open_canonical_pool(
            await self._canonical_dsn(name),
            timeout_s=self.canonical_timeout_s(name),
            connect_timeout_s=self._settings.connect_timeout_s,
        )
        self._exit.push_async_callback(pool.close)
        return pool

    async def _canonical_dsn(self, name: str) -> str:
        declared = self._settings.databases.get(name)
        if declared is not None:
            return declared.dsn.get_secret_value()
        if name != STORE_DATABASE:
            raise CatalogError(
                f"the database {name!r} is not declared; declare it as [databases.{name}] with a dsn"
            )
        if self._settings.dsn is not None:
            return self._settings.dsn.get_secret_value()
        return (await self._start_embedded()).reader_dsn


async def upgrade_database(settings: Settings) -> str:
    """Bring the store's schema to the one that this package works with; return its revision.

    Raises StoreError where the database can't be reached or the login may not change it.
    """
    from verifier.store.schema import HEAD, upgrade_schema

    if settings.dsn is not None:
        await upgrade_schema(settings.dsn.get_secret_value())
        return HEAD
    connections = Connections(settings)
    try:
        await connections.store()
    finally:
        await connections.close()
    return HEAD
