"""`verifier eval`."""

from pathlib import Path
from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation
from verifier.interfaces.cli.output import show
from verifier.interfaces.failures import NOT_ACCEPTED, OK


def evaluate(
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Labelled answers, JSON lines, or a run; - for standard input."
        ),
    ],
    against: Annotated[
        str | None, typer.Option(metavar="RUN", help="An earlier run, as --out wrote it.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the run here, as JSON.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page with charts here.")] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit code 1 when an answer is wrongly accepted.")
    ] = False,
) -> int:
    """Measure verdicts on labelled answers. Tells both errors with their intervals.

    A line is a turn, as `verifier verify` takes it, with id and labels: reviewer, label, labelled_at. Labels
    are supported, unsupported, contradicted, unclear, missing_evidence, citation_format. Nothing is logged.
    """
    from verifier.interfaces.cli.evaluating import evaluate_file, write_outcome
    from verifier.interfaces.cli.progress import ProgressLine
    from verifier.interfaces.cli.render_evaluation import render_outcome

    invocation = Invocation.of(context)
    progress = ProgressLine("evaluating", as_json=invocation.as_json)
    outcome = evaluate_file(invocation, file, against, progress)
    write_outcome(outcome, name=file, out=out, html=html)
    show(invocation, outcome, lambda: render_outcome(outcome))
    return NOT_ACCEPTED if strict and outcome.accepted_wrongly else OK
