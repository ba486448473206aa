"""`verifier revert`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.cli.progress import ProgressLine


def revert(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="Key of the source, as `verifier sources` shows it.")],
    version: Annotated[int, typer.Argument(help="The version whose text is to answer again.")],
    by: Annotated[str, typer.Option(help="Who reverts.")] = "operator",
    reason: Annotated[str | None, typer.Option(help="Why, for the record.")] = None,
    expect_version: Annotated[
        int | None, typer.Option(help="Only where this version is current; 0: where none is.")
    ] = None,
) -> None:
    """Make the text of an older version the current one. It becomes a new version; nothing is embedded."""
    invocation = Invocation.of(context)
    seq = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.sources.revert(
            key, version, by=by, reason=reason, expected_current_version=expect_version
        ),
        ProgressLine("reverting", as_json=invocation.as_json),
    )
    told = f"{key}@{seq} answers, with the text of version {version}, by {by}"
    show(invocation, {"key": key, "seq": seq}, lambda: plain(told))
