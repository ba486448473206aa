"""What must not work over HTTP: bodies that are none, texts that are code, tricks with paths and hosts."""

from __future__ import annotations

import json
import socket
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.acceptance.serving import EVERY_RIGHT, Server, add_key, serve, shop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.embedded import EmbeddedPostgres

PROBLEM = "application/problem+json"
HOSTILE = (
    "<script>alert(1)</script>",
    "'; DROP TABLE verifier.source; --",
    "\x00",
    "a\x00b",
    "\ud800",
    "\u202etxt.exe",
    "{{7*7}}${7*7}",
    "../../../etc/passwd",
    "\r\nSet-Cookie: a=b",
    "%s%n%x",
)


@pytest.fixture(scope="module")
def server(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[Server]:
    with shop(embedded, migrated_template) as command, serve(command) as running:
        yield running


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[httpx.Client]:
    with server.client(add_key(server.command, "operator", rights=EVERY_RIGHT)) as opened:
        yield opened


def refused(response: httpx.Response, *statuses: int) -> dict[str, Any]:
    assert response.status_code in statuses, (response.status_code, response.text[:500])
    assert response.headers["content-type"] == PROBLEM
    told = response.json()
    assert told["status"] == response.status_code
    assert "Traceback" not in response.text
    assert "asyncpg" not in response.text
    assert isinstance(told, dict)
    return told


def serves(client: httpx.Client) -> None:
    asked = client.post("/v1/search", json={"query": "anything", "mode": "words"})
    assert asked.status_code == 200, asked.text


def send(client: httpx.Client, path: str, body: bytes) -> httpx.Response:
    return client.post(path, content=body, headers={"Content-Type": "application/json"})


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[1]", b"null", b"0", b'"text"', b"\xff\xfe{}", b'{"query": "a"} {}'),
        *(b'{"query": "a", "query": "b"}', b'{"query": NaN}', b'{"k": Infinity, "query": "a"}'),
        *(b'{"query": "a", "k": 1e999999999}', b'{"query": "a", "k": ' + b"9" * 5_000 + b"}"),
        b'{"query": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"filters": ' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b', "query": "a"}',
        b'{"answer": "a", "query": "' + b"\\" * 200_001 + b'"}',
    ],
    ids=lambda body: repr(body[:20]),
)
@pytest.mark.parametrize("path", ["/v1/search", "/v1/verify", "/v1/sources/text", "/v1/turns"])
def test_bodies_that_are_no_request(client: httpx.Client, path: str, body: bytes) -> None:
    begun = time.monotonic()
    refused(send(client, path, body), 400, 422)
    assert time.monotonic() - begun < 5
    serves(client)


NESTED = b"[" * 100_000 + b"]" * 100_000
CALL_OF_TOOL = (
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "verify_claims",'
    b' "arguments": {"text": %b}}}'
)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/verify", b'{"answer": "a", "calls": [{"result": %b}]}'),
        ("/v1/verify/stream", b'{"calls": [{"result": %b}]}\n"a"\n'),
        ("/v1/verify/stream", b'{"question": "a"}\n%b\n'),
        ("/v1/turns", b'{"calls": [{"result": %b}]}'),
        ("/v1/turns/turn_a/calls", b'{"tool": "a", "result": %b}'),
        ("/v1/evaluate", b'{"cases": [{"answer": "a", "calls": [{"result": %b}]}]}'),
        ("/v1/rechecks", b'{"source": %b}'),
        ("/mcp", CALL_OF_TOOL),
        ("/mcp", b"%b"),
    ],
    ids=lambda part: part[:30] if isinstance(part, str) else repr(part[:20]),
)
def test_nesting_without_end(client: httpx.Client, path: str, body: bytes) -> None:
    begun = time.monotonic()
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    response = client.post(path, content=body % NESTED, headers=headers)
    assert time.monotonic() - begun < 5
    if response.status_code == 200:  # of a stream that began before its second line came
        assert response.text.startswith("event: "), response.text[:300]
        assert '"status": 422' in response.text
    else:
        assert response.status_code in {400, 413, 422}, response.text[:300]
    assert "Traceback" not in response.text
    serves(client)


@pytest.mark.parametrize(
    "told",
    [
        *({"current_turn": "1e999999999"}, {"fiscal_year_start": "1e999999999"}),
        {"calls": '[{"result": {"price_usd": 1e999999999}}]'},
        {"calls": '[{"result": {"total": 1e-999999999}, "shown_chars": 1e99999999}]'},
        {"retrieved": '[{"label": "a", "text": "b", "span": [0, 1e999999999]}]'},
        {"context": '{"quantity": 1e999999999}'},
    ],
    ids=str,
)
def test_numbers_beyond_all_bounds(client: httpx.Client, told: dict[str, str]) -> None:
    [(name, value)] = told.items()
    begun = time.monotonic()
    response = send(
        client, "/v1/verify", f'{{"answer": "It costs $5.", "{name}": {value}}}'.encode()
    )
    assert time.monotonic() - begun < 5
    assert response.status_code in {200, 400, 422}, response.text
    assert "verified" not in [one["code"] for one in response.json().get("verdicts", ())]
    serves(client)


