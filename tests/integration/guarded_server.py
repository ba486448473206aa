"""A guarded application on a real server, with routes that show what the guards do."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any

import uvicorn
from fastapi import APIRouter, Body, Depends, FastAPI, Request
from starlette.responses import HTMLResponse, StreamingResponse

from verifier.core.keys import Caller, Scope
from verifier.interfaces.web.access import require
from verifier.interfaces.web.guards import guard_app
from verifier.interfaces.web.idempotent_route import IdempotentRoute
from verifier.interfaces.web.problems import install_problems

if TYPE_CHECKING:
    from verifier.server_settings import ServerSettings
    from verifier.service import Verifier

Searcher = Annotated[Caller, Depends(require(Scope.SEARCH))]
Ingester = Annotated[Caller, Depends(require(Scope.INGEST))]
Text = Annotated[str, Body(embed=True)]

router = APIRouter()
once = APIRouter(route_class=IdempotentRoute)


@router.post("/v1/echo")
@router.post("/v1/sources/echo")
async def echo(request: Request) -> dict[str, int]:
    return {"bytes": len(await request.body())}


@router.post("/v1/json")
async def read_json(value: Annotated[Any, Body()]) -> str:
    return type(value).__name__


@router.post("/v1/verify/stream")
async def stream(request: Request) -> dict[str, int]:
    return {"pieces": len([piece async for piece in request.stream() if piece])}


@router.get("/v1/sleep/{seconds}")
async def sleep(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return "slept"


@router.get("/v1/drip/{seconds}")
async def drip(seconds: float) -> StreamingResponse:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b"drop "
            await asyncio.sleep(seconds)

    return StreamingResponse(pieces())


@router.get("/v1/fail")
async def fail(request: Request) -> str:
    raise RuntimeError(request.headers.get("x-word"))


@router.get("/page")
async def page() -> HTMLResponse:
    return HTMLResponse("<p>Hello")


@router.get("/v1/mine")
async def mine(caller: Searcher) -> str:
    return caller.tenant


@once.post("/v1/sources/once")
async def do_once(request: Request, text: Text, caller: Ingester) -> dict[str, object]:
    done: list[tuple[str, str]] = request.app.state.done
    done.append((caller.tenant, text))
    if text == "slow":
        await asyncio.sleep(0.5)
    if text == "endless" and len(done) == 1:
        await asyncio.sleep(60)
    if text == "fail":
        raise RuntimeError
    return {"text": text, "count": len(done)}


def make_app(limits: "ServerSettings", verifier: "Verifier | None" = None) -> FastAPI:
    """An application whose routes echo, sleep, fail and count; the verifier is for those with keys."""
    app = FastAPI()
    install_problems(app)
    app.state.verifier = verifier
    app.state.has_model = False
    app.state.done = []
    guard_app(app, limits)
    app.include_router(router)
    app.include_router(once)
    return app


@asynccontextmanager
async def serving(app: FastAPI) -> AsyncIterator[int]:
    """Serve `app` on a free port of this machine, and yield the port."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="off"))
    running = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 -- uvicorn tells it by this flag alone
        await asyncio.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = server.force_exit = True
        await running
