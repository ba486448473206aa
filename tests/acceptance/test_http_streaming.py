"""An answer verified over HTTP while it is sent: events come back before the last piece is there."""

from __future__ import annotations

import json
import socket
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.acceptance.conftest import Command
from tests.acceptance.serving import add_key, serve
from tests.integration.conftest import drop_database, make_database

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from tests.acceptance.serving import Server
    from verifier.embedded import EmbeddedPostgres

CALL = {
    "id": "call-1",
    "tool": "get_product",
    "arguments": {"sku": "LAMP-1"},
    "result": {"sku": "LAMP-1", "name": "Desk lamp", "price_usd": 49.90},
}
TURN = {"question": "What does the lamp cost?", "calls": [CALL]}
TRUE = "The Desk lamp costs $49.90. "
FALSE = "The Desk lamp costs $59.90. "
RIGHTS = ("--may-act-for-principals", "--may-supply-calls")


@pytest.fixture(scope="module")
def server(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[Server]:
    database = make_database(embedded, template=migrated_template)
    with tempfile.TemporaryDirectory(prefix="verifier-") as folder:
        command = Command(folder=Path(folder), options=("--dsn", database.app_dsn))
        with serve(command) as running:
            yield running
    drop_database(embedded, database)


@pytest.fixture(scope="module")
def key(server: Server) -> str:
    return add_key(server.command, "application", "verify", rights=RIGHTS)


@pytest.fixture
def client(server: Server, key: str) -> Iterator[httpx.Client]:
    with server.client(key) as ready:
        yield ready


def lines(first: object, *pieces: object) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in (first, *pieces)).encode()


def read_events(text: str) -> list[tuple[str, dict[str, Any]]]:
    found = []
    for block in text.split("\n\n")[:-1]:
        name, told = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(told.removeprefix("data: "))))
    return found


def send(client: httpx.Client, content: bytes) -> list[tuple[str, dict[str, Any]]]:
    answer = client.post("/v1/verify/stream", content=content)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    return read_events(answer.text)


def test_the_end_is_what_verify_answers(client: httpx.Client) -> None:
    answer = f"Hello. {TRUE}{FALSE}Bye, and 好 \U0001f600."
    events = send(client, lines(TURN | {"policy": "annotate"}, *answer))
    whole = client.post("/v1/verify", json=TURN | {"answer": answer, "policy": "annotate"}).json()
    name, end = events[-1]
    assert (name, end["complete"]) == ("ended", True)
    assert end["report"]["verdicts"] == whole["verdicts"]
    assert end["report"]["report_id"] == whole["report_id"]
    told = [
        one["code"] for name, event in events if name == "released" for one in event["verdicts"]
    ]
    assert told == [one["code"] for one in whole["verdicts"]]


