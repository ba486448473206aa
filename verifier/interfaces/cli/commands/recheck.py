"""`verifier recheck`."""

from datetime import datetime
from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation
from verifier.interfaces.cli.moments import read_moment
from verifier.interfaces.cli.output import show
from verifier.interfaces.failures import NOT_ACCEPTED, OK


def recheck(
    context: typer.Context,
    report: Annotated[
        str | None,
        typer.Argument(metavar="REPORT", help="Id of a logged report, or how it begins."),
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(parser=read_moment, metavar="MOMENT", help="Every answer given since then."),
    ] = None,
    source: Annotated[str | None, typer.Option(help="Every answer that cites this source.")] = None,
    entity: Annotated[
        str | None, typer.Option(metavar="TABLE:KEY", help="Every answer that rests on this row.")
    ] = None,
    as_of: Annotated[
        datetime | None,
        typer.Option(parser=read_moment, metavar="MOMENT", help="Hold them to this time."),
    ] = None,
) -> int:
    """Verify past answers again, against the tables and sources of today. Tells what flipped, and why.

    The logged reports stay as they are; what came out is recorded beside them. Exits with 1 where an
    answer no longer stands.
    """
    from verifier.interfaces.cli.rechecking import recheck_many, recheck_one
    from verifier.interfaces.cli.render_recheck import render_recheck, render_run

    invocation = Invocation.of(context)
    if report is None:
        run = recheck_many(invocation, since=since, source=source, entity=entity, as_of=as_of)
        show(invocation, run, lambda: render_run(run))
        return NOT_ACCEPTED if any(one.has_fallen for one in run.rechecks) else OK
    found = recheck_one(invocation, report, (since, source, entity), as_of=as_of)
    show(invocation, found, lambda: render_recheck(found))
    return NOT_ACCEPTED if found.has_fallen else OK
