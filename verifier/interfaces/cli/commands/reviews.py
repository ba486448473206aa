"""`verifier reviews`: the queue of claims that wait for a person."""

from typing import Annotated

import typer

from verifier.core.reviews import Decision, ReviewOrder, ReviewState
from verifier.interfaces.cli.examples import write_examples
from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.cli.progress import ProgressLine

app = typer.Typer(help="Decide what code can't: claims that wait for a person.")

_Id = Annotated[int, typer.Argument(metavar="ID", help="Number of the entry, as `list` shows it.")]
_By = Annotated[str, typer.Option("--by", help="Who decides.")]
_Reason = Annotated[str, typer.Option("--reason", help="Why; kept with the decision.")]


@app.callback(invoke_without_command=True)
def reviews(context: typer.Context) -> None:
    """Decide what code can't: claims that wait for a person."""
    if context.invoked_subcommand is None:
        list_entries(context)


@app.command("list", epilog=write_examples("reviews list"))
def list_entries(
    context: typer.Context,
    state: Annotated[
        ReviewState | None,
        typer.Option(help="Which entries; open ones, or with a reviewer those of every state."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Entries of every state.")] = False,
    code: Annotated[str | None, typer.Option(help="Of this verdict code only.")] = None,
    source: Annotated[str | None, typer.Option(help="Resting on this source only.")] = None,
    reviewer: Annotated[str | None, typer.Option(help="Decided by this person only.")] = None,
    assigned_to: Annotated[str | None, typer.Option(help="That this person is to look at.")] = None,
    disputed: Annotated[
        bool,
        typer.Option("--disputed", help="Only those whose reviewers disagree, of every state."),
    ] = False,
    order: Annotated[ReviewOrder, typer.Option(help="What comes first.")] = ReviewOrder.ANSWERS,
    limit: Annotated[int, typer.Option("-n", "--limit", help="How many.", min=1, max=10_000)] = 50,
) -> None:
    """List the queue. What most answers rest on comes first, of these what waits longest."""
    from verifier.interfaces.cli.render_reviews import render_reviews

    unbound = every or disputed or reviewer is not None
    invocation = Invocation.of(context)
    found = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.reviews.list(
            state=state or (None if unbound else ReviewState.OPEN),
            code=code,
            source=source,
            reviewer=reviewer,
            assigned_to=assigned_to,
            disputed=disputed,
            order=order,
            limit=limit,
        ),
        ProgressLine("looking at the reviews", as_json=invocation.as_json),
    )
    show(invocation, found, lambda: render_reviews(found))


@app.command("show", epilog=write_examples("reviews show"))
def show_entry(context: typer.Context, review_id: _Id) -> None:
    """Show one entry. Tells the claim, its evidence, what stands there now, and who decided what."""
    from verifier.interfaces.cli.render_reviews import render_review

    invocation = Invocation.of(context)
    found = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.reviews.show(review_id),
        ProgressLine("reading the review", as_json=invocation.as_json),
    )
    show(invocation, found, lambda: render_review(found))


@app.command(epilog=write_examples("reviews decide"))
def decide(
    context: typer.Context,
    review_id: _Id,
    decision: Annotated[Decision, typer.Argument(help="What the evidence says of the claim.")],
    by: _By,
    reason: _Reason,
) -> None:
    """Decide an entry. Decisions of others stand beside it; an earlier one of your own is superseded."""
    invocation = Invocation.of(context)
    recorded = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.reviews.decide(review_id, decision, by=by, reason=reason),
        ProgressLine("deciding", as_json=invocation.as_json),
    )
    told = f"review {review_id} is {recorded.decision.value}, by {recorded.reviewer}"
    show(invocation, recorded, lambda: plain(told))


@app.command(epilog=write_examples("reviews assign"))
def assign(
    context: typer.Context,
    review_id: _Id,
    to: Annotated[str, typer.Option("--to", help="Who is to look at it.")],
    by: Annotated[str, typer.Option("--by", help="Who gives it.")],
    instead_of: Annotated[
        str | None, typer.Option(help="Who has it now, where somebody does.")
    ] = None,
) -> None:
    """Give an entry to a person. One that somebody has is taken over only where you name him."""
    invocation = Invocation.of(context)
    made = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.reviews.assign(review_id, to=to, by=by, instead_of=instead_of),
        ProgressLine("assigning", as_json=invocation.as_json),
    )
    told = f"review {review_id} is assigned to {made.assigned_to}"
    show(invocation, made, lambda: plain(told))


@app.command(epilog=write_examples("reviews reopen"))
def reopen(context: typer.Context, review_id: _Id, by: _By, reason: _Reason) -> None:
    """Open a decided or expired entry again. Earlier decisions are kept, and stand no more."""
    invocation = Invocation.of(context)
    begun = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.reviews.reopen(review_id, by=by, reason=reason),
        ProgressLine("reopening", as_json=invocation.as_json),
    )
    reopened = {"review_id": review_id, "round": begun}
    show(invocation, reopened, lambda: f"review {review_id} is open again, in round {begun}")


@app.command(epilog=write_examples("reviews agreement"))
def agreement(context: typer.Context) -> None:
    """Show how far reviewers agree. Cohen's kappa of every two, where it is defined."""
    from verifier.interfaces.cli.render_reviews import render_agreement

    invocation = Invocation.of(context)
    measured = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.reviews.agreement(),
        ProgressLine("comparing decisions", as_json=invocation.as_json),
    )
    show(invocation, measured, lambda: render_agreement(measured))


@app.command(epilog=write_examples("reviews refresh"))
def refresh(context: typer.Context) -> None:
    """Hold every entry against its evidence. Also reads canonical rows, which `list` does not."""
    from verifier.interfaces.cli.render_reviews import render_refresh

    invocation = Invocation.of(context)
    progress = ProgressLine("looking at the evidence", as_json=invocation.as_json)
    refreshed = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.reviews.refresh(
            lambda looked: progress.tell(f"{looked:,} places")
        ),
        progress,
    )
    show(invocation, refreshed, lambda: render_refresh(refreshed))
