"""The MCP server over streamable HTTP: an endpoint for the application that `verifier serve` runs, or alone.

Every request stands for itself: it brings its key and gets one JSON answer. So no session can be taken over,
and several processes may serve one address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

from fastapi import FastAPI
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route

from verifier.interfaces.mcp_server import create_mcp_server
from verifier.interfaces.mcp_tools import Asker
from verifier.interfaces.web.access import caller_of, verifier_of
from verifier.interfaces.web.guards import AllowedHosts, guard_app
from verifier.interfaces.web.problems import install_problems

if TYPE_CHECKING:
    from mcp.server import Server, ServerRequestContext
    from starlette.types import Receive, Scope, Send

    from verifier.server_settings import ServerSettings
    from verifier.service import Verifier

LARGEST_BODY: Final = 256 * 1024


class McpEndpoint:
    """The ASGI endpoint. `app.state.verifier` is the verifier; each key asks for its own tenant."""

    def __init__(self, limits: ServerSettings) -> None:
        self._server: Server[Any] = create_mcp_server(_ask)
        self._hosts = AllowedHosts(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one POST; there are no streams to open and no sessions to end. Raises HTTPException."""
        request = Request(scope, receive)
        self._check_origin(request)
        if request.method != "POST":
            raise HTTPException(405, "only POST is answered here", headers={"Allow": "POST"})
        await caller_of(request)
        manager = StreamableHTTPSessionManager(
            self._server, json_response=True, stateless=True, max_request_body_size=LARGEST_BODY
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    def _check_origin(self, request: Request) -> None:
        """Refuse a page of another host; what is not a browser sends no origin."""
        for origin in request.headers.getlist("origin"):
            if not self._hosts.allow(urlsplit(origin).netloc):
                raise HTTPException(403, "the request comes from a page of another host")


def create_mcp_app(verifier: Verifier, limits: ServerSettings) -> FastAPI:
    """Return an application of this endpoint alone, at `/mcp`; the verifier stays its owner's to close."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.verifier = verifier
    app.state.has_model = True
    install_problems(app)
    guard_app(app, limits)
    mount_mcp(app, limits)
    return app


def mount_mcp(app: FastAPI, limits: ServerSettings) -> None:
    """Put the endpoint at `/mcp` of a guarded application whose `state.verifier` is open."""
    app.router.routes.append(Route("/mcp", endpoint=McpEndpoint(limits)))


def _ask(context: ServerRequestContext[Any, Any]) -> Asker:
    """Return who asks; the endpoint has found the key's holder before."""
    request = cast("Request", context.request)
    caller, state = request.state.caller, request.app.state
    return Asker(
        verifier=verifier_of(request, caller),
        caller=caller,
        has_model=state.has_model,
        count_claims=state.metrics.count_claims,
    )
