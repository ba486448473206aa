"""`verifier approve`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.cli.progress import ProgressLine


def approve(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="Key of the source, as `verifier sources` shows it.")],
    by: Annotated[str, typer.Option(help="Who approves.")] = "operator",
) -> None:
    """Permit a source to be searched and cited."""
    invocation = Invocation.of(context)
    approved = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.sources.approve(key, by=by),
        ProgressLine("approving", as_json=invocation.as_json),
    )
    show(invocation, approved, lambda: plain(f"{key} is approved, by {by}"))
