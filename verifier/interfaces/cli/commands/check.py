"""`verifier check`."""

from pathlib import Path
from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation
from verifier.interfaces.cli.output import show
from verifier.interfaces.failures import NOT_ACCEPTED, OK

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Claims with citations, CSV or JSON lines, or answers with their sources; - for standard input.",
    ),
]
Documents = Annotated[
    Path | None,
    typer.Option(help="CSV or JSON of the documents, or a folder; beside FILE if not given."),
]


def check(
    context: typer.Context,
    file: File,
    documents: Documents = None,
    chart: Annotated[
        Path | None, typer.Option(help="Write a picture of the work queues here (PNG).")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write a page with claims and evidence side by side here.")
    ] = None,
) -> int:
    """Check claims against the documents that they cite. Exit code 1 when one is rejected.

    Needs no database. CSV has the columns claim_id, claim_text, cited_doc_id (ids with | between them). A
    column retrieved_doc_ids tells what was retrieved: without it nothing is checked of that, an empty cell
    says that nothing was. Documents have doc_id and text.
    """
    from verifier.core.verdicts import Disposition
    from verifier.interfaces.cli.checking import check_file, outcome_to_json
    from verifier.interfaces.cli.pictures import write_pictures
    from verifier.interfaces.cli.progress import ProgressLine
    from verifier.interfaces.cli.render_check import render_check

    invocation = Invocation.of(context)
    with ProgressLine("checking", as_json=invocation.as_json) as progress:
        outcome = check_file(file, documents, progress.tell)
        progress.tell("drawing")
        write_pictures(outcome, name=file, chart=chart, html=html)
        progress.tell("writing the results")
        with progress.aside():
            show(invocation, outcome_to_json(outcome), lambda: render_check(outcome))
    return NOT_ACCEPTED if Disposition.REJECTED in outcome.queues else OK
