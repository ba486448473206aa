"""Claims of a part of an answer, numbered and placed in the whole."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from verifier.core.claims import ClaimId
from verifier.core.report import JudgedClaim, UncheckedSentence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.core.claims import Claim
    from verifier.core.spans import Span


def number_claims(judged: Iterable[JudgedClaim], first: int) -> tuple[JudgedClaim, ...]:
    """Return the claims with the ids `c<first>` and so on, in their order."""
    return tuple(_name(one, ClaimId(f"c{at}")) for at, one in enumerate(judged, first))


def place_claims(judged: Iterable[JudgedClaim], offset: int) -> tuple[JudgedClaim, ...]:
    """Return the claims with their spans moved by `offset`, which may be negative."""
    return tuple(replace(one, claim=_move(one.claim, offset)) for one in judged)


def place_unchecked(
    unchecked: Iterable[UncheckedSentence], offset: int
) -> tuple[UncheckedSentence, ...]:
    """Return the sentences with their spans moved by `offset`."""
    return tuple(replace(one, span=_shift(one.span, offset)) for one in unchecked)


def _name(judged: JudgedClaim, name: ClaimId) -> JudgedClaim:
    verdict = judged.verdict
    return JudgedClaim(
        claim=replace(judged.claim, claim_id=name),
        verdict=replace(
            verdict,
            claim=name,
            decided_by=replace(verdict.decided_by, claim=name),
            findings=tuple(replace(one, claim=name) for one in verdict.findings),
        ),
    )


def _move(claim: Claim, offset: int) -> Claim:
    return replace(
        claim,
        span=_shift(claim.span, offset),
        sentence=_shift(claim.sentence, offset),
        assertions=tuple(replace(one, span=_shift(one.span, offset)) for one in claim.assertions),
        citations=tuple(
            one.shift(max(offset, -min(one.span.start, one.mark.start))) for one in claim.citations
        ),
    )


def _shift(span: Span, offset: int) -> Span:
    return span.shift(max(offset, -span.start))