def test_bodies_of_fifty_megabytes(server: Server, client: httpx.Client) -> None:
    large = json.dumps({"query": "x" * 50_000_000}).encode()
    assert large_refused(client, large)
    chunks = (large[at : at + 1_000_000] for at in range(0, len(large), 1_000_000))
    assert large_refused(client, chunks)
    serves(client)


def large_refused(client: httpx.Client, content: bytes | Iterator[bytes]) -> bool:
    """Return whether the body was refused, also where the server closed before all of it was sent."""
    try:
        response = client.post(
            "/v1/search", content=content, headers={"Content-Type": "application/json"}
        )
    except (httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError):
        return True
    refused(response, 413)
    return True


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_code_in_every_field_is_text(client: httpx.Client, text: str) -> None:
    quoted = json.dumps(text)
    bodies = {
        "/v1/search": f'{{"query": {quoted}, "sources": [{quoted}], "mode": "words"}}',
        "/v1/verify": f'{{"answer": {quoted}, "question": {quoted}, "said": [{quoted}],'
        f' "documents": {{{quoted}: {quoted}}}, "id": {quoted}, "principal": {quoted},'
        f' "calls": [{{"id": {quoted}, "tool": {quoted}, "result": {{{quoted}: {quoted}}}}}]}}',
        "/v1/sources/text": f'{{"source": {quoted}, "text": {quoted}, "title": {quoted},'
        f' "url": {quoted}, "metadata": {{{quoted}: {quoted}}}, "by": {quoted}}}',
        "/v1/sources/deny": f'{{"source": {quoted}, "reason": {quoted}, "by": {quoted}}}',
        "/v1/conflicts": f'{{"place": {quoted}, "other": {quoted}, "subject": {quoted},'
        f' "attribute": {quoted}, "value": {quoted}, "other_value": {quoted}}}',
        "/v1/reviews/1/decide": f'{{"decision": "supported", "reason": {quoted}, "by": {quoted}}}',
        "/v1/evaluate": f'{{"cases": [{{"id": {quoted}, "answer": {quoted}, "labels": [{{'
        f'"reviewer": {quoted}, "label": "unclear", "labelled_at": "2020-01-01T00:00:00+00:00"}}]}}]}}',
        "/v1/rechecks": f'{{"source": {quoted}, "entity": {quoted}}}',
    }
    for path, body in bodies.items():
        response = send(client, path, body.encode())
        assert response.status_code in {200, 404, 422}, (path, response.text)
        assert "Set-Cookie" not in response.headers
        assert response.headers["content-type"] in {PROBLEM, "application/json"}
    for path in ("/v1/versions", "/v1/versions/text", "/v1/audits/impact", "/v1/audits/stale"):
        plain = text.encode("utf-8", "surrogatepass")
        query = "".join(f"%{byte:02x}" for byte in plain)
        response = client.get(f"{path}?source={query}")
        assert response.status_code in {200, 404, 422}, (path, response.text)
    serves(client)


SQL = "'); DROP TABLE verifier.report CASCADE; SELECT ($$ %(a)s $1 {} -- \\"


OF_A_CALL = {"ok": True, "complete": True}


def ask(client: httpx.Client, path: str, body: dict[str, Any]) -> Any:
    response = client.post(path, json=body)
    assert response.status_code == 200, response.text
    return response.json()


