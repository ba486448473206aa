"""`verifier restore`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.cli.progress import ProgressLine


def restore(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="Key of the source, as `verifier sources` shows it.")],
    by: Annotated[str, typer.Option(help="Who restores it.")] = "operator",
    reason: Annotated[str | None, typer.Option(help="Why, for the record.")] = None,
    version: Annotated[
        int | None, typer.Option(help="Which version; the newest withdrawn one if not given.")
    ] = None,
    expect_version: Annotated[
        int | None, typer.Option(help="Only where this version is current; 0: where none is.")
    ] = None,
) -> None:
    """Let a withdrawn version answer again."""
    invocation = Invocation.of(context)
    seq = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.sources.restore(
            key, by=by, reason=reason, seq=version, expected_current_version=expect_version
        ),
        ProgressLine("restoring", as_json=invocation.as_json),
    )
    show(invocation, {"key": key, "seq": seq}, lambda: plain(f"{key}@{seq} is restored, by {by}"))
