"""Shares, ratios and relative changes: what one amount is of another."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.derivation.amounts import NUMBER, PERCENT, POINTS, join, shown, state, total_of
from verifier.core.derivation.operations import Operation
from verifier.core.derivation.orientation import claimed_direction, list_steps
from verifier.core.derivation.problem import Candidate
from verifier.core.values import Interval, Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.derivation.amounts import Amount, Family
    from verifier.core.derivation.problem import Problem

_BOTH_WAYS: Final = 2
_HUNDRED: Final = Fraction(100)
_FORM: Final = Interval.point(Fraction(0))


def list_like_pairs(problem: Problem) -> Iterator[tuple[Amount, Amount]]:
    """Yield the nearest pairs of amounts of one family, whatever the claim's."""
    left = problem.tried
    for index, other in enumerate(problem.near):
        for one in problem.near[:index]:
            if one.family != other.family and not are_alike(one.family, other.family):
                continue
            if one.operand is other.operand:
                continue
            if left < 1:
                return
            left -= _BOTH_WAYS
            yield one, other


def are_alike(one: Family, other: Family) -> bool:
    """Return whether one may be divided by the other: the same family, or a number and what is counted."""
    return one == other or {one[0], other[0]} == {"number", "noun"}


def find_shares(problem: Problem) -> Iterator[Candidate]:
    """Yield what percentage one amount is of another, or a member of its whole group."""
    if problem.target.family != PERCENT:
        return
    for one, other in list_like_pairs(problem):
        yield from _share(problem, one, other)
        yield from _share(problem, other, one)
    yield from _shares_of_totals(problem)


def _share(problem: Problem, part: Amount, whole: Amount) -> Iterator[Candidate]:
    if part.number < 0 or whole.number <= 0 or part.family == PERCENT:
        return
    if problem.target.holds_quotient(part.number, whole.number, 100):
        number = part.number / whole.number * _HUNDRED
        yield _quotient(
            Operation.SHARE, (part, whole), number, f"{shown(part.value)} / {shown(whole.value)}"
        )


def _shares_of_totals(problem: Problem) -> Iterator[Candidate]:
    """Yield what percentage the subject of the claim is of the total of its group."""
    for group in problem.lists:
        total = total_of(group)
        parts = [amount for amount in group if amount.operand.is_subject]
        if len(parts) != 1 or total <= 0 or group[0].family == PERCENT:
            continue
        number = parts[0].number / total * _HUNDRED
        if problem.target.holds(number):
            wording = f"{shown(parts[0].value)} / ({join([shown(a.value) for a in group], ' + ')})"
            yield _quotient(Operation.SHARE, group, number, wording)


def find_ratios(problem: Problem) -> Iterator[Candidate]:
    """Yield how many times one amount is another."""
    if problem.target.family != NUMBER:
        return
    for pair in list_like_pairs(problem):
        for one, other in (pair, pair[::-1]):
            if not other.number or one.number * other.number <= 0:
                continue
            number = one.number / other.number
            if problem.target.holds(number):
                wording = f"{shown(one.value)} / {shown(other.value)}"
                yield _quotient(Operation.RATIO, (one, other), number, wording, Kind.NUMBER)


def find_changes(problem: Problem) -> Iterator[Candidate]:
    """Yield by what percentage an amount rose or fell, against the earlier one."""
    if problem.target.family == PERCENT:
        yield from _relative_changes(problem, Operation.CHANGE_PERCENT, Kind.PERCENT)


def find_basis_points(problem: Problem) -> Iterator[Candidate]:
    """Yield relative changes in basis points; of two percentages the points between them count instead."""
    text = problem.claimed.text.casefold()
    if problem.target.family == POINTS and ("basis" in text or "bp" in text):
        yield from _relative_changes(problem, Operation.BASIS_POINTS, Kind.PERCENTAGE_POINT)


def _relative_changes(problem: Problem, operation: Operation, kind: Kind) -> Iterator[Candidate]:
    direction, sign = claimed_direction(problem)
    for one, other in list_like_pairs(problem):
        if kind is Kind.PERCENTAGE_POINT and one.family == PERCENT:
            continue
        for step in list_steps(one, other, direction):
            base, reached = step.base, step.reached
            if base.number <= 0 or base.number == reached.number:
                continue
            gap = sign * abs(reached.number - base.number)
            if problem.target.holds_quotient(gap, base.number, 100):
                number = gap / base.number * _HUNDRED
                above, below = (reached, base) if sign * step.rise > 0 else (base, reached)
                wording = f"({shown(above.value)} - {shown(below.value)}) / {shown(base.value)}"
                yield _quotient(
                    operation, (reached, base), number, wording, kind, is_open=step.is_open
                )


def find_point_changes(problem: Problem) -> Iterator[Candidate]:
    """Yield the points between two percentages."""
    if problem.target.family != POINTS:
        return
    direction, sign = claimed_direction(problem)
    for one, other in list_like_pairs(problem):
        if one.family != PERCENT or one.number == other.number:
            continue
        for step in list_steps(one, other, direction)[:1]:
            high, low = sorted((one, other), key=lambda amount: -amount.number)
            number = sign * (high.number - low.number)
            if problem.target.holds(number):
                first, last = (high, low) if sign > 0 else (low, high)
                wording = f"{shown(first.value)} - {shown(last.value)}"
                yield _quotient(
                    Operation.CHANGE_POINTS,
                    (step.reached, step.base),
                    number,
                    wording,
                    Kind.PERCENTAGE_POINT,
                    is_open=step.is_open,
                )


def find_percents_of_fraction(problem: Problem) -> Iterator[Candidate]:
    """Yield the percentage that a fraction is, where it is the only one given."""
    fractions = [
        amount
        for amount in problem.amounts
        if amount.family == NUMBER and amount.number.denominator > 1
    ]
    if problem.target.family != PERCENT or len(fractions) != 1 or abs(fractions[0].number) > 1:
        return
    number = fractions[0].number * _HUNDRED
    yield _quotient(
        Operation.AS_PERCENT, (fractions[0],), number, f"{shown(fractions[0].value)} × 100"
    )


def _quotient(
    operation: Operation,
    used: tuple[Amount, ...],
    number: Fraction,
    wording: str,
    kind: Kind = Kind.PERCENT,
    *,
    is_open: bool = False,
) -> Candidate:
    return Candidate(
        operation=operation,
        used=tuple(amount.operand for amount in used),
        number=number,
        template=state(Quantity(kind=kind, interval=_FORM, text=""), number),
        wording=wording,
        direction_open=is_open,
    )
