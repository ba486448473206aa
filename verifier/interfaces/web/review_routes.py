"""The review queue: what waits for a person, and who decided what."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request

from verifier.core.keys import Caller, Scope
from verifier.core.reviews import ReviewState
from verifier.interfaces.web.access import require, verifier_of
from verifier.interfaces.web.json_bodies import JsonRoute, WireResponse
from verifier.interfaces.web.queue_schemas import (
    AssignmentBody,
    DecisionBody,
    ReopeningBody,
    ReviewParameters,
)
from verifier.interfaces.web.rights import name_actor
from verifier.interfaces.web.schemas import EVERY, LARGEST_ID

router = APIRouter(prefix="/v1/reviews", tags=["reviews"], route_class=JsonRoute)

Reviewer = Annotated[Caller, Depends(require(Scope.REVIEW))]
ReviewId = Annotated[int, Path(ge=1, le=LARGEST_ID)]


@router.get("", operation_id="list_reviews")
async def list_reviews(
    request: Request, asked: Annotated[ReviewParameters, Query()], caller: Reviewer
) -> WireResponse:
    """List the queue: what most answers rest on first, of these what waits longest."""
    unbound = asked.state == EVERY or asked.disputed or asked.reviewer is not None
    state = None if asked.state == EVERY else asked.state
    found = await verifier_of(request, caller).reviews.list(
        state=state or (None if unbound else ReviewState.OPEN),
        code=asked.code,
        source=asked.source,
        reviewer=asked.reviewer,
        assigned_to=asked.assigned_to,
        disputed=asked.disputed,
        order=asked.order,
        limit=asked.limit,
    )
    return WireResponse(found)


@router.get("/agreement", operation_id="reviewer_agreement")
async def agreement(request: Request, caller: Reviewer) -> WireResponse:
    """Show how far reviewers agree: Cohen's kappa of every two, where it is defined."""
    return WireResponse(await verifier_of(request, caller).reviews.agreement())


@router.post("/refresh", operation_id="refresh_reviews")
async def refresh(request: Request, caller: Reviewer) -> WireResponse:
    """Hold every entry against its evidence, also against canonical rows."""
    return WireResponse(await verifier_of(request, caller).reviews.refresh())


@router.get("/{review_id:int}", operation_id="get_review")
async def show(request: Request, review_id: ReviewId, caller: Reviewer) -> WireResponse:
    """Show one entry: the claim, its evidence, what stands there now, and who decided what."""
    return WireResponse(await verifier_of(request, caller).reviews.show(review_id))


@router.post("/{review_id:int}/decide", operation_id="decide_review")
async def decide(
    request: Request, review_id: ReviewId, body: DecisionBody, caller: Reviewer
) -> WireResponse:
    """Decide an entry, beside the decisions of others; an earlier one of the same person is superseded."""
    recorded = await verifier_of(request, caller).reviews.decide(
        review_id, body.decision, by=name_actor(caller, body.by), reason=body.reason
    )
    return WireResponse(recorded)


@router.post("/{review_id:int}/assign", operation_id="assign_review")
async def assign(
    request: Request, review_id: ReviewId, body: AssignmentBody, caller: Reviewer
) -> WireResponse:
    """Give an entry to a person; from another only where `instead_of` names that one."""
    made = await verifier_of(request, caller).reviews.assign(
        review_id, to=body.to, by=name_actor(caller, body.by), instead_of=body.instead_of
    )
    return WireResponse(made)


@router.post("/{review_id:int}/reopen", operation_id="reopen_review")
async def reopen(
    request: Request, review_id: ReviewId, body: ReopeningBody, caller: Reviewer
) -> WireResponse:
    """Open a decided or expired entry again. Earlier decisions are kept, and stand no more."""
    begun = await verifier_of(request, caller).reviews.reopen(
        review_id, by=name_actor(caller, body.by), reason=body.reason
    )
    return WireResponse({"review_id": review_id, "round": begun})
