"""Lines of JSON in a body that is still being sent: a first object, then the pieces of an answer."""

from collections.abc import AsyncIterator
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request

from verifier.core.json_reading import UnreadableJson, read_json
from verifier.errors import InputError
from verifier.interfaces.web.json_bodies import DEEPEST

_SPACE: Final = b" \t\r"


class PieceLines:
    """Reads one body, line by line, keeping no more than a line of it."""

    def __init__(self, request: Request) -> None:
        self._lines = _split_lines(request)
        self._number = 0

    async def read_first(self) -> object:
        """Return the value of the first line. Raises HTTPException 400 where there is none, or no JSON."""
        async for line in self._lines:
            return self._read(line)
        raise HTTPException(400, "the body is empty; its first line tells the turn")

    async def read_pieces(self) -> AsyncIterator[str]:
        """Yield the texts of the lines below. Raises InputError that names a line which is none."""
        async for line in self._lines:
            try:
                piece = self._read(line)
            except HTTPException as problem:
                raise InputError(problem.detail) from None
            if not isinstance(piece, str):
                raise InputError(f"line {self._number}: a piece of the answer is JSON text")
            yield piece

    def _read(self, line: bytes) -> object:
        self._number += 1
        try:
            return read_json(line.decode("utf-8-sig"), deepest=DEEPEST)
        except UnicodeDecodeError:
            raise HTTPException(400, f"line {self._number} is no UTF-8") from None
        except UnreadableJson as problem:
            raise HTTPException(400, f"line {self._number} is no JSON: {problem}") from None


async def _split_lines(request: Request) -> AsyncIterator[bytes]:
    """Yield the lines that are not blank; the guard bounds the size of them all."""
    held: list[bytes] = []
    async for part in request.stream():
        first, *others = part.split(b"\n")
        held.append(first)
        for other in others:
            line = b"".join(held)
            held = [other]
            if line.strip(_SPACE):
                yield line
    line = b"".join(held)
    if line.strip(_SPACE):
        yield line
