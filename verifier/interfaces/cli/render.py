"""Sources, search hits, ingests and audits on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from verifier.ingest.formats import list_suffixes
from verifier.ingest.requests import Outcome
from verifier.interfaces.cli.output import plain
from verifier.interfaces.wording import count, describe_moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from verifier.interfaces.ingest_report import IngestReport
    from verifier.store.sources import SourceListing

SHOWN_ROWS = 50


def make_table(*columns: str) -> Table:
    """Return an empty table with `columns`; a name that ends in `#` is set to the right."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(column.rstrip("#"), justify="right" if column.endswith("#") else "left")
    return table


def render_sources(listed: Sequence[SourceListing], *, filtered: bool) -> RenderableType:
    """Return a line for each source: what is current of it, and whether it may be used."""
    if not listed:
        none = (
            "no sources of that kind"
            if filtered
            else "no sources yet; `verifier ingest` makes them"
        )
        return Text(none)
    table = make_table(
        "source",
        "permission",
        "by",
        "authority#",
        "current#",
        "versions#",
        "waiting#",
        "chunks#",
        "review until",
        "title",
    )
    for each in listed:
        table.add_row(
            plain(each.source.key),
            each.source.permission.value,
            plain(each.source.permission_by or ""),
            str(each.source.authority),
            str(each.current_seq or "–"),
            str(each.versions),
            str(each.waiting or ""),
            str(each.chunks),
            describe_moment(each.review_until),
            plain(each.source.title or ""),
        )
    return table


def render_ingest(report: IngestReport) -> RenderableType:
    """Return what became of each document that changed or failed, and the sums."""
    table = make_table("source", "outcome", "version#", "chunks#", "embedded#", "reused#")
    changed = [each for each in report.outcomes if each.outcome is not Outcome.UNCHANGED]
    for each in changed[:SHOWN_ROWS]:
        version = "" if each.seq is None else str(each.seq)
        counts = (str(each.chunks), str(each.embedded), str(each.reused))
        table.add_row(plain(each.key), each.outcome.value, version, *counts)
    failures = [
        *(
            f"{each.key}: {each.error}"
            for each in report.outcomes
            if each.outcome is Outcome.FAILED
        ),
        *(refusal.error for refusal in report.refusals),
    ]
    shown = [table] if changed else []
    faults = [Text(f"✗ {plain(failure)}", style="red") for failure in failures]
    return Group(*shown, Text(sum_up(report)), *_tell_passed_over(report), *faults)


def _tell_passed_over(report: IngestReport) -> Iterator[Text]:
    if report.passed_over:
        named = ", ".join(plain(name) for name in report.first_passed_over)
        more = ", …" if report.passed_over > len(report.first_passed_over) else ""
        yield Text(
            f"{count(report.passed_over, 'file')} passed over: {named}{more}"
            f" (read are {list_suffixes()}; --format tells what a single file is)"
        )


def sum_up(report: IngestReport) -> str:
    """Return one line: how many documents, in which state, and how much needed no embedding."""
    counts = [
        f"{number} {outcome.value}"
        for outcome in Outcome
        if (number := sum(each.outcome is outcome for each in report.outcomes))
    ]
    counts += [f"{len(report.refusals)} refused"] if report.refusals else []
    share = (
        ""
        if report.reused_share is None
        else (
            f"; {count(report.embedded, 'passage')} embedded,"
            f" {sum(each.reused for each in report.outcomes)} taken over as they were"
        )
    )
    return f"{count(len(report.outcomes), 'document')}: {', '.join(counts) or 'none'}{share}"
