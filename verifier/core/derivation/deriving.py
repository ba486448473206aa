"""Deriving a claimed value from operands, and saying what it should have been."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.comparison import relate
from verifier.core.derivation.amounts import DELTA, family_of, minor_digits, shown, state
from verifier.core.derivation.days import find_date_differences, find_date_shifts
from verifier.core.derivation.lists import find_averages, find_counts, find_extremes, is_close
from verifier.core.derivation.operations import Derivation, Operation
from verifier.core.derivation.problem import set_problem
from verifier.core.derivation.products import (
    find_discounts,
    find_markups,
    find_percents_of,
    find_products,
    find_unit_prices,
)
from verifier.core.derivation.quotients import (
    find_basis_points,
    find_changes,
    find_percents_of_fraction,
    find_point_changes,
    find_ratios,
    find_shares,
)
from verifier.core.derivation.sums import find_balances, find_differences, find_sums
from verifier.core.values import Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from verifier.core.derivation.operations import Cues, Operand
    from verifier.core.derivation.problem import Candidate, Problem

FINDERS: Final[Mapping[Operation, Callable[[Problem], Iterator[Candidate]]]] = MappingProxyType(
    {
        Operation.SUM: find_sums,
        Operation.DIFFERENCE: find_differences,
        Operation.BALANCE: find_balances,
        Operation.PRODUCT: find_products,
        Operation.PERCENT_OF: find_percents_of,
        Operation.DISCOUNT: find_discounts,
        Operation.MARKUP: find_markups,
        Operation.UNIT_PRICE: find_unit_prices,
        Operation.SHARE: find_shares,
        Operation.CHANGE_PERCENT: find_changes,
        Operation.CHANGE_POINTS: find_point_changes,
        Operation.BASIS_POINTS: find_basis_points,
        Operation.RATIO: find_ratios,
        Operation.AVERAGE: find_averages,
        Operation.EXTREME: find_extremes,
        Operation.COUNT: find_counts,
        Operation.DATE_DIFFERENCE: find_date_differences,
        Operation.AS_PERCENT: find_percents_of_fraction,
    }
)
_TEMPERATURES: Final = frozenset({"°C", "°F"})
_MOST_HITS: Final = 24
_HALF: Final = Fraction(1, 2)
_WRITTEN_OUT: Final = frozenset({Writing.EXACT, Writing.ROUNDED})


def derive(
    claimed: Quantity, cues: Cues, operands: Sequence[Operand], *, now: datetime | None = None
) -> Derivation | None:
    """Return the calculation that the cues license and whose result bears out the claimed value.

    Operands are tried in the order given, nearest first: whole groups of any size, and pairs and triples
    of the first 12 (none where more than 12 are in no group). The fewer digits the claim writes, the fewer
    combinations are tried, since any number is some sum of a dozen others: about one in 20 hits by
    chance at the worst. Measured with a random claim and 12 random operands between 1 and 1,000 in cents:
    under 1% for cued sums, differences, balances and products in cents, 2 to 4% for a share or change in
    whole percents.
    Sums of money are exact; a quotient of money is rounded to its cents where it has no end there.
    A result whose direction could not be shown is returned only where there is no other.
    """
    if claimed.kind is Kind.DATE:
        return _derive_date(claimed, cues, operands, now)
    problem = set_problem(claimed, cues, operands, now=now)
    if problem is None:
        return None
    hits = (
        hit for operation in FINDERS if operation in cues for hit in FINDERS[operation](problem)
    )
    waiting = None
    for hit in islice(hits, _MOST_HITS):
        found = conclude(problem, hit)
        if found is not None and not found.direction_open:
            return found
        waiting = waiting or found
    return waiting


def conclude(problem: Problem, hit: Candidate) -> Derivation | None:
    """Return the derivation if its exact result bears out the claim."""
    result = compute(problem, hit)
    if result is None or not is_close(problem, hit.number):
        return None
    if not relate(problem.claimed, result).agrees:
        return None
    return word(hit, result)


def word(hit: Candidate, result: Quantity) -> Derivation:
    """Return the derivation with its calculation written out."""
    sign = "≈" if result.writing is Writing.ROUNDED else "="
    return Derivation(
        operation=hit.operation,
        operands=hit.used,
        result=result,
        wording=f"{hit.wording} {sign} {shown(result)}",
        direction_open=hit.direction_open,
    )


def compute(problem: Problem, hit: Candidate) -> Quantity | None:
    """Return the result in the unit of the operands; money that has no end is rounded to its cents.

    Rounded is only what the claim wrote to the last cent, to the claimed amount; a half may go either way.
    """
    known = family_of(hit.template)
    if known is None:
        return None
    number = hit.number / known[1]
    result = state(hit.template, number)
    if hit.operation is Operation.DIFFERENCE and result.unit in _TEMPERATURES:
        return replace(result, unit=f"{DELTA}{result.unit}")
    if hit.template.kind is not Kind.MONEY:
        return result
    digits = minor_digits(hit.template)
    claimed = problem.claimed
    written = claimed.interval.low
    if (number * 10**digits).denominator == 1 or written is None or claimed.places != digits:
        return result
    if claimed.writing in _WRITTEN_OUT and abs(written - number) * 10**digits <= _HALF:
        return replace(state(hit.template, written), writing=Writing.ROUNDED)
    return result


def _derive_date(
    claimed: Quantity, cues: Cues, operands: Sequence[Operand], now: datetime | None
) -> Derivation | None:
    low, high = claimed.interval.low, claimed.interval.high
    if Operation.DATE_SHIFT not in cues or claimed.fault or claimed.alternatives:
        return None
    wide = low is not None and high is not None and high - low > 1
    if wide and claimed.writing is not Writing.RANGE:
        return None
    for shift in find_date_shifts(cues, operands, now):
        ends = {shift.result.interval.low, shift.result.interval.high}
        at_end = claimed.writing is not Writing.BOUND or bool(ends & ({low, high} - {None}))
        if at_end and relate(claimed, shift.result).agrees:
            return Derivation(
                operation=Operation.DATE_SHIFT,
                operands=shift.used,
                result=shift.result,
                wording=shift.wording,
            )
    return None
