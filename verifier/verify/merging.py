"""What all findings say of a claim: by assertion, then the worst assertion."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.verdicts import (
    DISPOSITION_ORDER,
    Disposition,
    Finding,
    Reason,
    Tier,
    Verdict,
    VerdictCode,
)
from verifier.verify.findings import find_unverifiable, name_attribute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.claims import Claim

_GRAVEST: Final = (
    VerdictCode.UNKNOWN_CITATION,
    VerdictCode.CITATION_NOT_RETRIEVED,
    VerdictCode.UNAPPROVED_SOURCE,
    VerdictCode.NOT_FOUND,
    VerdictCode.PRICE_MISMATCH,
)


def narrow(claim: Claim, findings: Sequence[Finding]) -> Claim | None:
    """Return the claim with the assertions that a later tier has still to look at; None where none is.

    Nothing is left of a claim that is rejected for good.
    """
    if not findings:
        return claim
    settled = [finding for finding in findings if finding.settles and _says(finding)]
    if any(finding.disposition is Disposition.REJECTED for finding in settled):
        return None
    names = {finding.attribute for finding in settled}
    left = tuple(one for one in claim.assertions if name_attribute(one) not in names)
    if len(left) == len(claim.assertions):
        return claim if claim.assertions or not settled else None
    return replace(claim, assertions=left) if left else None


def decide(claim: Claim, findings: Sequence[Finding]) -> Verdict:
    """Return the verdict on a claim from its tiers' findings, in the order of the tiers.

    An assertion without a finding is unverifiable. Where a row settles what a ledger entry said
    otherwise, the row decides and the entry is named as out of date.
    """
    found = list(findings)
    about_all = [finding for finding in found if finding.attribute is None]
    names = [name_attribute(assertion) for assertion in claim.assertions] or [None]
    settled = [_resolve(about_all)] if about_all else []
    told = any(finding.disposition is not Disposition.ACCEPTED for finding in settled)
    for name in dict.fromkeys(names):
        own = [finding for finding in found if finding.attribute == name]
        if own and name is not None:
            settled.append(_resolve(own))
        elif not own and not told:
            settled.append(_unchecked(claim, name))
    deciding = _combine(settled)
    kept = tuple(dict.fromkeys([*found, deciding]))
    return Verdict(claim=claim.claim_id, decided_by=deciding, findings=kept)


def _says(finding: Finding) -> bool:
    return finding.code is not VerdictCode.UNVERIFIABLE


def _unchecked(claim: Claim, name: str | None) -> Finding:
    if claim.fault is Reason.UNKNOWN_TYPE:
        detail = "the catalog declares no type of this card's name"
        return find_unverifiable(claim, claim.fault, detail)
    if claim.fault is not None:
        return find_unverifiable(claim, claim.fault, "it can be seen but not read")
    if claim.entity_type is None:
        detail = "it is bound to nothing that the evidence knows"
        return replace(find_unverifiable(claim, Reason.UNBOUND, detail), attribute=name)
    told = find_unverifiable(claim, Reason.NO_EVIDENCE, f"nothing tells of {name or 'this'}")
    return replace(told, attribute=name)


def _resolve(findings: Sequence[Finding]) -> Finding:
    """Return what the findings on one attribute come to: the worst that the last tier says of it."""
    telling = [finding for finding in findings if _says(finding)]
    if not telling:
        return findings[-1]
    last = min((one for one in telling if one.tier is telling[-1].tier), key=_gravity)
    if not last.settles and last.disposition is Disposition.ACCEPTED:
        silent = [finding for finding in findings if not _says(finding)]
        if silent:
            return silent[-1]
        detail = f"{last.detail}, which was to be confirmed and was not"
        return replace(
            last,
            tier=None,
            code=VerdictCode.UNVERIFIABLE,
            detail=detail,
            reason=Reason.NO_EVIDENCE,
            settles=True,
        )
    return _name_stale(last, telling)


def _name_stale(last: Finding, telling: Sequence[Finding]) -> Finding:
    earlier = [
        evidence
        for finding in telling
        if finding.tier is Tier.LEDGER
        and last.tier is Tier.DATABASE
        and finding.disposition is not last.disposition
        for evidence in finding.evidence
    ]
    if not earlier:
        return last
    stale = tuple(replace(one, note="out of date: the canonical row differs") for one in earlier)
    return replace(last, evidence=(*last.evidence, *stale))


def _combine(settled: Sequence[Finding]) -> Finding:
    worst = min(settled, key=_gravity)
    if worst.disposition is not Disposition.ACCEPTED or len(settled) == 1:
        return worst
    latest = max(settled, key=lambda finding: list(Tier).index(finding.tier or Tier.LEDGER))
    evidence = tuple(dict.fromkeys(one for finding in settled for one in finding.evidence))
    detail = "; ".join(dict.fromkeys(finding.detail for finding in settled))
    return replace(latest, evidence=evidence, detail=detail, attribute=None)


def _gravity(finding: Finding) -> tuple[int, int]:
    gravest = _GRAVEST.index(finding.code) if finding.code in _GRAVEST else len(_GRAVEST)
    return DISPOSITION_ORDER.index(finding.disposition), gravest
