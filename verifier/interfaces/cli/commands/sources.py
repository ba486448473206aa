"""`verifier sources`."""

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import show
from verifier.interfaces.cli.progress import ProgressLine


def sources(context: typer.Context) -> None:
    """List the sources, with version, permission and review."""
    from verifier.interfaces.cli.render import render_sources

    invocation = Invocation.of(context)
    listed = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.sources.list(),
        ProgressLine("asking for the sources", as_json=invocation.as_json),
    )
    show(invocation, listed, lambda: render_sources(listed))
