"""Conflicts: places that disagree, and who settles them."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request

from verifier.conflicts import ConflictTerms, DeclaredTerms
from verifier.core.keys import Caller, Scope
from verifier.interfaces.web.access import require, verifier_of
from verifier.interfaces.web.json_bodies import JsonRoute, WireResponse
from verifier.interfaces.web.queue_schemas import (
    AssignmentBody,
    ConflictParameters,
    DeclaredBody,
    ResolutionBody,
)
from verifier.interfaces.web.rights import name_actor
from verifier.interfaces.web.schemas import EVERY, LARGEST_ID

router = APIRouter(prefix="/v1/conflicts", tags=["conflicts"], route_class=JsonRoute)

Reviewer = Annotated[Caller, Depends(require(Scope.REVIEW))]
ConflictId = Annotated[int, Path(ge=1, le=LARGEST_ID)]


@router.get("", operation_id="list_conflicts")
async def list_conflicts(
    request: Request, asked: Annotated[ConflictParameters, Query()], caller: Reviewer
) -> WireResponse:
    """List conflicts, in the order of recording."""
    terms = ConflictTerms(source=asked.source, assigned_to=asked.assigned_to, limit=asked.limit)
    if asked.state is not None:
        terms["state"] = None if asked.state == EVERY else asked.state
    return WireResponse(await verifier_of(request, caller).conflicts.list(**terms))


@router.post("", operation_id="declare_conflict")
async def declare(request: Request, body: DeclaredBody, caller: Reviewer) -> WireResponse:
    """Record that two places disagree. While that stands, what rests on either is `source_conflict`."""
    terms = DeclaredTerms(subject=body.subject, attribute=body.attribute, value=body.value)
    terms |= DeclaredTerms(other_value=body.other_value)
    terms |= DeclaredTerms(words=body.words, other_words=body.other_words)
    made = await verifier_of(request, caller).conflicts.declare(
        body.place, body.other, row=body.row, by=name_actor(caller, body.by), **terms
    )
    return WireResponse(made)


@router.post("/find", operation_id="find_conflicts")
async def find(request: Request, caller: Reviewer) -> WireResponse:
    """Hold approved sources against each other and the tables. Finding again adds nothing."""
    return WireResponse(await verifier_of(request, caller).conflicts.find())


@router.post("/{conflict_id:int}/assign", operation_id="assign_conflict")
async def assign(
    request: Request, conflict_id: ConflictId, body: AssignmentBody, caller: Reviewer
) -> WireResponse:
    """Give a conflict to a person; from another only where `instead_of` names that one."""
    made = await verifier_of(request, caller).conflicts.assign(
        conflict_id, to=body.to, by=name_actor(caller, body.by), instead_of=body.instead_of
    )
    return WireResponse(made)


@router.post("/{conflict_id:int}/resolve", operation_id="resolve_conflict")
async def resolve(
    request: Request, conflict_id: ConflictId, body: ResolutionBody, caller: Reviewer
) -> WireResponse:
    """Close a conflict."""
    made = await verifier_of(request, caller).conflicts.resolve(
        conflict_id, by=name_actor(caller, body.by), reason=body.reason
    )
    return WireResponse(made)
