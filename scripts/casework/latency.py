"""A proxy on the loopback that delays what passes between a driver and its server."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_HOST: Final = "127.0.0.1"


@contextmanager
def delaying(socket_path: str, round_trip_ms: float) -> Iterator[int]:
    """Yield a port that leads to a server's socket, each round trip that much longer.

    The proxy has a thread and a loop of its own, so that it does not wait for who measures.
    """
    ready, ended = threading.Event(), threading.Event()
    ports: list[int] = []

    async def serve() -> None:
        async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            there_reader, there_writer = await asyncio.open_unix_connection(socket_path)
            await asyncio.gather(
                _pass_on(reader, there_writer, round_trip_ms / 2_000),
                _pass_on(there_reader, writer, round_trip_ms / 2_000),
            )

        async with await asyncio.start_server(connect, _HOST, 0) as server:
            ports.append(server.sockets[0].getsockname()[1])
            ready.set()
            await asyncio.to_thread(ended.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    ready.wait()
    try:
        yield ports[0]
    finally:
        ended.set()
        thread.join()


async def _pass_on(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay_s: float
) -> None:
    """Write what was read after a while, in its order."""
    loop = asyncio.get_running_loop()
    later: Callable[..., object] = loop.call_later
    while chunk := await reader.read(65_536):
        if delay_s:
            later(delay_s, writer.write, chunk)
        else:
            writer.write(chunk)
    later(delay_s, writer.close)
