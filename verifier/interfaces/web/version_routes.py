"""The versions of a source: which there are, their texts, what differs, and what was done."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from verifier.core.keys import Caller, Scope
from verifier.interfaces.web.access import require, verifier_of
from verifier.interfaces.web.json_bodies import JsonRoute, WireResponse
from verifier.interfaces.web.source_schemas import DiffParameters, SourceParameters, TextParameters

router = APIRouter(prefix="/v1/versions", tags=["versions"], route_class=JsonRoute)

Reviewer = Annotated[Caller, Depends(require(Scope.REVIEW))]


@router.get("", operation_id="list_versions")
async def list_versions(
    request: Request, asked: Annotated[SourceParameters, Query()], caller: Reviewer
) -> WireResponse:
    """List the versions of a source: state, review, and from when to when each holds."""
    return WireResponse(await verifier_of(request, caller).sources.versions(asked.source))


@router.get("/changes", operation_id="list_changes")
async def list_changes(
    request: Request, asked: Annotated[SourceParameters, Query()], caller: Reviewer
) -> WireResponse:
    """List what was done to a source, by whom, when and why."""
    return WireResponse(await verifier_of(request, caller).sources.history(asked.source))


@router.get("/text", operation_id="get_version")
async def get_version(
    request: Request, asked: Annotated[TextParameters, Query()], caller: Reviewer
) -> WireResponse:
    """Return the text of a version, with the places of its chunks."""
    sources = verifier_of(request, caller).sources
    return WireResponse(await sources.text(asked.source, asked.version))


@router.get("/diff", operation_id="diff")
async def diff(
    request: Request, asked: Annotated[DiffParameters, Query()], caller: Reviewer
) -> WireResponse:
    """Tell what differs between two versions: numbers that changed, chunks, and lines."""
    sources = verifier_of(request, caller).sources
    return WireResponse(await sources.diff(asked.source, asked.old, asked.new))
