"""`verifier authority`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.cli.progress import ProgressLine


def authority(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="Key of the source, as `verifier sources` shows it.")],
    weight: Annotated[
        int, typer.Argument(help="Larger counts more; 0 is usual. After -- if below.")
    ],
    by: Annotated[str, typer.Option(help="Who says so.")] = "operator",
    reason: Annotated[str | None, typer.Option(help="Why, for the record.")] = None,
) -> None:
    """Record how much a source counts among others."""
    invocation = Invocation.of(context)
    changed = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.sources.set_authority(key, weight, by=by, reason=reason),
        ProgressLine("recording", as_json=invocation.as_json),
    )
    told = f"the authority of {key} is {weight}{'' if changed else ', as before'}"
    show(invocation, {"key": key, "changed": changed}, lambda: plain(told))
