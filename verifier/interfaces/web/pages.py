"""The web page: server-rendered, in one session a browser, for people who review and look after."""

from typing import Final

from fastapi import APIRouter

from verifier.interfaces.web import (
    answer_pages,
    audit_pages,
    key_pages,
    review_pages,
    sign_in_pages,
    source_pages,
)

_PARTS: Final = (
    sign_in_pages,
    answer_pages,
    review_pages,
    source_pages,
    audit_pages,
    key_pages,
)


def page_routes() -> APIRouter:
    """Return every page; the application that includes it has its verifier in `app.state.verifier`."""
    pages = APIRouter()
    for part in _PARTS:
        pages.include_router(part.ROUTER)
    return pages
