"""The time between two moments: hours and minutes, where dates would only tell days."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Final

from verifier.core.derivation.operations import Operation
from verifier.core.derivation.problem import Candidate
from verifier.core.values import Interval, Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.derivation.problem import Problem

_DAY: Final = 86_400
_NEAREST: Final = 4
_MINUTE: Final = Fraction(1, 1_440)
_MINUTES: Final = Quantity(
    kind=Kind.DURATION, interval=Interval.point(Fraction(0)), text="", unit="min", places=0
)


def find_moment_differences(problem: Problem) -> Iterator[Candidate]:
    """Yield the time between two moments; open where no zone is told: both ends may have their own."""
    moments = [one for one in problem.operands if _is_moment(one.value)][:_NEAREST]
    for pair in combinations(moments, 2):
        earlier, later = sorted(pair, key=lambda one: _seconds(one.value))
        zones = {one.value.utc_offset_s is None for one in pair}
        if len(zones) > 1:
            continue
        yield Candidate(
            operation=Operation.DATE_DIFFERENCE,
            used=(later, earlier),
            number=_seconds(later.value) - _seconds(earlier.value),
            template=_MINUTES,
            wording=f"{later.value.text} - {earlier.value.text}",
            direction_open=zones == {True},
        )


def _is_moment(value: Quantity) -> bool:
    low, high = value.interval.low, value.interval.high
    if value.kind is not Kind.DATE or value.fault or value.alternatives:
        return False
    return low is not None and high is not None and high - low <= _MINUTE


def _seconds(value: Quantity) -> Fraction:
    """Return the seconds since the calendar's first day, in universal time where the zone is told."""
    return (value.interval.low or Fraction(0)) * _DAY - (value.utc_offset_s or 0)
