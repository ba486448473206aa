"""The demonstration on a terminal, and as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from verifier.interfaces.cli.circle_story import sum_up, tell_circle
from verifier.interfaces.cli.output import plain
from verifier.interfaces.cli.render import make_table
from verifier.interfaces.cli.render_report import indent, render_report, shorten
from verifier.interfaces.cli.render_stale import render_stale
from verifier.interfaces.html_report import PageTable, ReportSection, render_page
from verifier.interfaces.timeline import render_timeline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from verifier.interfaces.cli.demo_steps import ShownExchange
    from verifier.interfaces.cli.demonstration import Demonstration


def render_demonstration(shown: Demonstration) -> RenderableType:
    """Return what happened step by step, what it had to show, and where the page is."""
    parts: list[RenderableType] = [_title("Documents, in versions"), _documents(shown)]
    for exchange in shown.exchanges:
        parts += [_title(exchange.title), *_exchange(exchange)]
    parts += [_title("What an operator should look at"), *render_stale(shown.stale)]
    parts += [_title("The full circle"), *_circle(shown)]
    parts += [_title("What this showed"), _seen(shown)]
    if shown.missing:
        parts.append(Text(f"missing: {', '.join(shown.missing)}", style="bold red"))
    parts.append(
        Text(f"took {shown.seconds:.1f} s; the same as a page: {shown.html}", style="bold")
    )
    return Group(*parts)


def write_page(shown: Demonstration) -> None:
    """Write the demonstration as a self-contained HTML page to its path."""
    page = render_page(
        "What the verifier says of seven answers",
        subtitle="Sample data of a small shop, a room booking policy in two versions and a sensor handbook. "
        "Every verdict was computed when this page was written.",
        sections=[
            ReportSection(heading=each.title, report=each.report, given=_given(each))
            for each in shown.exchanges
        ],
        tables=_tables(shown),
        opening=render_timeline("The full circle", sum_up(shown.circle), tell_circle(shown.circle)),
    )
    shown.html.parent.mkdir(parents=True, exist_ok=True)
    shown.html.write_text(page, encoding="utf-8")


def _title(text: str) -> Rule:
    return Rule(Text(text, style="bold"), align="left", characters="─")


def _documents(shown: Demonstration) -> RenderableType:
    table = make_table("source", "version#", "outcome", "chunks#", "embedded now#", "reused#")
    for each in shown.outcomes:
        counts = (str(each.chunks), str(each.embedded), str(each.reused))
        table.add_row(each.key, str(each.seq or ""), each.outcome.value, *counts)
    return table


def _exchange(exchange: ShownExchange) -> list[RenderableType]:
    lines = Table.grid(padding=(0, 2))
    lines.add_column(style="bright_black")
    lines.add_column()
    lines.add_row("question", exchange.question)
    for call in exchange.tool_calls:
        lines.add_row("tool", shorten(call))
    for number, hit in enumerate(exchange.found.hits if exchange.found else (), start=1):
        place = f"[{number}] {hit.chunk_id} {hit.similarity or 0:.3f}  "
        lines.add_row("found", Text(place + shorten(hit.text), overflow="ellipsis", no_wrap=True))
    lines.add_row("answer", Text(plain(exchange.report.answer.strip())))
    return [lines, render_report(exchange.report), Text()]


def _circle(shown: Demonstration) -> Iterator[RenderableType]:
    for step in tell_circle(shown.circle):
        moment = step.at.strftime("%H:%M:%S")
        yield Text.assemble((f"{moment} {step.sign} ", "bright_black"), (step.heading, "bold"))
        yield from (indent(Text(plain(line)), 11) for line in step.lines)
        for swap in step.swaps:
            yield indent(Text(plain(f"{swap.name}: {swap.old} → {swap.new}")), 11)
    yield Text(sum_up(shown.circle))


def _seen(shown: Demonstration) -> RenderableType:
    table = make_table("what", "seen#")
    for name, count in shown.seen.items():
        table.add_row(name, str(count), style=None if count else "red")
    return table


def _given(exchange: ShownExchange) -> tuple[tuple[str, str], ...]:
    given = [
        ("Question", exchange.question),
        *(("Tool result", call) for call in exchange.tool_calls),
    ]
    if exchange.found is not None:
        given += [
            (f"Retrieved [{number}] {hit.chunk_id}, similarity {hit.similarity or 0:.3f}", hit.text)
            for number, hit in enumerate(exchange.found.hits, start=1)
        ]
    return tuple(given)


def _tables(shown: Demonstration) -> tuple[PageTable, ...]:
    documents = PageTable(
        heading="Documents, in versions",
        columns=("source", "version", "outcome", "chunks"),
        rows=tuple(
            (each.key, str(each.seq or ""), each.outcome.value, str(each.chunks))
            for each in shown.outcomes
        ),
    )
    seen = PageTable(
        heading="What this page shows",
        columns=("what", "seen"),
        rows=tuple((name, str(count)) for name, count in shown.seen.items()),
    )
    return seen, documents
