"""Turns over HTTP: rights, ids of others, what is too large, and that verifying uses what was recorded."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from verifier.interfaces.web.app import create_app
from verifier.service import open_verifier
from verifier.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database

ORDER = {"order_id": "ORD-1", "total_usd": 85}
CALL = {"tool": "get_order", "arguments": {"order_id": "ORD-1"}, "result": ORDER}
ANSWER = "The total of order ORD-1 is $85.00."
MISSING = "turn_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"


@asynccontextmanager
async def served(
    database: Database,
) -> AsyncIterator[dict[str, httpx.AsyncClient]]:
    """Yield a client of each key: trusted, plain, and with every scope of tenant a; and one of tenant b."""
    settings = load_settings(dsn=database.app_dsn, tenant="a")
    async with open_verifier(settings=settings, embedder=HashingEmbedder()) as verifier:
        app = create_app(settings, verifier=verifier)
        app.state.verifier = verifier
        clients = {}
        for name, tenant, trusted in (
            ("app", "a", True),
            ("plain", "a", False),
            ("ops", "a", True),
            ("b", "b", True),
        ):
            made = await verifier.for_tenant(tenant).keys.add(
                name,
                ["admin"] if name == "ops" else ["search", "verify"],
                may_supply_calls=trusted,
                may_act_for_principals=trusted,
            )
            clients[name] = httpx.AsyncClient(
                transport=httpx.ASGITransport(app),
                base_url="http://localhost/v1",
                headers={"Authorization": f"Bearer {made.secret}"},
            )
        await verifier.ingest_text("refunds", "# Refunds\n\nA refund takes 5 days.")
        try:
            yield clients
        finally:
            for client in clients.values():
                await client.aclose()


async def post(client: httpx.AsyncClient, path: str, body: object, status: int = 200) -> Any:
    answered = await client.post(path, json=body)
    assert answered.status_code == status, answered.text
    return answered.json()


async def test_an_answer_is_verified_in_what_was_recorded(fresh_database: Database) -> None:
    async with served(fresh_database) as clients:
        app = clients["app"]
        begun = await post(app, "/turns", {"question": "How much?", "principal": "u1"})
        turn_id = begun["turn_id"]
        assert (begun["calls"], begun["origin"]) == (0, "application")
        recorded = await post(app, f"/turns/{turn_id}/calls", CALL)
        assert recorded == {"turn_id": turn_id, "call_id": "call-1"}
        found = await post(app, "/search", {"query": "refund", "turn_id": turn_id})
        cited = found["hits"][0]["chunk_id"]
        shown = (await app.get(f"/turns/{turn_id}")).json()
        assert (shown["calls"], shown["searches"]) == (1, 1)
        assert [one["label"] for one in shown["turn"]["retrieved"]] == [cited]
        answer = f"{ANSWER} A refund takes 5 days [{cited}]."
        report = await post(app, "/verify", {"answer": answer, "turn_id": turn_id})
        assert [one["code"] for one in report["verdicts"]] == ["verified", "supported"]
        assert report["turn"]["principal"] == "u1"


async def test_a_turn_begun_for_an_agents_key_is_used_by_it(fresh_database: Database) -> None:
    async with served(fresh_database) as clients:
        ops, agent = clients["ops"], clients["plain"]
        turn_id = (await post(ops, "/turns", {"for_key": "plain"}))["turn_id"]
        await post(ops, f"/turns/{turn_id}/calls", CALL)
        asked = {"answer": ANSWER, "turn_id": turn_id}
        report = await post(agent, "/verify", asked)
        assert [one["code"] for one in report["verdicts"]] == ["verified"]
        await post(clients["app"], "/verify", asked, 404)
        await post(agent, f"/turns/{turn_id}/calls", CALL)
        report = await post(agent, "/verify", asked)
        assert [one["reason"] for one in report["verdicts"]] == ["caller_evidence"]


async def test_a_turn_is_begun_for_keys_of_the_tenant_by_its_admins_alone(
    fresh_database: Database,
) -> None:
    async with served(fresh_database) as clients:
        refused = await post(clients["app"], "/turns", {"for_key": "plain"}, 403)
        assert "for_key needs the scope `admin`" in refused["detail"]
        foreign = await post(clients["ops"], "/turns", {"for_key": "b"}, 404)
        missing = await post(clients["ops"], "/turns", {"for_key": "x"}, 404)
        assert foreign["detail"] == missing["detail"].replace("'x'", "'b'")
        assert "no key 'b' serves" in foreign["detail"]
        await post(clients["ops"], "/turns", {"for_key": 7}, 422)


async def test_calls_of_a_plain_key_are_kept_and_prove_nothing(fresh_database: Database) -> None:
    async with served(fresh_database) as clients:
        turn_id = (await post(clients["plain"], "/turns", {}))["turn_id"]
        await post(clients["plain"], f"/turns/{turn_id}/calls", CALL)
        asked = {"answer": ANSWER, "turn_id": turn_id}
        report = await post(clients["plain"], "/verify", asked)
        assert [one["reason"] for one in report["verdicts"]] == ["caller_evidence"]


@pytest.mark.parametrize(
    ("told", "missing"),
    [
        ({"principal": "u1"}, "may_act_for_principals"),
        ({"now": "2026-01-01T00:00:00+00:00"}, "may_act_for_principals"),
        ({"system": "All is free."}, "may_act_for_principals"),
        ({"allowed_sources": ["x"]}, "may_act_for_principals"),
        ({"origin": "application"}, "may_supply_calls"),
        ({"tenant": "b"}, "tenant"),
    ],
)
async def test_what_a_key_may_not_tell_is_refused(
    fresh_database: Database, told: dict[str, Any], missing: str
) -> None:
    async with served(fresh_database) as clients:
        refused = await post(clients["plain"], "/turns", told, 403)
        assert missing in refused["detail"]


async def test_turns_of_others_answer_as_missing_ones(fresh_database: Database) -> None:
    async with served(fresh_database) as clients:
        own = (await post(clients["app"], "/turns", {}))["turn_id"]
        seen = set()
        for name, turn_id in (("plain", own), ("b", own), ("app", MISSING)):
            client = clients[name]
            for answered in (
                await client.get(f"/turns/{turn_id}"),
                await client.post(f"/turns/{turn_id}/calls", json=CALL),
                await client.post("/search", json={"query": "x", "turn_id": turn_id}),
                await client.post("/verify", json={"answer": "x", "turn_id": turn_id}),
            ):
                said = {**answered.json(), "instance": None}
                seen.add(str(said).replace(turn_id, "ID"))
                assert answered.status_code == 404
        assert len(seen) == 1


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("/turns", {"answer": "x"}, "without an answer"),
        ("/turns", {"nonsense": 1}, "nonsense"),
        ("/turns", {"question": 5}, "question must be a text"),
        ("/turns/{id}/calls", {"tool": 5}, "tool must be a text"),
        ("/turns/{id}/calls", {"nonsense": 1}, "unknown field 'nonsense'"),
        ("/turns/{id}/calls", {"arguments": [1]}, "arguments must be an object"),
        ("/verify", {"answer": "x", "turn_id": "{id}", "calls": [CALL]}, "leave out calls"),
        ("/verify", {"turn_id": "{id}"}, "answer is needed"),
    ],
)
async def test_what_can_not_be_used_is_told_and_changes_nothing(
    fresh_database: Database, path: str, body: dict[str, Any], says: str
) -> None:
    async with served(fresh_database) as clients:
        turn_id = (await post(clients["app"], "/turns", {}))["turn_id"]
        sent = {name: turn_id if part == "{id}" else part for name, part in body.items()}
        refused = await post(clients["app"], path.replace("{id}", turn_id), sent, 422)
        assert says in str(refused)
        shown = (await clients["app"].get(f"/turns/{turn_id}")).json()
        assert (shown["calls"], shown["searches"]) == (0, 0)
