"""`verifier doctor`."""

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import show
from verifier.interfaces.cli.progress import ProgressLine
from verifier.interfaces.failures import OK, UNAVAILABLE


def doctor(context: typer.Context) -> int:
    """Check server, schema and model, and say what to do."""
    from verifier.core.checks import CheckState
    from verifier.interfaces.cli.render_checks import render_checks

    invocation = Invocation.of(context)
    checks = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.doctor(),
        ProgressLine("looking at server, schema and model", as_json=invocation.as_json),
    )
    show(invocation, checks, lambda: render_checks(checks))
    return OK if not any(check.state is CheckState.FAILED for check in checks) else UNAVAILABLE
