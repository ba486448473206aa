"""`verifier search`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import show
from verifier.interfaces.cli.progress import ProgressLine


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What to look for, in plain words.")],
    k: Annotated[int, typer.Option("-k", min=1, max=1000, help="How many hits.")] = 5,
) -> None:
    """Show the passages nearest to a query. Only of current, approved sources."""
    from verifier.interfaces.cli.render import render_search

    invocation = Invocation.of(context)
    found = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.semantic_search(query, k=k),
        ProgressLine("loading the model and searching", as_json=invocation.as_json),
    )
    show(invocation, found, lambda: render_search(found))
