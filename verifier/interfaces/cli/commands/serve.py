"""`verifier serve` and `verifier openapi`."""

from typing import Annotated

import typer

from verifier.interfaces.cli.invocation import Invocation
from verifier.interfaces.cli.output import show

Host = Annotated[
    str | None,
    typer.Option(help="Address to listen at, 0.0.0.0 for all; as the settings say if not given."),
]
Port = Annotated[
    int | None,
    typer.Option(
        min=0, max=65_535, help="Port, 0 for any that is free; as the settings say if not given."
    ),
]
NoModel = Annotated[
    bool, typer.Option("--no-model", help="Search by words only; load no model, ingest nothing.")
]
Grace = Annotated[
    float, typer.Option(min=0, max=3_600, help="Seconds that running requests get to end in.")
]


def serve(
    context: typer.Context,
    host: Host = None,
    port: Port = None,
    no_model: NoModel = False,
    grace: Grace = 20,
) -> int:
    """Serve the verbs over HTTP until it is told to stop. Callers need a key: `verifier keys add`.

    Stopped by SIGTERM or Ctrl+C, it takes no more requests, ends those that run, and closes what it opened.
    """
    from verifier.interfaces.cli.serving import Serving, choose_address, serve_until_told
    from verifier.interfaces.web.app import create_app

    invocation = Invocation.of(context)
    settings = choose_address(invocation.load_settings(), host=host, port=port)
    serving = Serving(settings=settings, has_model=not no_model, grace_s=grace)
    return serve_until_told(
        invocation,
        serving,
        lambda settings, verifier: create_app(settings, verifier=verifier, has_model=not no_model),
    )


def openapi(context: typer.Context) -> None:
    """Print the OpenAPI description of what `serve` serves."""
    from verifier.interfaces.web.app import create_app

    invocation = Invocation.of(context)
    described = create_app(invocation.load_settings()).openapi()
    show(invocation, described, lambda: typer.echo(write_indented(described)))


def write_indented(value: object) -> str:
    """Return a JSON value as people read it."""
    import json

    return json.dumps(value, indent=1)
