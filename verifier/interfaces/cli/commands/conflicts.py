"""`verifier conflicts`: places that disagree."""

from typing import Annotated

import typer

from verifier.core.conflicts import ConflictState
from verifier.interfaces.cli.examples import write_examples
from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.cli.progress import ProgressLine

app = typer.Typer(help="Record where sources disagree, and who settles it.", no_args_is_help=True)

_Id = Annotated[
    int, typer.Argument(metavar="ID", help="Number of the conflict, as `list` shows it.")
]
_By = Annotated[str, typer.Option("--by", help="Who says so.")]


@app.command("list", epilog=write_examples("conflicts list"))
def list_conflicts(
    context: typer.Context,
    state: Annotated[ConflictState | None, typer.Option(help="Those of this state.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Conflicts of every state.")] = False,
    source: Annotated[str | None, typer.Option(help="With this source on either side.")] = None,
    assigned_to: Annotated[str | None, typer.Option(help="That this person looks at.")] = None,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, max=10_000, help="How many.")] = 100,
) -> None:
    """List conflicts. Those that are open or assigned, if no state is told, in the order of recording."""
    from verifier.conflicts import ConflictTerms
    from verifier.interfaces.cli.render_conflicts import render_conflicts

    invocation = Invocation.of(context)
    terms = ConflictTerms(source=source, assigned_to=assigned_to, limit=limit)
    if every or state is not None:
        terms["state"] = state
    found = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.conflicts.list(**terms),
        ProgressLine("looking at the conflicts", as_json=invocation.as_json),
    )
    show(invocation, found, lambda: render_conflicts(found, every=every))


@app.command(epilog=write_examples("conflicts find"))
def find(context: typer.Context) -> None:
    """Look for conflicts. Holds approved sources against each other and the tables; again adds nothing."""
    from verifier.interfaces.cli.render_conflicts import render_finding

    invocation = Invocation.of(context)
    progress = ProgressLine("reading the sources", as_json=invocation.as_json)
    found = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.conflicts.find(lambda read: progress.tell(f"{read:,} chunks")),
        progress,
    )
    show(invocation, found, lambda: render_finding(found))


@app.command(epilog=write_examples("conflicts declare"))
def declare(
    context: typer.Context,
    place: Annotated[str, typer.Argument(help="Source, source@version or source@version#chunk.")],
    other: Annotated[str | None, typer.Argument(help="The place that says otherwise.")] = None,
    *,
    row: Annotated[
        str | None, typer.Option(help="Instead of a place: database/table/key/column.")
    ] = None,
    subject: Annotated[str, typer.Option(help="What both speak of.")],
    attribute: Annotated[str, typer.Option(help="What they say of it.")],
    value: Annotated[str, typer.Option(help="What the first says.")],
    other_value: Annotated[str, typer.Option(help="What the other says.")],
    words: Annotated[str | None, typer.Option(help="The first's words, copied.")] = None,
    other_words: Annotated[str | None, typer.Option(help="The other's words, copied.")] = None,
    by: _By,
) -> None:
    """Record that two places disagree. While that stands, what rests on either is `source_conflict`."""
    from verifier.conflicts import DeclaredTerms
    from verifier.interfaces.cli.render_conflicts import render_conflict

    invocation = Invocation.of(context)
    terms = DeclaredTerms(subject=subject, attribute=attribute, value=value)
    terms |= DeclaredTerms(other_value=other_value, words=words, other_words=other_words)
    made = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.conflicts.declare(place, other, row=row, by=by, **terms),
        ProgressLine("recording", as_json=invocation.as_json),
    )
    show(invocation, made, lambda: render_conflict(made))


@app.command(epilog=write_examples("conflicts assign"))
def assign(
    context: typer.Context,
    conflict_id: _Id,
    to: Annotated[str, typer.Option("--to", help="Who is to look at it.")],
    by: _By,
    instead_of: Annotated[
        str | None, typer.Option(help="Who has it now, where somebody does.")
    ] = None,
) -> None:
    """Give a conflict to a person. One that somebody has is taken over only where you name him."""
    invocation = Invocation.of(context)
    made = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.conflicts.assign(
            conflict_id, to=to, by=by, instead_of=instead_of
        ),
        ProgressLine("assigning", as_json=invocation.as_json),
    )
    told = f"conflict {conflict_id} is assigned to {made.assigned_to}"
    show(invocation, made, lambda: plain(told))


@app.command(epilog=write_examples("conflicts resolve"))
def resolve(
    context: typer.Context,
    conflict_id: _Id,
    by: _By,
    reason: Annotated[str, typer.Option("--reason", help="How it was settled; kept with it.")],
) -> None:
    """Close a conflict. What was resolved stays so; declare a new one where that no longer holds."""
    invocation = Invocation.of(context)
    made = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.conflicts.resolve(conflict_id, by=by, reason=reason),
        ProgressLine("resolving", as_json=invocation.as_json),
    )
    told = f"conflict {conflict_id} is resolved, by {made.resolved_by}"
    show(invocation, made, lambda: plain(told))
