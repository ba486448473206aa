"""Documents from the web: only where allowed, only from public addresses, each address held on to.

The servers stand on the loopback of this machine; a policy of the tests allows them.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.written_files import write_pdf
from verifier import open_verifier
from verifier.errors import InputError, UnreadableDocument
from verifier.ingest.addresses import Address, is_public
from verifier.ingest.fetching import FetchPolicy, fetch
from verifier.ingest.formats import Format, choose_format
from verifier.ingest.requests import Outcome
from verifier.ingestion import Ingestion
from verifier.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.integration.conftest import Database

HOME = ipaddress.ip_address("127.0.0.1")
PAGE = "<title>Fees</title><main><h1>Fees</h1><p>Rücksendung kostet 4,50 €.</p></main>"
PAGES: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/page": (200, {"Content-Type": "text/html; charset=latin-1"}, PAGE.encode("cp1252")),
    "/terms.pdf": (200, {"Content-Type": "application/pdf"}, write_pdf([["Text."], ["More."]])),
    "/rows.csv": (200, {"Content-Type": "text/csv"}, b"id,fee\n1,4.50\n2,9.75\n"),
    "/notes.md": (200, {"Content-Type": "text/plain"}, b"# Notes\n\nText."),
    "/moved": (302, {"Location": "/page"}, b""),
    "/loop": (302, {"Location": "/loop"}, b""),
    "/picture": (200, {"Content-Type": "image/png"}, b"\x89PNG"),
    "/gone": (410, {}, b"gone"),
    "/packed": (200, {"Content-Type": "text/html", "Content-Encoding": "gzip"}, b"\x1f\x8b"),
    "/large": (200, {"Content-Type": "text/plain"}, b"x" * 5_000),
    "/cut": (200, {"Content-Type": "text/plain", "Content-Length": "900"}, b"x" * 100),
    "/inside": (302, {"Location": "http://10.0.0.1/secret"}, b""),
    "/metadata": (302, {"Location": "http://169.254.169.254/latest"}, b""),
    "/decimal": (302, {"Location": "http://2130706434/"}, b""),
    "/file": (302, {"Location": "file:///etc/passwd"}, b""),
    "/named": (302, {"Location": "http://inside.test/"}, b""),
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/slow":
            time.sleep(5)
            return
        status, headers, body = PAGES[self.path]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Keep the output of the tests clean."""


@contextmanager
def serving() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def at_home(address: Address) -> bool:
    return address == HOME


def find(host: str, port: int) -> Sequence[Address]:
    """Tell where names of the tests stand; a machine without a network knows no others."""
    if host == "shop.test":
        return [HOME]
    if host == "inside.test":
        return [ipaddress.ip_address("192.168.0.7")]
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ipaddress.ip_address(place[0]) for _, _, _, _, place in found]


POLICY = FetchPolicy(is_allowed=at_home, resolve=find, max_bytes=3_000, max_seconds=5)


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with serving() as port:
        yield f"http://shop.test:{port}"


def test_a_page_comes_with_what_its_sender_tells(site: str) -> None:
    fetched = fetch(f"{site}/moved", POLICY)
    assert fetched.url == f"{site}/page"
    assert (fetched.media_type, fetched.charset) == ("text/html", "latin-1")
    assert fetched.content == PAGE.encode("cp1252")


REFUSED = {
    "/inside": "10.0.0.1 is 10.0.0.1, which is not of the public internet",
    "/metadata": "169.254.169.254 is 169.254.169.254",
    "/decimal": "2130706434 is 127.0.0.2",
    "/named": "inside.test is 192.168.0.7",
    "/file": "'file:///etc/passwd' is no URL of http or https",
}


@pytest.mark.parametrize("path", REFUSED)
def test_a_redirect_to_what_is_not_public_is_refused(site: str, path: str) -> None:
    with pytest.raises(InputError, match=REFUSED[path]):
        fetch(site + path, POLICY)


BAD = {
    "/gone": "answers 410",
    "/loop": "redirects more than 5 times",
    "/large": "more than the limit of 3,000 bytes",
    "/packed": "is sent compressed",
    "/cut": "ends after 100 of 900 bytes",
}


@pytest.mark.parametrize("path", BAD)
def test_what_does_not_come_whole_is_named(site: str, path: str) -> None:
    with pytest.raises(UnreadableDocument, match=BAD[path]):
        fetch(site + path, POLICY)


def test_a_server_that_does_not_answer_is_given_up_on(site: str) -> None:
    policy = FetchPolicy(is_allowed=at_home, resolve=find, max_seconds=0.5)
    begun = time.monotonic()
    with pytest.raises(UnreadableDocument, match=r"takes longer than 0\.5 s"):
        fetch(f"{site}/slow", policy)
    assert time.monotonic() - begun < 4
    with pytest.raises(UnreadableDocument, match="does not answer as it should"):
        fetch("http://shop.test:1/", POLICY)


