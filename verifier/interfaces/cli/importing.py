"""Carrying out `verifier import`, and telling what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.errors import InputError
from verifier.interfaces.failures import OK, USAGE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from verifier.ingest.taking_over import ImportReport
    from verifier.interfaces.cli.invocation import Invocation
    from verifier.interfaces.cli.progress import ProgressLine
    from verifier.service import Verifier
    from verifier.store.foreign_places import ForeignPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOrder:
    """What is to be imported, and how its rows become sources."""

    place: ForeignPlace
    source_key: str | None
    order_key: str | None
    each_row: bool
    database: str | None
    trust_vectors: bool
    skip_unusable: bool
    by: str | None

    def __post_init__(self) -> None:
        """Raise InputError where the wishes contradict each other."""
        if self.each_row and (self.source_key or self.order_key):
            raise InputError(
                "with --each-row every row is a source; leave out --source-column and --order-column"
            )


def import_table(invocation: Invocation, order: ImportOrder, model: str | None) -> int:
    """Import what `order` names, with the model of that name, and return the exit code."""
    from verifier.interfaces.cli.invocation import call_service
    from verifier.interfaces.cli.output import show
    from verifier.interfaces.cli.progress import ProgressLine

    progress = ProgressLine("importing", as_json=invocation.as_json)
    settings = invocation.load_settings(model=model)
    report = call_service(
        settings, lambda verifier: _take_over(verifier, order, progress), progress
    )
    show(invocation, report, lambda: render_import(report))
    return USAGE if report.failed else OK


async def _take_over(
    verifier: Verifier, order: ImportOrder, progress: ProgressLine
) -> ImportReport:
    from verifier.connections import STORE_DATABASE
    from verifier.ingest.foreign_rows import Grouping

    return await verifier.imports.take_over(
        order.place,
        Grouping(source_key=order.source_key, order_key=order.order_key, each_row=order.each_row),
        database=order.database or STORE_DATABASE,
        trust_vectors=order.trust_vectors,
        skip_unusable=order.skip_unusable,
        on_read=lambda rows: progress.tell(f"{rows:,} rows read"),
        on_progress=progress.tell_ingest,
        by=order.by,
    )


def render_import(report: ImportReport) -> RenderableType:
    """Return what became of each source, then of the rows, then how the vectors were compared."""
    from rich.console import Group
    from rich.text import Text

    from verifier.interfaces.cli.render import render_ingest
    from verifier.interfaces.ingest_report import IngestReport

    reused = sum(each.reused for each in report.outcomes)
    written = IngestReport(
        outcomes=report.outcomes,
        refusals=(),
        embedded=report.embedded,
        reused=reused,
        reused_share=1.0 if reused else None,
        failed=report.failed,
    )
    return Group(render_ingest(written), *(Text(line) for line in describe_rows(report)))


def describe_rows(report: ImportReport) -> Iterator[str]:
    """Yield lines on what was read, left out, found twice, and compared."""
    yield f"{report.rows:,} rows read, {report.taken:,} taken over"
    for reason, count in report.left_out.items():
        yield f"left out: {count:,} {reason}"
    found = report.repetitions
    if found.same_id:
        yield f"left out: {found.same_id:,} with the id of a later row"
    if found.repeated:
        yield f"left out: {found.repeated:,} that say what another row of their source says"
    if found.alike:
        yield f"{found.alike:,} differ from another row of their source in case, space or typography alone"
    yield from _describe_comparison(report)


def _describe_comparison(report: ImportReport) -> Iterator[str]:
    compared = report.comparison
    if compared is None:
        yield "the vectors were trusted; none was compared with the model"
        return
    made_of = ", made of the texts without their metadata" if compared.texts_alone else ""
    yield (
        f"{compared.compared} vectors compared with the model: cosine {compared.least:.4f} or more{made_of}"
    )
    if compared.beyond_model:
        yield (
            f"{compared.beyond_model} of the {compared.compared} compared rows are longer than the model"
            " reads: their vectors know only the beginning; ingest such documents anew"
        )
