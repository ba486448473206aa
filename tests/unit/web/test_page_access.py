"""Where a sign-in leads, whose forms are taken, and which cookies are sent over plain HTTP."""

from __future__ import annotations

import pytest
from starlette.requests import Request
from starlette.responses import Response

from verifier.interfaces.web.page_access import (
    comes_from_here,
    safe_next,
    session_cookie,
    set_cookie,
    sign_in_address,
)


def request(
    headers: dict[str, str] | None = None,
    *,
    scheme: str = "http",
    host: str = "verifier.example",
    path: str = "/answers",
    query: str = "",
    method: str = "GET",
) -> Request:
    sent = {"host": host} | (headers or {})
    return Request(
        {
            "type": "http",
            "method": method,
            "scheme": scheme,
            "path": path,
            "query_string": query.encode(),
            "server": ("127.0.0.1", 80),
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
        }
    )


@pytest.mark.parametrize(
    "wanted",
    [
        "/answers",
        "/answers/ab12",
        "/reviews?state=&limit=9",
        "/sources/one?key=a%2Fb#c",
        "/audits#x",
    ],
)
def test_a_page_of_ours_comes_next(wanted: str) -> None:
    assert safe_next(wanted) == wanted


@pytest.mark.parametrize(
    "wanted",
    [
        "",
        "/",
        "//evil.example/answers",
        "/\\evil.example",
        "\\\\evil.example",
        "https://evil.example/answers",
        "https:/answers",
        "javascript:alert(1)",
        "data:text/html,x",
        "/answers/../../../evil",
        "/answers\r\nSet-Cookie: a=b",
        "/answers\t//evil",
        " /answers",
        "/answersevil.example",
        "/sign-out",
        "/static/pages.js",
        "/v1/search",
        "@evil.example/answers",
        "/answers\u2028",
        "/answers\\..\\..",
        "/answers?" + "x" * 2_001,
    ],
)
def test_nothing_else_does(wanted: str) -> None:
    assert safe_next(wanted) == "/"


@pytest.mark.parametrize(
    ("headers", "is_ours"),
    [
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "same-origin", "origin": "https://evil.example"}, True),
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "cross-site", "origin": "https://verifier.example"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"sec-fetch-site": ""}, False),
        ({"origin": "https://verifier.example"}, True),
        ({"origin": "https://verifier.example.evil.example"}, False),
        ({"origin": "https://evil.example"}, False),
        ({"origin": "null"}, False),
        ({"origin": ""}, False),
        ({"referer": "https://verifier.example/"}, False),
        ({}, False),
    ],
)
def test_forms_are_taken_from_this_origin_alone(headers: dict[str, str], is_ours: bool) -> None:  # noqa: FBT001
    assert comes_from_here(request(headers, method="POST")) is is_ours


@pytest.mark.parametrize(
    ("scheme", "host", "is_secure"),
    [
        ("http", "127.0.0.1:8080", False),
        ("http", "localhost", False),
        ("http", "[::1]:8080", False),
        ("https", "127.0.0.1", True),
        ("https", "verifier.example", True),
        ("http", "verifier.example", True),
        ("http", "127.0.0.1.evil.example", True),
        ("http", "localhost.evil.example", True),
    ],
)
def test_cookies_are_secure_but_on_this_machine(scheme: str, host: str, is_secure: bool) -> None:  # noqa: FBT001
    asked, response = request(scheme=scheme, host=host), Response()
    set_cookie(asked, response, session_cookie(asked), "token", age_s=60)
    told = response.headers["set-cookie"]
    assert ("; Secure" in told) is is_secure
    assert told.startswith("__Host-") is is_secure
    assert "HttpOnly" in told
    assert "SameSite=strict" in told
    assert "Domain" not in told


def test_the_way_to_sign_in_leads_back() -> None:
    asked = request(path="/answers", query="outcome=review&since=2026-01-01")
    assert sign_in_address(asked) == (
        "/sign-in?next=%2Fanswers%3Foutcome%3Dreview%26since%3D2026-01-01"
    )
    assert sign_in_address(request(path="/reviews/1/decisions", method="POST")) == "/sign-in"
    assert sign_in_address(request(path="/")) == "/sign-in"
