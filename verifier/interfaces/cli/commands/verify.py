"""`verifier verify`."""

from functools import partial
from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
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
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="MODE",
            help="What becomes of an answer: off (only the report), annotate, correct or hold.",
        ),
    ] = None,
    hold: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help="What stops an answer: rejected, review, unchecked; with commas."
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="All three stop it: only what is proved is accepted.")
    ] = False,
    check_ledger: Annotated[
        bool,
        typer.Option("--check-ledger", help="Hold tool results against the tables, which decide."),
    ] = False,
) -> int:
    """Verify the answers of turn files. Exit code 1 when one is not accepted."""
    from verifier.interfaces.cli.progress import ProgressLine
    from verifier.interfaces.cli.render_report import show_report
    from verifier.interfaces.cli.turns import read_hold, read_turn_files, verify_each

    invocation = Invocation.of(context).choosing(
        policy=policy,
        hold=read_hold(hold, strict=strict),
        check_ledger_against_database=check_ledger or None,
    )
    cases = read_turn_files(files, answer=answer)
    progress = ProgressLine("verifying", as_json=invocation.as_json)
    accepted = call_service(
        invocation.load_settings(),
        lambda verifier: verify_each(verifier, cases, partial(show_report, invocation), progress),
        progress,
    )
    return OK if accepted else NOT_ACCEPTED
