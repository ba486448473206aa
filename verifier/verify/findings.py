"""Findings as the tiers write them: one on each assertion, in words for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.evidence import Polarity
from verifier.core.values import Kind, Quantity
from verifier.core.verdicts import Finding, Reason, Tier, VerdictCode

if TYPE_CHECKING:
    from verifier.core.claims import Assertion, Claim
    from verifier.core.evidence import Evidence


def name_attribute(assertion: Assertion) -> str | None:
    """Return the name under which findings speak of the assertion; None is that the thing exists."""
    return " ".join(assertion.attribute) or None


def find_verified(
    claim: Claim,
    assertion: Assertion,
    tier: Tier,
    evidence: tuple[Evidence, ...],
    *,
    settles: bool = True,
) -> Finding:
    """Return that the evidence bears the assertion out."""
    what = name_attribute(assertion)
    return Finding(
        claim=claim.claim_id,
        tier=tier,
        code=VerdictCode.VERIFIED,
        detail=f"{what or 'id'} as in the {tier}",
        evidence=evidence,
        attribute=what,
        settles=settles,
    )


def find_mismatch(
    claim: Claim,
    assertion: Assertion,
    tier: Tier,
    evidence: tuple[Evidence, ...],
    *,
    corrected: str | None,
    settles: bool = True,
) -> Finding:
    """Return that the thing is real and the attribute is another; without a catalog: contradicted."""
    value = assertion.value
    is_money = isinstance(value, Quantity) and value.kind is Kind.MONEY
    code = VerdictCode.PRICE_MISMATCH if is_money else VerdictCode.ATTRIBUTE_MISMATCH
    what = name_attribute(assertion)
    written = "" if value is None else value.text
    right = f", it is {corrected!r}" if corrected is not None else ""
    told = f"{what} is not {written!r} in the {tier}{right}"
    if assertion.polarity is Polarity.DENIED:
        told = f"{what} is {corrected or written!r} in the {tier}, which the answer denies"
    return Finding(
        claim=claim.claim_id,
        tier=tier,
        code=code if assertion.catalogued else VerdictCode.CONTRADICTED,
        detail=told,
        evidence=evidence,
        corrected_value=corrected,
        values=(written,),
        attribute=what,
        settles=settles,
    )


def find_not_found(claim: Claim, tier: Tier | None) -> Finding:
    """Return that no such id exists as far as this turn may see; the words never tell more than that."""
    kind = claim.entity_type or "thing"
    return Finding(
        claim=claim.claim_id,
        tier=tier,
        code=VerdictCode.NOT_FOUND,
        detail=f"there is no {kind} with this id, as far as this turn may see",
    )


def find_unverifiable(
    claim: Claim, reason: Reason, detail: str, assertion: Assertion | None = None
) -> Finding:
    """Return that the assertion, or the whole claim, could not be checked, and why."""
    return Finding(
        claim=claim.claim_id,
        tier=None,
        code=VerdictCode.UNVERIFIABLE,
        detail=detail,
        reason=reason,
        attribute=None if assertion is None else name_attribute(assertion),
    )


def find_ambiguous(
    claim: Claim,
    assertion: Assertion,
    tier: Tier,
    evidence: tuple[Evidence, ...],
) -> Finding:
    """Return that the evidence can be read two ways that differ; gives the values of both."""
    what = name_attribute(assertion)
    found = " and ".join(dict.fromkeys(repr(one.text) for one in evidence))
    return Finding(
        claim=claim.claim_id,
        tier=tier,
        code=VerdictCode.AMBIGUOUS,
        detail=f"{what} may be {found} in the {tier}",
        evidence=evidence,
        values=tuple(one.text for one in evidence),
        attribute=what,
    )
