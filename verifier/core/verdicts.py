"""Verdict codes, the queue that each belongs to, and findings and verdicts that can't be illegal."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.claims import ClaimId
    from verifier.core.evidence import Evidence


class Tier(StrEnum):
    """One way of checking, in the order of its cost."""

    LEDGER = "ledger"
    DATABASE = "database"
    DOCUMENT = "document"
    ENTAILMENT = "entailment"


class Disposition(StrEnum):
    """The queue that a verdict belongs to, from the worst down."""

    REJECTED = "rejected"
    REVIEW = "review"
    UNCHECKED = "unchecked"
    ACCEPTED = "accepted"


class VerdictCode(StrEnum):
    """What all findings say of a claim."""

    VERIFIED = "verified"
    SUPPORTED = "supported"
    PRICE_MISMATCH = "price_mismatch"
    ATTRIBUTE_MISMATCH = "attribute_mismatch"
    NOT_FOUND = "not_found"
    UNSUPPORTED_QUANTITY = "unsupported_quantity"
    CONTRADICTED = "contradicted"
    QUOTE_NOT_FOUND = "quote_not_found"
    MISSING_CITATION = "missing_citation"
    UNKNOWN_CITATION = "unknown_citation"
    CITATION_NOT_RETRIEVED = "citation_not_retrieved"
    UNAPPROVED_SOURCE = "unapproved_source"
    STALE_REVIEW = "stale_review"
    SUPERSEDED_VERSION = "superseded_version"
    SOURCE_CONFLICT = "source_conflict"
    AMBIGUOUS = "ambiguous"
    NEEDS_REVIEW_NO_QUANTITY = "needs_review_no_quantity"
    NEEDS_ENTAILMENT_REVIEW = "needs_entailment_review"
    GENERAL_KNOWLEDGE = "general_knowledge"
    UNVERIFIABLE = "unverifiable"


class Reason(StrEnum):
    """Why a claim could not be checked."""

    NO_EVIDENCE = "no_evidence"
    UNBOUND = "unbound"
    DATABASE_UNAVAILABLE = "database_unavailable"
    TIMEOUT = "timeout"
    UNIT_UNPROVEN = "unit_unproven"
    TOO_LARGE = "too_large"
    MALFORMED_CARD = "malformed_card"
    NO_PRINCIPAL = "no_principal"
    FAILED_CALL = "failed_call"
    INCOMPLETE_EVIDENCE = "incomplete_evidence"
    UNKNOWN_TYPE = "unknown_type"
    CALLER_EVIDENCE = "caller_evidence"
    NOT_CHECKED = "not_checked"


_REVIEW: Final = frozenset(
    {
        VerdictCode.STALE_REVIEW,
        VerdictCode.SUPERSEDED_VERSION,
        VerdictCode.SOURCE_CONFLICT,
        VerdictCode.AMBIGUOUS,
        VerdictCode.NEEDS_REVIEW_NO_QUANTITY,
        VerdictCode.NEEDS_ENTAILMENT_REVIEW,
    }
)
_ACCEPTED: Final = frozenset({VerdictCode.VERIFIED, VerdictCode.SUPPORTED})
_UNCHECKED: Final = frozenset({VerdictCode.GENERAL_KNOWLEDGE, VerdictCode.UNVERIFIABLE})


def _disposition(code: VerdictCode) -> Disposition:
    if code in _ACCEPTED:
        return Disposition.ACCEPTED
    if code in _REVIEW:
        return Disposition.REVIEW
    return Disposition.UNCHECKED if code in _UNCHECKED else Disposition.REJECTED


DISPOSITIONS: Final[Mapping[VerdictCode, Disposition]] = MappingProxyType(
    {code: _disposition(code) for code in VerdictCode}
)
NEEDS_EVIDENCE: Final = frozenset(
    {
        VerdictCode.VERIFIED,
        VerdictCode.SUPPORTED,
        VerdictCode.PRICE_MISMATCH,
        VerdictCode.ATTRIBUTE_MISMATCH,
        VerdictCode.CONTRADICTED,
        VerdictCode.STALE_REVIEW,
        VerdictCode.SUPERSEDED_VERSION,
    }
)
DISPOSITION_ORDER: Final = tuple(Disposition)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One tier's result on one claim, with the evidence it rests on.

    `tier` is None where no tier had to look: a broken card, a key that can't exist. `values` lists
    what the code speaks of, as written in the answer (the quantities that are absent, the unknown
    citation). `settles` is False where a later tier may still decide.
    """

    claim: ClaimId
    tier: Tier | None
    code: VerdictCode
    detail: str
    evidence: tuple[Evidence, ...] = ()
    corrected_value: str | None = None
    reason: Reason | None = None
    values: tuple[str, ...] = ()
    attribute: str | None = None
    settles: bool = True

    def __post_init__(self) -> None:
        if self.code in NEEDS_EVIDENCE and not self.evidence:
            raise ValueError(f"{self.code} needs evidence")
        if (self.code is VerdictCode.UNVERIFIABLE) != (self.reason is not None):
            raise ValueError("a reason goes with unverifiable, and only with it")
        if self.code is VerdictCode.VERIFIED and self.tier not in {Tier.LEDGER, Tier.DATABASE}:
            raise ValueError("only the ledger or the database can verify")

    @property
    def disposition(self) -> Disposition:
        """The queue that the code belongs to."""
        return DISPOSITIONS[self.code]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What all findings say of one claim: the deciding finding, and all of them."""

    claim: ClaimId
    decided_by: Finding
    findings: tuple[Finding, ...]

    def __post_init__(self) -> None:
        if self.decided_by not in self.findings:
            raise ValueError("a verdict is decided by one of its findings")
        if any(finding.claim != self.claim for finding in self.findings):
            raise ValueError("a verdict holds findings of one claim")

    @property
    def code(self) -> VerdictCode:
        """The verdict's code."""
        return self.decided_by.code

    @property
    def disposition(self) -> Disposition:
        """The queue that the verdict belongs to."""
        return self.decided_by.disposition

    @property
    def tier(self) -> Tier | None:
        """The tier that settled it."""
        return self.decided_by.tier

    @property
    def reason(self) -> Reason | None:
        """Why it could not be checked, if it could not."""
        return self.decided_by.reason

    @property
    def detail(self) -> str:
        """One sentence for people."""
        return self.decided_by.detail

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """What the deciding finding rests on."""
        return self.decided_by.evidence

    @property
    def corrected_value(self) -> str | None:
        """The right value, where it is known."""
        return self.decided_by.corrected_value
