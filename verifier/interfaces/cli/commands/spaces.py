"""`verifier spaces`: what vectors there are, and going over from one model to another."""

from typing import Annotated

import typer

from verifier.interfaces.cli.examples import write_examples
from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.cli.progress import ProgressLine
from verifier.interfaces.failures import OK, USAGE

app = typer.Typer(help="Embedding spaces: list them, build one for another model, switch, drop.")

Number = Annotated[int, typer.Argument(help="Number of the space, as `verifier spaces` shows it.")]


@app.callback(invoke_without_command=True)
def spaces(context: typer.Context) -> None:
    """Embedding spaces: list them, build one for another model, switch, drop."""
    if context.invoked_subcommand is None:
        list_them(context)


@app.command("list", epilog=write_examples("spaces list"))
def list_them(context: typer.Context) -> None:
    """List the spaces, with what each holds and lacks."""
    from verifier.interfaces.cli.render_spaces import render_spaces

    invocation = Invocation.of(context)
    listed = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.spaces.list(),
        ProgressLine("counting vectors", as_json=invocation.as_json),
    )
    show(invocation, listed, lambda: render_spaces(listed))


@app.command(epilog=write_examples("spaces build"))
def build(
    context: typer.Context,
    model: Annotated[
        str | None, typer.Option(help="Name or folder of the model; else that of the settings.")
    ] = None,
    current_only: Annotated[
        bool, typer.Option("--current-only", help="Leave out what only past versions use.")
    ] = False,
) -> int:
    """Embed what is stored with another model, while searches go on. Run it again to resume."""
    from verifier.core.spaces import BuildExtent
    from verifier.interfaces.cli.render_spaces import describe_build_progress, render_build

    invocation = Invocation.of(context)
    progress = ProgressLine("building the space", as_json=invocation.as_json)
    extent = BuildExtent.CURRENT if current_only else BuildExtent.ALL
    built = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.spaces.build(
            model=model,
            extent=extent,
            on_progress=lambda each: progress.tell(describe_build_progress(each)),
        ),
        progress,
    )
    show(invocation, built, lambda: render_build(built))
    return OK if built.is_complete else USAGE


@app.command(epilog=write_examples("spaces switch"))
def switch(context: typer.Context, number: Number) -> None:
    """Let searches read another space. The one before is kept until it is dropped."""
    from verifier.interfaces.cli.render_spaces import render_switch

    invocation = Invocation.of(context)
    switched = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.spaces.switch(number),
        ProgressLine("switching", as_json=invocation.as_json),
    )
    show(invocation, switched, lambda: render_switch(switched))


@app.command(epilog=write_examples("spaces drop"))
def drop(
    context: typer.Context,
    number: Number,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove a space that does not answer, with its vectors. Asks first."""
    from verifier.interfaces.cli.asking import confirm

    invocation = Invocation.of(context)
    confirm(f"remove all vectors of embedding space {number}?", invocation, yes=yes)
    dropped = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.spaces.drop(number),
        ProgressLine("dropping", as_json=invocation.as_json),
    )
    described = f"dropped space {number} ({dropped.space.space}) with {dropped.vectors:,} vectors"
    show(invocation, dropped, lambda: plain(described))
