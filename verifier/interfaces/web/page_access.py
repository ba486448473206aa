"""Who looks at a page: the session of a cookie, what a form must carry, and where a sign-in leads."""

import hmac
import secrets
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from fastapi import Request
from starlette.datastructures import FormData
from starlette.responses import Response

from verifier.core.keys import Scope
from verifier.interfaces.web.access import keep_to_rate, verifier_of
from verifier.interfaces.web.page_frame import NAVIGATION, Visitor

if TYPE_CHECKING:
    from verifier.service import Verifier

_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
_LONGEST_NEXT: Final = 2_000


class SignInNeeded(Exception):
    """Nobody is signed in."""


class PageRefused(Exception):
    """A page or a form that this visitor is refused, as he is told it."""

    def __init__(self, status: int, title: str, told: str) -> None:
        super().__init__(told)
        self.status = status
        self.title = title
        self.told = told


def visiting(scope: Scope | None) -> Callable[[Request], Awaitable[Visitor]]:
    """Return a dependency that gives who looks at a page, whose key has the scope; None asks for none.

    Raises SignInNeeded without a session that lasts, PageRefused without the scope.
    """

    async def visit(request: Request) -> Visitor:
        visitor = await find_visitor(request)
        if visitor is None:
            raise SignInNeeded
        if scope is not None and not visitor.caller.may(scope):
            raise PageRefused(
                403,
                "Your key does not open this page",
                f"It takes a key with the scope {scope.value}; the key {visitor.caller.name!r} has"
                f" {', '.join(sorted(visitor.caller.scopes))}.",
            )
        return visitor

    return visit


async def find_visitor(request: Request) -> Visitor | None:
    """Return who is signed in, looked up once a request; None without a session that lasts."""
    known: Visitor | None = getattr(request.state, "visitor", None)
    if known is not None:
        return known
    token = request.cookies.get(session_cookie(request))
    verifier: Verifier = request.app.state.verifier
    session = None if token is None else await verifier.keys.find_session(token)
    if session is None:
        return None
    keep_to_rate(request, session.caller)
    visitor = Visitor(
        caller=session.caller, csrf=session.csrf, verifier=verifier_of(request, session.caller)
    )
    request.state.visitor = visitor
    return visitor


def check_form(request: Request, form: FormData, word: str) -> None:
    """Raise PageRefused unless a form was sent from a page of ours and carries the session's word."""
    given = form.get("csrf")
    told = given.encode("utf-8", "replace") if isinstance(given, str) else b""
    if not comes_from_here(request) or not hmac.compare_digest(told, word.encode()):
        raise PageRefused(
            403,
            "This form can't be taken",
            "It was not sent from a page that was open in this session. Go back, load the page again,"
            " and send it once more.",
        )


def comes_from_here(request: Request) -> bool:
    """Return whether the browser says that a page of this origin sent the request."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("origin")
    if origin is None:
        return False
    _, _, place = origin.partition("://")
    return place != "" and place == request.headers.get("host")


def is_on_loopback(request: Request) -> bool:
    """Return whether the page was asked for by plain HTTP on this very machine."""
    return request.url.scheme == "http" and request.url.hostname in _LOOPBACK


def session_cookie(request: Request) -> str:
    """Return the name of the session's cookie; its prefix binds it to this host and to HTTPS."""
    return "verifier-session" if is_on_loopback(request) else "__Host-verifier-session"


def sign_in_cookie(request: Request) -> str:
    """Return the name of the cookie that the form for signing in is held against."""
    return "verifier-sign-in" if is_on_loopback(request) else "__Host-verifier-sign-in"


def set_cookie(request: Request, response: Response, name: str, value: str, *, age_s: int) -> None:
    """Set a cookie that no script reads and no other site sends; secure but on loopback."""
    response.set_cookie(
        name,
        value,
        max_age=age_s,
        path="/",
        secure=not is_on_loopback(request),
        httponly=True,
        samesite="strict",
    )


def drop_cookie(request: Request, response: Response, name: str) -> None:
    """Let the browser forget a cookie."""
    response.delete_cookie(
        name, path="/", secure=not is_on_loopback(request), httponly=True, samesite="strict"
    )


def new_word() -> str:
    """Return a word for one form that nobody can guess."""
    return secrets.token_urlsafe(32)


def sign_in_address(request: Request) -> str:
    """Return where to sign in, and that a page which was asked for comes next."""
    asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    wanted = asked if request.method == "GET" else ""
    return f"/sign-in?next={quote(wanted, safe='')}" if wanted not in {"", "/"} else "/sign-in"


def safe_next(wanted: str) -> str:
    """Return the page of ours that `wanted` names, else the first page; nothing leads to another site."""
    known = len(wanted) <= _LONGEST_NEXT and wanted.isprintable() and "\\" not in wanted
    path = wanted.partition("?")[0].partition("#")[0]
    is_ours = any(path == entry.path or path.startswith(f"{entry.path}/") for entry in NAVIGATION)
    return wanted if known and is_ours and ".." not in path else "/"
