"""The report on an answer that could not be verified at all: one claim, which is the whole of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from verifier.core.annotation import annotate
from verifier.core.catalog import Catalog
from verifier.core.claims import Claim, ClaimForm, ClaimId
from verifier.core.policy import Mode, Release
from verifier.core.report import GroundingReport, JudgedClaim
from verifier.core.report_json import identify_report
from verifier.core.spans import Span
from verifier.core.text import clean_text
from verifier.core.verdicts import Disposition, Finding, Verdict, VerdictCode
from verifier.verify.verifier import begin_provenance

if TYPE_CHECKING:
    from verifier.core.policy import Policy
    from verifier.core.turns import Turn
    from verifier.core.verdicts import Reason


def report_unchecked(
    answer: str, turn: Turn, policy: Policy, *, reason: Reason, detail: str
) -> GroundingReport:
    """Return a report that says of the whole answer that it is `unverifiable`, and what the policy does.

    `hold` holds the answer, whatever dispositions it names: nobody looked. `annotate` and `correct` mark it.
    """
    answer = clean_text(answer)
    whole = Span(0, len(answer))
    claim = Claim(
        claim_id=ClaimId("c1"), form=ClaimForm.PROSE, span=whole, text=answer, sentence=whole
    )
    finding = Finding(
        claim=claim.claim_id, tier=None, code=VerdictCode.UNVERIFIABLE, detail=detail, reason=reason
    )
    verdict = Verdict(claim=claim.claim_id, decided_by=finding, findings=(finding,))
    report = GroundingReport(
        report_id="",
        answer=answer,
        turn=turn,
        judged=(JudgedClaim(claim=claim, verdict=verdict),),
        unchecked=(),
        provenance=begin_provenance(Catalog()),
        policy=policy,
    )
    return identify_report(replace(report, release=_release(report)))


def _release(report: GroundingReport) -> Release | None:
    mode = report.policy.mode
    if mode is Mode.OFF:
        return None
    held = Release(text=None, accepted=False, outcome=Disposition.UNCHECKED)
    if mode is Mode.HOLD:
        return held
    text, annotations = annotate(report)
    return replace(held, text=text, annotations=annotations)
