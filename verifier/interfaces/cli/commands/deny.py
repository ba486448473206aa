"""`verifier deny`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.cli.progress import ProgressLine


def deny(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="Key of the source, as `verifier sources` shows it.")],
    by: Annotated[str, typer.Option(help="Who denies.")] = "operator",
    reason: Annotated[str | None, typer.Option(help="Why, for the record.")] = None,
) -> None:
    """Forbid a source to be searched and cited, whoever ingests it later, until it is approved."""
    invocation = Invocation.of(context)
    denied = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.sources.deny(key, by=by, reason=reason),
        ProgressLine("denying", as_json=invocation.as_json),
    )
    show(invocation, denied, lambda: plain(f"{key} is denied, by {by}"))
