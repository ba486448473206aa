"""`verifier diff`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import show
from verifier.interfaces.cli.progress import ProgressLine

Name = "its number, first or current"


def diff(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="Key of the source, as `verifier sources` shows it.")],
    old: Annotated[
        str | None,
        typer.Argument(help=f"The older version: {Name}; if not given the one before NEW."),
    ] = None,
    new: Annotated[
        str | None, typer.Argument(help=f"The newer version: {Name}; if not given the current one.")
    ] = None,
) -> None:
    """Show what differs between two versions. Lists numbers that changed, chunks, and lines.

    A number that only moved, or is written in another way, is not changed. With --json spans are of the
    text of their own version.
    """
    from verifier.interfaces.cli.render_diff import render_diff

    invocation = Invocation.of(context)
    compared = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.sources.diff(key, old, new),
        ProgressLine("comparing", as_json=invocation.as_json),
    )
    show(invocation, compared, lambda: render_diff(compared))
