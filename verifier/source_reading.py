"""What there is of the sources of one tenant: lists, versions, texts, differences, what was done to each."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.connections import Connections
    from verifier.core.diff import VersionDiff, VersionText
    from verifier.core.documents import Permission
    from verifier.store.basis import BasisChange
    from verifier.store.history import Reach, VersionRecord
    from verifier.store.offered_texts import OfferedText
    from verifier.store.source_shelf import ShelvedSource
    from verifier.store.sources import SourceListing


class SourceReading:
    """Reads the sources of one tenant, and changes nothing."""

    def __init__(self, connections: Connections, tenant: str) -> None:
        self._connections = connections
        self._tenant = tenant

    async def list(
        self, *, permission: Permission | None = None, stale_at: datetime | None = None
    ) -> tuple[SourceListing, ...]:
        """Return the sources with what is current of each, by key.

        With `permission` those that have it, with `stale_at` those whose review ended before that moment.
        """
        from verifier.store.sources import list_sources

        async with self._connections.transaction(self._tenant, read_only=True) as conn:
            return await list_sources(conn, permission=permission, stale_at=stale_at)

    async def versions(self, key: str) -> tuple[VersionRecord, ...]:
        """Return every version of the source with its chunks and known periods. Raises UnknownThing."""
        from verifier.store.history import list_version_records

        async with self._connections.transaction(self._tenant, read_only=True) as conn:
            return await list_version_records(conn, key)

    async def history(self, key: str) -> tuple[BasisChange, ...]:
        """Return what was done to the source, by whom, when and why. Raises UnknownThing."""
        from verifier.store.basis import list_changes
        from verifier.store.sources import get_source

        async with self._connections.transaction(self._tenant, read_only=True) as conn:
            source = await get_source(conn, key)
            return await list_changes(conn, source.source_id)

    async def reach(self, key: str, seq: int | None = None) -> Reach:
        """Return what falls silent with version `seq`, else the current one. Raises InputError."""
        from verifier.store.history import measure_reach

        async with self._connections.transaction(self._tenant, read_only=True) as conn:
            return await measure_reach(conn, key, seq)

    async def shelf(
        self,
        *,
        holding: str = "",
        after: str = "",
        permission: Permission | None = None,
        limit: int,
    ) -> tuple[ShelvedSource, ...]:
        """Return the next sources behind the key `after`, by key, each with how many answers rest on it.

        `holding` is what stands in the key or the title, whatever its case.
        """
        from verifier.store.source_shelf import list_shelf

        async with self._connections.transaction(self._tenant, read_only=True) as conn:
            return await list_shelf(
                conn, holding=holding, after=after, permission=permission, limit=limit
            )

    async def find(self, key: str) -> ShelvedSource:
        """Return a source with what is current of it and how many answers rest on it. Raises UnknownThing."""
        from verifier.store.source_shelf import get_shelved

        async with self._connections.transaction(self._tenant, read_only=True) as conn:
            return await get_shelved(conn, key)

    async def diff(
        self, key: str, old: str | int | None = None, new: str | int | None = None
    ) -> VersionDiff:
        """Return what differs between two versions, each a seq, `first` or `current`.

        Without `new` it is the current version, without `old` the one before. Raises InputError.
        """
        from verifier.core.diff import compare_versions
        from verifier.store.version_texts import read_two

        async with self._connections.transaction(self._tenant, read_only=True) as conn:
            texts = await read_two(conn, key, old, new)
        return await asyncio.to_thread(compare_versions, *texts)

    async def text(self, key: str, version: str | int | None = None) -> VersionText:
        """Return the text of a version with its chunks: its seq, `first` or, where none is told, `current`.

        Raises UnknownThing, InputError where the text was erased or none is current.
        """
        from verifier.store.version_texts import CURRENT, read_one

        async with self._connections.transaction(self._tenant, read_only=True) as conn:
            return await read_one(conn, key, CURRENT if version is None else version)

    async def read(
        self, key: str, seq: int | None = None, *, start: int = 0, length: int = 20_000
    ) -> OfferedText:
        """Return a slice of a version that agents may read, the current one where no `seq` is told.

        Those are versions of approved sources that answer or did so before another took their place.
        Raises UnknownThing for all others alike, InputError for a slice beyond the end.
        """
        from verifier.store.offered_texts import read_offered

        async with self._connections.transaction(self._tenant, read_only=True) as conn:
            return await read_offered(conn, key, seq, start=start, length=length)
