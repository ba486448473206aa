"""`verifier verify`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation
from verifier.interfaces.cli.output import show
from verifier.interfaces.failures import NOT_ACCEPTED, OK


def verify(
    context: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...", help="Turn files, JSON or JSON lines; - for standard input."
        ),
    ],
    answer: Annotated[
        str | None, typer.Option(help="Verify this text in place of the answer of each turn.")
    ] = None,
) -> int:
    """Verify the answers of turn files; exit code 1 when one is not accepted."""
    from functools import partial

    from verifier.interfaces.cli.render_report import render_report
    from verifier.interfaces.cli.turns import read_turn_files, verify_turns

    invocation = Invocation.of(context)
    cases = read_turn_files(files, answer=answer)
    reports = verify_turns(invocation.load_settings(), cases)
    for report in reports:
        show(invocation, report, partial(render_report, report))
    return OK if all(report.accepted for report in reports) else NOT_ACCEPTED
