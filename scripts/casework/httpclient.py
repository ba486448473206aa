"""A client over one kept connection, as light as a load needs: hundreds share a core with the server."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

_TIMEOUT_S: Final = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The status of a response, its JSON, and how many seconds the server asks to wait."""

    status: int
    value: object
    retry_after_s: float


class Client:
    """Asks one request after the other with one key, over a connection kept while the server lets it."""

    def __init__(self, url: str, key: str) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port or 80
        lines = (
            f"Host: {parts.netloc}",
            f"Authorization: Bearer {key}",
            "Content-Type: application/json",
        )
        self._head = "".join(f"{line}\r\n" for line in lines)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: object) -> Answer:
        """Return what the server answers. A kept connection that it had closed meanwhile is opened again."""
        content = json.dumps(body).encode("utf-8")
        head = f"POST {path} HTTP/1.1\r\n{self._head}Content-Length: {len(content)}\r\n\r\n"
        request = head.encode("ascii") + content
        async with asyncio.timeout(_TIMEOUT_S):
            if self._streams is not None:
                try:
                    return await self._exchange(request, self._streams)
                except (ConnectionError, asyncio.IncompleteReadError) as error:
                    if getattr(error, "partial", b""):
                        raise
                await self.close()
            self._streams = await asyncio.open_connection(self._host, self._port)
            return await self._exchange(request, self._streams)

    async def close(self) -> None:
        """Close the connection, if there is one."""
        if self._streams is not None:
            writer = self._streams[1]
            self._streams = None
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _exchange(
        self, request: bytes, streams: tuple[asyncio.StreamReader, asyncio.StreamWriter]
    ) -> Answer:
        reader, writer = streams
        writer.write(request)
        await writer.drain()
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {
            name.lower(): text.strip()
            for name, colon, text in (line.partition(":") for line in lines)
            if colon
        }
        content = await reader.readexactly(int(headers["content-length"]))
        if headers.get("connection", "").lower() == "close":
            await self.close()
        return Answer(
            status=int(first.split()[1]),
            value=json.loads(content),
            retry_after_s=float(headers.get("retry-after", 0)),
        )
