"""What a claimed value should have been, where nothing else than the given operands can be meant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.comparison import Outcome, relate
from verifier.core.derivation.deriving import FINDERS, compute, derive, word
from verifier.core.derivation.operations import Operation
from verifier.core.derivation.orientation import claimed_direction, list_steps
from verifier.core.derivation.problem import set_problem
from verifier.core.values import Interval, Kind, Writing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from verifier.core.derivation.operations import Cues, Derivation, Operand
    from verifier.core.derivation.problem import Candidate, Problem
    from verifier.core.values import Quantity

_OF_LISTS: Final = frozenset({Operation.SUM, Operation.AVERAGE, Operation.EXTREME, Operation.COUNT})
_OF_PAIRS: Final = frozenset(FINDERS) - {
    Operation.EXTREME,
    Operation.COUNT,
    Operation.BALANCE,
    Operation.RATIO,
}
_DIRECTED: Final = frozenset(
    {
        Operation.DIFFERENCE,
        Operation.CHANGE_PERCENT,
        Operation.CHANGE_POINTS,
        Operation.BASIS_POINTS,
    }
)
_TWO_ENDED: Final = frozenset({Writing.RANGE, Writing.TOLERANCE})
_WHOLE: Final = 100
_TWO: Final = 2


def contradicts(
    claimed: Quantity, cues: Cues, operands: Sequence[Operand], *, now: datetime | None = None
) -> Derivation | None:
    """Return the calculation whose result the claim should have had, where it had another.

    Only where the operands are unmistakable: they are one whole group (for a total, an average, a count
    or an extreme), or two values (for a change, whose order must be told; a total, a difference, a share,
    a product, a percentage of an amount), and all operations that the cues license and that can be done
    with them come out at one and the same other value. That the cued words speak of these operands is the
    caller's finding. A change in the other direction than the claim's has the opposite sign as its result.
    """
    if claimed.kind is Kind.DATE or claimed.writing in _TWO_ENDED:
        return None
    if derive(claimed, cues, operands, now=now) is not None:
        return None
    fitting = replace(cues, operations=cues.operations & _fitting(operands, now))
    results = _results(claimed, fitting, operands, now)
    if len({found.result.interval for found in results}) != 1:
        return None
    return results[0] if relate(claimed, results[0].result).outcome is Outcome.DISAGREE else None


def _fitting(operands: Sequence[Operand], now: datetime | None) -> frozenset[Operation]:
    """Return the operations for which just these operands leave no choice."""
    groups = {operand.group for operand in operands}
    found: frozenset[Operation] = frozenset()
    if len(groups) == 1 and None not in groups and len(operands) > 1:
        found |= _OF_LISTS
    if len(operands) == _TWO:
        found |= _OF_PAIRS
    if len(operands) == 1 and now is not None:
        found |= {Operation.DATE_DIFFERENCE}
    return found


def _results(
    claimed: Quantity, cues: Cues, operands: Sequence[Operand], now: datetime | None
) -> list[Derivation]:
    problem = set_problem(claimed, replace(cues, direction=None), operands, now=now)
    if problem is None:
        return []
    target = replace(problem.target, low=None, high=None)
    unbounded = replace(problem, target=target, low=None, high=None)
    found: list[Derivation] = []
    for operation in FINDERS:
        if operation in cues:
            hits = [hit for hit in FINDERS[operation](unbounded) if _is_whole(hit, operands)]
            if len({hit.number for hit in hits}) == 1:
                found += _state(replace(problem, cues=cues), hits[0])
    return found


def _is_whole(hit: Candidate, operands: Sequence[Operand]) -> bool:
    """Return whether a calculation uses all that was given; a share also has to be of the larger value."""
    if hit.operation is Operation.EXTREME:
        return True
    larger = hit.operation is Operation.SHARE and hit.number > _WHOLE
    return len(hit.used) == len(operands) and not larger


def _state(problem: Problem, hit: Candidate) -> list[Derivation]:
    result = compute(problem, hit)
    number = None if result is None else result.interval.low
    if result is None or number is None:
        return []
    if hit.operation in _DIRECTED and _goes_other_way(problem):
        result = replace(result, interval=Interval.point(-number), text=f"-{result.text}")
        hit = replace(hit, wording=f"-({hit.wording})")
    return [word(hit, result)]


def _goes_other_way(problem: Problem) -> bool:
    """Return whether the two values are known to go the other way than the claim says."""
    direction, _ = claimed_direction(problem)
    if direction is None or len(problem.amounts) != _TWO:
        return False
    return not list_steps(problem.amounts[0], problem.amounts[1], direction)
