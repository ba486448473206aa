"""`verifier withdraw`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.asking import confirm
from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.cli.progress import ProgressLine


def withdraw(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="Key of the source, as `verifier sources` shows it.")],
    by: Annotated[str, typer.Option(help="Who withdraws it.")] = "operator",
    reason: Annotated[str | None, typer.Option(help="Why, for the record.")] = None,
    version: Annotated[
        int | None,
        typer.Option(help="A version that is to answer later; the current if not given."),
    ] = None,
    expect_version: Annotated[
        int | None, typer.Option(help="Only where this version is current; 0: where none is.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
) -> None:
    """Take a version back, so that it answers no more. Its text stays for audits; `restore` undoes it."""
    from verifier.interfaces.cli.render_versions import describe_reach

    invocation = Invocation.of(context)
    settings = invocation.load_settings()
    progress = ProgressLine("looking what rests on it", as_json=invocation.as_json)
    reach = call_service(settings, lambda verifier: verifier.sources.reach(key, version), progress)
    confirm(describe_reach(key, reach), invocation, yes=yes)
    expected = reach.seq if version is None and expect_version is None else expect_version
    call_service(
        settings,
        lambda verifier: verifier.sources.withdraw(
            key, by=by, reason=reason, seq=version, expected_current_version=expected
        ),
        ProgressLine("withdrawing", as_json=invocation.as_json),
    )
    show(invocation, reach, lambda: plain(f"{key}@{reach.seq} is withdrawn, by {by}"))
