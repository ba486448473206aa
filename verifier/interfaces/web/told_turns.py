"""The turn of a request: told in its body, or kept on the server and named there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.errors import InputError
from verifier.interfaces.web.rights import read_callers_turn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.keys import Caller
    from verifier.core.turn_recorder import TurnRecorder
    from verifier.core.turns import Turn
    from verifier.service import Verifier

_LONGEST_NAMED = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldTurn:
    """A turn, and the answer that the request tells of it, if any."""

    turn: Turn | TurnRecorder
    answer: str | None


async def find_turn(
    verifier: Verifier, caller: Caller, fields: Mapping[str, object], turn_id: str | None
) -> ToldTurn:
    """Return the turn that the fields of a turn file tell, or the kept one that `turn_id` names.

    Raises as `read_callers_turn`; InputError where both are told, UnknownThing for a turn that is not kept.
    """
    case = read_callers_turn(caller, fields)
    if turn_id is None:
        return ToldTurn(turn=case.turn, answer=case.answer)
    others = ", ".join(sorted(set(fields) - {"answer"}))
    if others:
        raise InputError(
            f"with turn_id the turn is told already; leave out {others[:_LONGEST_NAMED]}"
        )
    kept = await verifier.turns.get(turn_id, by=caller)
    return ToldTurn(turn=kept, answer=case.answer)
