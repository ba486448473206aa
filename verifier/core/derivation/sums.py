"""Totals, differences and balances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.derivation.amounts import PERCENT, join, shown, total_of
from verifier.core.derivation.operations import Operation
from verifier.core.derivation.orientation import claimed_direction, list_steps
from verifier.core.derivation.problem import combine, fit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from verifier.core.derivation.amounts import Amount
    from verifier.core.derivation.problem import Candidate, Problem

_MOST_BESIDE: Final = 4


def find_sums(problem: Problem) -> Iterator[Candidate]:
    """Yield totals that meet the claim: of a whole group, with one amount beside it, of two or three."""
    yield from _sums_of_groups(problem)
    scaled = problem.scaled
    for one, other in problem.pairs:
        if problem.holds_scaled(scaled[one] + scaled[other]):
            yield from _sum_of(problem, (one, other))
    for first, second, third in problem.triples:
        if problem.holds_scaled(scaled[first] + scaled[second] + scaled[third]):
            yield from _sum_of(problem, (first, second, third))


def _sums_of_groups(problem: Problem) -> Iterator[Candidate]:
    for group in problem.groups:
        total = total_of(group)
        if problem.target.holds(total):
            yield _sum(group, total)
        for amount in problem.loose[:_MOST_BESIDE]:
            if amount.number and problem.target.holds(total + amount.number):
                yield _sum((*group, amount), total + amount.number)


def _sum_of(problem: Problem, indices: Sequence[int]) -> Iterator[Candidate]:
    used = tuple(problem.like[index] for index in indices)
    if fit(used):
        yield _sum(used, total_of(used))


def _sum(used: Sequence[Amount], total: Fraction) -> Candidate:
    return combine(
        Operation.SUM, used, total, join([shown(amount.value) for amount in used], " + ")
    )


def find_differences(problem: Problem) -> Iterator[Candidate]:
    """Yield what is between two amounts, or left of one after two others or a whole group are taken."""
    if problem.target.family == PERCENT:
        return
    scaled = problem.scaled
    direction, sign = claimed_direction(problem)
    for one, other in problem.pairs:
        if problem.holds_scaled(sign * abs(scaled[one] - scaled[other])):
            yield from _difference_of(problem, problem.like[one], problem.like[other])
    if direction is None:
        yield from _rests_of_groups(problem)
        yield from _rests_of_three(problem)


def _rests_of_groups(problem: Problem) -> Iterator[Candidate]:
    for group in problem.groups:
        total = total_of(group)
        for amount in problem.loose[:_MOST_BESIDE]:
            if total and problem.target.holds(amount.number - total):
                yield _rest(amount, group)


def _rests_of_three(problem: Problem) -> Iterator[Candidate]:
    scaled = problem.scaled
    for triple in problem.triples:
        total = sum(scaled[index] for index in triple)
        for whole in triple:
            if problem.holds_scaled(2 * scaled[whole] - total):
                taken = [problem.like[index] for index in triple if index != whole]
                if fit((problem.like[whole], *taken)):
                    yield _rest(problem.like[whole], taken)


def _difference_of(problem: Problem, one: Amount, other: Amount) -> Iterator[Candidate]:
    direction, sign = claimed_direction(problem)
    if one.number == other.number or not fit((one, other)):
        return
    for step in list_steps(one, other, direction)[:1]:
        high, low = sorted((step.base, step.reached), key=lambda amount: -amount.number)
        used = (high, low) if sign > 0 else (low, high)
        yield combine(
            Operation.DIFFERENCE,
            used,
            sign * (high.number - low.number),
            join([shown(amount.value) for amount in used], " - "),
            is_open=step.is_open,
        )


def _rest(whole: Amount, taken: Sequence[Amount]) -> Candidate:
    number = whole.number - total_of(taken)
    used = (whole, *taken)
    wording = join([shown(amount.value) for amount in used], " - ")
    return combine(Operation.DIFFERENCE, used, number, wording)


def find_balances(problem: Problem) -> Iterator[Candidate]:
    """Yield two amounts less a third: a total after one thing was put in another's place."""
    scaled = problem.scaled
    for triple in problem.triples:
        total = sum(scaled[index] for index in triple)
        for taken in triple:
            if not problem.holds_scaled(total - 2 * scaled[taken]):
                continue
            first, second = (problem.like[index] for index in triple if index != taken)
            used = (first, second, problem.like[taken])
            if fit(used):
                number = first.number + second.number - used[2].number
                wording = f"{shown(first.value)} + {shown(second.value)} - {shown(used[2].value)}"
                yield combine(Operation.BALANCE, used, number, wording)
