"""All audits of the answer log together, as the page of audits shows them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from verifier.audit.drift import DriftAudit, audit_drift
from verifier.audit.orphans import OrphanAudit, audit_orphans
from verifier.audit.staleness import StaleAudit, audit_stale
from verifier.audit.superseded import SupersededAudit, audit_superseded
from verifier.audit.unapproved import UnapprovedAudit, audit_unapproved
from verifier.store.audit_counts import (
    CodeCount,
    LogCounts,
    MonthShare,
    count_codes,
    count_log,
    count_months,
)
from verifier.store.audit_scope import AuditOrder, check_moment, resolve_audit
from verifier.store.conflict_reach import ConflictEntries, list_conflict_entries
from verifier.store.pool import tenant_transaction

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.store.pool import Pool
    from verifier.verify.verifier import Backing

_ALL = AuditOrder()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOverview:
    """What every audit found under one order, with the counts of the log by month and by code.

    An order for one source has no `drift`.
    """

    now: datetime
    order: AuditOrder
    log: LogCounts
    stale: StaleAudit
    superseded: SupersededAudit
    unapproved: UnapprovedAudit
    orphans: OrphanAudit
    conflicts: ConflictEntries
    drift: DriftAudit | None
    months: tuple[MonthShare, ...]
    codes: tuple[CodeCount, ...]

    @property
    def found(self) -> int:
        """How many entries the audits found, each counted where it was found."""
        audits = (self.stale, self.superseded, self.unapproved, self.orphans, self.conflicts)
        drifted = 0 if self.drift is None else self.drift.found
        return drifted + sum(audit.found for audit in audits)


async def audit_all(
    pool: Pool,
    tenant: str,
    backing: Backing,
    order: AuditOrder = _ALL,
    *,
    now: datetime | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> AuditOverview:
    """Return what all audits find, one after another; `on_progress` is told which one runs."""
    check_moment(now, "now")
    moment, tell = now or datetime.now(UTC), on_progress or _tell_nobody
    tell("what is superseded")
    superseded = await audit_superseded(
        pool, tenant, order, on_progress=lambda looked: tell(f"{looked:,} cited spans")
    )
    tell("what is stale")
    stale = await audit_stale(pool, tenant, order, now=moment)
    tell("what is not approved")
    unapproved = await audit_unapproved(pool, tenant, order)
    tell("what leads nowhere")
    orphans = await audit_orphans(pool, tenant, order, now=moment)
    tell("what drifted")
    drift = None if order.source is not None else await audit_drift(pool, tenant, backing, order)
    tell("what the log holds")
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        scope = await resolve_audit(conn, order)
        return AuditOverview(
            now=moment,
            order=order,
            log=await count_log(conn, scope, now=moment),
            stale=stale,
            superseded=superseded,
            unapproved=unapproved,
            orphans=orphans,
            conflicts=await list_conflict_entries(conn, scope),
            drift=drift,
            months=await count_months(conn, scope, now=moment),
            codes=await count_codes(conn, scope),
        )


def _tell_nobody(told: str) -> None:
    del told
