"""Sources: what there is, who permits it, and what becomes of its versions."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from verifier.core.keys import Caller, Scope
from verifier.errors import InputError
from verifier.interfaces.web.access import require, verifier_of
from verifier.interfaces.web.json_bodies import JsonRoute, WireResponse
from verifier.interfaces.web.rights import name_actor
from verifier.interfaces.web.source_schemas import (
    ApprovalBody,
    AuthorityBody,
    DenialBody,
    ErasureBody,
    ErasurePlanBody,
    ReadingBody,
    RestorationBody,
    ReversionBody,
    SourcesParameters,
    ValidityBody,
    WithdrawalBody,
)
from verifier.store.erasure import ErasureOrder

router = APIRouter(prefix="/v1/sources", tags=["sources"], route_class=JsonRoute)

Reviewer = Annotated[Caller, Depends(require(Scope.REVIEW))]
Operator = Annotated[Caller, Depends(require(Scope.ADMIN))]


@router.get("", operation_id="list_sources")
async def list_sources(
    request: Request, asked: Annotated[SourcesParameters, Query()], caller: Reviewer
) -> WireResponse:
    """List the sources, with version, permission, authority and review."""
    stale_at = datetime.now(UTC) if asked.stale else None
    sources = verifier_of(request, caller).sources
    return WireResponse(await sources.list(permission=asked.permission, stale_at=stale_at))


@router.post("/approve", operation_id="approve")
async def approve(request: Request, body: ApprovalBody, caller: Operator) -> WireResponse:
    """Permit a source to be searched and cited."""
    by = name_actor(caller, body.by)
    return WireResponse(await verifier_of(request, caller).sources.approve(body.source, by=by))


@router.post("/deny", operation_id="deny")
async def deny(request: Request, body: DenialBody, caller: Operator) -> WireResponse:
    """Forbid a source to be searched and cited, whoever ingests it later, until it is approved."""
    sources, by = verifier_of(request, caller).sources, name_actor(caller, body.by)
    return WireResponse(await sources.deny(body.source, by=by, reason=body.reason))


@router.post("/withdraw", operation_id="withdraw")
async def withdraw(request: Request, body: WithdrawalBody, caller: Operator) -> WireResponse:
    """Take a version back, so that it answers no more; tells what rested on it. `restore` undoes it."""
    sources, by = verifier_of(request, caller).sources, name_actor(caller, body.by)
    reach = await sources.reach(body.source, body.version)
    expected = body.expected_current_version
    await sources.withdraw(
        body.source,
        by=by,
        reason=body.reason,
        seq=body.version,
        expected_current_version=(
            reach.seq if body.version is None and expected is None else expected
        ),
    )
    return WireResponse(reach)


@router.post("/restore", operation_id="restore")
async def restore(request: Request, body: RestorationBody, caller: Operator) -> WireResponse:
    """Let a withdrawn version answer again."""
    seq = await verifier_of(request, caller).sources.restore(
        body.source,
        by=name_actor(caller, body.by),
        reason=body.reason,
        seq=body.version,
        expected_current_version=body.expected_current_version,
    )
    return WireResponse({"key": body.source, "seq": seq})


@router.post("/revert", operation_id="revert")
async def revert(request: Request, body: ReversionBody, caller: Operator) -> WireResponse:
    """Make the text of an older version the current one, as a new version."""
    seq = await verifier_of(request, caller).sources.revert(
        body.source,
        body.version,
        by=name_actor(caller, body.by),
        reason=body.reason,
        expected_current_version=body.expected_current_version,
    )
    return WireResponse({"key": body.source, "seq": seq})


@router.post("/reviewed", operation_id="reviewed")
async def reviewed(request: Request, body: ReadingBody, caller: Reviewer) -> WireResponse:
    """Record that somebody read a version again, and until when that counts."""
    seq = await verifier_of(request, caller).sources.review(
        body.source,
        until=body.until,
        by=name_actor(caller, body.by),
        seq=body.version,
        reason=body.reason,
    )
    return WireResponse({"key": body.source, "seq": seq})


@router.post("/validity", operation_id="validity")
async def validity(request: Request, body: ValidityBody, caller: Operator) -> WireResponse:
    """Correct when a version holds. What was known before stays on record."""
    changed = await verifier_of(request, caller).sources.correct_validity(
        body.source,
        body.version,
        body.valid_from,
        body.valid_to,
        by=name_actor(caller, body.by),
        reason=body.reason,
    )
    return WireResponse({"key": body.source, "changed": changed})


@router.post("/authority", operation_id="authority")
async def authority(request: Request, body: AuthorityBody, caller: Operator) -> WireResponse:
    """Record how much a source counts among others."""
    changed = await verifier_of(request, caller).sources.set_authority(
        body.source, body.authority, by=name_actor(caller, body.by), reason=body.reason
    )
    return WireResponse({"key": body.source, "changed": changed})


@router.post("/erase/plan", operation_id="plan_erasure")
async def plan_erasure(request: Request, body: ErasurePlanBody, caller: Operator) -> WireResponse:
    """Tell what an erasure would touch. Changes nothing."""
    order = ErasureOrder(
        key=body.source, by=caller.name, reason="a plan", seq=body.version, labels=body.labels
    )
    return WireResponse(await verifier_of(request, caller).sources.plan_erasure(order))


@router.post("/erase", operation_id="erase")
async def erase(request: Request, body: ErasureBody, caller: Operator) -> WireResponse:
    """Erase texts for good, and prove it. Where the proof does not hold, `proven` is false."""
    if not body.confirmed:
        raise InputError(
            "it can't be undone; look at what /v1/sources/erase/plan tells, then give `confirmed`: true"
        )
    order = ErasureOrder(
        key=body.source,
        by=name_actor(caller, body.by),
        reason=body.reason,
        seq=body.version,
        labels=body.labels,
    )
    return WireResponse(await verifier_of(request, caller).sources.erase(order))
