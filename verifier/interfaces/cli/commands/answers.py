"""`verifier answers`: the log of what was answered."""

from typing import Annotated

import typer

from verifier.interfaces.cli.examples import write_examples
from verifier.interfaces.cli.invocation import Invocation
from verifier.interfaces.cli.output import show

app = typer.Typer(help="Keep the log of past answers.", no_args_is_help=True)


@app.callback()
def answers() -> None:
    """Keep the log of past answers."""


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
