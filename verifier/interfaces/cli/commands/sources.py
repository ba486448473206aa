"""`verifier sources`."""

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import show


def sources(context: typer.Context) -> None:
    """List the sources, with version, permission and review."""
    from verifier.interfaces.cli.render import render_sources

    invocation = Invocation.of(context)
    listed = call_service(invocation.load_settings(), lambda verifier: verifier.list_sources())
    show(invocation, listed, lambda: render_sources(listed))
