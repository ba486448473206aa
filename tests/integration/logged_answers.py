"""Reports made by hand, which rest on given spans and rows."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from verifier.core.claims import Claim, ClaimForm, ClaimId
from verifier.core.evidence import Evidence, RowLocator, SpanLocator
from verifier.core.report import GroundingReport, JudgedClaim, Provenance
from verifier.core.spans import Span
from verifier.core.turns import Turn
from verifier.core.verdicts import Finding, Tier, Verdict, VerdictCode

if TYPE_CHECKING:
    from verifier.core.evidence import Locator

WRITTEN = datetime(2026, 6, 1, 12, tzinfo=UTC)


def span_of(source: str, seq: int | None, text: str, *, ordinal: int | None = 0) -> SpanLocator:
    return SpanLocator(
        source=source,
        seq=seq,
        ordinal=ordinal,
        span=Span(0, len(text)),
        text_hash=hashlib.sha256(text.encode()).hexdigest(),
    )


def row_of(key: str, *, column: str | None = "price") -> RowLocator:
    return RowLocator(
        database="shop", table="sample.product", key=key, column=column, fingerprint="ab" * 32
    )


def judged(
    number: int, *locators: Locator, code: VerdictCode = VerdictCode.SUPPORTED
) -> JudgedClaim:
    claim_id = ClaimId(f"c{number}")
    span = Span(0, 4)
    finding = Finding(
        claim=claim_id,
        tier=Tier.DOCUMENT,
        code=code,
        detail="As the text says.",
        evidence=tuple(Evidence(locator=locator, text="Text") for locator in locators),
    )
    claim = Claim(claim_id=claim_id, form=ClaimForm.PROSE, span=span, text="Text", sentence=span)
    return JudgedClaim(
        claim=claim, verdict=Verdict(claim=claim_id, decided_by=finding, findings=(finding,))
    )


def report(report_id: str, *claims: JudgedClaim, answer: str = "Text.") -> GroundingReport:
    return GroundingReport(
        report_id=report_id,
        answer=answer,
        turn=Turn(question="Which?"),
        judged=claims,
        unchecked=(),
        provenance=Provenance(verifier_version="0.1.0", created_at=WRITTEN, basis=1),
    )
