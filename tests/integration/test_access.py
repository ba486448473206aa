"""Who may call which route: the bearer key of a request, its scopes and its tenant."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import httpx
import pytest
from fastapi import Depends, FastAPI, Request

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import ingest_one, opened
from verifier.core.keys import Caller, Scope
from verifier.interfaces.web.access import require, verifier_of
from verifier.keys import REVOKED_WITHIN_S
from verifier.service import open_verifier

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier.service import Verifier


Searcher = Annotated[Caller, Depends(require(Scope.SEARCH))]
Admin = Annotated[Caller, Depends(require(Scope.ADMIN))]


def make_app(verifier: Verifier) -> FastAPI:
    app = FastAPI()
    app.state.verifier = verifier
    app.state.begun = asyncio.Event()
    app.state.go_on = asyncio.Event()

    @app.get("/sources")
    async def sources(request: Request, caller: Searcher) -> dict[str, Any]:
        found = await verifier_of(request, caller).sources.list()
        return {"tenant": caller.tenant, "keys": [one.source.key for one in found]}

    @app.get("/admin")
    async def admin(caller: Admin) -> str:
        return caller.name

    @app.get("/slow")
    async def slow(request: Request, caller: Searcher) -> list[str]:
        request.app.state.begun.set()
        await request.app.state.go_on.wait()
        return [one.source.key for one in await verifier_of(request, caller).sources.list()]

    return app


@pytest.fixture
async def verifier(fresh_database: Database) -> AsyncIterator[Verifier]:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "terms", "Opened goods are taken back for 30 days.")
    async with open_verifier(fresh_database.app_dsn, embedder=HashingEmbedder()) as opened_one:
        yield opened_one


@pytest.fixture
async def client(verifier: Verifier) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=make_app(verifier))
    async with httpx.AsyncClient(transport=transport, base_url="http://server") as opened_one:
        yield opened_one


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


async def test_the_tenant_is_that_of_the_key(client: httpx.AsyncClient, verifier: Verifier) -> None:
    acme = await verifier.for_tenant("acme").keys.add("a", [Scope.SEARCH])
    other = await verifier.for_tenant("other").keys.add("a", [Scope.SEARCH])
    told = await client.get("/sources?tenant=other", headers=bearer(acme.secret))
    assert told.json() == {"tenant": "acme", "keys": ["terms"]}
    told = await client.get(
        "/sources?tenant=acme", headers=bearer(other.secret) | {"X-Tenant": "acme"}
    )
    assert told.json() == {"tenant": "other", "keys": []}


async def test_a_scope_that_lacks_is_named_and_admin_has_all(
    client: httpx.AsyncClient, verifier: Verifier
) -> None:
    keys = verifier.for_tenant("acme").keys
    reader = await keys.add("reader", [Scope.SEARCH, Scope.VERIFY, Scope.INGEST, Scope.REVIEW])
    admin = await keys.add("admin", [Scope.ADMIN])
    refused = await client.get("/admin", headers=bearer(reader.secret))
    assert (refused.status_code, "`admin`" in refused.text) == (403, True)
    assert (await client.get("/admin", headers=bearer(admin.secret))).json() == "admin"
    assert (await client.get("/sources", headers=bearer(admin.secret))).status_code == 200


async def test_whatever_is_no_key_is_refused_alike(
    client: httpx.AsyncClient, verifier: Verifier
) -> None:
    keys = verifier.for_tenant("acme").keys
    good = (await keys.add("good", [Scope.SEARCH])).secret
    gone = (await keys.add("gone", [Scope.SEARCH])).secret
    await keys.revoke("gone")
    tried: list[list[tuple[str | bytes, str | bytes]]] = [
        [],
        [("Authorization", "")],
        [("Authorization", good)],
        [("Authorization", f"Basic {good}")],
        [("Authorization", f"Bearer {gone}")],
        [("Authorization", f"Bearer {good}x")],
        [("Authorization", f"Bearer {good} {good}")],
        [("Authorization", f"Bearer {good[:-1]}{'A' if good[-1] != 'A' else 'B'}")],
        [("Authorization", f"Bearer {good}"), ("Authorization", f"Bearer {good}")],
        [("Authorization", f"Bearer vk_{'A' * 43}")],
        [("Authorization", f"Bearer {'A' * 100_000}")],
        [(b"Authorization", b"Bearer \xc3\xa9\xff\xfe")],
        [(b"Authorization", b"Bearer " + good.encode() + b"\x00")],
        [("X-API-Key", good)],
        [("Cookie", f"Authorization=Bearer {good}")],
    ]
    answers = []
    for headers in tried:
        answers.append(await client.get("/sources", headers=headers))  # type: ignore[arg-type]
        assert answers[-1].status_code == 401, headers
    assert (await client.get(f"/sources?access_token={good}")).status_code == 401
    assert {answer.content for answer in answers} == {answers[0].content}
    assert {answer.headers["WWW-Authenticate"] for answer in answers} == {"Bearer"}
    assert (await client.get("/sources", headers=bearer(good))).status_code == 200
    lower = await client.get("/sources", headers={"Authorization": f"bEARER  {good}"})
    assert lower.status_code == 200


async def test_what_runs_when_a_key_is_revoked_ends_and_the_next_is_refused(
    client: httpx.AsyncClient, verifier: Verifier
) -> None:
    keys = verifier.for_tenant("acme").keys
    made = await keys.add("a", [Scope.SEARCH])
    state = client._transport.app.state  # type: ignore[attr-defined]
    running = asyncio.create_task(client.get("/slow", headers=bearer(made.secret)))
    await state.begun.wait()
    async with open_verifier(settings=verifier._settings) as elsewhere:
        await elsewhere.for_tenant("acme").keys.revoke("a")
    state.go_on.set()
    assert (await running).json() == ["terms"]
    await asyncio.sleep(REVOKED_WITHIN_S)
    assert (await client.get("/slow", headers=bearer(made.secret))).status_code == 401


def test_the_documentation_tells_of_the_key() -> None:
    async def nothing(caller: Searcher) -> None: ...

    app = FastAPI()
    app.get("/x")(nothing)
    described = app.openapi()
    assert described["paths"]["/x"]["get"]["security"] == [{"key": []}]
    assert described["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    assert "parameters" not in described["paths"]["/x"]["get"]
