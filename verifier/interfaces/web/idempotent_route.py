"""Routes whose requests may be named, so that one sent twice is done once."""

import asyncio
import hashlib
import logging
import re
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Annotated, Any, Final

from fastapi import Header, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Message, Receive

from verifier.errors import StoreError
from verifier.interfaces.web.access import caller_of, verifier_of
from verifier.interfaces.web.json_bodies import JsonRoute
from verifier.named_requests import NamedRequests
from verifier.store.idempotency import Begun, Refusal, RequestName, StoredResponse

HEADER: Final = "Idempotency-Key"
DESCRIPTION: Final = (
    "Names the request, with 1 to 200 visible ASCII characters: sent again with the same name within a day, "
    "it is not done again but answered as the first time. 409 while it runs, 422 for another request."
)
_NAME: Final = re.compile(r"[!-~]{1,200}")
_BOUNDARY: Final = re.compile(rb'boundary="?([^";\s]{1,100})"?', re.IGNORECASE)
_SPARE: Final = timedelta(seconds=60)
_LOGGER: Final = logging.getLogger(__name__)

_Work = Callable[[Request], Coroutine[Any, Any, Response]]


class IdempotentRoute(JsonRoute):
    """A route that does a request with an `Idempotency-Key` once, and answers it the same way again.

    Kept is what succeeded; what was refused or failed may be sent again. A name is the key's own. A run that
    died is begun anew once its time is over.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the route's own work, done once for each name."""
        work = super().get_route_handler()

        async def answer(request: Request) -> Response:
            name = _read_name(request.headers.getlist(HEADER))
            if name is None:
                return await work(request)
            return await _answer_once(request, name, work)

        return answer


async def name_request(
    idempotency_key: Annotated[
        str | None, Header(pattern=f"^{_NAME.pattern}$", description=DESCRIPTION)
    ] = None,
) -> None:
    """Let the documentation of a route tell of the name; `IdempotentRoute` reads it."""
    del idempotency_key


def _read_name(sent: list[str]) -> str | None:
    if not sent:
        return None
    if len(sent) > 1 or _NAME.fullmatch(sent[0]) is None:
        raise HTTPException(400, f"{HEADER} needs 1 to 200 visible ASCII characters, once")
    return sent[0]


async def _answer_once(request: Request, name: str, work: _Work) -> Response:
    caller = await caller_of(request)
    body = await request.body()
    named = RequestName(key_id=caller.key_id, name=name, request_hash=_hash_request(request, body))
    requests = verifier_of(request, caller).named_requests
    runs_for = timedelta(seconds=request.app.state.limits.ingest_timeout_s) + _SPARE
    begun = await requests.begin(named, runs_for=runs_for)
    if isinstance(begun, StoredResponse):
        headers = {"Idempotent-Replayed": "true"}
        return Response(begun.content, begun.status, headers, begun.media_type)
    if isinstance(begun, Refusal):
        raise _explain(begun)
    return await _run(
        Request(request.scope, _replay(body, request.receive)), work, requests, named, begun
    )


def _explain(refusal: Refusal) -> HTTPException:
    if refusal is Refusal.RUNNING:
        return HTTPException(
            409, f"the request of this {HEADER} still runs", headers={"Retry-After": "1"}
        )
    return HTTPException(422, f"this {HEADER} named another request; choose a new one")


async def _run(
    request: Request, work: _Work, requests: NamedRequests, named: RequestName, begun: Begun
) -> Response:
    try:
        response = await work(request)
    except BaseException:
        await _end(requests.abandon(named, begun.run))
        raise
    if response.status_code >= 300:
        await _end(requests.abandon(named, begun.run))
        return response
    kept = StoredResponse(
        status=response.status_code,
        media_type=response.headers.get("content-type", "application/json"),
        content=bytes(response.body),
    )
    await _end(requests.finish(named, begun.run, kept))
    return response


async def _end(ending: Coroutine[Any, Any, None]) -> None:
    """Record how a run ended, even as it is cancelled; where that fails it ends with its deadline."""
    try:
        await asyncio.shield(asyncio.ensure_future(ending))
    except StoreError as error:
        _LOGGER.warning("the end of a named request was not recorded: %s", error)


def _hash_request(request: Request, body: bytes) -> bytes:
    """Return the hash of all that was asked; the mark between parts of a form is new each time it is sent."""
    kind = request.headers.get("content-type", "").encode()
    boundary = _BOUNDARY.search(kind) if kind.startswith(b"multipart/") else None
    if boundary is not None:
        kind = kind.replace(boundary[1], b"boundary")
        body = body.replace(boundary[1], b"boundary")
    asked = (request.method.encode(), request.url.path.encode(), request.url.query.encode(), kind)
    digest = hashlib.sha256()
    for part in (*asked, body):
        digest.update(len(part).to_bytes(8) + part)
    return digest.digest()


def _replay(body: bytes, receive: Receive) -> Receive:
    whole = [body]

    async def receive_again() -> Message:
        if whole:
            return {"type": "http.request", "body": whole.pop(), "more_body": False}
        return await receive()

    return receive_again
