"""The verbs of `verifier.audits` without an event loop of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from typing import Unpack

    from verifier.audit.drift import DriftAudit
    from verifier.audit.impact import Impact
    from verifier.audit.orphans import OrphanAudit
    from verifier.audit.overview import AuditOverview
    from verifier.audit.staleness import StaleAudit
    from verifier.audit.superseded import SupersededAudit
    from verifier.audit.unapproved import UnapprovedAudit
    from verifier.audits import Audits, AuditTerms
    from verifier.store.conflict_reach import ConflictEntries
    from verifier.verbs import RunVerb


class BlockingAudits:
    """`verifier.audits.Audits`, verb by verb."""

    def __init__(self, audits: Audits, run: RunVerb) -> None:
        self._audits = audits
        self._run = run

    def stale(self, now: datetime | None = None, **terms: Unpack[AuditTerms]) -> StaleAudit:
        """Return the stale sources, as `Audits.stale`."""
        return self._run(self._audits.stale(now, **terms))

    def superseded(self, **terms: Unpack[AuditTerms]) -> SupersededAudit:
        """Return answers on words that stand no more, as `Audits.superseded`."""
        return self._run(self._audits.superseded(**terms))

    def unapproved(self, **terms: Unpack[AuditTerms]) -> UnapprovedAudit:
        """Return answers on sources that may not be used, as `Audits.unapproved`."""
        return self._run(self._audits.unapproved(**terms))

    def drift(self, table: str | None = None, **terms: Unpack[AuditTerms]) -> DriftAudit:
        """Return the tables whose rows read otherwise now, as `Audits.drift`."""
        return self._run(self._audits.drift(table, **terms))

    def orphans(self, now: datetime | None = None, **terms: Unpack[AuditTerms]) -> OrphanAudit:
        """Return what leads nowhere, as `Audits.orphans`."""
        return self._run(self._audits.orphans(now, **terms))

    def conflicts(
        self, states: Sequence[str] | None = None, **terms: Unpack[AuditTerms]
    ) -> ConflictEntries:
        """Return the conflicts on record, as `Audits.conflicts`."""
        return self._run(self._audits.conflicts(states, **terms))

    def all(self, now: datetime | None = None, **terms: Unpack[AuditTerms]) -> AuditOverview:
        """Return what every audit finds, as `Audits.all`."""
        return self._run(self._audits.all(now, **terms))

    def impact(self, key: str, seq: int | None = None) -> Impact:
        """Return what would be touched, as `Audits.impact`."""
        return self._run(self._audits.impact(key, seq))
