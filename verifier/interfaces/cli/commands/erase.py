"""`verifier erase`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import show
from verifier.interfaces.cli.progress import ProgressLine
from verifier.interfaces.failures import NOT_ACCEPTED, OK


def erase(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="Key of the source, as `verifier sources` shows it.")],
    by: Annotated[str, typer.Option(help="Who erases; kept on the tombstone.")],
    reason: Annotated[str, typer.Option(help="Why; kept on the tombstone.")],
    version: Annotated[
        int | None, typer.Option(help="Only this version; all of them if not given.")
    ] = None,
    labels: Annotated[
        bool, typer.Option("--labels", help="Title, URL and metadata too, though versions stay.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
) -> int:
    """Erase texts for good, and prove it. Exit code 1 where the proof does not hold.

    Texts, chunks, vectors and what the answer log quotes of them go; a tombstone of keyed hashes keeps them
    from coming back. Not claimed of the disk: run VACUUM, and let write-ahead log and backups expire.
    """
    from verifier.interfaces.cli.asking import confirm
    from verifier.interfaces.cli.render_erasure import describe_plan, render_erasure
    from verifier.store.erasure import ErasureOrder

    invocation, order = (
        Invocation.of(context),
        ErasureOrder(key=key, by=by, reason=reason, seq=version, labels=labels),
    )
    settings = invocation.load_settings()
    progress = ProgressLine("looking what will be erased", as_json=invocation.as_json)
    plan = call_service(settings, lambda verifier: verifier.sources.plan_erasure(order), progress)
    confirm(describe_plan(plan), invocation, yes=yes)
    progress = ProgressLine("erasing", as_json=invocation.as_json)
    done = call_service(
        settings, lambda verifier: verifier.sources.erase(order, tell=progress.tell), progress
    )
    show(invocation, done, lambda: render_erasure(done))
    return OK if done.proven else NOT_ACCEPTED
