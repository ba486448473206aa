"""Reading the pieces of an answer from whoever writes it, in one task of its own."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import AsyncIterable

_MOST_WAITING: Final = 256
_ENOUGH: Final = 4_000  # characters at once


class PieceReader:
    """Reads pieces ahead, a bounded number of them. The producer runs, and is closed, in one task."""

    def __init__(self, pieces: AsyncIterable[object]) -> None:
        self._pieces = pieces
        self._queue: asyncio.Queue[str | None] = asyncio.Queue(_MOST_WAITING)
        self._error: Exception | None = None
        self._closing = False
        self._task = asyncio.create_task(self._read_all())

    async def read(self, wait_s: float | None) -> list[str | None]:
        """Return what has come, none where nothing did within `wait_s`; a last None is the end.

        Raises what the producer raised, once what came before it is read.
        """
        found: list[str | None] = []
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                found.append(await self._queue.get())
        while not self._queue.empty() and sum(map(_measure, found)) < _ENOUGH:
            found.append(self._queue.get_nowait())
        if self._error is not None and found == [None]:
            raise self._error
        if self._error is not None and found[-1:] == [None]:
            self._queue.put_nowait(found.pop())
        return found

    async def aclose(self) -> None:
        """Close the producer, whatever it waits for."""
        self._closing = True
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _read_all(self) -> None:
        try:
            async for piece in self._pieces:
                await self._queue.put(_check_piece(piece))
        except asyncio.CancelledError:
            if self._closing:
                raise
            self._error = InputError("what writes the answer was cancelled")
        except Exception as error:
            self._error = error
        finally:
            await self._close()
        await self._queue.put(None)

    async def _close(self) -> None:
        close = getattr(self._pieces, "aclose", None)
        if close is not None:
            await close()


def _measure(piece: str | None) -> int:
    return 0 if piece is None else len(piece)


def _check_piece(piece: object) -> str:
    if not isinstance(piece, str):
        raise InputError(f"the pieces of an answer are text; one is {type(piece).__name__}")
    return piece
