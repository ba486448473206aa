"""Whether the server lives, whether it can answer, and what it counted."""

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from verifier.core.keys import Scope
from verifier.interfaces.web.access import caller_of
from verifier.interfaces.web.metrics import MEDIA_TYPE

if TYPE_CHECKING:
    from verifier.service import Verifier

router = APIRouter(tags=["health"])

_READINESS_KEPT_S = 1.0


@dataclass(slots=True)
class _Readiness:
    """What was found last, so that those who ask at once ask the database once."""

    lock: asyncio.Lock
    failed: tuple[str, ...] = ()
    until: float = 0.0


@router.get("/healthz", operation_id="healthz")
async def healthz() -> JSONResponse:
    """Tell that the process answers; nothing else is asked."""
    return JSONResponse({"status": "ok"})


@router.get("/readyz", operation_id="readyz")
async def readyz(request: Request) -> JSONResponse:
    """Tell whether database, schema and model can serve; 503 names those that can't, and nothing more."""
    state = request.app.state
    if not hasattr(state, "readiness"):
        state.readiness = _Readiness(lock=asyncio.Lock())
    readiness: _Readiness = state.readiness
    async with readiness.lock:
        if time.monotonic() >= readiness.until:
            verifier: Verifier = state.verifier
            with_model = getattr(state, "has_model", True)
            readiness.failed = await verifier.find_unready(with_model=with_model)
            readiness.until = time.monotonic() + _READINESS_KEPT_S
    if readiness.failed:
        told = f"not ready: {', '.join(readiness.failed)}"
        raise HTTPException(503, told, headers={"Retry-After": "1"})
    return JSONResponse({"status": "ready"})


@router.get(
    "/metrics",
    operation_id="metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(request: Request) -> Response:
    """Show the counts of this process as Prometheus reads them, to keys with the scope `admin`."""
    if request.app.state.limits.metrics != "open":
        caller = await caller_of(request)
        if not caller.may(Scope.ADMIN):
            raise HTTPException(403, "the key lacks the scope `admin`")
    return Response(request.app.state.metrics.write(), media_type=MEDIA_TYPE)
