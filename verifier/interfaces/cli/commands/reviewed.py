"""`verifier reviewed`."""

from datetime import datetime
from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.moments import read_stored_moment
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.cli.progress import ProgressLine


def reviewed(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="Key of the source, as `verifier sources` shows it.")],
    by: Annotated[str, typer.Option(help="Who read it.")],
    until: Annotated[
        datetime | None,
        typer.Option(
            parser=read_stored_moment,
            metavar="MOMENT",
            help="Until when that counts; for ever if not given.",
        ),
    ] = None,
    version: Annotated[
        int | None, typer.Option(help="Which version was read; the current one if not given.")
    ] = None,
    reason: Annotated[str | None, typer.Option(help="A word on it, for the record.")] = None,
) -> None:
    """Record that somebody read a version again, and until when that counts."""
    invocation = Invocation.of(context)
    seq = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.sources.review(
            key, until=until, by=by, seq=version, reason=reason
        ),
        ProgressLine("recording", as_json=invocation.as_json),
    )
    told = f"{key}@{seq} counts as reviewed {f'until {until}' if until else 'for ever'}, by {by}"
    show(invocation, {"key": key, "seq": seq}, lambda: plain(told))
