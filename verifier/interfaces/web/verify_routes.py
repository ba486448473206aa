"""Verifying answers, and evaluating the verdicts on labelled ones."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Request

from verifier.core.evaluation import read_case_records
from verifier.core.keys import Caller, Scope
from verifier.core.policy import Policy, read_policy
from verifier.errors import InputError
from verifier.interfaces.web.access import require, verifier_of
from verifier.interfaces.web.json_bodies import JsonRoute, WireResponse
from verifier.interfaces.web.rights import bind_turn, check_turn
from verifier.interfaces.web.schemas import EvaluationBody
from verifier.interfaces.web.told_turns import find_turn
from verifier.interfaces.web.turn_schemas import VerifyBody
from verifier.settings import Settings

router = APIRouter(prefix="/v1", tags=["verify"], route_class=JsonRoute)

Checker = Annotated[Caller, Depends(require(Scope.VERIFY))]


@router.post("/verify", operation_id="verify")
async def verify(request: Request, body: VerifyBody, caller: Checker) -> WireResponse:
    """Verify an answer in its turn; the body is a turn file, with a policy if the server's is not meant.

    With `turn_id` the answer is verified in that turn of the server, and the body tells no other. An answer
    that is not accepted is an ordinary report: 200 with `accepted: false`.
    """
    verifier = verifier_of(request, caller)
    told = await find_turn(verifier, caller, body.turn, body.turn_id)
    if told.answer is None:
        raise InputError("answer is needed: the text under test")
    policy = choose_policy(request.app.state.settings, body.policy, body.hold)
    report = await verifier.verify(told.answer, told.turn, policy=policy)
    request.app.state.metrics.count_claims(report)
    return WireResponse(report)


def choose_policy(
    settings: Settings, mode: str | None, hold: Sequence[str] | None
) -> Policy | None:
    """Return the policy of a request, None where it tells none; what it leaves out is as the settings say."""
    if mode is None and hold is None:
        return None
    return read_policy(mode or settings.policy, settings.hold if hold is None else hold)


@router.post("/evaluate", operation_id="evaluate")
async def evaluate(request: Request, body: EvaluationBody, caller: Checker) -> WireResponse:
    """Measure verdicts on labelled answers, and compare with an earlier run. Nothing is logged."""
    from verifier.audit.evaluation_comparison import past_of, read_run_record
    from verifier.interfaces.evaluation_outcome import conclude

    for at, case in enumerate(body.cases, 1):
        check_turn(caller, case, f"case {at}")
    before = None if body.against is None else read_run_record(body.against)
    cases = read_case_records((case, f"case {at}") for at, case in enumerate(body.cases, 1))
    bound = [replace(case, turn=bind_turn(caller, case.turn)) for case in cases]
    evaluation = await verifier_of(request, caller).evaluate(bound)
    return WireResponse(conclude(past_of(evaluation), evaluation, before))
