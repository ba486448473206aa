"""Routes whose answers are pages, errors too: a person is never shown a problem document."""

import logging
import traceback
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from verifier.errors import InputError, UnknownThing, VerifierError
from verifier.interfaces.web.page_access import PageRefused, SignInNeeded, sign_in_address
from verifier.interfaces.web.page_frame import PAGE_HEADERS, Visitor, render_error

_LOGGER: Final = logging.getLogger(__name__)
UNKNOWN: Final = "There is no such thing, or it is not yours to see."
_UNAVAILABLE: Final = "The database or a model does not serve now. Try again in a moment."


class PageRoute(APIRoute):
    """A route that answers an error with a page, and a visitor without a session with the way to sign in."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the route's own work, its errors turned into pages."""
        work = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await work(request)
            except SignInNeeded:
                return go_to(sign_in_address(request))
            except Exception as error:  # whatever it is, it must not reach a person as it is
                return _tell(request, error)

        return answer


def page_router() -> APIRouter:
    """Return a router of pages, which the documentation of the service leaves out."""
    return APIRouter(route_class=PageRoute, include_in_schema=False)


def go_to(address: str) -> RedirectResponse:
    """Return the answer that leads a browser on to another page."""
    return RedirectResponse(address, status_code=303, headers=dict(PAGE_HEADERS))


def _tell(request: Request, error: Exception) -> Response:
    visitor: Visitor | None = getattr(request.state, "visitor", None)
    status, title, told = _describe(error)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        identity = getattr(request.state, "request_id", None)
        frames = "".join(traceback.format_tb(error.__traceback__))
        _LOGGER.error("request %s: a page failed: %s\n%s", identity, type(error).__name__, frames)
        told += f" The log tells more of request {identity}." if identity else ""
    response = render_error(status, title, told, visitor=visitor)
    if isinstance(error, HTTPException):
        response.headers.update(error.headers or {})
    return response


def _describe(error: Exception) -> tuple[int, str, str]:
    """Return status, title and words; those of an error are shown where the visitor can do something."""
    match error:
        case PageRefused():
            return error.status, error.title, error.told
        case UnknownThing():
            return 404, "There is no such page", UNKNOWN
        case InputError():
            return 422, "That can't be done", f"{error}"
        case RequestValidationError():
            fields = ", ".join(sorted({str(one["loc"][-1]) for one in error.errors()}))
            return 422, "That can't be done", f"What was sent does not fit: {fields}."
        case HTTPException():
            return error.status_code, HTTPStatus(error.status_code).phrase, f"{error.detail}"
        case VerifierError():
            return 503, "Not now", _UNAVAILABLE
        case _:
            return 500, "Something went wrong here", "That is a fault of this service, not yours."
