"""`verifier catalog inspect`, `verifier catalog check` and `verifier catalog explain`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.examples import write_examples
from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.cli.progress import ProgressLine
from verifier.interfaces.failures import NOT_ACCEPTED, OK

app = typer.Typer(
    help="Propose, prove and explain what your tables mean to the verifier.", no_args_is_help=True
)


@app.command(epilog=write_examples("catalog inspect"))
def inspect(
    context: typer.Context,
    database: Annotated[
        str, typer.Option(help="Which [databases.NAME]; the store's own server if not given.")
    ] = "default",
    schema: Annotated[
        list[str] | None, typer.Option(help="Which schema; may be given several times.")
    ] = None,
) -> None:
    """Propose a catalog from live tables. Prints TOML, each guess with its reason.

    Nothing is written. Put it into verifier.toml, edit what is wrong, and run `verifier catalog check`.
    """
    from verifier.core.catalog.writing import write_proposal

    invocation = Invocation.of(context)
    proposal = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.catalog_study.propose(database, schemas=schema or ["public"]),
        ProgressLine("reading tables", as_json=invocation.as_json),
    )
    show(invocation, proposal, lambda: typer.echo(plain(write_proposal(proposal)), nl=False))


@app.command(epilog=write_examples("catalog check"))
def check(context: typer.Context) -> int:
    """Hold the catalog against its databases. Exit code 1 where something does not fit."""
    from verifier.interfaces.cli.render_catalog import render_checked

    invocation = Invocation.of(context)
    checked = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.catalog_study.check(),
        ProgressLine("checking the catalog", as_json=invocation.as_json),
    )
    show(invocation, checked, lambda: render_checked(checked))
    return NOT_ACCEPTED if any(one.problems for one in checked) else OK


@app.command(epilog=write_examples("catalog explain"))
def explain(
    context: typer.Context,
    key: Annotated[str, typer.Argument(metavar="ID", help="An id as an answer would write it.")],
    principal: Annotated[str | None, typer.Option(help="On whose behalf.")] = None,
    channel: Annotated[str | None, typer.Option(help="The turn's channel.")] = None,
    quantity: Annotated[str | None, typer.Option(help="The turn's quantity.")] = None,
    timezone: Annotated[str | None, typer.Option(help="The turn's time zone.")] = None,
) -> int:
    """Show what an answer that names ID is held against. Types, rows, cells and how they are read.

    Exit code 1 where no row is seen.
    """
    from verifier.core.turns import Turn
    from verifier.interfaces.cli.render_catalog import render_rows

    invocation = Invocation.of(context)
    settings = invocation.load_settings()
    told = {"channel": channel, "quantity": quantity}
    turn = Turn(
        principal=principal,
        tenant=settings.tenant,
        timezone=timezone,
        context={name: value for name, value in told.items() if value is not None},
    )
    rows = call_service(
        settings,
        lambda verifier: verifier.catalog_study.explain(key, turn),
        ProgressLine("reading rows", as_json=invocation.as_json),
    )
    show(invocation, rows, lambda: render_rows(rows))
    return OK if any(one.is_seen for one in rows) else NOT_ACCEPTED
