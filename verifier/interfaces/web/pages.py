"""The web page: server-rendered, in one session a browser, for people who review and look after."""

from inspect import isawaitable
from typing import Final

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from verifier.interfaces.web import (
    answer_pages,
    audit_pages,
    key_pages,
    review_pages,
    sign_in_pages,
    source_pages,
)
from verifier.interfaces.web.page_frame import render_error
from verifier.interfaces.web.page_routes import UNKNOWN

_PARTS: Final = (
    sign_in_pages,
    answer_pages,
    review_pages,
    source_pages,
    audit_pages,
    key_pages,
)


def install_pages(app: FastAPI) -> None:
    """Serve every page; `app` has its verifier in `app.state.verifier`, and tells problems already.

    A browser that asks for what there is not is told so by a page, whatever else asks by a problem.
    """
    for part in _PARTS:
        app.include_router(part.ROUTER)
    tell_problem = app.exception_handlers[HTTPException]

    async def tell_missing(request: Request, error: Exception) -> Response:
        if _is_for_page(request):
            return render_error(404, "There is no such page", UNKNOWN, visitor=None)
        told = tell_problem(request, error)
        return await told if isawaitable(told) else told

    app.add_exception_handler(404, tell_missing)


def _is_for_page(request: Request) -> bool:
    wants_page = "text/html" in request.headers.get("accept", "")
    return wants_page and not request.url.path.startswith(("/v1/", "/mcp"))
