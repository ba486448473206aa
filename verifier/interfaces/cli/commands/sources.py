"""`verifier sources`."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from verifier.core.documents import Permission
from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import show
from verifier.interfaces.cli.progress import ProgressLine


def sources(
    context: typer.Context,
    permission: Annotated[
        Permission | None, typer.Option(help="Only those that are approved, pending or denied.")
    ] = None,
    stale: Annotated[bool, typer.Option("--stale", help="Only those past their review.")] = False,
) -> None:
    """List the sources, with version, permission, authority and review."""
    from verifier.interfaces.cli.render import render_sources

    invocation = Invocation.of(context)
    stale_at = datetime.now(UTC) if stale else None
    listed = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.sources.list(permission=permission, stale_at=stale_at),
        ProgressLine("asking for the sources", as_json=invocation.as_json),
    )
    filtered = permission is not None or stale
    show(invocation, listed, lambda: render_sources(listed, filtered=filtered))
