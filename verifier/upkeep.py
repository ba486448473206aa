"""Upkeep of one tenant's store: mending what `doctor` found, and removing what nothing uses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from verifier.connections import Connections
    from verifier.core.checks import Check
    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Mending:
    """What was mended, each counted: marks of vectors, sources, text-search columns."""

    live_marks: int
    sources: tuple[str, ...]
    search_columns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """How many passages that no chunk uses were removed, with their vectors, or vectors of no passage."""

    removed: int


class Upkeep:
    """Mends and sweeps the store of one tenant. `Verifier.upkeep` is one."""

    def __init__(self, connections: Connections, tenant: str) -> None:
        self._connections = connections
        self._tenant = tenant

    async def mend(self) -> Mending:
        """Make again what follows from the rest: live marks, indexes, current chunks, search columns.

        Of publications that overlap, the newest stays open. Nothing that was ingested is removed. Searches go
        on; ingests wait a moment now and then, and as long as a missing index takes.
        """
        from verifier.store.upkeep import analyze_store, mend_search_column

        marks = await self._mend_spaces()
        keys = await self._mend_sources()
        columns = await self._in_steps(mend_search_column)
        async with self._connections.transaction(self._tenant) as conn:
            await analyze_store(conn)
        return Mending(live_marks=marks, sources=keys, search_columns=columns)

    async def check_server(self) -> tuple[Check, ...]:
        """Return the checks of `Verifier.doctor` that are quick: whether the database can serve."""
        from verifier.examination import examine_server

        return await examine_server(self._connections)

    async def sweep(self) -> Sweep:
        """Remove the passages of which no chunk consists, with their vectors, and vectors of no passage."""
        from verifier.store.upkeep import sweep_passages

        return Sweep(removed=await self._in_steps(sweep_passages))

    async def _mend_sources(self) -> tuple[str, ...]:
        """Mend the periods and the current chunks of sources; return whose they were."""
        from verifier.store.soundness import list_overlapped, list_unlike_current
        from verifier.store.upkeep import close_overlapped, mend_current_chunks

        async with self._connections.transaction(self._tenant, read_only=True) as conn:
            overlapped = await list_overlapped(conn)
            unlike = await list_unlike_current(conn)
        for key, publications in overlapped.items():
            async with self._connections.transaction(self._tenant) as conn:
                await close_overlapped(conn, key, publications)
        for key in unlike:
            async with self._connections.transaction(self._tenant) as conn:
                await mend_current_chunks(conn, key)
        return tuple(sorted({*overlapped, *unlike}))

    async def _mend_spaces(self) -> int:
        from verifier.store.space_vectors import mark_used
        from verifier.store.spaces import SpaceState, index_space, list_spaces

        marks = 0
        async with self._connections.transaction(self._tenant, read_only=True) as conn:
            spaces = await list_spaces(conn)
        for each in spaces:
            if each.state is SpaceState.RETIRED:
                continue
            marks += await self._in_steps(partial(mark_used, space_id=each.space_id))
            if each.state is SpaceState.ACTIVE:
                async with self._connections.transaction(self._tenant) as conn:
                    await index_space(conn, each.space_id)
        return marks

    async def _in_steps(self, act: Callable[[Connection], Awaitable[int]]) -> int:
        """Repeat a step, each in a transaction of its own, until it finds nothing more to do."""
        from verifier.store.pool import retrying

        async def step() -> int:
            async with self._connections.transaction(self._tenant) as conn:
                return await act(conn)

        total = 0
        while done := await retrying(step):
            total += done
        return total
