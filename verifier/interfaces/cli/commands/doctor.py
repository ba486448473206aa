"""`verifier doctor`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import note, show
from verifier.interfaces.cli.progress import ProgressLine
from verifier.interfaces.failures import OK, UNAVAILABLE


def doctor(
    context: typer.Context,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend first what follows from the rest; removes nothing.")
    ] = False,
) -> int:
    """Check server, schema, content, index and model, and say what to do."""
    from verifier.core.checks import CheckState
    from verifier.interfaces.cli.render_checks import describe_mending, render_checks

    invocation = Invocation.of(context)
    settings = invocation.load_settings()
    if fix:
        mending = ProgressLine("mending", as_json=invocation.as_json)
        mended = call_service(settings, lambda verifier: verifier.upkeep.mend(), mending)
        note(describe_mending(mended))
    progress = ProgressLine("looking at server, content and model", as_json=invocation.as_json)
    checks = call_service(settings, lambda verifier: verifier.doctor(), progress)
    show(invocation, checks, lambda: render_checks(checks))
    return OK if not any(check.state is CheckState.FAILED for check in checks) else UNAVAILABLE
