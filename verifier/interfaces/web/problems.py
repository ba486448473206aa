"""Errors as problem details (RFC 9457), by one table for the whole of HTTP."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from verifier.errors import (
    CatalogError,
    InputError,
    ModelError,
    SettingsError,
    StoreError,
    UnknownThing,
    VerifierError,
    VersionConflict,
    WrongEmbeddingSpace,
)

MEDIA_TYPE: Final = "application/problem+json"
_LOGGER: Final = logging.getLogger(__name__)
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_LONGEST: Final = 2_000
_RETRY_S: Final = "5"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldFault:
    """What is wrong with one field: a JSON pointer into the body, or a parameter's name, and why."""

    field: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    status: int
    name: str
    title: str
    told: str | None = None
    """What is told instead of the error's own words, which are the operator's; these are logged."""


_NOT_SET_UP: Final = _Kind(
    status=503,
    name="not-set-up",
    title="The server is not set up for this",
    told="The server's settings do not fit; its operator finds the reason in its log.",
)
_KINDS: Final[tuple[tuple[type[VerifierError], _Kind], ...]] = (
    (UnknownThing, _Kind(status=404, name="unknown-thing", title="There is no such thing")),
    (
        VersionConflict,
        _Kind(status=409, name="version-conflict", title="Another version is current"),
    ),
    (CatalogError, _NOT_SET_UP),
    (SettingsError, _NOT_SET_UP),
    (WrongEmbeddingSpace, _NOT_SET_UP),
    (InputError, _Kind(status=422, name="input", title="The request can't be used")),
    (
        StoreError,
        _Kind(
            status=503,
            name="store-unavailable",
            title="The database can't serve now",
            told="The database did not serve this request; try again.",
        ),
    ),
    (
        ModelError,
        _Kind(
            status=503,
            name="model-unavailable",
            title="A model can't serve now",
            told="The model that this needs did not serve; try again, or search by words.",
        ),
    ),
)


def install_problems(app: FastAPI) -> None:
    """Let every error of `app` leave it as problem details."""
    app.add_exception_handler(HTTPException, _tell_http)
    app.add_exception_handler(RequestValidationError, _tell_invalid)
    app.add_exception_handler(VerifierError, _tell_error)
    app.add_exception_handler(Exception, _tell_fault)


def problem(
    request: Request,
    status: int,
    detail: str,
    *,
    kind: tuple[str, str] | None = None,
    errors: Sequence[FieldFault] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return problem details; `kind` is their name and title where the status alone does not tell."""
    name, title = kind or ("", HTTPStatus(status).phrase)
    body: dict[str, object] = {
        "type": f"urn:grounding-verifier:problem:{name}" if name else "about:blank",
        "title": title,
        "status": status,
        "detail": detail[:_LONGEST],
        "instance": request.scope.get("path", ""),
    }
    if errors:
        body["errors"] = [{"field": one.field, "detail": one.detail} for one in errors]
    return Response(
        json.dumps(body),  # escapes what is no ASCII, and so lone surrogates, too
        status_code=status,
        media_type=MEDIA_TYPE,
        headers=dict(headers or {}),
    )


async def _tell_http(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(_list_methods(request))
    return problem(request, error.status_code, str(error.detail), headers=headers)


def _list_methods(request: Request) -> list[str]:
    """Return the methods that some route of the path takes; a route's own refusal names but its own."""
    return [
        method
        for method in _METHODS
        if any(
            route.matches({**request.scope, "method": method})[0] is Match.FULL
            for route in request.app.routes
        )
    ]


async def _tell_invalid(request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    faults = tuple(_fault(one) for one in error.errors()[:50])
    named = ", ".join(dict.fromkeys(one.field for one in faults if one.field))
    return problem(
        request,
        422,
        f"{named or 'the request'}: see errors",
        kind=("input", "The request can't be used"),
        errors=faults,
    )


def _fault(described: Mapping[str, object]) -> FieldFault:
    """Return the fault of one of pydantic's errors; what was sent is not repeated."""
    place = described.get("loc", ())
    where, *parts = [str(part) for part in place] if isinstance(place, tuple) else [""]
    steps = [part.replace("~", "~0").replace("/", "~1")[:200] for part in parts]
    field = "".join(f"/{step}" for step in steps) if where == "body" else ".".join(parts)[:200]
    told = str(described.get("msg", "")).removeprefix("Value error, ")
    return FieldFault(field=field or where, detail=told[:500])


async def _tell_error(request: Request, error: Exception) -> Response:
    kind = next(kind for base, kind in _KINDS if isinstance(error, base))
    if kind.told is not None:
        _LOGGER.warning("%s: %s: %s", name_request(request), type(error).__name__, error)
    headers = {"Retry-After": _RETRY_S} if kind.status == 503 else None
    return problem(
        request, kind.status, kind.told or str(error), kind=(kind.name, kind.title), headers=headers
    )


async def _tell_fault(request: Request, error: Exception) -> Response:
    """Tell nothing of a fault of ours; the server's log has its traceback."""
    _LOGGER.error("%s: %s", name_request(request), type(error).__name__)
    return problem(request, 500, "The server failed; its operator finds the reason in its log.")


def name_request(request: Request) -> str:
    """Return what the log calls a request: its id where it has one, its method and its route."""
    told = getattr(request.state, "request_id", None)
    route = getattr(request.scope.get("route"), "path", "unknown route")
    return f"request {told or '-'} {request.method} {route}"
