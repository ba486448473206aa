"""Grounding reports on a terminal."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from verifier.core.verdicts import Disposition
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.wording import MARKS, describe_locator, describe_share, describe_verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import RenderableType

    from verifier.core.report import GroundingReport, JudgedClaim
    from verifier.interfaces.cli.invocation import Invocation

STYLES: Final[Mapping[Disposition, str]] = MappingProxyType(
    {
        Disposition.ACCEPTED: "green",
        Disposition.REJECTED: "red",
        Disposition.REVIEW: "yellow",
        Disposition.UNCHECKED: "bright_black",
    }
)
_SHOWN_CHARS: Final = 300


def show_report(invocation: Invocation, report: GroundingReport) -> None:
    """Write a report: in its documented JSON form, or for people."""
    show(invocation, report, lambda: render_report(report))


def render_report(report: GroundingReport) -> RenderableType:
    """Return a report for people: the outcome, then each claim with verdict, right value and evidence."""
    verdict = "accepted" if report.accepted else "not accepted"
    name = f"{report.turn.turn_id}: " if report.turn.turn_id else ""
    headline = Text(
        plain(f"{name}{verdict}, {describe_share(report)}"),
        style="bold" if report.accepted else "bold red",
    )
    claims = [Padding(render_claim(judged), (0, 0, 0, 2)) for judged in report.judged]
    unchecked = [
        Text(f"  – not a claim: {shorten(sentence.text)}", style="bright_black")
        for sentence in report.unchecked
    ]
    return Group(headline, *claims, *unchecked)


def render_claim(judged: JudgedClaim) -> RenderableType:
    """Return one claim: sign, verdict and text on the first lines, what it rests on below."""
    return Group(*_claim_lines(judged))


def _claim_lines(judged: JudgedClaim) -> Iterator[Text]:
    verdict = judged.verdict
    mark = MARKS[verdict.disposition]
    yield Text.assemble(
        (f"{mark} {describe_verdict(verdict)}", STYLES[verdict.disposition]),
        f"  {shorten(judged.claim.text)}",
    )
    yield Text(f"    {shorten(verdict.detail)}")
    if verdict.corrected_value is not None:
        yield Text(f"    right is {plain(verdict.corrected_value)}", style="bold")
    for evidence in verdict.evidence:
        place = plain(describe_locator(evidence.locator))
        yield Text(f"    {place}: {shorten(evidence.text)}", style="bright_black")
        if evidence.note:
            yield Text(f"    {shorten(evidence.note)}", style="bright_black")


def shorten(text: str) -> str:
    """Return `text` on one line, without control characters, cut where it gets long."""
    line = " ".join(plain(text).split())
    return line if len(line) <= _SHOWN_CHARS else line[: _SHOWN_CHARS - 1] + "…"
