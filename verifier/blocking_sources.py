"""The verbs of `verifier.sources` without an event loop of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from verifier.core.diff import VersionDiff, VersionText
    from verifier.core.documents import Permission
    from verifier.sources import Sources
    from verifier.store.basis import BasisChange
    from verifier.store.erasure import ErasureOrder, ErasurePlan
    from verifier.store.erasure_proof import ProvenErasure
    from verifier.store.history import Reach, VersionRecord
    from verifier.store.offered_texts import OfferedText
    from verifier.store.publication import PermissionChange
    from verifier.store.source_shelf import ShelvedSource
    from verifier.store.sources import SourceListing
    from verifier.verbs import RunVerb


class BlockingSources:
    """`verifier.sources.Sources`, verb by verb; each call returns when it is done."""

    def __init__(self, sources: Sources, run: RunVerb) -> None:
        self._sources = sources
        self._run = run

    def list(
        self, *, permission: Permission | None = None, stale_at: datetime | None = None
    ) -> tuple[SourceListing, ...]:
        """Return the sources, as `Sources.list`."""
        return self._run(self._sources.list(permission=permission, stale_at=stale_at))

    def versions(self, key: str) -> tuple[VersionRecord, ...]:
        """Return every version of a source, as `Sources.versions`."""
        return self._run(self._sources.versions(key))

    def history(self, key: str) -> tuple[BasisChange, ...]:
        """Return what was done to a source, as `Sources.history`."""
        return self._run(self._sources.history(key))

    def reach(self, key: str, seq: int | None = None) -> Reach:
        """Return what rests on a version, as `Sources.reach`."""
        return self._run(self._sources.reach(key, seq))

    def approve(self, key: str, *, by: str) -> PermissionChange:
        """Permit a source, as `Sources.approve`."""
        return self._run(self._sources.approve(key, by=by))

    def deny(self, key: str, *, by: str, reason: str | None = None) -> PermissionChange:
        """Forbid a source, as `Sources.deny`."""
        return self._run(self._sources.deny(key, by=by, reason=reason))

    def withdraw(
        self,
        key: str,
        *,
        by: str,
        reason: str | None = None,
        seq: int | None = None,
        expected_current_version: int | None = None,
    ) -> bool:
        """Take a version back, as `Sources.withdraw`."""
        return self._run(
            self._sources.withdraw(
                key,
                by=by,
                reason=reason,
                seq=seq,
                expected_current_version=expected_current_version,
            )
        )

    def restore(
        self,
        key: str,
        *,
        by: str,
        reason: str | None = None,
        seq: int | None = None,
        expected_current_version: int | None = None,
    ) -> int:
        """Let a withdrawn version answer again, as `Sources.restore`."""
        return self._run(
            self._sources.restore(
                key,
                by=by,
                reason=reason,
                seq=seq,
                expected_current_version=expected_current_version,
            )
        )

    def revert(
        self,
        key: str,
        seq: int,
        *,
        by: str,
        reason: str | None = None,
        expected_current_version: int | None = None,
    ) -> int:
        """Make an older text current again, as `Sources.revert`."""
        return self._run(
            self._sources.revert(
                key, seq, by=by, reason=reason, expected_current_version=expected_current_version
            )
        )

    def review(
        self,
        key: str,
        *,
        until: datetime | None,
        by: str,
        seq: int | None = None,
        reason: str | None = None,
    ) -> int:
        """Record a review, as `Sources.review`."""
        return self._run(self._sources.review(key, until=until, by=by, seq=seq, reason=reason))

    def set_authority(
        self, key: str, authority: int, *, by: str, reason: str | None = None
    ) -> bool:
        """Record how much a source counts, as `Sources.set_authority`."""
        return self._run(self._sources.set_authority(key, authority, by=by, reason=reason))

    def correct_validity(
        self,
        key: str,
        seq: int,
        valid_from: datetime,
        valid_to: datetime | None = None,
        *,
        by: str,
        reason: str | None = None,
    ) -> bool:
        """Record when a version holds, as `Sources.correct_validity`."""
        return self._run(
            self._sources.correct_validity(key, seq, valid_from, valid_to, by=by, reason=reason)
        )

    def shelf(
        self,
        *,
        holding: str = "",
        after: str = "",
        permission: Permission | None = None,
        limit: int,
    ) -> tuple[ShelvedSource, ...]:
        """Return sources page by page, as `Sources.shelf`."""
        return self._run(
            self._sources.shelf(holding=holding, after=after, permission=permission, limit=limit)
        )

    def find(self, key: str) -> ShelvedSource:
        """Return a source, as `Sources.find`."""
        return self._run(self._sources.find(key))

    def diff(
        self, key: str, old: str | int | None = None, new: str | int | None = None
    ) -> VersionDiff:
        """Return what differs between two versions, as `Sources.diff`."""
        return self._run(self._sources.diff(key, old, new))

    def text(self, key: str, version: str | int | None = None) -> VersionText:
        """Return the text of a version, as `Sources.text`."""
        return self._run(self._sources.text(key, version))

    def read(
        self, key: str, seq: int | None = None, *, start: int = 0, length: int = 20_000
    ) -> OfferedText:
        """Return a slice of a version that agents may read, as `Sources.read`."""
        return self._run(self._sources.read(key, seq, start=start, length=length))

    def plan_erasure(self, order: ErasureOrder) -> ErasurePlan:
        """Return what an erasure will touch, as `Sources.plan_erasure`."""
        return self._run(self._sources.plan_erasure(order))

    def erase(
        self, order: ErasureOrder, *, tell: Callable[[str], None] = lambda _told: None
    ) -> ProvenErasure:
        """Erase versions for good, as `Sources.erase`."""
        return self._run(self._sources.erase(order, tell=tell))
