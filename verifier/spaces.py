"""The embedding spaces of one tenant: what they hold, and going over from one model to another."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from verifier.core.spaces import BuildExtent
from verifier.errors import DatabaseTimeout, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.connections import Connections
    from verifier.core.ports import Embedder
    from verifier.embedders import Embedders
    from verifier.ingest.space_building import BuildProgress, SpaceBuild
    from verifier.store.pool import Connection
    from verifier.store.space_vectors import SpaceCounts
    from verifier.store.spaces import StoredSpace

LONGEST_SEARCH_S: Final = 5.0
"""For how long after a switch a space is not dropped: searches that began before may still read it."""
_DROP_ATTEMPTS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceListing:
    """A space with what it holds and lacks."""

    space: StoredSpace
    counts: SpaceCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceSwitch:
    """Which space answers now, and which one did before; `changed` is False where they are the same."""

    active: StoredSpace
    previous: StoredSpace | None
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceDrop:
    """What was dropped; `table_dropped` is False where another tenant has the space too."""

    space: StoredSpace
    vectors: int
    table_dropped: bool


class Spaces:
    """Lists, builds, switches and drops the spaces of one tenant. `Verifier.spaces` is one."""

    def __init__(self, connections: Connections, tenant: str, embedders: Embedders) -> None:
        self._connections = connections
        self._tenant = tenant
        self._embedders = embedders

    async def list(self) -> tuple[SpaceListing, ...]:
        """Return every space of the tenant with what it holds and lacks, the oldest first."""
        from verifier.store.space_vectors import count_vectors
        from verifier.store.spaces import list_spaces

        async with self._connections.transaction(self._tenant, read_only=True) as conn:
            listed = [
                SpaceListing(space=each, counts=await count_vectors(conn, each.space_id))
                for each in await list_spaces(conn)
            ]
        return tuple(listed)

    async def build(
        self,
        embedder: Embedder | None = None,
        *,
        model: str | None = None,
        extent: BuildExtent = BuildExtent.ALL,
        on_progress: Callable[[BuildProgress], None] | None = None,
    ) -> SpaceBuild:
        """Embed what is stored with another model, beside the space that answers; resumes what it began.

        The model is `embedder`, else the one that `model` names, else that of the settings. Raises
        ModelError where it can't be loaded, InputError where both are given.
        """
        from verifier.ingest.space_building import build_space

        if embedder is not None and model is not None:
            raise InputError("pass either an embedder or the name of a model")
        named = None if model is None else self._embedders.load_named(model)
        chosen = embedder or named or self._embedders.load()
        pool = await self._connections.store()
        return await build_space(pool, self._tenant, chosen, extent=extent, on_progress=on_progress)

    async def switch(self, space_id: int) -> SpaceSwitch:
        """Let searches read this space; each search sees one of the two entirely, the old or the new.

        Raises InputError, and changes nothing, while a draft or current version lacks vectors in it, and
        UnknownThing for another number.
        """
        from verifier.store.space_vectors import mark_used
        from verifier.store.spaces import SpaceState, get_space, index_space

        async with self._connections.transaction(self._tenant, read_only=True) as conn:
            chosen = await get_space(conn, space_id)
            await self._refuse_incomplete(conn, chosen)
        if chosen.state is SpaceState.ACTIVE:
            return SpaceSwitch(active=chosen, previous=chosen, changed=False)
        async with self._connections.transaction(self._tenant) as conn:
            await index_space(conn, chosen.space_id)
        marked = 1
        while marked:  # in steps, so that the switch itself finds little to do
            async with self._connections.transaction(self._tenant) as conn:
                marked = await mark_used(conn, chosen.space_id)
        return await self._switch(chosen)

    async def drop(self, space_id: int) -> SpaceDrop:
        """Remove a space with its vectors; it can be built again. Raises InputError for the active one.

        Waits a few seconds after a switch. Raises UnknownThing for another number, DatabaseTimeout where
        others keep the store's tables busy.
        """
        from verifier.store.space_vectors import count_vectors
        from verifier.store.spaces import get_space

        async with self._connections.transaction(self._tenant, read_only=True) as conn:
            chosen = await get_space(conn, space_id)
            counts = await count_vectors(conn, chosen.space_id)
        if chosen.retired_at is not None:
            since_s = (datetime.now(UTC) - chosen.retired_at).total_seconds()
            await asyncio.sleep(min(max(LONGEST_SEARCH_S - since_s, 0.0), LONGEST_SEARCH_S))
        table_dropped = await self._drop(chosen)
        return SpaceDrop(space=chosen, vectors=counts.vectors, table_dropped=table_dropped)

    async def _switch(self, chosen: StoredSpace) -> SpaceSwitch:
        from verifier.store.space_vectors import mark_used
        from verifier.store.spaces import (
            SpaceState,
            activate_space,
            get_space,
            list_spaces,
            lock_spaces,
        )

        async with self._connections.transaction(self._tenant) as conn:
            await lock_spaces(conn)
            standing = await get_space(conn, chosen.space_id)
            await mark_used(conn, standing.space_id, at_most=None)
            await self._refuse_incomplete(conn, standing)
            spaces = await list_spaces(conn)
            previous = next((each for each in spaces if each.state is SpaceState.ACTIVE), None)
            if standing.state is not SpaceState.ACTIVE:
                await activate_space(conn, standing.space_id)
            return SpaceSwitch(
                active=await get_space(conn, standing.space_id),
                previous=previous,
                changed=standing.state is not SpaceState.ACTIVE,
            )

    async def _refuse_incomplete(self, conn: Connection, chosen: StoredSpace) -> None:
        from verifier.store.space_vectors import count_vectors

        counts = await count_vectors(conn, chosen.space_id)
        if counts.missing_current:
            raise InputError(
                f"embedding space {chosen.space_id} ({chosen.space}) lacks the vectors of "
                f"{counts.missing_current:,} passages that drafts or current versions use; "
                "`verifier spaces build` with its model completes it"
            )

    async def _drop(self, chosen: StoredSpace) -> bool:
        from verifier.store.pool import retrying
        from verifier.store.spaces import drop_space

        async def attempt() -> bool:
            async with self._connections.transaction(self._tenant) as conn:
                return await drop_space(conn, chosen.space_id)

        for _ in range(1, _DROP_ATTEMPTS):
            try:
                return await retrying(attempt)
            except DatabaseTimeout:
                await asyncio.sleep(1.0)
        return await retrying(attempt)
