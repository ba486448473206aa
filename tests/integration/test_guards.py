"""The guards of the HTTP service over real connections: a refusal is told, counted, and costs no other."""

from __future__ import annotations

import asyncio
import re
import time
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from pydantic import ValidationError

from tests.integration.guarded_server import make_app, serving
from verifier.interfaces.web.rates import KeyRates
from verifier.server_settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fastapi import FastAPI

LIMITS = ServerSettings(
    metrics="open",
    max_body_bytes=10_000,
    max_ingest_bytes=100_000,
    max_waiting_bytes=150_000,
    body_timeout_s=0.5,
    request_timeout_s=0.5,
    ingest_timeout_s=1.0,
    stream_timeout_s=1.0,
    max_concurrent=4,
)


@pytest.fixture
def app() -> FastAPI:
    return make_app(LIMITS)


@pytest.fixture
async def port(app: FastAPI) -> AsyncIterator[int]:
    async with serving(app) as number:
        yield number


@pytest.fixture
async def client(port: int) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as opened:
        yield opened


async def send_raw(port: int, *pieces: bytes, pause_s: float = 0.0) -> bytes:
    """Send pieces over one connection and return all that comes back until it is closed, or for 3 s."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    async with asyncio.timeout(3):
        answer = asyncio.create_task(reader.read())
        for piece in pieces:
            if not answer.done():
                writer.write(piece)
                await asyncio.sleep(pause_s)
        try:
            return await answer
        finally:
            writer.close()


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


async def refusals(client: httpx.AsyncClient) -> dict[str, float]:
    told = (await client.get("/metrics")).text
    return {
        name: float(count)
        for name, count in re.findall(r'verifier_refusals_total{reason="(\w+)"} (\S+)', told)
    }


def is_problem(answer: httpx.Response, status: int) -> bool:
    return (
        answer.status_code == status
        and answer.headers["content-type"] == "application/problem+json"
        and answer.json()["status"] == status
    )


@pytest.mark.parametrize(
    ("path", "size", "status"),
    [
        ("/v1/echo", 10_000, 200),
        ("/v1/echo", 10_001, 413),
        ("/v1/echo", 50_000_000, 413),
        ("/v1/sources/echo", 100_000, 200),
        ("/v1/sources/echo", 100_001, 413),
        ("/v1/nowhere", 10_001, 413),
    ],
)
@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_beyond_the_size_is_refused_whether_its_length_was_told_or_not(
    client: httpx.AsyncClient, path: str, size: int, status: int, *, chunked: bool
) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, size, 65_536):
            yield b"x" * min(65_536, size - start)

    answer = await client.post(path, content=pieces() if chunked else b"x" * size)
    assert answer.status_code == status
    if status == 413:
        assert is_problem(answer, 413)
        assert "bytes" in answer.json()["detail"]
        assert await refusals(client) == {"size": 1}
    else:
        assert answer.json() == {"bytes": size}


async def test_who_asks_before_sending_is_refused_at_once(port: int) -> None:
    begun = time.monotonic()
    answer = await send_raw(
        port,
        b"POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000000\r\n"
        b"Expect: 100-continue\r\n\r\n",
    )
    assert status_of(answer) == 413
    assert b"100 Continue" not in answer
    assert time.monotonic() - begun < 0.4


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 5000\r\n\r\nabc",
        b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    ],
)
async def test_a_body_that_does_not_arrive_is_refused_and_takes_no_place(
    port: int, client: httpx.AsyncClient, head: bytes
) -> None:
    request = b"POST /v1/echo HTTP/1.1\r\nHost: localhost\r\n" + head
    slow = [asyncio.create_task(send_raw(port, request)) for _ in range(20)]
    await asyncio.sleep(0.2)
    assert (await client.get("/v1/sleep/0")).status_code == 200
    assert [status_of(answer) for answer in await asyncio.gather(*slow)] == [408] * 20
    assert await refusals(client) == {"slow_body": 20}


async def test_who_sends_a_byte_at_a_time_is_refused_too(port: int) -> None:
    head = b"POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n"
    answer = await send_raw(port, head, *[b"x"] * 12, pause_s=0.06)
    assert status_of(answer) == 408


async def test_who_leaves_in_the_middle_costs_nothing(
    app: FastAPI, port: int, client: httpx.AsyncClient
) -> None:
    head = b"POST /v1/sources/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\n"
    for _ in range(5):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head + b"x" * 80_000)
        await writer.drain()
        writer.close()
    await asyncio.sleep(0.1)
    answer = await client.post("/v1/sources/echo", content=b"x" * 100_000)
    assert answer.json() == {"bytes": 100_000}
    told = (await client.get("/metrics")).text
    assert "verifier_requests_in_flight 1.0" in told


async def test_all_bodies_together_have_a_limit(port: int, client: httpx.AsyncClient) -> None:
    head = b"POST /v1/sources/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\n"
    first = asyncio.create_task(send_raw(port, head + b"x" * 80_000))
    await asyncio.sleep(0.1)
    refused = await client.post("/v1/sources/echo", content=b"x" * 90_000)
    assert is_problem(refused, 503)
    assert refused.headers["retry-after"] == "1"
    assert status_of(await first) == 408
    assert (await client.post("/v1/sources/echo", content=b"x" * 90_000)).status_code == 200


async def test_a_body_that_is_read_in_pieces_has_its_limits_too(
    port: int, client: httpx.AsyncClient
) -> None:
    async def pieces(count: int, pause_s: float) -> AsyncIterator[bytes]:
        for _ in range(count):
            yield b"x" * 1_000
            await asyncio.sleep(pause_s)

    streamed = await client.post("/v1/verify/stream", content=pieces(8, 0.05))
    assert streamed.status_code == 200
    assert streamed.json()["pieces"] > 1
    too_large = await client.post("/v1/verify/stream", content=pieces(11, 0.0))
    assert is_problem(too_large, 413)


async def test_what_takes_too_long_ends(client: httpx.AsyncClient) -> None:
    begun = time.monotonic()
    late = await client.get("/v1/sleep/20")
    assert is_problem(late, 503)
    assert late.headers["retry-after"]
    assert time.monotonic() - begun < 2
    with pytest.raises(httpx.RemoteProtocolError):
        await client.get("/v1/drip/0.1")
    assert await refusals(client) == {"time": 2}
    assert (await client.get("/v1/drip/0.002")).text == "drop " * 100


async def test_who_streams_takes_no_place_from_others(client: httpx.AsyncClient) -> None:
    async def piece_by_piece() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b"x"
            await asyncio.sleep(0.1)

    streams = [
        asyncio.create_task(client.post("/v1/verify/stream", content=piece_by_piece()))
        for _ in range(6)
    ]
    await asyncio.sleep(0.1)
    assert (await client.get("/v1/sleep/0")).status_code == 200
    ended = await asyncio.gather(*streams, return_exceptions=True)  # some are cut off as they send
    told = [one.status_code for one in ended if isinstance(one, httpx.Response)]
    assert told.count(200) == 4
    assert await refusals(client) == {"busy": 2}


async def test_beyond_the_places_requests_are_refused_at_once(client: httpx.AsyncClient) -> None:
    asked = [asyncio.create_task(client.get("/v1/sleep/0.3")) for _ in range(12)]
    await asyncio.sleep(0.15)
    for path in ("/healthz", "/metrics"):
        assert (await client.get(path)).status_code == 200
    answers = await asyncio.gather(*asked)
    assert sorted(answer.status_code for answer in answers) == [200] * 4 + [503] * 8
    busy = next(answer for answer in answers if answer.status_code == 503)
    assert is_problem(busy, 503)
    assert busy.headers["retry-after"] == "1"
    assert (await client.get("/v1/sleep/0")).status_code == 200
    assert await refusals(client) == {"busy": 8}


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("localhost", True),
        ("LOCALHOST:8350", True),
        ("127.0.0.1", True),
        ("[::1]:80", True),
        ("localhost.", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("localhost@evil.example", False),
        ("localhost:80@evil.example", False),
        ("localhost, evil.example", False),
        ("localhost/evil.example", False),
        ("localhost:port", False),
        ("[::1]evil", False),
        ("", False),
        ("*", False),
    ],
)
async def test_only_hosts_of_ours_are_answered(port: int, host: str, *, allowed: bool) -> None:
    answer = await send_raw(
        port,
        f"GET /v1/sleep/0 HTTP/1.1\r\nHost: {host}\r\nX-Forwarded-Host: localhost\r\n"
        "Connection: close\r\n\r\n".encode(),
    )
    assert status_of(answer) == (200 if allowed else 400)


async def test_no_host_and_two_hosts_are_refused(port: int, client: httpx.AsyncClient) -> None:
    none = await send_raw(port, b"GET /v1/sleep/0 HTTP/1.0\r\n\r\n")
    two = await send_raw(
        port,
        b"GET /v1/sleep/0 HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\nConnection: close\r\n\r\n",
    )
    assert (status_of(none), status_of(two)) == (400, 400)
    probe = await send_raw(
        port, b"GET /healthz HTTP/1.1\r\nHost: 10.0.0.7\r\nConnection: close\r\n\r\n"
    )
    assert status_of(probe) == 200


@pytest.mark.parametrize(
    ("allowed", "host", "status"),
    [
        (("*.example.org",), "a.example.org", 200),
        (("*.example.org",), "example.org", 400),
        (("*.example.org",), "evilexample.org", 400),
        (("*",), "anything.at.all", 200),
        (("*",), "not a host", 400),
        (("[::1]",), "[::1]:80", 200),
        (("Example.ORG",), "example.org", 200),
    ],
)
async def test_hosts_are_allowed_by_name_or_ending(
    allowed: tuple[str, ...], host: str, status: int
) -> None:
    app = make_app(LIMITS.model_validate({"allowed_hosts": allowed}))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        answer = await client.get("/v1/sleep/0", headers={"Host": host})
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("abc-123_x.Y", True),
        ("a" * 64, True),
        ("a" * 65, False),
        ("a b", False),
        ("<script>", False),
        ("", False),
        ("é", False),
    ],
)
async def test_an_id_that_is_none_is_replaced(
    client: httpx.AsyncClient, sent: str, *, kept: bool
) -> None:
    answer = await client.get("/v1/sleep/0", headers={b"X-Request-Id": sent.encode()})
    told = answer.headers["x-request-id"]
    assert (told == sent) is kept
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,64}", told)


async def test_every_answer_has_the_headers_that_keep_browsers_safe(
    client: httpx.AsyncClient,
) -> None:
    paths = (
        "/v1/sleep/0",
        "/v1/nowhere",
        "/v1/sleep/x",
        "/v1/fail",
        "/page",
        "/healthz",
        "/v1/echo",
    )
    for path in paths:
        answer = await client.get(path)
        headers = answer.headers
        assert headers["x-content-type-options"] == "nosniff", path
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-request-id"]
    page = (await client.get("/page")).headers["content-security-policy"]
    assert "script-src 'self'" in page
    assert "default-src 'none'" in page


async def test_a_fault_of_ours_tells_nothing_and_is_logged_by_its_id(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    answer = await client.get("/v1/fail", headers={"X-Request-Id": "this-one", "X-Word": "secret"})
    assert is_problem(answer, 500)
    assert "secret" not in answer.text
    assert "RuntimeError" not in answer.text
    logged = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert any(
        "this-one" in text and "RuntimeError" in text and "in fail" in text for text in logged
    )
    assert not any("secret" in text for text in logged)


@pytest.mark.parametrize(
    ("body", "statuses"),
    [
        (b"[" * 4_000 + b"]" * 4_000, {200, 400}),
        (b"[" * 9_000, {400, 422}),
        (b'{"a":' * 1_900 + b"1" + b"}" * 1_900 + b" ", {413, 400, 200}),
        (b"{", {400, 422}),
        (b"\xff\xfe", {400, 422}),
        (b'"\\ud800"', {200, 400, 422}),
    ],
)
async def test_broken_and_deep_json_is_no_fault_of_ours(
    client: httpx.AsyncClient, body: bytes, statuses: set[int]
) -> None:
    answer = await client.post(
        "/v1/json", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in statuses
    assert (await client.get("/v1/sleep/0")).status_code == 200


async def test_counts_have_no_label_that_a_caller_wrote(client: httpx.AsyncClient) -> None:
    for number in range(50):
        await client.get(f"/v1/nowhere/{number}")
        await client.get(f"/v1/sleep/0.00{number}")
        await client.request(f"VERB{number}", "/v1/echo")
    told = (await client.get("/metrics")).text
    assert 'route="/v1/sleep/{seconds}",status="200"} 50.0' in told
    assert 'route="unmatched",status="404"} 50.0' in told
    assert "VERB" not in told
    assert "nowhere" not in told
    assert len(told.splitlines()) < 200
    assert "verifier_pool_connections_in_use 0.0" in told


def test_a_bucket_is_emptied_and_fills_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    rates = KeyRates(rate=2.0, burst=3)
    assert [rates.take("a", 1) for _ in range(3)] == [0.0] * 3
    assert rates.take("a", 1) == pytest.approx(0.5)
    assert rates.take("b", 1) == 0.0
    now += 0.5
    assert rates.take("a", 1) == 0.0
    assert rates.take("a", 1) > 0
    now += 1_000
    assert [rates.take("a", 1) for _ in range(4)][-1] > 0


def test_buckets_that_are_full_again_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    rates = KeyRates(rate=1.0, burst=1)
    for key_id in range(10_001):
        rates.take("a", key_id)
        now += 0.01
    assert len(rates._left) <= 200


@pytest.mark.parametrize(
    "fields",
    [
        {"allowed_hosts": ("http://x",)},
        {"allowed_hosts": ("a b",)},
        {"allowed_hosts": ("*evil",)},
        {"port": 65_536},
        {"key_rate": 0},
        {"key_rate": float("nan")},
        {"max_body_bytes": 0},
        {"max_body": 1},
    ],
)
def test_settings_of_a_server_that_can_not_be_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ServerSettings(**fields)
