"""The audits of one tenant: which past answers rest on what is stale, superseded or not approved."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Unpack

    from verifier.audit.drift import DriftAudit
    from verifier.audit.impact import Impact
    from verifier.audit.orphans import OrphanAudit
    from verifier.audit.overview import AuditOverview
    from verifier.audit.staleness import StaleAudit
    from verifier.audit.superseded import SupersededAudit
    from verifier.audit.unapproved import UnapprovedAudit
    from verifier.connections import Connections
    from verifier.store.conflict_reach import ConflictEntries
    from verifier.verify.verifier import Backing


class AuditTerms(TypedDict, total=False):
    """Which answers an audit looks at, and how much it lists.

    `since`: those given then or later, with a time zone; `source`: what they rest on of this one; `limit`:
    entries listed, 100 if not given, of which those on which most answers rest come first; `answers`: newest
    answers named of each, 20 if not given. What is counted is counted of all.
    """

    since: datetime | None
    source: str | None
    limit: int
    answers: int


class Audits:
    """Audits the answer log of one tenant. `Verifier.audits` is one.

    Every audit raises InputError for a moment without time zone or a limit outside 1 to 10,000, and
    UnknownThing for a source that there is not.
    """

    def __init__(
        self, connections: Connections, tenant: str, *, back: Callable[[], Backing]
    ) -> None:
        self._connections = connections
        self._tenant = tenant
        self._back = back

    async def stale(self, now: datetime | None = None, **terms: Unpack[AuditTerms]) -> StaleAudit:
        """Return the sources past their review at `now`, and the logged answers that rest on them."""
        from verifier.audit.staleness import audit_stale
        from verifier.store.audit_scope import AuditOrder

        order, moment = AuditOrder(**terms), now or datetime.now(UTC)
        pool = await self._connections.store()
        return await audit_stale(pool, self._tenant, order, now=moment)

    async def superseded(
        self, *, on_progress: Callable[[int], None] | None = None, **terms: Unpack[AuditTerms]
    ) -> SupersededAudit:
        """Return the logged answers whose cited words stand no more in the version that is current now.

        `on_progress` is told how many cited spans were looked at.
        """
        from verifier.audit.superseded import audit_superseded
        from verifier.store.audit_scope import AuditOrder

        order = AuditOrder(**terms)
        pool = await self._connections.store()
        return await audit_superseded(pool, self._tenant, order, on_progress=on_progress)

    async def unapproved(self, **terms: Unpack[AuditTerms]) -> UnapprovedAudit:
        """Return the logged answers that rest on sources now pending, denied or withdrawn."""
        from verifier.audit.unapproved import audit_unapproved
        from verifier.store.audit_scope import AuditOrder

        order = AuditOrder(**terms)
        return await audit_unapproved(await self._connections.store(), self._tenant, order)

    async def drift(
        self,
        table: str | None = None,
        *,
        on_progress: Callable[[int], None] | None = None,
        **terms: Unpack[AuditTerms],
    ) -> DriftAudit:
        """Return the canonical tables whose rows are others than logged answers rest on; verifies nothing.

        `table` is one by its name, with or without its schema. `on_progress` is told how many answers were
        looked at. A database that can't be read is told as such. Raises InputError for a `source`.
        """
        from verifier.audit.drift import audit_drift
        from verifier.store.audit_scope import AuditOrder

        order = AuditOrder(**terms)
        pool = await self._connections.store()
        return await audit_drift(
            pool, self._tenant, self._back(), order, table=table, on_progress=on_progress
        )

    async def orphans(
        self, now: datetime | None = None, **terms: Unpack[AuditTerms]
    ) -> OrphanAudit:
        """Return the logged answers that rest on what was erased or answers no more, or on nothing stored."""
        from verifier.audit.orphans import audit_orphans
        from verifier.store.audit_scope import AuditOrder

        order = AuditOrder(**terms)
        return await audit_orphans(await self._connections.store(), self._tenant, order, now=now)

    async def conflicts(
        self, states: Sequence[str] | None = None, **terms: Unpack[AuditTerms]
    ) -> ConflictEntries:
        """Return the conflicts on record and how many answers rest on either side of each.

        Those that are not resolved, unless `states` names others.
        """
        from verifier.audit.conflict_answers import audit_conflicts
        from verifier.store.audit_scope import AuditOrder

        order = AuditOrder(**terms)
        return await audit_conflicts(await self._connections.store(), self._tenant, order, states)

    async def all(
        self,
        now: datetime | None = None,
        *,
        on_progress: Callable[[str], None] | None = None,
        **terms: Unpack[AuditTerms],
    ) -> AuditOverview:
        """Return what every audit finds, with the log counted by month and by verdict code.

        `on_progress` is told which audit runs.
        """
        from verifier.audit.overview import audit_all
        from verifier.store.audit_scope import AuditOrder

        order = AuditOrder(**terms)
        pool = await self._connections.store()
        return await audit_all(
            pool, self._tenant, self._back(), order, now=now, on_progress=on_progress
        )

    async def impact(self, key: str, seq: int | None = None) -> Impact:
        """Return what withdrawing or erasing a source, or its version `seq`, would touch; changes nothing."""
        from verifier.audit.impact import measure_impact

        return await measure_impact(await self._connections.store(), self._tenant, key, seq)