def test_events_come_while_pieces_are_sent(server: Server, key: str) -> None:
    place = urlsplit(server.url)
    with socket.create_connection((place.hostname or "", place.port or 0), timeout=30) as wire:
        head = (
            f"POST /v1/verify/stream HTTP/1.1\r\nHost: {place.netloc}\r\nAuthorization: Bearer {key}\r\n"
            "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        )
        wire.sendall(head.encode() + chunk(lines(TURN, FALSE, TRUE, "It is")))
        seen = read_until(wire, b"event: released", b"59.90")
        wire.sendall(chunk(lines(" nice.")) + b"0\r\n\r\n")
        seen += read_until(wire, b"event: ended")
    assert seen.startswith(b"HTTP/1.1 200")


def chunk(content: bytes) -> bytes:
    return f"{len(content):x}\r\n".encode() + content + b"\r\n"


def read_until(wire: socket.socket, *parts: bytes) -> bytes:
    seen = b""
    until = time.monotonic() + 20
    while not all(part in seen for part in parts):
        assert time.monotonic() < until, seen
        seen += wire.recv(65_536)
    return seen


def test_who_leaves_is_missed_by_nobody(server: Server, key: str, client: httpx.Client) -> None:
    place = urlsplit(server.url)
    for _ in range(3):
        with socket.create_connection((place.hostname or "", place.port or 0), timeout=30) as wire:
            head = (
                f"POST /v1/verify/stream HTTP/1.1\r\nHost: {place.netloc}\r\n"
                f"Authorization: Bearer {key}\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
            wire.sendall(head.encode() + chunk(lines(TURN, FALSE, TRUE, "It is")))
            read_until(wire, b"event: released")
    assert send(client, lines(TURN, TRUE))[-1][0] == "ended"


def test_a_held_claim_ends_what_goes_out(client: httpx.Client) -> None:
    events = send(client, lines(TURN | {"policy": "hold"}, TRUE, FALSE, TRUE, "Bye now."))
    assert [name for name, _ in events] == ["released", "withheld", "ended"]
    assert FALSE.strip() not in events[0][1]["text"]


REFUSED: dict[str, tuple[bytes, int, str]] = {
    "nothing": (b"", 400, "empty"),
    "no json": (b"{\n", 400, "line 1"),
    "no utf-8": (b"\xff\xfe\n", 400, "UTF-8"),
    "deep": (b"[" * 5_000 + b"\n", 400, "JSON"),
    "a list": (b"[]\n", 422, ""),
    "an unknown field": (lines({"questoin": "?"}), 422, "questoin"),
    "an answer": (lines({"answer": "x"}), 422, "lines below"),
    "a policy": (lines({"policy": "loose"}), 422, "policy"),
    "no delay": (lines({"max_delay_s": 0}), 422, "max_delay_s"),
    "not a number": (b'{"max_delay_s": NaN}\n', 400, "JSON"),
    "another tenant": (lines({"tenant": "other"}), 403, "tenant"),
    "two turns": (
        lines({"turn_id": "turn_a", "question": "?", "said": ["x"]}),
        422,
        "question, said",
    ),
    "an unknown turn": (lines({"turn_id": "vt_" + "a" * 43}), 404, ""),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_before_it_begins(client: httpx.Client, case: str) -> None:
    content, status, told = REFUSED[case]
    answer = client.post("/v1/verify/stream", content=content)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert told in answer.text


@pytest.mark.parametrize("line", [b"5", b'{"text": "x"}', b"null", b'"open', b"\xff", b"[[[["])
def test_a_wrong_piece_ends_the_stream_and_is_named(client: httpx.Client, line: bytes) -> None:
    events = send(client, lines(TURN, FALSE) + line + b"\n" + lines(TRUE))
    assert [name for name, _ in events][-2:] == ["ended", "failed"]
    assert events[-1][1]["status"] == 422
    assert "line 3" in events[-1][1]["detail"]
    assert not events[-2][1]["complete"]


def test_calls_of_a_key_that_may_not_supply_them_verify_nothing(server: Server) -> None:
    with server.client(add_key(server.command, "agent", "verify")) as client:
        events = send(client, lines({"calls": [CALL]}, TRUE))
    codes = [one["code"] for one in events[-1][1]["report"]["verdicts"]]
    assert codes
    assert "verified" not in codes


def test_the_badge_is_served_to_everybody(server: Server) -> None:
    with server.client(None) as client:
        answer = client.get("/static/grounding-badge.js")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "customElements.define" in answer.text


def test_the_description_tells_of_it(server: Server) -> None:
    with server.client(None) as client:
        told = client.get("/openapi.json").json()["paths"]["/v1/verify/stream"]["post"]
    assert list(told["requestBody"]["content"]) == ["text/plain"]
    assert list(told["responses"]["200"]["content"]) == ["text/event-stream"]
    assert {"401", "403", "413", "422"} <= set(told["responses"])


@pytest.mark.parametrize(("scope", "status"), [(None, 401), ("search", 403)])
def test_a_key_is_needed(server: Server, scope: str | None, status: int) -> None:
    given = None if scope is None else add_key(server.command, f"only-{scope}", scope)
    with server.client(given) as client:
        assert client.post("/v1/verify/stream", content=lines(TURN)).status_code == status
