"""Signing in by key, and out; the files that pages load; the first page."""

import hmac
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import Depends, Query, Request
from starlette.responses import Response

from verifier.interfaces.web.page_access import (
    PageRefused,
    check_form,
    comes_from_here,
    drop_cookie,
    find_visitor,
    is_on_loopback,
    new_word,
    safe_next,
    session_cookie,
    set_cookie,
    sign_in_cookie,
    visiting,
)
from verifier.interfaces.web.page_frame import Visitor, render, serve_static
from verifier.interfaces.web.page_routes import go_to, page_router
from verifier.keys import SESSION_LASTS

if TYPE_CHECKING:
    from verifier.service import Verifier

ROUTER: Final = page_router()
_FORM_LASTS_S: Final = 3_600
_REFUSED: Final = "This key does not serve: it is unknown, has expired or was revoked."
_NOT_OURS: Final = "The form was too old, or not sent from this page. Please try once more."
_PLAIN: Final = (
    "This page was loaded over plain HTTP, on which a browser keeps no session. Use HTTPS, or open it on the"
    " machine itself as http://127.0.0.1."
)


@ROUTER.get("/")
async def show_first(visitor: Annotated[Visitor, Depends(visiting(None))]) -> Response:
    """Lead to the first page that the key opens."""
    entries = visitor.entries
    if not entries:
        raise PageRefused(
            403, "Your key opens no page", "It takes the scope review, verify or admin."
        )
    return go_to(entries[0].path)


@ROUTER.get("/static/{name}")
async def show_file(name: str) -> Response:
    """Serve what pages load."""
    served = serve_static(name)
    if served is None:
        raise PageRefused(404, "There is no such page", "There is no such file.")
    return served


@ROUTER.get("/sign-in")
async def show_sign_in(
    request: Request, wanted: Annotated[str, Query(alias="next", max_length=4_000)] = ""
) -> Response:
    """Show the form for signing in, or lead on whoever is signed in."""
    if await find_visitor(request) is not None:
        return go_to(safe_next(wanted))
    is_secure = request.url.scheme == "https" or "sec-fetch-site" in request.headers
    is_plain = not is_secure and not is_on_loopback(request)
    return _form(request, wanted, problem=_PLAIN if is_plain else None)


@ROUTER.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Open a session of the key, under a token of its own whatever the browser held before."""
    form = await request.form(max_files=0, max_fields=10)
    given = {name: text for name, text in form.items() if isinstance(text, str)}
    wanted = given.get("next", "")
    if not _is_from_form(request, given.get("csrf", "")):
        return _form(request, wanted, problem=_NOT_OURS, status=403)
    verifier: Verifier = request.app.state.verifier
    caller = await verifier.keys.authenticate(given.get("secret", "").strip())
    if caller is None:
        return _form(request, wanted, problem=_REFUSED, status=401)
    await _end_session(request)
    session = await verifier.keys.open_session(caller)
    response = go_to(safe_next(wanted))
    lasts_s = int(SESSION_LASTS.total_seconds())
    set_cookie(request, response, session_cookie(request), session.token, age_s=lasts_s)
    drop_cookie(request, response, sign_in_cookie(request))
    return response


@ROUTER.post("/sign-out")
async def sign_out(
    request: Request, visitor: Annotated[Visitor, Depends(visiting(None))]
) -> Response:
    """End the session, in the database too."""
    check_form(request, await request.form(max_files=0, max_fields=10), visitor.csrf)
    await _end_session(request)
    response = go_to("/sign-in")
    drop_cookie(request, response, session_cookie(request))
    return response


def _form(request: Request, wanted: str, *, problem: str | None, status: int = 200) -> Response:
    """Return the form with a word that a cookie holds too, so that no other site can send it."""
    word = new_word()
    response: Response = render(
        "sign_in.html",
        "Sign in",
        visitor=None,
        status=status,
        csrf=word,
        next=safe_next(wanted),
        problem=problem,
    )
    set_cookie(request, response, sign_in_cookie(request), word, age_s=_FORM_LASTS_S)
    return response


def _is_from_form(request: Request, word: str) -> bool:
    kept = request.cookies.get(sign_in_cookie(request), "")
    return (
        kept != ""
        and comes_from_here(request)
        and hmac.compare_digest(kept.encode(), word.encode("utf-8", "replace"))
    )


async def _end_session(request: Request) -> None:
    token = request.cookies.get(session_cookie(request))
    if token is not None:
        verifier: Verifier = request.app.state.verifier
        await verifier.keys.close_session(token)
