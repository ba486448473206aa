"""`verifier prompts`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation
from verifier.interfaces.cli.output import plain, show


def prompts(
    context: typer.Context,
    level: Annotated[
        list[str] | None,
        typer.Option(help="Only this level: strict_extractive, synthesis or labelled_general."),
    ] = None,
) -> None:
    """Print prompts for each level of grounding. And what needs a source at any."""
    from verifier.core.grounding_prompts import load_prompts
    from verifier.interfaces.cli.render_prompts import write_prompts

    invocation = Invocation.of(context)
    loaded = load_prompts(level) if level else load_prompts()
    show(invocation, loaded, lambda: typer.echo(plain(write_prompts(loaded))))
