"""Which way two values go, and whether that is what the claim says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.core.derivation.operations import Direction
from verifier.core.derivation.periods import is_earlier

if TYPE_CHECKING:
    from fractions import Fraction

    from verifier.core.derivation.amounts import Amount
    from verifier.core.derivation.problem import Problem


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Step:
    """A step from one amount to another; `is_open` says that nothing given tells which comes first."""

    base: Amount
    reached: Amount
    is_open: bool

    @property
    def rise(self) -> Fraction:
        """By how much the step goes up, in the base unit of the family."""
        return self.reached.number - self.base.number


def claimed_direction(problem: Problem) -> tuple[Direction | None, int]:
    """Return the direction that the claim tells, and the sign that its number is written with.

    "A change of -5%" tells DOWN by its sign.
    """
    number = problem.claimed.interval.low or problem.claimed.interval.high
    if number is not None and number < 0:
        return problem.cues.direction or Direction.DOWN, -1
    return problem.cues.direction, 1


def list_steps(one: Amount, other: Amount, direction: Direction | None) -> tuple[Step, ...]:
    """Return the steps between two amounts that the direction allows.

    The subject of the claim is reached from the other, the later value from the earlier. Where neither is
    told, a direction settles the order by size and stays open; without one both orders are possible.
    """
    known = _known_step(one, other)
    if known is not None:
        rises = known.reached.number > known.base.number
        if direction is None or rises is (direction is Direction.UP):
            return (known,)
        return ()
    low, high = (one, other) if one.number <= other.number else (other, one)
    up = Step(base=low, reached=high, is_open=direction is not None)
    down = Step(base=high, reached=low, is_open=direction is not None)
    if direction is None:
        return (up, down)
    return (up,) if direction is Direction.UP else (down,)


def _known_step(one: Amount, other: Amount) -> Step | None:
    if one.operand.is_subject is not other.operand.is_subject:
        base, reached = (other, one) if one.operand.is_subject else (one, other)
        return Step(base=base, reached=reached, is_open=False)
    earlier = is_earlier(one.operand.period, other.operand.period)
    if earlier is None:
        return None
    base, reached = (one, other) if earlier else (other, one)
    return Step(base=base, reached=reached, is_open=False)
