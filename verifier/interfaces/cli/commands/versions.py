"""`verifier versions`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.cli.progress import ProgressLine


def versions(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="Key of the source, as `verifier sources` shows it.")],
    changes: Annotated[
        bool, typer.Option("--changes", help="List what was done, by whom and why, instead.")
    ] = False,
    text: Annotated[
        str | None,
        typer.Option(
            metavar="VERSION", help="Print the text of this one: its number, first or current."
        ),
    ] = None,
) -> None:
    """List the versions of a source. Shows state, review, and from when to when each holds."""
    from verifier.interfaces.cli.render_versions import render_changes, render_versions

    invocation = Invocation.of(context)
    settings = invocation.load_settings()
    progress = ProgressLine("asking for the versions", as_json=invocation.as_json)
    if text is not None:
        read = call_service(settings, lambda verifier: verifier.sources.text(key, text), progress)
        show(invocation, read, lambda: typer.echo(plain(read.text)))
        return
    if changes:
        done = call_service(settings, lambda verifier: verifier.sources.history(key), progress)
        show(invocation, done, lambda: render_changes(done))
        return
    listed = call_service(settings, lambda verifier: verifier.sources.versions(key), progress)
    show(invocation, listed, lambda: render_versions(listed))
