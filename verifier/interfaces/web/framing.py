"""What is around every request: its id, the headers of its answer, its counts, and the end of a fault."""

from __future__ import annotations

import logging
import re
import time
import traceback
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request

from verifier.interfaces.web.metrics import name_route
from verifier.interfaces.web.problems import problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from verifier.interfaces.web.metrics import Metrics

_LOGGER: Final = logging.getLogger(__name__)
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")

PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_OTHER_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
)
_REASONS: Final[Mapping[int, str]] = MappingProxyType(
    {400: "malformed", 401: "key", 403: "right", 408: "slow_body", 413: "size", 429: "rate"}
)


class Framing:
    """Gives each request an id, each answer its headers, and counts both; the outermost of the guards."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.monotonic(), 0
        request_id = _choose_id(Headers(scope=scope).getlist("x-request-id"))
        scope.setdefault("state", {})["request_id"] = request_id

        async def send_framed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _complete_headers(MutableHeaders(scope=message), scope, request_id)
            await send(message)

        with self._metrics.in_flight.track_inprogress():
            try:
                await self._app(scope, receive, send_framed)
            except Exception as error:
                _log_fault(error, scope, request_id)
                if status:
                    raise
                await _tell_fault(scope, receive, send_framed)
            finally:
                self._count(scope, status, time.monotonic() - begun)

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        """Count what was answered; without a status the caller left before."""
        self._metrics.count_request(scope, status, seconds)
        reason = scope["state"].get("refused") or _REASONS.get(status)
        if reason is not None:
            self._metrics.count_refusal(reason)
        _LOGGER.info(
            "request %s: %s, %d, %.0f ms",
            scope["state"]["request_id"],
            name_route(scope),
            status,
            seconds * 1_000,
        )


def _choose_id(sent: list[str]) -> str:
    """Return the id that a caller sent, where it is one; else a new one."""
    return sent[0] if len(sent) == 1 and _REQUEST_ID.fullmatch(sent[0]) else uuid4().hex


def _complete_headers(headers: MutableHeaders, scope: Scope, request_id: str) -> None:
    """Add the headers that the answer does not bring itself."""
    is_page = headers.get("content-type", "").startswith("text/html")
    for name, value in _HEADERS.items():
        headers.setdefault(name, value)
    headers.setdefault("Content-Security-Policy", PAGE_POLICY if is_page else _OTHER_POLICY)
    if scope.get("scheme") == "https":
        headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    headers["X-Request-Id"] = request_id


def _log_fault(error: Exception, scope: Scope, request_id: str) -> None:
    """Log where a fault of ours happened; what its message says may be a caller's."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    _LOGGER.error(
        "request %s: %s failed: %s\n%s", request_id, name_route(scope), type(error).__name__, frames
    )


async def _tell_fault(scope: Scope, receive: Receive, send: Send) -> None:
    told = problem(
        Request(scope), 500, "The server failed; its operator finds the reason in its log."
    )
    await told(scope, receive, send)
