"""Grounding reports on a terminal."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from verifier.core.verdicts import Disposition
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.cli.render_release import render_release
from verifier.interfaces.wording import MARKS, describe_locator, describe_outcome, describe_verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import RenderableType

    from verifier.core.report import GroundingReport, JudgedClaim
    from verifier.core.verdicts import Finding, Verdict
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
    name = f"{report.turn.turn_id}: " if report.turn.turn_id else ""
    headline = plain(f"{name}{describe_outcome(report)}")
    return Group(
        Text(headline, style="bold" if report.accepted else "bold red"),
        *(indent(render_claim(judged), 2) for judged in report.judged),
        *(
            indent(Text(f"– not checked: {shorten(sentence.text)}", style="bright_black"), 2)
            for sentence in report.unchecked
        ),
        *([] if report.release is None else render_release(report.release, report.judged)),
    )


def render_claim(judged: JudgedClaim) -> RenderableType:
    """Return one claim: sign, id, verdict and text first, what it rests on below."""
    verdict = judged.verdict
    sign = f"{MARKS[verdict.disposition]} {judged.claim.claim_id} {describe_verdict(verdict)}"
    head = Text.assemble((sign, STYLES[verdict.disposition]), f"  {shorten(judged.claim.text)}")
    return Group(head, *(indent(line, 4) for line in list_reasons(verdict)))


def list_reasons(verdict: Verdict | Finding) -> Iterator[Text]:
    """Yield the lines below a verdict: why, what is right, and the evidence."""
    yield Text(shorten(verdict.detail))
    if verdict.corrected_value is not None:
        yield Text(f"right is {shorten(verdict.corrected_value)}", style="bold")
    for evidence in verdict.evidence:
        note = f" ({evidence.note})" if evidence.note else ""
        place = describe_locator(evidence.locator)
        yield Text(shorten(f"{place}: {evidence.text}{note}"), style="bright_black")


def indent(rendered: RenderableType, columns: int) -> RenderableType:
    """Return `rendered` moved to the right, its further lines too."""
    return Padding(rendered, (0, 0, 0, columns), expand=False)


def shorten(text: str) -> str:
    """Return `text` on one line, without control characters, cut where it gets long."""
    line = " ".join(plain(text).split())
    return line if len(line) <= _SHOWN_CHARS else line[: _SHOWN_CHARS - 1] + "…"
