"""Turns kept on the server: begun by the application, filled as its tools return, used by its agent."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, ConfigDict, Field

from verifier.core.keys import Caller, Scope
from verifier.core.turn_fields import FieldReader
from verifier.core.turn_file import read_call
from verifier.errors import InputError
from verifier.interfaces.web.access import require, verifier_of
from verifier.interfaces.web.json_bodies import JsonRoute, WireResponse
from verifier.interfaces.web.results import RecordedCall
from verifier.interfaces.web.rights import demand, read_callers_turn

router = APIRouter(prefix="/v1/turns", tags=["turns"], route_class=JsonRoute)

Checker = Annotated[Caller, Depends(require(Scope.VERIFY))]
TurnId = str


class _ToldBody(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    @property
    def told(self) -> Mapping[str, object]:
        """The fields."""
        return self.model_extra or {}


class TurnBody(_ToldBody):
    """The fields of a turn file without an answer, read by its own reader, and who uses the turn."""

    for_key: Annotated[
        str | None,
        Field(
            max_length=200,
            description="The name of the key that uses the turn besides those with the scope admin, such as"
            " an agent's; this one if not told. Needs the scope admin.",
        ),
    ] = None


class CallBody(_ToldBody):
    """A tool call as turn files have it."""


@router.post("", operation_id="begin_turn")
async def begin_turn(request: Request, body: TurnBody, caller: Checker) -> WireResponse:
    """Begin a turn, which this key, or `for_key`, may use for a day; an agent needs to know its id alone."""
    if body.for_key is not None:
        demand(caller, Scope.ADMIN, "for_key")
    case = read_callers_turn(caller, body.told)
    if case.answer is not None:
        raise InputError("a turn begins without an answer; verify one with its turn_id")
    turns = verifier_of(request, caller).turns
    turn_id = await turns.begin(case.turn, by=caller, for_key=body.for_key)
    return WireResponse(await turns.describe(turn_id, by=caller))


@router.post("/{turn_id}/calls", operation_id="record_call")
async def record_call(
    request: Request, turn_id: TurnId, body: CallBody, caller: Checker
) -> WireResponse:
    """Record a tool call with what it returned. It proves nothing unless the key may supply calls."""
    call = read_call(FieldReader(body.told, "the call"))
    call_id = await verifier_of(request, caller).turns.record(turn_id, call, by=caller)
    return WireResponse(RecordedCall(turn_id=turn_id, call_id=call_id))


@router.get("/{turn_id}", operation_id="get_turn")
async def get_turn(request: Request, turn_id: TurnId, caller: Checker) -> WireResponse:
    """Return what was recorded in a turn until now."""
    return WireResponse(await verifier_of(request, caller).turns.describe(turn_id, by=caller))
