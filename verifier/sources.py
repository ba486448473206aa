"""The sources of one tenant: what there is of them, who permitted them, and what becomes of them."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from verifier.connections import Connections
    from verifier.core.diff import VersionDiff
    from verifier.store.erasure import ErasureOrder, ErasurePlan
    from verifier.store.erasure_proof import ProvenErasure
    from verifier.store.pool import Connection
    from verifier.store.publication import PermissionChange
    from verifier.store.sources import SourceListing


class Sources:
    """Reads and changes the sources of one tenant. `Verifier.sources` is one."""

    def __init__(self, connections: Connections, tenant: str) -> None:
        self._connections = connections
        self._tenant = tenant

    async def list(self) -> tuple[SourceListing, ...]:
        """Return every source with its current version, by key."""
        from verifier.store.sources import list_sources

        async with self._transaction(read_only=True) as conn:
            return await list_sources(conn)

    async def approve(self, key: str, *, by: str) -> PermissionChange:
        """Permit the source to be searched and cited. Raises UnknownThing."""
        from verifier.store.publication import approve

        async with self._transaction() as conn:
            return await approve(conn, key, by)

    async def diff(
        self, key: str, old: str | int | None = None, new: str | int | None = None
    ) -> VersionDiff:
        """Return what differs between two versions, each a seq, `first` or `current`.

        Without `new` it is the current version, without `old` the one before. Raises InputError.
        """
        from verifier.core.diff import compare_versions
        from verifier.store.version_texts import read_two

        async with self._transaction(read_only=True) as conn:
            texts = await read_two(conn, key, old, new)
        return await asyncio.to_thread(compare_versions, *texts)

    async def plan_erasure(self, order: ErasureOrder) -> ErasurePlan:
        """Return what `erase` will touch, changing nothing. Raises UnknownThing, InputError."""
        from verifier.store.erasure import plan_erasure

        async with self._transaction(read_only=True) as conn:
            return await plan_erasure(conn, order)

    async def erase(
        self, order: ErasureOrder, *, tell: Callable[[str], None] = lambda _told: None
    ) -> ProvenErasure:
        """Erase versions for good, all or nothing, and return what was done with the proof of it.

        The proof is of the tables after the commit; `tell` hears how far it is. Raises UnknownThing for what
        does not exist, InputError for what was erased before.
        """
        from verifier.store.erased_pieces import take_pieces
        from verifier.store.erasure import erase, lock_for_erasure, plan_erasure
        from verifier.store.erasure_proof import ProvenErasure, prove_erasure

        async with self._transaction() as conn:
            await lock_for_erasure(conn, order.key)
            plan = await plan_erasure(conn, order)
            pieces = await take_pieces(conn, plan.key, plan.seqs)
            erasure = await erase(conn, order, tell)
        async with self._transaction(read_only=True) as conn:
            proof = await prove_erasure(conn, pieces, tell)
        return ProvenErasure(erasure=erasure, proof=proof, proven=proof.holds)

    @asynccontextmanager
    async def _transaction(self, *, read_only: bool = False) -> AsyncIterator[Connection]:
        from verifier.store.pool import tenant_transaction

        pool = await self._connections.store()
        async with tenant_transaction(pool, self._tenant, read_only=read_only) as conn:
            yield conn