def test_a_name_is_asked_for_once_and_its_address_kept(site: str) -> None:
    asked: list[str] = []

    def rebinding(host: str, port: int) -> Sequence[Address]:
        asked.append(host)
        return find(host, port) if len(asked) == 1 else [ipaddress.ip_address("10.0.0.1")]

    policy = FetchPolicy(is_allowed=at_home, resolve=rebinding)
    assert fetch(f"{site}/page", policy).media_type == "text/html"
    assert asked == ["shop.test"]


def test_one_private_address_among_several_is_enough() -> None:
    def both(host: str, port: int) -> Sequence[Address]:
        return [HOME, ipaddress.ip_address("10.0.0.1")]

    with pytest.raises(InputError, match=r"is 10\.0\.0\.1"):
        fetch("http://shop.test/", FetchPolicy(is_allowed=at_home, resolve=both))


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1/", "http://localhost:8080/", "http://[::1]/", "http://0x7f.1/"),
        *(
            "http://2130706433/",
            "http://[::ffff:10.0.0.1]/",
            "http://0/",
            "http://[64:ff9b::7f00:1]/",
        ),
    ],
)
def test_this_machine_is_not_public(url: str) -> None:
    with pytest.raises(InputError, match="not of the public internet"):
        fetch(url, FetchPolicy())


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("ftp://shop.test/x", "no URL of http or https"),
        ("http:///x", "no URL of http or https"),
        ("http://shop.test:99999/", "is no URL"),
        ("http://shop.test:0/", "no URL of http or https"),
        ("http://user:secret@shop.test/", "with a user or password"),
        ("http://shop.test/a b", "white space"),
        ("http://shop.test/\r\nHost: x", "white space"),
        ("http://[::1/", "is no URL"),
    ],
)
def test_what_is_no_url_is_named(url: str, hint: str) -> None:
    with pytest.raises(InputError, match=hint) as refused:
        fetch(url, POLICY)
    assert "secret" not in str(refused.value)


PUBLIC = ["8.8.8.8", "93.184.215.14", "2606:4700::1111", "2002:808:808::1", "64:ff9b::808:808"]
PRIVATE = [
    *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
    *("0.0.0.0", "224.0.0.1", "255.255.255.255", "198.18.0.1", "240.0.0.1", "192.0.2.1"),  # noqa: S104
    *("::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "2002:7f00:1::1"),
    *("64:ff9b::7f00:1", "64:ff9b::a00:1", "2001:db8::1", "::ffff:192.168.0.1"),
]


@pytest.mark.parametrize("told", PUBLIC + PRIVATE)
def test_addresses_are_public_or_not(told: str) -> None:
    assert is_public(ipaddress.ip_address(told)) is (told in PUBLIC)


@pytest.mark.parametrize(
    ("media_type", "name", "form"),
    [
        ("text/html", "http://x/terms.pdf", Format.HTML),
        ("application/xhtml+xml", "http://x/", Format.HTML),
        ("text/plain", "http://x/a.md", Format.MARKDOWN),
        ("text/plain", "http://x/a.html", Format.TEXT),
        ("application/octet-stream", "http://x/a.pdf", Format.PDF),
        (None, "http://x/a.docx", Format.DOCX),
    ],
)
def test_the_sender_tells_the_format(media_type: str | None, name: str, form: Format) -> None:
    assert choose_format(media_type, name) is form


async def test_what_is_fetched_becomes_a_source(
    fresh_database: Database, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ingestion, "fetch_policy", POLICY)
    settings = load_settings(None, dsn=fresh_database.app_dsn, fetch_urls="public")
    async with open_verifier(settings=settings, embedder=HashingEmbedder()) as verifier:
        summary = await verifier.ingest_url(f"{site}/moved#part")
        assert [(one.key, one.outcome) for one in summary.outcomes] == [
            (f"{site}/moved", Outcome.NEW)
        ]
        (hit,) = (await verifier.semantic_search("was kostet die Rücksendung")).hits
        assert hit.text == "# Fees\n\nRücksendung kostet 4,50 €."
        assert (hit.url, hit.title) == (f"{site}/page", "Fees")
        await verifier.ingest_url(f"{site}/terms.pdf", key="terms")
        await verifier.ingest_url(f"{site}/rows.csv", key="rows", key_column="id")
        await verifier.ingest_url(f"{site}/notes.md", key="notes")
        hits = (await verifier.semantic_search("text", k=50)).hits
        assert {hit.source for hit in hits} == {
            *(f"{site}/moved", "terms", "rows/1", "rows/2", "notes")
        }
        with pytest.raises(UnreadableDocument, match="is image/png, which is not read"):
            await verifier.ingest_url(f"{site}/picture")


async def test_nothing_is_fetched_unless_it_is_allowed(
    fresh_database: Database, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ingestion, "fetch_policy", POLICY)
    settings = load_settings(None, dsn=fresh_database.app_dsn)
    async with open_verifier(settings=settings, embedder=HashingEmbedder()) as verifier:
        with pytest.raises(InputError, match="give --fetch, or set fetch_urls"):
            await verifier.ingest_url(f"{site}/page")
        assert await verifier.sources.list() == ()
