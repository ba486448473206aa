"""The grounding report: every claim of one answer with its verdict, and what could not be checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from verifier.core.policy import Policy
from verifier.core.verdicts import DISPOSITION_ORDER, Disposition, VerdictCode

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.core.claims import Claim
    from verifier.core.policy import Release
    from verifier.core.spans import Span
    from verifier.core.turns import Turn
    from verifier.core.verdicts import Verdict

LIMITS: Final = (
    "A matching number is not the truth of the sentence: supported means that the cited text contains"
    " every quantity, for this subject.",
    "A valid citation or quotation proves the pointer, not the claim.",
    "Text without numbers is never passed by a number check.",
    "A review date is this task's policy, not the freshness of a publication.",
)
"""What every report says of itself."""

_OFF: Final = Policy()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedClaim:
    """A claim and its verdict."""

    claim: Claim
    verdict: Verdict

    def __post_init__(self) -> None:
        if self.claim.claim_id != self.verdict.claim:
            raise ValueError("the verdict belongs to another claim")


@dataclass(frozen=True, slots=True, kw_only=True)
class UncheckedSentence:
    """A sentence in which nothing checkable was recognised."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What a report needs to be reproduced besides the turn: versions, basis, hashes, model."""

    verifier_version: str
    created_at: datetime
    basis: int | None = None
    catalog_hash: str | None = None
    embedding_space: str | None = None
    prompt_hash: str | None = None
    model: str | None = None
    retriever: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingReport:
    """Every claim of one answer with verdict, evidence, and what could not be checked.

    `report_id` is content-addressed: equal content has an equal id. `database_round_trips` counts
    SELECTs on canonical tables. `release` is what the policy made of the answer; None where it is off.
    """

    report_id: str
    answer: str
    turn: Turn
    judged: tuple[JudgedClaim, ...]
    unchecked: tuple[UncheckedSentence, ...]
    provenance: Provenance
    database_round_trips: int = 0
    policy: Policy = field(default=_OFF)
    release: Release | None = None
    limits: tuple[str, ...] = field(default=LIMITS)

    @property
    def accepted(self) -> bool:
        """Whether nothing has a disposition that the policy holds.

        A sentence in which nothing checkable was recognised is unchecked, as a claim can be.
        """
        hold = self.policy.hold
        if self.unchecked and Disposition.UNCHECKED in hold:
            return False
        return not any(judged.verdict.disposition in hold for judged in self.judged)

    @property
    def claims(self) -> int:
        """The number of claims."""
        return len(self.judged)

    @property
    def grounded_share(self) -> float | None:
        """Accepted claims / all claims but general knowledge, in [0, 1]; None where there are none."""
        counted = [
            judged.verdict
            for judged in self.judged
            if judged.verdict.code is not VerdictCode.GENERAL_KNOWLEDGE
        ]
        if not counted:
            return None
        accepted = sum(verdict.disposition is Disposition.ACCEPTED for verdict in counted)
        return accepted / len(counted)

    @property
    def outcome(self) -> Disposition | None:
        """The worst disposition of any claim; None where there are no claims."""
        found = {judged.verdict.disposition for judged in self.judged}
        return next(
            (disposition for disposition in DISPOSITION_ORDER if disposition in found), None
        )
