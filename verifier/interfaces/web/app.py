"""The HTTP application: one process, one verifier, each request for the tenant of its key."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from fastapi import APIRouter, FastAPI

from verifier.interfaces.mcp_http import mount_mcp
from verifier.interfaces.web import (
    audit_routes,
    conflict_routes,
    ingest_routes,
    report_routes,
    review_routes,
    search_routes,
    source_routes,
    stream_routes,
    turn_routes,
    verify_routes,
    version_routes,
)
from verifier.interfaces.web.guards import guard_app
from verifier.interfaces.web.openapi import describe
from verifier.interfaces.web.pages import install_pages
from verifier.interfaces.web.problems import install_problems
from verifier.service import open_verifier
from verifier.settings import Settings

if TYPE_CHECKING:
    from verifier.service import Verifier

ROUTERS: Final[tuple[APIRouter, ...]] = (
    search_routes.router,
    verify_routes.router,
    stream_routes.router,
    turn_routes.router,
    ingest_routes.router,
    source_routes.router,
    version_routes.router,
    audit_routes.router,
    conflict_routes.router,
    review_routes.router,
    report_routes.router,
)


def create_app(
    settings: Settings, *, verifier: "Verifier | None" = None, has_model: bool = True
) -> FastAPI:
    """Return the application. It opens a verifier of the settings while it lives, or uses the one given.

    One that is given stays its owner's to close. Without a model, it searches by words and ingests nothing.
    What the interface is like is told at /openapi.json.
    """

    @asynccontextmanager
    async def live(app: FastAPI) -> AsyncIterator[None]:
        if verifier is not None:
            app.state.verifier = verifier
            yield
            return
        async with open_verifier(settings=settings) as opened:
            app.state.verifier = opened
            yield

    app = _Application(
        title="grounding-verifier",
        lifespan=live,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.has_model = has_model
    install_problems(app)
    guard_app(app, settings.server)
    for router in ROUTERS:
        app.include_router(router)
    install_pages(app)
    mount_mcp(app, settings.server)
    return app


class _Application(FastAPI):
    """FastAPI with the interface described as it answers."""

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI description, made once."""
        if not self.openapi_schema:
            self.openapi_schema = describe(super().openapi())
        return self.openapi_schema
