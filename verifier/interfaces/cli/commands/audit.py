"""`verifier audit stale`."""

from datetime import datetime
from typing import Annotated

import typer

from verifier.interfaces.cli.examples import write_examples
from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.moments import read_moment
from verifier.interfaces.cli.output import show
from verifier.interfaces.cli.progress import ProgressLine

app = typer.Typer(help="Show what an operator should look at.", no_args_is_help=True)


@app.command(epilog=write_examples("audit stale"))
def stale(
    context: typer.Context,
    now: Annotated[
        datetime | None,
        typer.Option(parser=read_moment, metavar="MOMENT", help="As if it were this time."),
    ] = None,
) -> None:
    """Show sources whose review is overdue. Tells the chunks and past answers that rest on them."""
    from verifier.interfaces.cli.render_stale import render_stale

    invocation = Invocation.of(context)
    audit = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.audit_stale(now),
        ProgressLine("looking for what is stale", as_json=invocation.as_json),
    )
    show(invocation, audit, lambda: render_stale(audit))
