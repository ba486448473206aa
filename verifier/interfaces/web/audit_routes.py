"""Audits: which past answers rest on what holds no more."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from verifier.audits import AuditTerms
from verifier.core.keys import Caller, Scope
from verifier.interfaces.web.access import require, verifier_of
from verifier.interfaces.web.json_bodies import JsonRoute, WireResponse
from verifier.interfaces.web.schemas import (
    AuditParameters,
    ConflictAuditParameters,
    DriftParameters,
    StaleParameters,
)
from verifier.interfaces.web.source_schemas import ImpactParameters

router = APIRouter(prefix="/v1/audits", tags=["audits"], route_class=JsonRoute)

Reviewer = Annotated[Caller, Depends(require(Scope.REVIEW))]
Asked = Annotated[AuditParameters, Query()]


def _terms(asked: AuditParameters) -> AuditTerms:
    return AuditTerms(
        since=asked.since, source=asked.source, limit=asked.limit, answers=asked.answers
    )


@router.get("/stale", operation_id="audit_stale")
async def stale(
    request: Request, asked: Annotated[StaleParameters, Query()], caller: Reviewer
) -> WireResponse:
    """Show sources whose review is overdue, and the past answers that rest on them."""
    audits = verifier_of(request, caller).audits
    return WireResponse(await audits.stale(asked.now, **_terms(asked)))


@router.get("/superseded", operation_id="audit_superseded")
async def superseded(request: Request, asked: Asked, caller: Reviewer) -> WireResponse:
    """Show past answers whose cited words changed or are gone since."""
    return WireResponse(await verifier_of(request, caller).audits.superseded(**_terms(asked)))


@router.get("/unapproved", operation_id="audit_unapproved")
async def unapproved(request: Request, asked: Asked, caller: Reviewer) -> WireResponse:
    """Show past answers that rest on sources now pending, denied or withdrawn."""
    return WireResponse(await verifier_of(request, caller).audits.unapproved(**_terms(asked)))


@router.get("/drift", operation_id="audit_drift")
async def drift(
    request: Request, asked: Annotated[DriftParameters, Query()], caller: Reviewer
) -> WireResponse:
    """Show canonical tables whose rows read otherwise than the past answers on them."""
    terms = AuditTerms(since=asked.since, limit=asked.limit, answers=asked.answers)
    return WireResponse(await verifier_of(request, caller).audits.drift(asked.table, **terms))


@router.get("/orphans", operation_id="audit_orphans")
async def orphans(request: Request, asked: Asked, caller: Reviewer) -> WireResponse:
    """Show what past answers rest on that leads nowhere: erased versions, sources that answer no more."""
    return WireResponse(await verifier_of(request, caller).audits.orphans(**_terms(asked)))


@router.get("/conflicts", operation_id="audit_conflicts")
async def conflicts(
    request: Request, asked: Annotated[ConflictAuditParameters, Query()], caller: Reviewer
) -> WireResponse:
    """Show conflicts on record, and how many past answers rest on either side of each."""
    audits = verifier_of(request, caller).audits
    return WireResponse(
        await audits.conflicts(
            asked.state, since=asked.since, source=asked.source, limit=asked.limit
        )
    )


@router.get("/impact", operation_id="audit_impact")
async def impact(
    request: Request, asked: Annotated[ImpactParameters, Query()], caller: Reviewer
) -> WireResponse:
    """Show what withdrawing or erasing a source would touch. Changes nothing."""
    audits = verifier_of(request, caller).audits
    return WireResponse(await audits.impact(asked.source, asked.version))
