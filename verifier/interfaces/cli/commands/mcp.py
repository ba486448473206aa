"""`verifier mcp`."""

from typing import Annotated

import typer

from verifier.errors import InputError
from verifier.interfaces.cli.invocation import Invocation
from verifier.interfaces.failures import OK

Http = Annotated[
    bool,
    typer.Option("--http", help="Streamable HTTP at /mcp, with keys, in place of standard input."),
]
Host = Annotated[
    str | None, typer.Option(help="Address to listen at with --http; else as the settings say.")
]
Port = Annotated[
    int | None,
    typer.Option(min=0, max=65_535, help="Port with --http; 0 takes any that is free."),
]


def mcp(context: typer.Context, http: Http = False, host: Host = None, port: Port = None) -> int:
    """Serve agents over MCP: search, verify, read versions, audit. Changes no source.

    On standard input and output for the tenant of the settings, or over HTTP for the tenant of each key.
    """
    from verifier.interfaces.cli.serving_mcp import serve_mcp_http, serve_mcp_stdio

    invocation = Invocation.of(context)
    if http:
        return serve_mcp_http(invocation, host=host, port=port)
    if host is not None or port is not None:
        raise InputError("--host and --port go with --http")
    serve_mcp_stdio(invocation)
    return OK
