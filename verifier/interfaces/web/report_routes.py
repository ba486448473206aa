"""The answer log: reports that were logged, and what they come to today."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request

from verifier.answers import ReportTerms
from verifier.core.keys import Caller, Scope
from verifier.errors import InputError
from verifier.interfaces.web.access import require, verifier_of
from verifier.interfaces.web.json_bodies import JsonRoute, WireResponse
from verifier.interfaces.web.schemas import RecheckBody, RechecksBody, ReportParameters

router = APIRouter(prefix="/v1", tags=["reports"], route_class=JsonRoute)

Reviewer = Annotated[Caller, Depends(require(Scope.REVIEW))]
ReportId = Annotated[
    str, Path(min_length=6, max_length=200, description="Id of a report, or how it begins.")
]


@router.get("/reports", operation_id="list_reports")
async def list_reports(
    request: Request, asked: Annotated[ReportParameters, Query()], caller: Reviewer
) -> WireResponse:
    """List logged reports, the newest first; answers are cut after 2,000 characters."""
    terms = ReportTerms(since=asked.since, until=asked.until, outcome=asked.outcome)
    terms |= ReportTerms(beyond=asked.beyond, limit=asked.limit)
    return WireResponse(await verifier_of(request, caller).answers.list(**terms))


@router.post("/rechecks", operation_id="recheck_all")
async def recheck_all(request: Request, body: RechecksBody, caller: Reviewer) -> WireResponse:
    """Verify past answers again: those since a moment, on a source, or on a row. Tells what flipped."""
    if body.since is None and body.source is None and body.entity is None:
        raise InputError("which answers are meant? give since, source or entity")
    run = await verifier_of(request, caller).answers.recheck_all(
        since=body.since, source=body.source, entity=body.entity, as_of=body.as_of
    )
    return WireResponse(run)


@router.get("/reports/{report_id}", operation_id="get_report")
async def show(request: Request, report_id: ReportId, caller: Reviewer) -> WireResponse:
    """Return a logged report with the turn that it judged."""
    return WireResponse(await verifier_of(request, caller).answers.show(report_id))


@router.post("/reports/{report_id}/recheck", operation_id="recheck")
async def recheck(
    request: Request, report_id: ReportId, body: RecheckBody, caller: Reviewer
) -> WireResponse:
    """Verify a past answer against today's tables and sources. The logged report stays as it is."""
    answers = verifier_of(request, caller).answers
    return WireResponse(await answers.recheck(report_id, as_of=body.as_of))
