"""`verifier validity`."""

from datetime import datetime
from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.moments import read_stored_moment
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.cli.progress import ProgressLine


def validity(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="Key of the source, as `verifier sources` shows it.")],
    version: Annotated[int, typer.Argument(help="The version that is meant.")],
    valid_from: Annotated[
        datetime,
        typer.Option(
            "--from", parser=read_stored_moment, metavar="MOMENT", help="When it begins to hold."
        ),
    ],
    valid_to: Annotated[
        datetime | None,
        typer.Option(
            "--to",
            parser=read_stored_moment,
            metavar="MOMENT",
            help="When it ceases; with the next if not given.",
        ),
    ] = None,
    by: Annotated[str, typer.Option(help="Who corrects it.")] = "operator",
    reason: Annotated[str | None, typer.Option(help="Why, for the record.")] = None,
) -> None:
    """Correct when a version holds. What was known before stays on record."""
    invocation = Invocation.of(context)
    changed = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.sources.correct_validity(
            key, version, valid_from, valid_to, by=by, reason=reason
        ),
        ProgressLine("correcting", as_json=invocation.as_json),
    )
    held = f"from {valid_from}, {f'to {valid_to}' if valid_to else 'till the next'}"
    told = f"{key}@{version} {'holds' if changed else 'held already'} {held}"
    show(invocation, {"key": key, "changed": changed}, lambda: plain(told))
