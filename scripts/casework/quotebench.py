"""Judging quotations of policy pages: whether each is accepted, and at which span."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from casework.engine import verify
from casework.quoting import TRUE_KINDS
from verifier.core.evidence import SpanLocator
from verifier.core.text import normal_form
from verifier.core.turns import RetrievedChunk, Turn
from verifier.core.verdicts import Disposition

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casework.quoting import Page, QuotedCase
    from verifier.core.report import GroundingReport

_LONGEST_SHOWN: Final = 300


@dataclass(slots=True)
class QuoteTally:
    """How the quotations of one kind came out."""

    cases: int = 0
    right: int = 0
    accepted: int = 0
    rejected: int = 0
    misses: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return the figures, and what came out wrong."""
        names = ("cases", "right", "accepted", "rejected", "misses")
        return {name: getattr(self, name) for name in names}


def judge_cases(cases: Iterable[QuotedCase]) -> dict[str, QuoteTally]:
    """Return a tally for each kind."""
    tallies: dict[str, QuoteTally] = {}
    for case in cases:
        tally = tallies.setdefault(case.kind, QuoteTally())
        report = verify(f"“{case.text}” [{case.cited.label}].", _turn(case))
        tally.cases += 1
        tally.accepted += report.outcome is Disposition.ACCEPTED
        tally.rejected += report.outcome is Disposition.REJECTED
        problem = _problem(case, report)
        tally.right += problem is None
        if problem is not None:
            told = "; ".join(f"{one.verdict.code}: {one.verdict.detail}" for one in report.judged)
            tally.misses.append(
                f"{case.kind} {case.cited.label} {problem} [{told}] {case.text[:_LONGEST_SHOWN]!r}"
            )
    return tallies


def _problem(case: QuotedCase, report: GroundingReport) -> str | None:
    """Return what is wrong with a report, None where nothing is."""
    if case.kind not in TRUE_KINDS:
        if report.outcome in {Disposition.ACCEPTED, None}:
            return "is not held up"
        named = case.true_page is None or any(
            seq == case.true_page.version for seq, _ in _places(report)
        )
        return None if named else "the version that has it is not named"
    if report.outcome is not Disposition.ACCEPTED or case.span is None:
        return "is not accepted"
    found = _places(report)
    wanted = normal_form(case.span.of(case.cited.text)).text
    same = (normal_form(span.of(case.cited.text)).text for _, span in found)
    if (case.cited.version, case.span) in found or wanted in same:  # the page may say it twice
        return None
    return f"stands at {case.span}, was found at {[span for _, span in found]}"


def _places(report: GroundingReport) -> list[tuple[int | None, Any]]:
    return [
        (evidence.locator.seq, evidence.locator.span)
        for judged in report.judged
        for evidence in judged.verdict.evidence
        if isinstance(evidence.locator, SpanLocator)
    ]


def _turn(case: QuotedCase) -> Turn:
    pages = [case.cited, *([case.true_page] if case.true_page else [])]
    return Turn(retrieved=tuple(_chunk(page) for page in pages))


def _chunk(page: Page) -> RetrievedChunk:
    return RetrievedChunk(
        label=page.label, source=page.name, text=page.text, seq=page.version, ordinal=0
    )
