"""Requests that carry an `Idempotency-Key`: done once, answered alike again, begun anew where a run died."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.integration.guarded_server import make_app, serving
from tests.integration.hashing_embedder import HashingEmbedder
from verifier.core.keys import Scope
from verifier.server_settings import ServerSettings
from verifier.service import open_verifier

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fastapi import FastAPI

    from tests.integration.conftest import Database
    from verifier.service import Verifier

PATH = "/v1/sources/once"
LIMITS = ServerSettings(ingest_timeout_s=4.0)


class Sender:
    """Sends requests of one key, with a name for each."""

    def __init__(self, client: httpx.AsyncClient, secret: str) -> None:
        self._client = client
        self._secret = secret

    async def __call__(self, name: str | None, text: str, **options: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self._secret}"}
        if name is not None:
            headers["Idempotency-Key"] = name
        return await self._client.post(PATH, json={"text": text}, headers=headers, **options)


@pytest.fixture
async def verifier(fresh_database: Database) -> AsyncIterator[Verifier]:
    async with open_verifier(
        fresh_database.app_dsn, tenant="acme", embedder=HashingEmbedder()
    ) as opened:
        yield opened


@pytest.fixture
def app(verifier: Verifier) -> FastAPI:
    return make_app(LIMITS, verifier)


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        serving(app) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as opened,
    ):
        yield opened


@pytest.fixture
async def send(client: httpx.AsyncClient, verifier: Verifier) -> Sender:
    return Sender(client, (await verifier.keys.add("a", [Scope.INGEST])).secret)


async def test_a_named_request_is_done_once_and_answered_alike(
    app: FastAPI, send: Sender, verifier: Verifier, client: httpx.AsyncClient
) -> None:
    first = await send("n1", "hello")
    again = await send("n1", "hello")
    assert first.json() == {"text": "hello", "count": 1}
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["content-type"] == first.headers["content-type"]
    assert again.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.headers
    assert (await send("n1", "other")).status_code == 422
    assert (await send("n2", "hello")).json()["count"] == 2
    assert (await send(None, "hello")).json()["count"] == 3
    other = Sender(client, (await verifier.keys.add("b", [Scope.INGEST])).secret)
    foreign = await verifier.for_tenant("other").keys.add("a", [Scope.INGEST])
    assert (await other("n1", "hello")).json()["count"] == 4
    assert (await Sender(client, foreign.secret)("n1", "hello")).json()["count"] == 5
    assert [tenant for tenant, _ in app.state.done] == ["acme"] * 4 + ["other"]


async def test_of_many_at_once_one_is_done(app: FastAPI, send: Sender) -> None:
    answers = await asyncio.gather(*(send("n", "slow") for _ in range(10)))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 9
    assert len(app.state.done) == 1
    assert (await send("n", "slow")).json()["count"] == 1


async def test_what_failed_or_was_refused_may_be_sent_again(
    app: FastAPI, send: Sender, verifier: Verifier, client: httpx.AsyncClient
) -> None:
    assert (await send("n", "fail")).status_code == 500
    assert (await send("n", "hello")).json() == {"text": "hello", "count": 2}
    reader = Sender(client, (await verifier.keys.add("r", [Scope.SEARCH])).secret)
    assert (await reader("m", "hello")).status_code == 403
    assert (await reader("m", "other")).status_code == 403
    assert len(app.state.done) == 2
    nobody = Sender(client, "vk_" + "A" * 43)
    assert (await nobody("n", "hello")).status_code == 401


async def test_what_was_ended_for_its_time_may_be_sent_again(app: FastAPI, send: Sender) -> None:
    assert (await send("n", "endless")).status_code == 503
    assert (await send("n", "endless")).json()["count"] == 2


async def test_what_died_in_a_run_is_begun_again_after_its_deadline(
    app: FastAPI, send: Sender, fresh_database: Database
) -> None:
    assert (await send("n", "hello")).status_code == 200
    await fresh_database.execute(
        "UPDATE verifier.idempotency_key SET status = NULL, response = NULL, media_type = NULL"
    )
    assert (await send("n", "hello")).status_code == 409
    await fresh_database.execute("UPDATE verifier.idempotency_key SET deadline = now()")
    assert (await send("n", "other")).status_code == 422
    assert (await send("n", "hello")).json()["count"] == 2
    assert (await send("n", "hello")).json()["count"] == 2


async def test_a_late_run_does_not_overwrite_the_one_that_took_its_place(
    app: FastAPI, send: Sender, fresh_database: Database
) -> None:
    late = asyncio.create_task(send("n", "slow"))
    await asyncio.sleep(0.2)
    await fresh_database.execute("UPDATE verifier.idempotency_key SET deadline = now()")
    second = await send("n", "slow")
    assert (await late).json()["count"] == 2
    assert (await send("n", "slow")).content == second.content
    assert len(app.state.done) == 2


async def test_names_are_kept_for_a_day(
    app: FastAPI, send: Sender, fresh_database: Database
) -> None:
    await send("n", "hello")
    await send("m", "hello")
    await fresh_database.execute(
        "UPDATE verifier.idempotency_key SET expires_at = expires_at - interval '24 hours 1 second'"
    )
    assert (await send("n", "other")).json()["count"] == 3
    assert (await send("n", "other")).json()["count"] == 3


@pytest.mark.parametrize("name", ["", " ", "a b", "a" * 201, "é", "\x7f"])
async def test_a_name_that_is_none_is_refused(app: FastAPI, send: Sender, name: str) -> None:
    try:
        answer = await send(name.encode("latin-1").decode("latin-1"), "hello")
    except (httpx.LocalProtocolError, UnicodeEncodeError):
        return  # the client itself does not send it
    assert answer.status_code == 400
    assert app.state.done == []


async def test_a_form_is_the_same_whatever_mark_is_between_its_parts(
    app: FastAPI, client: httpx.AsyncClient, verifier: Verifier
) -> None:
    secret = (await verifier.keys.add("a", [Scope.INGEST])).secret
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": "n"}

    def form(mark: str, text: str) -> bytes:
        part = f'--{mark}\r\nContent-Disposition: form-data; name="text"\r\n\r\n{text}\r\n--{mark}--\r\n'
        return part.encode()

    statuses = []
    for mark, text in (("aaa1", "x"), ("bbb2", "x"), ("ccc3", "y")):
        kind = {"Content-Type": f"multipart/form-data; boundary={mark}"}
        answer = await client.post(PATH, content=form(mark, text), headers=headers | kind)
        statuses.append((answer.status_code, answer.json().get("detail")))
    # The route takes no form: what is told of the body is 422 each time, never "another request".
    assert {status for status, _ in statuses} == {422}
    assert not any("another request" in str(detail) for _, detail in statuses)
