"""`verifier db upgrade`, `verifier db status` and `verifier db sweep`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.examples import write_examples
from verifier.interfaces.cli.invocation import Invocation, call_service, run_to_end
from verifier.interfaces.cli.output import show
from verifier.interfaces.cli.progress import ProgressLine
from verifier.interfaces.failures import OK, UNAVAILABLE

app = typer.Typer(
    help="Create or migrate the store's schema, say where it stands, or sweep it.",
    no_args_is_help=True,
)


@app.command(epilog=write_examples("db upgrade"))
def upgrade(context: typer.Context) -> None:
    """Create or migrate the schema. Does nothing when it is as it should be."""
    from verifier.connections import upgrade_database

    invocation = Invocation.of(context)
    settings = invocation.load_settings()
    with ProgressLine("bringing the schema up to date", as_json=invocation.as_json):
        revision = run_to_end(lambda: upgrade_database(settings), log_level=settings.log_level)
    show(invocation, {"revision": revision}, lambda: f"schema is at {revision}")


@app.command(epilog=write_examples("db status"))
def status(context: typer.Context) -> int:
    """Say whether the server answers and its schema is right; `verifier doctor` looks at all of it."""
    from verifier.core.checks import CheckState
    from verifier.interfaces.cli.render_checks import render_checks

    invocation = Invocation.of(context)
    checks = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.upkeep.check_server(),
        ProgressLine("looking at the server", as_json=invocation.as_json),
    )
    show(invocation, checks, lambda: render_checks(checks))
    return OK if not any(check.state is CheckState.FAILED for check in checks) else UNAVAILABLE


@app.command(epilog=write_examples("db sweep"))
def sweep(
    context: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove passages that no version uses, with their vectors. Asks first."""
    from verifier.interfaces.cli.asking import confirm

    invocation = Invocation.of(context)
    settings = invocation.load_settings()
    confirm(f"remove what no version of {settings.tenant} uses?", invocation, yes=yes)
    swept = call_service(
        settings,
        lambda verifier: verifier.upkeep.sweep(),
        ProgressLine("sweeping", as_json=invocation.as_json),
    )
    show(invocation, swept, lambda: f"removed {swept.removed:,} passages or vectors")
