"""What all pages share: the templates, the navigation, the headers, and pages that tell of an error."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from verifier.core.keys import Caller, Scope
from verifier.interfaces.html_marks import HIDDEN
from verifier.service import Verifier

STATIC: Final[Mapping[str, str]] = {
    "pages.css": "text/css; charset=utf-8",
    "pages.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "grounding-badge.js": "text/javascript; charset=utf-8",
}
"""The files that pages load, ours and those with a badge, and what they are; nothing else is served."""

_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
PAGE_HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Of every page. Without a referrer browsers would send `Origin: null` with forms, and tell nothing by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NavEntry:
    """A page of the navigation, and the scope that opens it."""

    name: str
    path: str
    scope: Scope


NAVIGATION: Final = (
    NavEntry(name="Answers", path="/answers", scope=Scope.REVIEW),
    NavEntry(name="Reviews", path="/reviews", scope=Scope.REVIEW),
    NavEntry(name="Sources", path="/sources", scope=Scope.REVIEW),
    NavEntry(name="Audits", path="/audits", scope=Scope.REVIEW),
    NavEntry(name="Evaluation", path="/evaluation", scope=Scope.VERIFY),
    NavEntry(name="Keys", path="/keys", scope=Scope.ADMIN),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Who looks at a page: the session's caller, the word that its forms carry, and his tenant's verbs."""

    caller: Caller
    csrf: str
    verifier: Verifier

    @property
    def entries(self) -> tuple[NavEntry, ...]:
        """The pages that the caller's key opens."""
        return tuple(entry for entry in NAVIGATION if self.caller.may(entry.scope))


def render(
    template: str,
    title: str,
    *,
    visitor: Visitor | None,
    section: str | None = None,
    status: int = 200,
    **context: object,
) -> HTMLResponse:
    """Return a page; `section` is the entry of the navigation that it belongs to."""
    page = _environment().get_template(template)
    text = page.render(title=title, visitor=visitor, section=section, **context)
    return HTMLResponse(text, status_code=status, headers=dict(PAGE_HEADERS))


def render_error(status: int, title: str, told: str, *, visitor: Visitor | None) -> HTMLResponse:
    """Return a page that tells what went wrong, with a way on."""
    entries = () if visitor is None else visitor.entries
    back, name = (entries[0].path, entries[0].name) if entries else ("/sign-in", "Sign in")
    return render(
        "error.html",
        title,
        visitor=visitor,
        status=status,
        told=told,
        back=back,
        back_text=f"Go to {name}" if entries else name,
    )


def serve_static(name: str) -> Response | None:
    """Return one of the files that pages load, None for any other name."""
    if name not in STATIC:
        return None
    headers = {"Cache-Control": "public, max-age=86400", "X-Content-Type-Options": "nosniff"}
    return Response(_read_static(name), media_type=STATIC[name], headers=headers)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("verifier.interfaces.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_mend,
    )
    environment.globals["static"] = _address
    return environment


def _mend(value: object) -> object:
    """Return a text without control characters and lone surrogates, which a page can't carry."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return value.translate(HIDDEN)
    return value


@cache
def _read_static(name: str) -> bytes:
    return files("verifier.interfaces.web").joinpath("static", name).read_bytes()


def _address(name: str) -> str:
    """Return the address of a file, another one whenever the file is."""
    return f"/static/{name}?v={hashlib.sha256(_read_static(name)).hexdigest()[:12]}"
