"""`verifier demo`."""

from pathlib import Path
from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation, run_to_end
from verifier.interfaces.cli.output import note, show
from verifier.interfaces.failures import NOT_ACCEPTED, OK


def demo(
    context: typer.Context,
    html: Annotated[
        Path | None,
        typer.Option(help="Where to write the page; into the data folder if not given."),
    ] = None,
) -> int:
    """Show the whole product on sample data. Needs nothing else."""
    from verifier.interfaces.cli.demonstration import demo_settings, run_demonstration
    from verifier.interfaces.cli.progress import ProgressLine
    from verifier.interfaces.cli.render_demo import render_demonstration, write_page

    invocation = Invocation.of(context)
    settings = demo_settings(invocation)
    page = html or settings.data_dir / "demo-report.html"
    progress = ProgressLine("demonstration", as_json=invocation.as_json)
    shown = run_to_end(
        lambda: run_demonstration(settings, html=page, progress=progress),
        log_level=settings.log_level,
    )
    write_page(shown)
    show(invocation, shown, lambda: render_demonstration(shown))
    if shown.missing:
        note(f"error: the demonstration did not show {', '.join(shown.missing)}")
    return NOT_ACCEPTED if shown.missing else OK
