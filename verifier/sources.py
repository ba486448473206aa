"""The sources of one tenant: what there is of them, who permitted them, and what becomes of them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from verifier.connections import Connections
    from verifier.core.diff import VersionDiff, VersionText
    from verifier.core.documents import Permission
    from verifier.store.basis import BasisChange
    from verifier.store.erased_pieces import ErasedPieces
    from verifier.store.erasure import Erasure, ErasureOrder, ErasurePlan
    from verifier.store.erasure_proof import ErasureProof, ProvenErasure
    from verifier.store.history import Reach, VersionRecord
    from verifier.store.pool import Connection
    from verifier.store.publication import PermissionChange
    from verifier.store.sources import SourceListing

T = TypeVar("T")


class Sources:
    """Reads and changes the sources of one tenant. `Verifier.sources` is one."""

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

    async def approve(self, key: str, *, by: str) -> PermissionChange:
        """Permit the source to be searched and cited, and publish the draft that waited for it.

        Raises UnknownThing.
        """
        from verifier.store.publication import approve

        return await self._changed(lambda conn: approve(conn, key, by))

    async def deny(self, key: str, *, by: str, reason: str | None = None) -> PermissionChange:
        """Forbid the source to be searched and cited, whoever ingests it later. Raises UnknownThing."""
        from verifier.store.publication import deny

        return await self._changed(lambda conn: deny(conn, key, by, reason=reason))

    async def withdraw(
        self,
        key: str,
        *,
        by: str,
        reason: str | None = None,
        seq: int | None = None,
        expected_current_version: int | None = None,
    ) -> bool:
        """Take back the current version, or the scheduled one `seq`, and return whether there was one.

        Raises UnknownThing, InputError where `seq` neither answers nor will, VersionConflict where another
        version is current than expected, 0 for none.
        """
        from verifier.store.publication import withdraw

        return await self._changed(
            lambda conn: withdraw(
                conn,
                key,
                by,
                reason=reason,
                seq=seq,
                expected_current_version=expected_current_version,
            )
        )

    async def restore(
        self,
        key: str,
        *,
        by: str,
        reason: str | None = None,
        seq: int | None = None,
        expected_current_version: int | None = None,
    ) -> int:
        """Let a withdrawn version, `seq` or the newest, answer again, and return its seq.

        Raises UnknownThing, InputError where none is withdrawn or another answers, VersionConflict.
        """
        from verifier.store.restoring import restore

        return await self._changed(
            lambda conn: restore(
                conn,
                key,
                by,
                reason=reason,
                seq=seq,
                expected_current_version=expected_current_version,
            )
        )

    async def revert(
        self,
        key: str,
        seq: int,
        *,
        by: str,
        reason: str | None = None,
        expected_current_version: int | None = None,
    ) -> int:
        """Make the text of version `seq` the current one, as a new version, and return its seq.

        Nothing is embedded for it. Raises UnknownThing, InputError where that text answers already or never
        did, VersionConflict, StoreError where it has no vectors.
        """
        from verifier.store.restoring import revert

        return await self._changed(
            lambda conn: revert(
                conn,
                key,
                seq,
                by,
                reason=reason,
                expected_current_version=expected_current_version,
            )
        )

    async def review(
        self,
        key: str,
        *,
        until: datetime | None,
        by: str,
        seq: int | None = None,
        reason: str | None = None,
    ) -> int:
        """Record that `by` read the current version, or `seq`, which counts up to `until`; return its seq.

        None demands no further review. Raises UnknownThing, InputError where no version is current.
        """
        from verifier.store.corrections import review

        return await self._changed(
            lambda conn: review(conn, key, until=until, by=by, seq=seq, reason=reason)
        )

    async def set_authority(
        self, key: str, authority: int, *, by: str, reason: str | None = None
    ) -> bool:
        """Record how much the source counts among others, larger being more; return whether it is new.

        Raises UnknownThing, InputError outside -32768 to 32767.
        """
        from verifier.store.corrections import set_authority

        return await self._changed(
            lambda conn: set_authority(conn, key, authority, by=by, reason=reason)
        )

    async def correct_validity(
        self,
        key: str,
        seq: int,
        valid_from: datetime,
        valid_to: datetime | None = None,
        *,
        by: str,
        reason: str | None = None,
    ) -> bool:
        """Record that version `seq` holds in [valid_from, valid_to), and return whether that is new.

        Without `valid_to` it holds till the next version begins. The bases before keep what was known.
        Raises UnknownThing, InputError on a period that is none or a version that can't hold then.
        """
        from verifier.store.corrections import correct_validity

        return await self._changed(
            lambda conn: correct_validity(
                conn, key, seq, valid_from=valid_from, valid_to=valid_to, by=by, reason=reason
            )
        )

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

    async def plan_erasure(self, order: ErasureOrder) -> ErasurePlan:
        """Return what `erase` will touch, changing nothing. Raises UnknownThing, InputError."""
        from verifier.store.erasure import plan_erasure

        async with self._connections.transaction(self._tenant, read_only=True) as conn:
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
        from verifier.store.pool import retrying

        async def act(conn: Connection) -> tuple[ErasedPieces, Erasure]:
            await lock_for_erasure(conn, order.key)
            plan = await plan_erasure(conn, order)
            pieces = await take_pieces(conn, plan.key, plan.seqs)
            return pieces, await erase(conn, order, tell)

        pieces, erasure = await self._changed(act)

        async def prove() -> ErasureProof:
            async with self._connections.transaction(self._tenant, read_only=True) as conn:
                return await prove_erasure(conn, pieces, tell)

        proof = await retrying(prove)  # what is erased can't be proved by another call
        return ProvenErasure(erasure=erasure, proof=proof, proven=proof.holds)

    async def _changed(self, act: Callable[[Connection], Awaitable[T]]) -> T:
        """Return what `act` does in a transaction of its own, which is begun anew after a deadlock.

        Versions whose time has come answer first.
        """
        from verifier.store.pool import retrying
        from verifier.store.timeline import promote_all_due

        async def attempt() -> T:
            await promote_all_due(await self._connections.store(), self._tenant)
            async with self._connections.transaction(self._tenant) as conn:
                return await act(conn)

        return await retrying(attempt)
