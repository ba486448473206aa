"""The pages of sources: keys hold any character, so that they stand in the query, never in the path."""

from datetime import UTC, datetime
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import Depends, Query
from starlette.responses import Response

from verifier.core.documents import Permission
from verifier.core.keys import Scope
from verifier.errors import InputError
from verifier.interfaces.web.page_access import visiting
from verifier.interfaces.web.page_frame import Visitor, render
from verifier.interfaces.web.page_routes import page_router
from verifier.interfaces.web.source_views import view_source, view_source_row
from verifier.interfaces.web.version_views import view_diff, view_text

ROUTER: Final = page_router()
_LISTED: Final = 100
_PERMISSIONS: Final = tuple(each.value for each in Permission)

Reader = Annotated[Visitor, Depends(visiting(Scope.REVIEW))]
Key = Annotated[str, Query(max_length=4_000)]
Written = Annotated[str, Query(max_length=200)]


@ROUTER.get("/sources")
async def list_sources(
    visitor: Reader, holding: Written = "", permission: Written = "", after: Key = ""
) -> Response:
    """Show sources by key, page by page, with how many answers rest on each."""
    found = await visitor.verifier.sources.shelf(
        holding=holding.strip(),
        after=after,
        permission=_read_permission(permission),
        limit=_LISTED + 1,
    )
    chosen, now = {"holding": holding, "permission": permission}, datetime.now(UTC)
    shown = found[:_LISTED]
    further = {**chosen, "after": shown[-1].listing.source.key} if len(found) > _LISTED else None
    return render(
        "sources.html",
        "Sources",
        visitor=visitor,
        section="Sources",
        rows=[view_source_row(one, now=now) for one in shown],
        permissions=_PERMISSIONS,
        chosen=chosen,
        is_filtered=bool(holding or permission or after),
        further=None if further is None else f"/sources?{urlencode(further)}",
    )


@ROUTER.get("/sources/one")
async def show_source(visitor: Reader, key: Key) -> Response:
    """Show a source with its versions, and what was done to it."""
    sources = visitor.verifier.sources
    found = await sources.find(key)
    versions, history = await sources.versions(key), await sources.history(key)
    view = view_source(found, versions, history, now=datetime.now(UTC))
    return render("source.html", view.title, visitor=visitor, section="Sources", view=view)


@ROUTER.get("/sources/text")
async def show_text(
    visitor: Reader,
    key: Key,
    seq: Written = "current",
    start: Annotated[int, Query(alias="from", ge=0)] = 0,
) -> Response:
    """Show the text of a version, a part a page."""
    view = view_text(await visitor.verifier.sources.text(key, seq), start)
    title = f"Version {view.seq} of {view.key}"
    return render("version.html", title, visitor=visitor, section="Sources", view=view)


@ROUTER.get("/sources/diff")
async def show_diff(visitor: Reader, key: Key, old: Written = "", new: Written = "") -> Response:
    """Show what differs between two versions, numbers first."""
    view = view_diff(await visitor.verifier.sources.diff(key, old or None, new or None))
    title = f"Version {view.old} to {view.new} of {view.key}"
    return render("diff.html", title, visitor=visitor, section="Sources", view=view)


def _read_permission(written: str) -> Permission | None:
    if not written:
        return None
    if written not in _PERMISSIONS:
        raise InputError(f"{written!r} is not one of {', '.join(_PERMISSIONS)}")
    return Permission(written)
