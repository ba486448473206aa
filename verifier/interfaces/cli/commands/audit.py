"""`verifier audit`: which past answers rest on what holds no more."""

from datetime import datetime
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
