"""Verifying an answer while it is sent: pieces in, line by line; events out, as server-sent events."""

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from verifier.core.keys import Caller
from verifier.core.keys import Scope as KeyScope
from verifier.core.streaming_events import Ended, StreamEvent, StreamTerms
from verifier.core.streaming_json import event_to_json
from verifier.errors import InputError, VerifierError
from verifier.interfaces.web.access import require, verifier_of
from verifier.interfaces.web.piece_lines import PieceLines
from verifier.interfaces.web.problems import name_request
from verifier.interfaces.web.stream_schemas import EVENTS, STREAM_BODY, StreamBody
from verifier.interfaces.web.told_turns import find_turn
from verifier.interfaces.web.verify_routes import choose_policy
from verifier.interfaces.wire import dump_line

router = APIRouter(prefix="/v1", tags=["verify"])

Checker = Annotated[Caller, Depends(require(KeyScope.VERIFY))]
_LOGGER: Final = logging.getLogger(__name__)
_FAULT: Final = "the server failed; its operator finds the reason in its log"
_UNAVAILABLE: Final = "the database did not serve this request; try again"
_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # no proxy may gather it


class EventStream(StreamingResponse):
    """Events as they come. It leaves the rest of the request to who reads the pieces."""

    media_type = "text/event-stream"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events; the framework's own would read, and lose, pieces to notice who leaves."""
        del scope, receive
        await self.stream_response(send)


@router.post(
    "/verify/stream",
    operation_id="verify_stream",
    response_class=EventStream,
    responses={200: dict(EVENTS)},
    openapi_extra={"requestBody": dict(STREAM_BODY)},
)
async def verify_stream(request: Request, caller: Checker) -> EventStream:
    """Verify an answer while it is sent: a first line with its turn, then a line of JSON text a piece.

    The first line is that of `verify` without an answer, with `max_delay_s` if need be. What goes out of
    the answer comes back as soon as it is judged, while further pieces are sent.
    """
    lines = PieceLines(request)
    body = _read_body(await lines.read_first())
    verifier = verifier_of(request, caller)
    told = await find_turn(verifier, caller, body.turn, body.turn_id)
    if told.answer is not None:
        raise InputError("the answer comes in the lines below; the first one tells its turn")
    policy = choose_policy(request.app.state.settings, body.policy, body.hold)
    terms: StreamTerms = {} if body.max_delay_s is None else {"max_delay_s": body.max_delay_s}
    events = verifier.stream(lines.read_pieces(), told.turn, policy=policy, **terms)
    return EventStream(_write_events(events, request), headers=_HEADERS)


def _read_body(first: object) -> StreamBody:
    try:
        return StreamBody.model_validate(first)
    except ValidationError as problem:
        faults = [one | {"loc": ("body", *one["loc"])} for one in problem.errors()]
        raise RequestValidationError(faults) from None


async def _write_events(
    events: AsyncGenerator[StreamEvent, None], request: Request
) -> AsyncIterator[str]:
    """Yield the events as they are sent; nobody is told anything where the caller has left."""
    try:
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Ended):
                    request.app.state.metrics.count_claims(event.report)
                told = event_to_json(event)
                yield _write(str(told["event"]), told)
    except ClientDisconnect:
        return
    except (HTTPException, VerifierError) as error:
        _LOGGER.warning("%s: %s: %s", name_request(request), type(error).__name__, error)
        yield _write("failed", _describe(error))
    except Exception:
        yield _write("failed", {"status": 500, "detail": _FAULT})
        raise


def _write(name: str, told: object) -> str:
    return f"event: {name}\ndata: {dump_line(told)}\n\n"


def _describe(error: HTTPException | VerifierError) -> dict[str, object]:
    """Return what the caller is told of an error: his own by its words."""
    if isinstance(error, HTTPException):
        return {"status": error.status_code, "detail": str(error.detail)}
    if isinstance(error, InputError):
        return {"status": 422, "detail": str(error)}
    return {"status": 503, "detail": _UNAVAILABLE}
