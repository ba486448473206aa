"""Whether an outcome is the one expected, and if not, which of the two errors it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from casework.cases import Judgement
from verifier.core.verdicts import DISPOSITION_ORDER, Disposition

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.core.report import GroundingReport, JudgedClaim
    from verifier.core.spans import Span

Outcome = Disposition | None
"""The worst disposition of an answer's claims; None where it has no claims."""

WORDS: Final = frozenset({"supported", "contradicted", "unsupported", "not_supported", "no_claims"})


def is_expected(word: str, outcome: Outcome) -> bool:
    """Return whether the outcome is what the word of a case asks for."""
    if word == "supported":
        return outcome is Disposition.ACCEPTED
    if word == "contradicted":
        return outcome is Disposition.REJECTED
    if word == "no_claims":
        return outcome is None
    return word in {"unsupported", "not_supported"} and outcome is not Disposition.ACCEPTED


def error_of(word: str, outcome: Outcome) -> str:
    """Return the kind of error that an outcome is which the word does not ask for."""
    if word not in WORDS:
        return "wrong_value"
    if outcome is Disposition.ACCEPTED:
        return "wrongly_accepted"
    return "wrongly_refused" if outcome is Disposition.REJECTED else "left_open"


def judge_word(
    word: str, outcome: Outcome, must_not: object = None, got: object = None
) -> Judgement:
    """Return the judgement of an outcome; `ambiguous` is wrong only where `must_not` forbids it."""
    forbidden = must_not if isinstance(must_not, list) else [must_not]
    if "supported" in forbidden and outcome is Disposition.ACCEPTED:
        return Judgement(ok=False, got=got, error="wrongly_accepted")
    if "contradicted" in forbidden and outcome is Disposition.REJECTED:
        return Judgement(ok=False, got=got, error="wrongly_refused")
    if word == "ambiguous":
        return Judgement(ok=True, got=got, counted=False)
    if is_expected(word, outcome):
        return Judgement(ok=True, got=got)
    return Judgement(ok=False, got=got, error=error_of(word, outcome))


def judge_choice(
    words: list[str], outcome: Outcome, must_not: object = None, got: object = None
) -> Judgement:
    """Return the judgement where several outcomes are right."""
    judged = [judge_word(word, outcome, must_not, got) for word in words]
    return next((one for one in judged if one.ok), judged[0])


def worst(claims: Iterable[JudgedClaim]) -> Outcome:
    """Return the worst disposition of the claims; None where there are none."""
    found = {judged.verdict.disposition for judged in claims}
    return next((disposition for disposition in DISPOSITION_ORDER if disposition in found), None)


def claims_at(report: GroundingReport, place: Span) -> list[JudgedClaim]:
    """Return the claims that speak of a place: by an assertion's span, else by their own, the shortest."""
    bound = [
        judged
        for judged in report.judged
        if any(assertion.span.overlaps(place) for assertion in judged.claim.assertions)
    ]
    if bound:
        return bound
    over = [judged for judged in report.judged if judged.claim.span.overlaps(place)]
    shortest = min((_length(judged) for judged in over), default=0)
    return [judged for judged in over if _length(judged) == shortest]


def places_of(judged: JudgedClaim) -> set[str]:
    """Return where a claim's evidence is said to stand: tiers, calls, sources, tables, labels cited."""
    places = {str(judged.verdict.tier)} | {citation.label for citation in judged.claim.citations}
    for finding in judged.verdict.findings:
        places |= {str(finding.tier)}
        for evidence in finding.evidence:
            for name in ("call_id", "source", "table"):
                place = getattr(evidence.locator, name, None)
                places |= {str(place)} if place else set()
    return places


def _length(judged: JudgedClaim) -> int:
    return judged.claim.span.end - judged.claim.span.start


def describe(report: GroundingReport) -> list[str]:
    """Return the claims of a report, each as one line."""
    lines = []
    for judged in report.judged[:20]:
        verdict = judged.verdict
        reason = f":{verdict.reason}" if verdict.reason else ""
        lines.append(f"{verdict.code}{reason} {judged.claim.text[:80]!r} -- {verdict.detail[:160]}")
    return lines or ["no claims"]
