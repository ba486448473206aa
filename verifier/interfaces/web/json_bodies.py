"""JSON in and out: bodies are read as turn files are, answers are written as `--json` prints them."""

import re
from collections.abc import Callable, Coroutine
from decimal import Decimal
from typing import Any, Final

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response

from verifier.core.json_reading import UnreadableJson, read_json
from verifier.core.turn_fields import kind_of_json
from verifier.interfaces.wire import dump_line, to_wire

DEEPEST: Final = 500
_LARGEST_EXPONENT: Final = 300
_CHARSET: Final = re.compile(r"charset\s*=\s*\"?([^\s;\"]+)", re.IGNORECASE)


class WireResponse(Response):
    """The JSON value of a frozen result, the same that the command prints for it."""

    media_type = "application/json"

    def __init__(self, result: object, status_code: int = 200) -> None:
        super().__init__(status_code=status_code, content=result)

    def render(self, content: object) -> bytes:
        """Return the line that `--json` prints."""
        return dump_line(to_wire(content)).encode("utf-8")


class JsonRequest(Request):
    """A request whose JSON body is read exactly: numbers as Decimal, no key twice, no NaN, no depth."""

    async def json(self) -> object:
        """Return the body's object. Raises HTTPException 400 for what is no JSON, 422 for another value."""
        charset = _CHARSET.search(self.headers.get("content-type", ""))
        if charset is not None and charset[1].lower() not in {"utf-8", "utf8"}:
            raise HTTPException(415, "the body must be JSON in UTF-8")
        try:
            value = read_json((await self.body()).decode("utf-8-sig"), deepest=DEEPEST)
        except UnicodeDecodeError as problem:
            raise HTTPException(400, f"the body is no UTF-8 at byte {problem.start}") from None
        except UnreadableJson as problem:
            raise HTTPException(400, f"the body is no JSON: {problem}") from None
        if not isinstance(value, dict):
            raise HTTPException(422, f"the body must be a JSON object, not {kind_of_json(value)}")
        return value


class JsonRoute(APIRoute):
    """A route whose JSON bodies are read by `JsonRequest`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the route's own work, on a `JsonRequest`."""
        work = super().get_route_handler()

        async def answer(request: Request) -> Response:
            return await work(JsonRequest(request.scope, request.receive))

        return answer


def to_plain(value: object) -> object:
    """Return a JSON value with its numbers as int and float. Raises ValueError for one that is too large."""
    if isinstance(value, Decimal):
        return _to_number(value)
    if isinstance(value, dict):
        return {key: to_plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [to_plain(member) for member in value]
    return value


def _to_number(number: Decimal) -> int | float:
    if number and abs(number.adjusted()) > _LARGEST_EXPONENT:
        raise ValueError("a number is too large or too small")
    return int(number) if number == number.to_integral_value() else float(number)
