"""`verifier explain`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation
from verifier.interfaces.cli.output import show


def explain(
    context: typer.Context,
    report: Annotated[
        str,
        typer.Argument(
            metavar="REPORT",
            help="File of reports that `verifier verify --json` printed; - for standard input.",
        ),
    ],
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help="The claim's id, such as c3.")],
    turn: Annotated[
        str | None,
        typer.Option(help="Of several reports the one of this turn, or with this report id."),
    ] = None,
) -> None:
    """Explain a claim of a report. Tells what its value was held against, and why each candidate lost.

    The answer is bound once more to the turn that the report holds; no database is asked. With --json it
    is one JSON value of the form explanation.v1.
    """
    from verifier.interfaces.cli.explaining import explain_from_file
    from verifier.interfaces.cli.render_explain import render_explanation
    from verifier.verify.explaining import explanation_to_json

    invocation = Invocation.of(context)
    explained = explain_from_file(invocation, report, claim, turn=turn)
    show(invocation, explanation_to_json(explained), lambda: render_explanation(explained))
