"""Fetching a document by its URL: from public addresses only, each checked and then held on to.

A name is resolved once for each step, its addresses are checked, and the connection is made to the very
address that was checked, so that a name can't stand for another one a moment later. Every redirect is a
step of its own.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from email.message import Message
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, quote, urljoin, urlsplit, urlunsplit

from verifier.errors import InputError, UnreadableDocument
from verifier.ingest.addresses import Address, check_addresses, is_public, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_PORTS: Final = {"http": 80, "https": 443}
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_BLOCK: Final = 65_536
_HEADERS: Final = {
    "Accept": "text/html, application/pdf, text/*, application/json, */*;q=0.1",
    "Accept-Encoding": "identity",
    "User-Agent": "grounding-verifier",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchPolicy:
    """What may be fetched, and what it may cost. `max_seconds` is for all steps together."""

    max_bytes: int = 50_000_000
    max_seconds: float = 30.0
    max_redirects: int = 5
    is_allowed: Callable[[Address], bool] = is_public
    resolve: Callable[[str, int], Sequence[Address]] = resolve


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What came from `url`, the last one; `media_type` and `charset` are as its sender told them."""

    url: str
    content: bytes = field(repr=False)
    media_type: str | None
    charset: str | None


def fetch(url: str, policy: FetchPolicy) -> Fetched:
    """Return what stands at a URL of http or https. Blocks; run it in a thread.

    Raises InputError for a URL that can't or must not be fetched, at every redirect anew;
    UnreadableDocument where the server does not answer, refuses, or sends too much.
    """
    deadline = time.monotonic() + policy.max_seconds
    at = url
    for _ in range(policy.max_redirects + 1):
        split = split_url(at)
        answer = _ask(split, policy, deadline)
        if isinstance(answer, Fetched):
            return answer
        following = urljoin(at, answer)
        if split.scheme == "https" and urlsplit(following).scheme == "http":
            raise InputError(f"{at}: redirects from https to http; it is not followed")
        at = following
    raise UnreadableDocument(f"{url}: redirects more than {policy.max_redirects} times")


def split_url(url: str) -> SplitResult:
    """Return the parts of a URL. Raises InputError for one that is not of http or https, or names a user."""
    try:
        split = urlsplit(url)
        port = split.port
    except ValueError as error:
        raise InputError(f"{url[:200]!r} is no URL: {error}") from None
    if split.scheme not in _PORTS or not split.hostname or port == 0:
        raise InputError(f"{url[:200]!r} is no URL of http or https")
    if split.username is not None or split.password is not None:
        raise InputError(
            "a URL with a user or password is not fetched; it would be kept as the source"
        )
    if any(sign.isspace() or not sign.isprintable() for sign in url):
        raise InputError(f"{url[:200]!r} holds white space or control characters; encode them")
    return split


def _ask(split: SplitResult, policy: FetchPolicy, deadline: float) -> Fetched | str:
    """Return what one server sends, or where it redirects to."""
    host, url = split.hostname or "", urlunsplit(split)
    port = split.port or _PORTS[split.scheme]
    addresses = policy.resolve(host, port)
    check_addresses(host, addresses, policy.is_allowed)
    connection = _PinnedConnection(split, addresses[0], deadline)
    path = urlunsplit(("", "", split.path or "/", split.query, ""))
    watch = threading.Timer(max(deadline - time.monotonic(), 0.0), connection.abort)
    watch.daemon = True
    watch.start()
    try:
        with closing(connection):
            connection.request("GET", _ascii(path), headers=_HEADERS)
            answer = _read_answer(connection.getresponse(), url, policy)
            if time.monotonic() < deadline:
                return answer
            raise TimeoutError  # what was read may have been cut off
    except (OSError, http.client.HTTPException, ValueError) as error:
        if time.monotonic() >= deadline:
            raise UnreadableDocument(f"{url}: takes longer than {policy.max_seconds:g} s") from None
        raise UnreadableDocument(f"{url}: does not answer as it should: {error}") from None
    finally:
        watch.cancel()


def _read_answer(
    response: http.client.HTTPResponse, url: str, policy: FetchPolicy
) -> Fetched | str:
    location = response.headers["Location"]
    if response.status in _REDIRECTS and location:
        return str(location)
    if response.status != http.HTTPStatus.OK:
        raise UnreadableDocument(f"{url}: answers {response.status} {response.reason}")
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnreadableDocument(f"{url}: is sent compressed, though it was not asked to be")
    content = bytearray()
    while block := response.read(_BLOCK):
        content += block
        if len(content) > policy.max_bytes:
            raise UnreadableDocument(
                f"{url}: more than the limit of {policy.max_bytes:,} bytes; raise max_document_bytes"
            )
    length = response.headers.get("Content-Length", "")
    if length.isdigit() and int(length) != len(content):
        raise UnreadableDocument(f"{url}: ends after {len(content):,} of {int(length):,} bytes")
    told = Message()
    told["Content-Type"] = response.headers.get("Content-Type", "")
    return Fetched(
        url=url,
        content=bytes(content),
        media_type=told.get_content_type() if response.headers.get("Content-Type") else None,
        charset=told.get_content_charset(),
    )


def _ascii(path: str) -> str:
    return quote(path, safe="/%?&=+,;:@!$'()*~#[]-._")


class _PinnedConnection(http.client.HTTPConnection):
    """A connection to one address, under the name that the URL has; TLS certificates are of that name."""

    def __init__(self, split: SplitResult, address: Address, deadline: float) -> None:
        host = split.hostname or ""
        self.default_port = _PORTS[split.scheme]
        named = host if ":" in host else host.encode("idna").decode("ascii")
        super().__init__(named, split.port or _PORTS[split.scheme])
        self._address = str(address)
        self._deadline = deadline
        self._secure = split.scheme == "https"

    def connect(self) -> None:
        """Connect to the address that was checked."""
        left = max(self._deadline - time.monotonic(), 0.001)
        self.sock = socket.create_connection((self._address, self.port), timeout=left)
        if self._secure:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host)

    def abort(self) -> None:
        """End the connection whatever it waits for; called from another thread."""
        if self.sock is not None:
            try:
                self.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                self.sock.close()
