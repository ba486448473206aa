"""The answer log on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.text import Text

from verifier.core.report_file import read_report
from verifier.interfaces.cli.output import plain
from verifier.interfaces.cli.render import make_table
from verifier.interfaces.wire import dump_line
from verifier.interfaces.wording import describe_moment

if TYPE_CHECKING:
    from rich.console import RenderableType

    from verifier.answers import ReportList
    from verifier.store.answers import LoggedReport

_SHOWN_CHARS: Final = 80
_SHOWN_ID_CHARS: Final = 12


def render_answers(listed: ReportList) -> RenderableType:
    """Return a line for each logged report."""
    if not listed.reports:
        return Text("no answer was logged")
    table = make_table("report", "given", "outcome", "claims#", "answer")
    for one in listed.reports:
        table.add_row(
            one.report_id[:_SHOWN_ID_CHARS],
            describe_moment(one.created_at),
            one.outcome or "no claims",
            str(one.claims),
            plain(" ".join(one.answer.split())[:_SHOWN_CHARS]),
        )
    last = listed.reports[-1].report_id
    more = f"there are older ones: --beyond {last}" if listed.more else ""
    return Group(table, Text(more)) if more else table


def render_answer(logged: LoggedReport) -> RenderableType:
    """Return a logged report: its answer, and a line for each claim."""
    written = read_report(dump_line(logged.report))
    table = make_table("claim", "verdict", "detail", "text")
    for claim in written.claims:
        table.add_row(
            claim.claim_id, claim.verdict.code.value, plain(claim.verdict.detail), plain(claim.text)
        )
    head = f"report {logged.report_id}, given {describe_moment(logged.created_at)}"
    return Group(Text(head), Text(plain(written.answer)), table)
