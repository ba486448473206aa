"""`verifier answers`: the log of what was answered."""

from datetime import datetime
from typing import Annotated

import typer

from verifier.core.verdicts import Disposition
from verifier.interfaces.cli.examples import write_examples
from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.moments import read_moment
from verifier.interfaces.cli.output import show
from verifier.interfaces.cli.progress import ProgressLine

app = typer.Typer(help="List, show and remove logged answers.", no_args_is_help=True)


@app.callback()
def answers() -> None:
    """List, show and remove logged answers."""


@app.command("list", epilog=write_examples("answers list"))
def list_answers(
    context: typer.Context,
    since: Annotated[
        datetime | None,
        typer.Option(parser=read_moment, metavar="MOMENT", help="Given then or later."),
    ] = None,
    until: Annotated[
        datetime | None, typer.Option(parser=read_moment, metavar="MOMENT", help="Given before.")
    ] = None,
    outcome: Annotated[Disposition | None, typer.Option(help="With this worst verdict.")] = None,
    beyond: Annotated[
        str | None,
        typer.Option(metavar="REPORT", help="Older than this one, which a list ended with."),
    ] = None,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, max=10_000, help="How many.")] = 100,
) -> None:
    """List logged answers, the newest first."""
    from verifier.interfaces.cli.render_answers import render_answers

    invocation = Invocation.of(context)
    found = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.answers.list(
            since=since, until=until, outcome=outcome, beyond=beyond, limit=limit
        ),
        ProgressLine("looking at the log", as_json=invocation.as_json),
    )
    show(invocation, found, lambda: render_answers(found))


@app.command("show", epilog=write_examples("answers show"))
def show_answer(
    context: typer.Context,
    report: Annotated[str, typer.Argument(help="Id of a logged report, or how it begins.")],
) -> None:
    """Show a logged answer with its verdicts. With --json the report and the turn that it judged."""
    from verifier.interfaces.cli.render_answers import render_answer

    invocation = Invocation.of(context)
    found = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.answers.show(report),
        ProgressLine("reading the report", as_json=invocation.as_json),
    )
    show(invocation, found, lambda: render_answer(found))


@app.command(epilog=write_examples("answers sweep"))
def sweep(
    context: typer.Context,
    days: Annotated[
        int | None, typer.Option(help="Older than this; `answer_log_days` if not given.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Remove them; else they are counted.")] = False,
) -> None:
    """Remove old answers from the log. Their citations, review requests and rechecks go with them."""
    from verifier.interfaces.cli.sweeping import describe_sweep, sweep_answers

    invocation = Invocation.of(context)
    swept = sweep_answers(invocation, days, removes=yes)
    show(invocation, swept, lambda: describe_sweep(swept))
