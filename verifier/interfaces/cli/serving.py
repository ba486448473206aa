"""Serving over HTTP: the socket, the start, and an end that loses no request."""

from __future__ import annotations

import signal
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.errors import InputError
from verifier.interfaces.cli.invocation import open_service, run_to_end
from verifier.interfaces.cli.output import plain, show
from verifier.interfaces.cli.progress import ProgressLine
from verifier.interfaces.failures import OK

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    import uvicorn
    from fastapi import FastAPI

    from verifier.interfaces.cli.invocation import Invocation
    from verifier.server_settings import ServerSettings
    from verifier.service import Verifier
    from verifier.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """By which settings a server serves, whether it has a model, and how long requests get to end in."""

    settings: Settings
    has_model: bool
    grace_s: float


def choose_address(settings: Settings, *, host: str | None, port: int | None) -> Settings:
    """Return the settings with the address that options choose; requests may name that host too."""
    chosen = {"host": host, "port": port}
    server = settings.server.model_copy(
        update={name: told for name, told in chosen.items() if told is not None}
    )
    named = (*server.allowed_hosts, server.host.lower().strip("[]"))
    return settings.model_copy(
        update={"server": server.model_copy(update={"allowed_hosts": named})}
    )


def serve_until_told(
    invocation: Invocation,
    serving: Serving,
    make_app: Callable[[Settings, Verifier], FastAPI],
    *,
    path: str = "",
) -> int:
    """Serve until SIGTERM or an interrupt; `path` is where callers begin.

    Raises InputError where the address can't be had, StoreError.
    """
    settings = serving.settings
    listening = _listen(settings.server)

    async def work() -> int:
        async with open_service(settings) as verifier:
            with ProgressLine("starting", as_json=invocation.as_json) as progress:
                progress.tell("opening the store")
                await verifier.connect()
                if serving.has_model:
                    progress.tell("loading the model")
                    await verifier.load_model()
            server = _make_server(make_app(settings, verifier), serving)
            url = _name_url(listening) + path
            described = (
                "" if path else " (pages for people, and the API that /openapi.json describes)"
            )
            told = f"Serving at {url}{described}. Ctrl+C ends it."
            show(invocation, {"url": url}, lambda: plain(told))
            signal.signal(signal.SIGTERM, _end_quietly)  # uvicorn raises it again at its end
            await server.serve(sockets=[listening])
        return OK

    return run_to_end(work, log_level=settings.log_level)


def _listen(address: ServerSettings) -> socket.socket:
    host, port = address.host, address.port
    try:
        family, *_, found = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.create_server(found[:2], family=family, backlog=2_048)
    except OSError as error:
        raise InputError(
            f"can't listen at {host} port {port}: {error.strerror or error};"
            " choose another --host or --port"
        ) from None
    # Inherited by its connections: else the body of an answer waits 40 ms for its head's receipt.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _make_server(app: FastAPI, serving: Serving) -> uvicorn.Server:
    import uvicorn

    config = uvicorn.Config(
        app,
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=max(1, round(serving.grace_s)),
    )
    return uvicorn.Server(config)


def _name_url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _end_quietly(_signal: int, _frame: FrameType | None) -> None:
    """End with the code that the command returns, not by the signal; a server has ended by then."""
