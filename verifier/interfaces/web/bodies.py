"""Bodies of requests: how large they may be, and how long they may take to arrive."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException

from verifier.interfaces.web.refusing import most_bytes, refuse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from verifier.server_settings import ServerSettings

STREAMED_PATHS: Final = frozenset({"/v1/verify/stream"})
"""What reads its body piece by piece while it answers."""

_MOST_DISCARDED: Final = 100_000_000


class _Fault(StrEnum):
    """Why a body is not to be had; `left` is a caller to whom nobody can answer."""

    SIZE = "size"
    SLOW = "slow_body"
    MEMORY = "memory"
    LEFT = "left"


class BodyGuard:
    """Reads each body before anything else is done for its request, within the limits.

    So slow callers take no place from others, and what is too large is refused whether or not its length
    was told. It is read on for a while and thrown away, so that the caller gets to read the answer.
    """

    def __init__(self, app: ASGIApp, limits: ServerSettings) -> None:
        self._app = app
        self._limits = limits
        self._budget = _Budget(limits.max_waiting_bytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or not _brings_body(headers := Headers(scope=scope)):
            await self._app(scope, receive, send)
        elif scope["path"] in STREAMED_PATHS:
            await self._app(scope, self._watch(receive, most_bytes(scope, self._limits)), send)
        else:
            body = _Body(receive, most_bytes(scope, self._limits), self._budget)
            try:
                fault = await self._read(body, headers)
                if fault is None:
                    await self._app(scope, body.replay(), send)
                elif fault is not _Fault.LEFT:
                    await self._refuse(fault, scope, receive, send)
            finally:
                body.drop()

    async def _read(self, body: _Body, headers: Headers) -> _Fault | None:
        declared = _read_length(headers)
        if declared > body.most and headers.get("expect", "").lower() == "100-continue":
            return _Fault.SIZE
        try:
            async with asyncio.timeout(self._limits.body_timeout_s):
                return await body.read(declared)
        except TimeoutError:
            return body.fault or _Fault.SLOW

    async def _refuse(self, fault: _Fault, scope: Scope, receive: Receive, send: Send) -> None:
        status, detail = {
            _Fault.SIZE: (
                413,
                f"the body is larger than {most_bytes(scope, self._limits):,} bytes",
            ),
            _Fault.SLOW: (
                408,
                f"the body did not arrive within {self._limits.body_timeout_s:g} seconds",
            ),
            _Fault.MEMORY: (503, "too many large bodies wait; send it again later"),
        }[fault]
        await refuse(scope, receive, send, status=status, reason=fault.value, detail=detail)

    def _watch(self, receive: Receive, most: int) -> Receive:
        """Return `receive` for a body that is read in pieces: each has its time, all have the size."""
        seen = 0

        async def receive_piece() -> Message:
            nonlocal seen
            try:
                async with asyncio.timeout(self._limits.body_timeout_s):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, "the next piece of the body did not arrive") from None
            seen += len(message.get("body", b""))
            if seen > most:
                raise HTTPException(413, f"the body is larger than {most:,} bytes")
            return message

        return receive_piece


class _Budget:
    """How many bytes of bodies may wait at once, whoever sent them."""

    def __init__(self, most: int) -> None:
        self._left = most

    def take(self, count: int) -> bool:
        if count > self._left:
            return False
        self._left -= count
        return True

    def give_back(self, count: int) -> None:
        self._left += count


class _Body:
    """A body as it arrives; from its first fault on, nothing of it is kept."""

    def __init__(self, receive: Receive, most: int, budget: _Budget) -> None:
        self.most = most
        self.fault: _Fault | None = None
        self._receive = receive
        self._budget = budget
        self._pieces: list[bytes] = []
        self._kept = 0

    async def read(self, declared: int) -> _Fault | None:
        """Read to the end; return what is wrong, None where the body is whole."""
        self.fault = _Fault.SIZE if declared > self.most else None
        seen, more = 0, True
        while more and seen <= _MOST_DISCARDED:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                return _Fault.LEFT
            piece = message.get("body", b"")
            seen += len(piece)
            self._take(piece)
            more = message.get("more_body", False)
        return self.fault

    def _take(self, piece: bytes) -> None:
        if self.fault is None and self._kept + len(piece) > self.most:
            self.fault = _Fault.SIZE
        if self.fault is None and not self._budget.take(len(piece)):
            self.fault = _Fault.MEMORY
        if self.fault is not None:
            self.drop()
            return
        self._kept += len(piece)
        self._pieces.append(piece)

    def drop(self) -> None:
        """Give back what the body took of the budget."""
        self._budget.give_back(self._kept)
        self._kept = 0
        self._pieces.clear()

    def replay(self) -> Receive:
        """Return what gives the whole body at once, and then whatever comes after it."""
        whole = [b"".join(self._pieces)]
        self._pieces.clear()

        async def receive_whole() -> Message:
            if whole:
                return {"type": "http.request", "body": whole.pop(), "more_body": False}
            return await self._receive()

        return receive_whole


def _brings_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or _read_length(headers) > 0


def _read_length(headers: Headers) -> int:
    told = headers.get("content-length", "0")
    return int(told) if told.isascii() and told.isdigit() and len(told) < 20 else 0
