"""`verifier keys`: who may call a server."""

from typing import Annotated

import typer

from verifier.core.keys import Scope
from verifier.interfaces.cli.asking import confirm
from verifier.interfaces.cli.examples import write_examples
from verifier.interfaces.cli.invocation import Invocation, call_service
from verifier.interfaces.cli.moments import read_period
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.cli.progress import ProgressLine

app = typer.Typer(help="Give out and revoke the keys of a tenant.", no_args_is_help=True)

_Name = Annotated[
    str, typer.Argument(help="What the key is called; unique in the tenant, for good.")
]


@app.command(epilog=write_examples("keys add"))
def add(
    context: typer.Context,
    name: _Name,
    scope: Annotated[list[Scope], typer.Option(help="What it is good for; several may be given.")],
    expires_in: Annotated[
        str | None, typer.Option(metavar="PERIOD", help="Until when: 90d, 12h or 30m.")
    ] = None,
    may_act_for_principals: Annotated[
        bool,
        typer.Option(
            "--may-act-for-principals",
            help="Its requests name principal, allowed sources, clock and system text.",
        ),
    ] = False,
    may_supply_calls: Annotated[
        bool, typer.Option("--may-supply-calls", help="Its tool calls prove what they say.")
    ] = False,
) -> None:
    """Add a key. Its secret is shown this once; what is kept is a hash of it."""
    from verifier.interfaces.cli.render_keys import render_new_key

    invocation = Invocation.of(context)
    period = None if expires_in is None else read_period(expires_in)
    made = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.keys.add(
            name,
            scope,
            expires_in=period,
            may_act_for_principals=may_act_for_principals,
            may_supply_calls=may_supply_calls,
        ),
        ProgressLine("adding a key", as_json=invocation.as_json),
    )
    show(invocation, made, lambda: render_new_key(made))


@app.command("list", epilog=write_examples("keys list"))
def list_keys(context: typer.Context) -> None:
    """List the keys: what each is good for, until when, and when it was used."""
    from verifier.interfaces.cli.render_keys import render_keys

    invocation = Invocation.of(context)
    found = call_service(
        invocation.load_settings(),
        lambda verifier: verifier.keys.list(),
        ProgressLine("looking at the keys", as_json=invocation.as_json),
    )
    show(invocation, found, lambda: render_keys(found))


@app.command(epilog=write_examples("keys revoke"))
def revoke(
    context: typer.Context,
    name: _Name,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
) -> None:
    """Revoke a key for good, and end its sessions. Running servers notice within two seconds."""
    invocation = Invocation.of(context)
    settings = invocation.load_settings()
    confirm(
        f"Revoke the key {plain(name)} of {plain(settings.tenant)} for good?", invocation, yes=yes
    )
    gone = call_service(
        settings,
        lambda verifier: verifier.keys.revoke(name),
        ProgressLine("revoking", as_json=invocation.as_json),
    )
    show(invocation, gone, lambda: plain(f"{gone.name} is revoked"))
