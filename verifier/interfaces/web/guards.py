"""What stands before the routes: hosts, bodies, how many requests at a time, how long each may take."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers

from verifier.interfaces.web.bodies import STREAMED_PATHS, BodyGuard
from verifier.interfaces.web.framing import Framing
from verifier.interfaces.web.health_routes import router
from verifier.interfaces.web.metrics import Metrics
from verifier.interfaces.web.rates import KeyRates
from verifier.interfaces.web.refusing import QUICK_PATHS, brings_documents, refuse

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from verifier.server_settings import ServerSettings

_STALLED_S: Final = 30.0


def guard_app(app: FastAPI, limits: ServerSettings) -> None:
    """Put the guards before the routes of `app`, and add `/metrics`, `/healthz` and `/readyz`.

    Sets `app.state.metrics`, `app.state.rates` and `app.state.limits`.
    """
    app.state.limits = limits
    app.state.metrics = Metrics()
    app.state.metrics.watch_pool(lambda: getattr(_verifier_of(app), "pool_use", None))
    app.state.rates = KeyRates(limits.key_rate, limits.key_burst)
    app.include_router(router)
    # The last that is added is the first that a request meets.
    app.add_middleware(TimeGuard, limits=limits)
    app.add_middleware(LoadGuard, limits=limits)
    app.add_middleware(BodyGuard, limits=limits)
    app.add_middleware(HostGuard, limits=limits)
    app.add_middleware(Framing, metrics=app.state.metrics)


def _verifier_of(app: FastAPI) -> object:
    return getattr(app.state, "verifier", None)


class HostGuard:
    """Answers only requests that name a host of ours, so that no page elsewhere reaches a local server."""

    def __init__(self, app: ASGIApp, limits: ServerSettings) -> None:
        self._app = app
        self._hosts = AllowedHosts(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan" or scope["path"] in QUICK_PATHS or self._allows(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            detail = "the request names no host of this server; its operator sets `allowed_hosts`"
            await refuse(scope, receive, send, status=400, reason="host", detail=detail)

    def _allows(self, scope: Scope) -> bool:
        named = Headers(scope=scope).getlist("host")
        return len(named) == 1 and self._hosts.allow(named[0])


class AllowedHosts:
    """The hosts that a request may name, or that a page may come from which asks."""

    def __init__(self, limits: ServerSettings) -> None:
        self._hosts = frozenset(host for host in limits.allowed_hosts if host[:1] != "*")
        self._endings = tuple(host[1:] for host in limits.allowed_hosts if host[:1] == "*")

    def allow(self, header: str) -> bool:
        """Return whether a host, with or without a port, is one of them."""
        host = _read_host(header)
        # The ending of `*` alone is nothing: it allows every host that is one.
        return bool(host) and (host in self._hosts or host.endswith(self._endings))


def _read_host(header: str) -> str:
    """Return the name or address of a Host header, without its port; nothing where it is none."""
    if header.startswith("["):
        address, _, port = header[1:].partition("]")
        return address.lower() if _is_port(port) else ""
    name, colon, port = header.partition(":")
    usable = name and all(char.isascii() and (char.isalnum() or char in ".-") for char in name)
    return name.lower().rstrip(".") if usable and _is_port(colon + port) else ""


def _is_port(text: str) -> bool:
    return not text or (text[0] == ":" and text[1:].isascii() and text[1:].isdigit())


class LoadGuard:
    """Answers so many requests at a time, as many that only listen, and as many that are sent in pieces.

    What is beyond is refused at once; so who sends slowly, or only listens, takes no place from others.
    """

    def __init__(self, app: ASGIApp, limits: ServerSettings) -> None:
        self._app = app
        self._most = limits.max_concurrent
        self._running = {"answering": 0, "listening": 0, "streaming": 0}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["path"] in QUICK_PATHS:
            await self._app(scope, receive, send)
            return
        kind = _name_kind(scope)
        if self._running[kind] >= self._most:
            detail = "the server is busy; send the request again later"
            await refuse(scope, receive, send, status=503, reason="busy", detail=detail)
            return
        self._running[kind] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._running[kind] -= 1


def _name_kind(scope: Scope) -> str:
    if scope["path"] in STREAMED_PATHS:
        return "streaming"
    accepted = Headers(scope=scope).get("accept", "")
    listens = scope["method"] == "GET" and "text/event-stream" in accepted
    return "listening" if listens else "answering"


class TimeGuard:
    """Ends what takes too long: until the answer begins, for the whole of it, and for each piece of it."""

    def __init__(self, app: ASGIApp, limits: ServerSettings) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limits, loop = self._limits, asyncio.get_running_loop()
        until_begun = (
            limits.ingest_timeout_s if brings_documents(scope) else limits.request_timeout_s
        )
        ends, begun = loop.time() + until_begun, False
        bound = asyncio.timeout_at(ends)

        async def send_in_time(message: Message) -> None:
            nonlocal ends, begun
            if message["type"] == "http.response.start":
                begun, ends = True, loop.time() + limits.stream_timeout_s
            if bound.expired():
                raise TimeoutError
            bound.reschedule(min(ends, loop.time() + _STALLED_S))
            await send(message)
            bound.reschedule(ends)

        try:
            async with bound:
                await self._app(scope, receive, send_in_time)
        except TimeoutError:
            if not bound.expired():
                raise
            await _tell_late(scope, receive, send, begun=begun)


async def _tell_late(scope: Scope, receive: Receive, send: Send, *, begun: bool) -> None:
    """Answer that it took too long; of an answer that began, the server only cuts the connection."""
    if begun:
        scope.setdefault("state", {})["refused"] = "time"
        return
    detail = "the request took longer than the server allows"
    await refuse(scope, receive, send, status=503, reason="time", detail=detail)
