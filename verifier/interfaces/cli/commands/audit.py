"""`verifier audit`: which past answers rest on what holds no more."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from verifier.interfaces.cli.examples import write_examples
from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.moments import read_moment
from verifier.interfaces.cli.output import show
from verifier.interfaces.cli.progress import ProgressLine
from verifier.interfaces.failures import NOT_ACCEPTED, OK

app = typer.Typer(
    help="Show which past answers rest on what holds no more. Exit code 1 where something is found.",
    no_args_is_help=True,
)

_Since = Annotated[
    datetime | None,
    typer.Option(parser=read_moment, metavar="MOMENT", help="Answers given then or later only."),
]
_Source = Annotated[str | None, typer.Option(metavar="KEY", help="Of this source only.")]
_Limit = Annotated[
    int, typer.Option("-n", "--limit", help="How many entries are listed.", min=1, max=10_000)
]
_Answers = Annotated[
    int, typer.Option(help="How many answers are named of each.", min=0, max=10_000)
]
_ExitZero = Annotated[
    bool, typer.Option("--exit-zero", help="Exit code 0 also where something is found.")
]


def _end(found: int, *, exit_zero: bool) -> int:
    return NOT_ACCEPTED if found and not exit_zero else OK


@app.command(epilog=write_examples("audit stale"))
def stale(
    context: typer.Context,
    now: Annotated[
        datetime | None,
        typer.Option(parser=read_moment, metavar="MOMENT", help="As if it were this time."),
    ] = None,
    since: _Since = None,
    source: _Source = None,
    limit: _Limit = 100,
    answers: _Answers = 20,
    exit_zero: _ExitZero = False,
) -> int:
    """Show sources whose review is overdue. Tells the chunks and past answers that rest on them."""
    from verifier.interfaces.cli.render_stale import render_stale

    invocation = Invocation.of(context)
    found = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.audits.stale(
            now, since=since, source=source, limit=limit, answers=answers
        ),
        ProgressLine("looking for what is stale", as_json=invocation.as_json),
    )
    show(invocation, found, lambda: render_stale(found))
    return _end(found.found, exit_zero=exit_zero)


@app.command(epilog=write_examples("audit superseded"))
def superseded(
    context: typer.Context,
    since: _Since = None,
    source: _Source = None,
    limit: _Limit = 100,
    answers: _Answers = 20,
    exit_zero: _ExitZero = False,
) -> int:
    """Show past answers whose cited words changed or are gone since. What still stands is only counted."""
    from verifier.interfaces.cli.render_audits import render_superseded

    invocation = Invocation.of(context)
    progress = ProgressLine("comparing what is cited", as_json=invocation.as_json)
    found = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.audits.superseded(
            since=since,
            source=source,
            limit=limit,
            answers=answers,
            on_progress=lambda looked: progress.tell(f"{looked:,} cited spans"),
        ),
        progress,
    )
    show(invocation, found, lambda: render_superseded(found))
    return _end(found.found, exit_zero=exit_zero)


@app.command(epilog=write_examples("audit unapproved"))
def unapproved(
    context: typer.Context,
    since: _Since = None,
    source: _Source = None,
    limit: _Limit = 100,
    answers: _Answers = 20,
    exit_zero: _ExitZero = False,
) -> int:
    """Show past answers that rest on sources now pending, denied or withdrawn."""
    from verifier.interfaces.cli.render_audits import render_unapproved

    invocation = Invocation.of(context)
    found = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.audits.unapproved(
            since=since, source=source, limit=limit, answers=answers
        ),
        ProgressLine("looking for what is not approved", as_json=invocation.as_json),
    )
    show(invocation, found, lambda: render_unapproved(found))
    return _end(found.found, exit_zero=exit_zero)


@app.command(epilog=write_examples("audit drift"))
def drift(
    context: typer.Context,
    table: Annotated[
        str | None, typer.Option(metavar="TABLE", help="Of this canonical table only.")
    ] = None,
    since: _Since = None,
    limit: _Limit = 100,
    answers: _Answers = 20,
    exit_zero: _ExitZero = False,
) -> int:
    """Show canonical tables whose rows read otherwise than the past answers on them. Verifies nothing."""
    from verifier.interfaces.cli.render_audits import render_drift

    invocation = Invocation.of(context)
    progress = ProgressLine("reading canonical rows", as_json=invocation.as_json)
    found = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.audits.drift(
            table,
            since=since,
            limit=limit,
            answers=answers,
            on_progress=lambda looked: progress.tell(f"{looked:,} answers"),
        ),
        progress,
    )
    show(invocation, found, lambda: render_drift(found))
    return _end(found.found, exit_zero=exit_zero)


@app.command(epilog=write_examples("audit orphans"))
def orphans(
    context: typer.Context,
    since: _Since = None,
    source: _Source = None,
    limit: _Limit = 100,
    answers: _Answers = 20,
    exit_zero: _ExitZero = False,
) -> int:
    """Show what past answers rest on that leads nowhere: erased versions, sources that answer no more."""
    from verifier.interfaces.cli.render_audits import render_orphans

    invocation = Invocation.of(context)
    found = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.audits.orphans(
            since=since, source=source, limit=limit, answers=answers
        ),
        ProgressLine("looking for what leads nowhere", as_json=invocation.as_json),
    )
    show(invocation, found, lambda: render_orphans(found))
    return _end(found.found, exit_zero=exit_zero)


@app.command(epilog=write_examples("audit conflicts"))
def conflicts(
    context: typer.Context,
    state: Annotated[
        list[str] | None,
        typer.Option(help="In this state only, may be given again; else all not resolved."),
    ] = None,
    since: _Since = None,
    source: _Source = None,
    limit: _Limit = 100,
    exit_zero: _ExitZero = False,
) -> int:
    """Show conflicts on record. Tells how many past answers rest on either side of each."""
    from verifier.interfaces.cli.render_audits import render_conflicts

    invocation = Invocation.of(context)
    found = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.audits.conflicts(state, since=since, source=source, limit=limit),
        ProgressLine("looking at the conflicts", as_json=invocation.as_json),
    )
    show(invocation, found, lambda: render_conflicts(found))
    return _end(found.found, exit_zero=exit_zero)


@app.command(epilog=write_examples("audit report"))
def report(
    context: typer.Context,
    html: Annotated[Path, typer.Option(help="Write the page here.")],
    since: _Since = None,
    source: _Source = None,
    limit: _Limit = 100,
    exit_zero: _ExitZero = False,
) -> int:
    """Write one page of all audits with charts: by source, by month, by verdict code."""
    from verifier.interfaces.audit_page import render_audit_page
    from verifier.interfaces.cli.pictures import write_whole
    from verifier.interfaces.cli.render_audits import render_overview

    invocation = Invocation.of(context)
    settings = invocation.load_settings()
    progress = ProgressLine("auditing", as_json=invocation.as_json)
    found = call_service(
        settings,
        lambda verifier: verifier.audits.all(
            on_progress=progress.tell, since=since, source=source, limit=limit
        ),
        progress,
    )
    page = render_audit_page(found, tenant=settings.tenant)
    write_whole({html: page.encode("utf-8", "surrogatepass")})
    show(invocation, found, lambda: render_overview(found, html))
    return _end(found.found, exit_zero=exit_zero)


@app.command(epilog=write_examples("audit impact"))
def impact(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="Key of the source, as `verifier sources` shows it.")],
    version: Annotated[
        int | None, typer.Option(help="This version only; all of the source if not given.")
    ] = None,
) -> None:
    """Show what withdrawing or erasing a source would touch. Changes nothing; exit code 0."""
    from verifier.interfaces.cli.render_audits import render_impact

    invocation = Invocation.of(context)
    found = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.audits.impact(key, version),
        ProgressLine("looking what rests on it", as_json=invocation.as_json),
    )
    show(invocation, found, lambda: render_impact(found))