def test_sql_in_every_field_that_is_stored_comes_back_as_it_was(client: httpx.Client) -> None:
    text = f"# Terms\n\nGoods {SQL} may be returned within 30 days."
    stored: dict[str, Any] = {
        "source": SQL,
        "text": text,
        "title": SQL,
        "by": SQL,
        "metadata": {SQL: SQL},
    }
    ask(client, "/v1/sources/text", stored)
    for verb, told in (("deny", {"reason": SQL}), ("approve", {})):
        ask(client, f"/v1/sources/{verb}", {"source": SQL, "by": SQL} | told)
    [source] = [one for one in client.get("/v1/sources").json() if one["source"]["key"] == SQL]
    assert (source["source"]["title"], source["source"]["permission_by"]) == (SQL, SQL)
    version = client.get("/v1/versions/text", params={"source": SQL, "version": "1"}).json()
    assert SQL in version["text"]
    found = ask(
        client, "/v1/search", {"query": "goods returned", "mode": "words", "filters": {SQL: SQL}}
    )
    assert [one["source"] for one in found["hits"]] == [SQL]

    call = {"id": SQL, "tool": SQL, "arguments": {SQL: SQL}, "result": {SQL: [SQL]}}
    turn: dict[str, Any] = {
        "question": SQL,
        "said": [SQL],
        "system": SQL,
        "principal": SQL,
        "context": {SQL: SQL},
    }
    turn |= {"model": SQL, "prompt_hash": SQL, "retriever": SQL, "bibliography": {SQL: SQL}}
    kept = ask(client, "/v1/turns", turn | {"calls": [call]})
    assert kept["turn"]["calls"][0]["result"] == {SQL: [SQL]}
    stated = {"id": SQL, "answer": f"{SQL} It costs $5.", "documents": {SQL: text}}
    report = ask(client, "/v1/verify", turn | stated | {"calls": [call]})
    logged = client.get(f"/v1/reports/{report['report_id']}").json()
    assert logged["report"]["answer"] == stated["answer"]
    assert logged["turn"]["calls"][0] == report["turn"]["calls"][0] == call | OF_A_CALL
    assert {name: logged["turn"][name] for name in turn} == turn
    ask(client, f"/v1/reports/{report['report_id']}/recheck", {})

    disputed = dict.fromkeys(("place", "subject", "attribute", "value", "other_value"), SQL)
    other = {"source": "other.md", "text": text}
    ask(client, "/v1/sources/text", other)
    declared = ask(client, "/v1/conflicts", disputed | {"other": "other.md"})
    place = f"/v1/conflicts/{declared['conflict_id']}"
    ask(client, f"{place}/assign", {"to": SQL})
    ask(client, f"{place}/resolve", {"reason": SQL, "by": SQL})
    listed = client.get("/v1/conflicts?state=all").json()
    assert json.dumps(SQL)[1:-1] in json.dumps(listed)
    assert client.get("/v1/reports").json()["reports"]
    serves(client)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/v1/../etc/passwd",
            "/v1/%2e%2e/%2e%2e/etc/passwd",
            "//v1/search",
            "/v1/reports/..%2f..%2f",
        ),
        *("/v1/reports/%00%00%00%00%00%00", "/v1/reports/" + "a" * 5_000, "/v1/reviews/-1"),
        *("/v1/reviews/99999999999999999999999", "/v1/reviews/1%20OR%201=1", "/static/../app.py"),
        *("/.git/config", "/v1/reports/%ff%fe%ff%fe%ff%fe", "/v1/search/"),
    ],
)
def test_paths_that_lead_nowhere(server: Server, client: httpx.Client, path: str) -> None:
    address = urlsplit(server.url)
    key = client.headers["authorization"]
    with socket.create_connection((address.hostname, address.port), timeout=10) as raw:
        asked = f"GET {path} HTTP/1.1\r\nHost: {address.netloc}\r\nAuthorization: {key}\r\n"
        raw.sendall((asked + "Connection: close\r\n\r\n").encode())
        answered = b"".join(iter(lambda: raw.recv(65_536), b""))
    status = int(answered.split()[1])
    assert status in {400, 404, 422}, answered[:300]
    assert b"root:" not in answered
    serves(client)


def test_hosts_that_are_not_ours(server: Server, client: httpx.Client) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "", "localhost@evil.example"):
        response = client.post("/v1/search", json={"query": "a"}, headers={"Host": host})
        assert response.status_code == 400, host
    serves(client)


@pytest.mark.parametrize("key", [None, "vk_", "vk_" + "a" * 43, "x" * 10_000, "Bearer", "é"])
def test_keys_that_are_none(server: Server, key: str | None) -> None:
    sent = [] if key is None else [(b"Authorization", f"Bearer {key}".encode())]
    response = httpx.post(f"{server.url}/v1/search", json={"query": "a"}, headers=sent, timeout=30)
    told = refused(response, 401)
    assert "vk_" in told["detail"]
    assert response.headers["www-authenticate"].startswith("Bearer")


def test_another_tenants_ids_answer_as_missing_ones(server: Server, client: httpx.Client) -> None:
    body = {"source": "mine.md", "text": "# T\n\nGoods may be returned within 30 days."}
    assert client.post("/v1/sources/text", json=body).status_code == 200
    report = client.post("/v1/verify", json={"answer": "It costs $5."}).json()["report_id"]
    stranger = add_key(server.command, "operator", rights=EVERY_RIGHT, tenant="stranger")
    with server.client(stranger) as other:
        for path in (f"/v1/reports/{report}", "/v1/versions?source=mine.md"):
            there, missing = other.get(path), other.get(path.replace("mine", "none"))
            refused(there, 404)
            assert there.text.replace("mine", "none") == missing.text
        assert other.get("/v1/sources").json() == []
        assert other.get("/v1/reports").json()["reports"] == []


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "", "a/b; charset=é"])
def test_bodies_of_other_types(client: httpx.Client, content_type: str) -> None:
    response = client.post(
        "/v1/search", content=b'{"query": "a"}', headers=[(b"Content-Type", content_type.encode())]
    )
    refused(response, 400, 415, 422)
