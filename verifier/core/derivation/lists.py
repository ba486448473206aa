"""Averages, extremes and counts: what a whole list says."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.derivation.amounts import join, shown, total_of
from verifier.core.derivation.operations import Direction, Operation
from verifier.core.derivation.problem import Candidate, combine, fit
from verifier.core.values import Kind, Writing

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from verifier.core.derivation.amounts import Amount
    from verifier.core.derivation.operations import Operand
    from verifier.core.derivation.problem import Problem

_COUNTED: Final = frozenset({Kind.NUMBER, Kind.QUANTITY})
_CLOSE: Final = Fraction(1, 20)


def find_averages(problem: Problem) -> Iterator[Candidate]:
    """Yield means of a whole group, or of two or three amounts that are in none."""
    for group in problem.groups:
        yield from _average(problem, group)
    if any(amount.operand.group is not None for amount in problem.like):
        return
    scaled = problem.scaled
    for indices in (*problem.pairs, *problem.triples):
        total, size = sum(scaled[index] for index in indices), len(indices)
        if problem.low is not None and total < problem.low * size:
            continue
        if problem.high is None or total <= problem.high * size:
            yield from _average(problem, tuple(problem.like[index] for index in indices))


def _average(problem: Problem, used: tuple[Amount, ...]) -> Iterator[Candidate]:
    mean = total_of(used) / len(used)
    if problem.target.holds(mean) and fit(used):
        wording = f"({join([shown(amount.value) for amount in used], ' + ')}) / {len(used)}"
        yield combine(Operation.AVERAGE, used, mean, wording)


def find_extremes(problem: Problem) -> Iterator[Candidate]:
    """Yield the largest or smallest of a whole group, by the direction that the words tell."""
    if problem.cues.extreme is None:
        return
    for group in problem.groups:
        pick = max if problem.cues.extreme is Direction.UP else min
        chosen = pick(group, key=lambda amount: amount.number)
        wording = f"{pick.__name__}({join([shown(amount.value) for amount in group], ', ')})"
        if _is_below_limit(problem, chosen.number):
            continue
        yield combine(Operation.EXTREME, (chosen,), chosen.number, wording)


def find_counts(problem: Problem) -> Iterator[Candidate]:
    """Yield how many values a group has, where all the groups given have as many."""
    claimed = problem.claimed
    if claimed.kind not in _COUNTED or claimed.per is not None or (claimed.places or 0) > 0:
        return
    groups: dict[Hashable, list[Operand]] = {}
    for operand in problem.operands:
        if operand.group is not None:
            groups.setdefault(operand.group, []).append(operand)
    if len({len(members) for members in groups.values()}) != 1:
        return
    if claimed.kind is Kind.QUANTITY and problem.target.family[0] != "noun":
        return
    members = next(iter(groups.values()))
    if _is_below_limit(problem, Fraction(len(members))):
        return
    yield Candidate(
        operation=Operation.COUNT,
        used=tuple(members),
        number=Fraction(len(members)),
        template=claimed,
        wording=f"count of {len(members)} values",
    )


def _is_below_limit(problem: Problem, number: Fraction) -> bool:
    """Return whether a number is only somewhere under an "up to": that is the number of no list."""
    interval = problem.claimed.interval
    limit = problem.claimed.writing is Writing.BOUND and interval.low in {None, 0}
    return limit and number != problem.target.high


def is_close(problem: Problem, number: Fraction) -> bool:
    """Return whether rounding to whole numbers moves the number by a twentieth at most."""
    if (problem.claimed.places or 0) > 0 or problem.claimed.kind is Kind.PERCENT:
        return True
    low, high = problem.target.exact_low, problem.target.exact_high
    nearest = min(
        (abs(number - end) for end in (low, high) if end is not None), default=Fraction(0)
    )
    return problem.target.holds_exactly(number) or nearest <= abs(number) * _CLOSE
