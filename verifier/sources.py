"""The sources of one tenant: what there is of them, who permitted them, and what becomes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from verifier.source_reading import SourceReading

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from verifier.store.erased_pieces import ErasedPieces
    from verifier.store.erasure import Erasure, ErasureOrder, ErasurePlan
    from verifier.store.erasure_proof import ErasureProof, ProvenErasure
    from verifier.store.pool import Connection
    from verifier.store.publication import PermissionChange

T = TypeVar("T")


class Sources(SourceReading):
    """Reads and changes the sources of one tenant. `Verifier.sources` is one."""

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
