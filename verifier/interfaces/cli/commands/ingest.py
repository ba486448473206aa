"""`verifier ingest`."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.moments import read_moment
from verifier.interfaces.cli.output import show
from verifier.interfaces.failures import OK, USAGE

Moment = Annotated[datetime | None, typer.Option(parser=read_moment, metavar="MOMENT")]


def ingest(
    context: typer.Context,
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH...", help="Files or folders; - reads standard input."),
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="Key of the source, for one file or standard input.")
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Who ingests; an operator's ingest approves.")
    ] = None,
    valid_from: Moment = None,
    review_until: Moment = None,
    manifest: Annotated[
        Path | None, typer.Option(help="CSV with a column `file`, one version a line, in order.")
    ] = None,
    key_column: Annotated[str, typer.Option(help="Its column with the source's key.")] = "key",
    valid_from_column: Annotated[
        str, typer.Option(help="Its column with the date.")
    ] = "valid_from",
) -> int:
    """Turn text and Markdown into versions of sources; what did not change is left as it is."""
    from verifier.interfaces.cli.ingesting import IngestOrder, carry_out
    from verifier.interfaces.cli.render import render_ingest

    invocation = Invocation.of(context)
    order = IngestOrder(
        paths=tuple(paths or ()),
        key=key,
        by=by,
        valid_from=valid_from,
        review_until=review_until,
        manifest=manifest,
        key_column=key_column,
        valid_from_column=valid_from_column,
    )
    report = call_service(invocation.load_settings(), lambda verifier: carry_out(verifier, order))
    show(invocation, report, lambda: render_ingest(report))
    return USAGE if report.failed else OK
