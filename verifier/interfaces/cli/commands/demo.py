"""`verifier demo`."""

from pathlib import Path
from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation
from verifier.interfaces.cli.output import show
from verifier.interfaces.failures import NOT_ACCEPTED, OK


def demo(
    context: typer.Context,
    report: Annotated[
        Path | None,
        typer.Option(help="Where to write the HTML report; in the data folder if not given."),
    ] = None,
) -> int:
    """Show the whole product on sample data: ingest, search, verify, audit. Needs nothing else."""
    import asyncio

    from verifier.interfaces.cli.demonstration import demo_settings, run_demonstration
    from verifier.interfaces.cli.render_demo import render_demonstration
    from verifier.interfaces.html_report import write_html

    invocation = Invocation.of(context)
    settings = demo_settings(invocation)
    shown = asyncio.run(
        run_demonstration(settings, html=report or settings.data_dir / "demo-report.html")
    )
    write_html(shown)
    show(invocation, shown, lambda: render_demonstration(shown))
    return NOT_ACCEPTED if shown.missing else OK
