"""What each operation answers, as the type whose JSON it is."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypedDict

from verifier.answers import ReportList
from verifier.audit.agreement import Agreement
from verifier.audit.conflicts import FindingSummary
from verifier.audit.drift import DriftAudit
from verifier.audit.impact import Impact
from verifier.audit.orphans import OrphanAudit
from verifier.audit.recheck_run import RecheckRun
from verifier.audit.reviewing import ReviewDetail
from verifier.audit.staleness import StaleAudit
from verifier.audit.superseded import SupersededAudit
from verifier.audit.unapproved import UnapprovedAudit
from verifier.conflicts import ConflictList
from verifier.core.diff import VersionDiff, VersionText
from verifier.core.documents import SearchResult
from verifier.core.rechecks import Recheck
from verifier.core.report import GroundingReport
from verifier.interfaces.evaluation_outcome import EvalOutcome
from verifier.interfaces.ingest_report import IngestReport
from verifier.reviews import ReviewList, ReviewRefresh
from verifier.served_turns import ServedTurn
from verifier.store.answers import LoggedReport
from verifier.store.basis import BasisChange
from verifier.store.conflict_reach import ConflictEntries
from verifier.store.conflicts import Conflict
from verifier.store.erasure import ErasurePlan
from verifier.store.erasure_proof import ProvenErasure
from verifier.store.history import Reach, VersionRecord
from verifier.store.publication import PermissionChange
from verifier.store.review_listing import ReviewEntry
from verifier.store.reviews import RecordedDecision
from verifier.store.sources import SourceListing


class RecordedCall(TypedDict):
    """By which id a recorded call is known."""

    turn_id: str
    call_id: str


class NewCurrent(TypedDict):
    """The version that a source's change is about."""

    key: str
    seq: int


class Change(TypedDict):
    """Whether a source is another than before."""

    key: str
    changed: bool


class NewRound(TypedDict):
    """The round that begins with an entry's opening."""

    review_id: int
    round: int


RESULTS: Final[Mapping[str, object]] = MappingProxyType(
    {
        "semantic_search": SearchResult,
        "verify": GroundingReport,
        "begin_turn": ServedTurn,
        "record_call": RecordedCall,
        "get_turn": ServedTurn,
        "evaluate": EvalOutcome,
        "ingest_text": IngestReport,
        "ingest_file": IngestReport,
        "ingest_bytes": IngestReport,
        "list_sources": tuple[SourceListing, ...],
        "approve": PermissionChange,
        "deny": PermissionChange,
        "withdraw": Reach,
        "restore": NewCurrent,
        "revert": NewCurrent,
        "reviewed": NewCurrent,
        "validity": Change,
        "authority": Change,
        "plan_erasure": ErasurePlan,
        "erase": ProvenErasure,
        "list_versions": tuple[VersionRecord, ...],
        "list_changes": tuple[BasisChange, ...],
        "get_version": VersionText,
        "diff": VersionDiff,
        "audit_stale": StaleAudit,
        "audit_superseded": SupersededAudit,
        "audit_unapproved": UnapprovedAudit,
        "audit_drift": DriftAudit,
        "audit_orphans": OrphanAudit,
        "audit_conflicts": ConflictEntries,
        "audit_impact": Impact,
        "list_conflicts": ConflictList,
        "declare_conflict": Conflict,
        "find_conflicts": FindingSummary,
        "assign_conflict": Conflict,
        "resolve_conflict": Conflict,
        "list_reviews": ReviewList,
        "get_review": ReviewDetail,
        "decide_review": RecordedDecision,
        "assign_review": ReviewEntry,
        "reopen_review": NewRound,
        "reviewer_agreement": Agreement,
        "refresh_reviews": ReviewRefresh,
        "list_reports": ReportList,
        "get_report": LoggedReport,
        "recheck": Recheck,
        "recheck_all": RecheckRun,
    }
)
"""By operationId."""
