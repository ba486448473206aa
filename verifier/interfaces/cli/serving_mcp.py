"""Serving MCP: on standard input and output, or over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.interfaces.cli.invocation import open_service, run_to_end
from verifier.interfaces.cli.serving import Serving, choose_address, serve_until_told

if TYPE_CHECKING:
    from verifier.interfaces.cli.invocation import Invocation

_GRACE_S: Final = 20.0


def serve_mcp_stdio(invocation: Invocation) -> None:
    """Serve until standard input ends. Raises StoreError where the store can't be opened."""
    from verifier.interfaces.mcp_server import serve_stdio

    settings = invocation.load_settings()

    async def work() -> None:
        async with open_service(settings) as verifier:
            await verifier.connect()
            await serve_stdio(verifier)

    run_to_end(work, log_level=settings.log_level)


def serve_mcp_http(invocation: Invocation, *, host: str | None, port: int | None) -> int:
    """Serve `/mcp` until SIGTERM or an interrupt, guarded as `serve` is."""
    from verifier.interfaces.mcp_http import create_mcp_app

    settings = choose_address(invocation.load_settings(), host=host, port=port)
    serving = Serving(settings=settings, has_model=False, grace_s=_GRACE_S)
    return serve_until_told(
        invocation,
        serving,
        lambda settings, verifier: create_mcp_app(verifier, settings.server),
        path="/mcp",
    )
