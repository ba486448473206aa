"""Liveness, readiness and counts: who may read them, and what they tell when something is broken."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.integration.guarded_server import make_app
from tests.integration.hashing_embedder import HashingEmbedder
from verifier.core.keys import Scope
from verifier.errors import ModelError
from verifier.server_settings import ServerSettings
from verifier.service import Verifier, open_verifier
from verifier.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database

LIMITS = ServerSettings(key_rate=0.01, key_burst=3)


@pytest.fixture
async def verifier(fresh_database: Database) -> AsyncIterator[Verifier]:
    async with open_verifier(
        fresh_database.app_dsn, tenant="acme", embedder=HashingEmbedder()
    ) as opened:
        yield opened


def client_of(verifier: Verifier, limits: ServerSettings = LIMITS) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=make_app(limits, verifier))
    return httpx.AsyncClient(transport=transport, base_url="http://localhost")


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


async def test_counts_are_for_admins_unless_they_are_open(verifier: Verifier) -> None:
    reader = (await verifier.keys.add("r", [Scope.SEARCH])).secret
    admin = (await verifier.keys.add("a", [Scope.ADMIN])).secret
    async with client_of(verifier) as client:
        assert (await client.get("/metrics")).status_code == 401
        assert (await client.get("/metrics", headers=bearer(reader))).status_code == 403
        told = await client.get("/metrics", headers=bearer(admin))
        assert told.headers["content-type"].startswith("text/plain")
        assert 'verifier_refusals_total{reason="key"} 1.0' in told.text
        assert 'verifier_refusals_total{reason="right"} 1.0' in told.text
        assert "verifier_pool_connections_open 1.0" in told.text
    async with client_of(verifier, LIMITS.model_copy(update={"metrics": "open"})) as client:
        assert (await client.get("/metrics")).status_code == 200


async def test_a_key_that_asks_too_often_waits_and_no_other_does(verifier: Verifier) -> None:
    eager = (await verifier.keys.add("e", [Scope.SEARCH])).secret
    other = (await verifier.keys.add("o", [Scope.SEARCH])).secret
    async with client_of(verifier) as client:
        told = [await client.get("/v1/mine", headers=bearer(eager)) for _ in range(5)]
        assert [answer.status_code for answer in told] == [200] * 3 + [429] * 2
        assert told[-1].headers["content-type"] == "application/problem+json"
        assert int(told[-1].headers["retry-after"]) >= 90
        assert (await client.get("/v1/mine", headers=bearer(other))).status_code == 200


async def test_a_server_lives_without_a_database_and_is_not_ready() -> None:
    nowhere = load_settings(dsn="postgresql://someone:hunter2@127.0.0.1:1/nothing", pool_min_size=0)
    async with open_verifier(settings=nowhere) as verifier, client_of(verifier) as client:
        assert (await client.get("/healthz")).json() == {"status": "ok"}
        told = await client.get("/readyz")
        assert told.status_code == 503
        assert told.json()["detail"] == "not ready: database"
        assert "hunter2" not in told.text
        assert told.headers["retry-after"]
        refused = await client.get("/v1/mine", headers=bearer("vk_" + "A" * 43))
        assert refused.status_code == 503
        assert "127.0.0.1" not in refused.text


async def test_a_database_that_hangs_is_not_ready_within_a_second() -> None:
    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(hang, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    nowhere = load_settings(dsn=f"postgresql://x@127.0.0.1:{port}/y", pool_min_size=0)
    async with open_verifier(settings=nowhere) as verifier, client_of(verifier) as client:
        async with asyncio.timeout(2):
            told = await asyncio.gather(*(client.get("/readyz") for _ in range(20)))
        assert {answer.status_code for answer in told} == {503}
        assert told[0].json()["detail"] == "not ready: database"
    server.close()


async def test_readiness_follows_the_schema(verifier: Verifier, fresh_database: Database) -> None:
    async with client_of(verifier) as client:
        assert (await client.get("/readyz")).json() == {"status": "ready"}
        await fresh_database.execute("UPDATE verifier.alembic_version SET version_num = '9999'")
        await asyncio.sleep(1.1)
        assert (await client.get("/readyz")).json()["detail"] == "not ready: schema"
        await fresh_database.execute("UPDATE verifier.alembic_version SET version_num = '0001'")
        await asyncio.sleep(1.1)
        assert (await client.get("/readyz")).status_code == 503


async def test_readiness_follows_the_model(fresh_database: Database) -> None:
    class Broken(HashingEmbedder):
        @property
        def space(self) -> None:  # type: ignore[override]
            raise ModelError("/secret/folder is no model")

    async with open_verifier(fresh_database.app_dsn, embedder=Broken()) as verifier:  # type: ignore[arg-type]
        app = make_app(LIMITS, verifier)
        app.state.has_model = True
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            told = await client.get("/readyz")
    assert (told.status_code, told.json()["detail"]) == (503, "not ready: model")
    assert "secret" not in told.text
