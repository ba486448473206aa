"""Products, prices per unit, and percentages of an amount."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.derivation.amounts import NUMBER, PERCENT, family_of, is_like, shown
from verifier.core.derivation.operations import Operation
from verifier.core.derivation.problem import Candidate
from verifier.core.units import unit_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.derivation.amounts import Amount
    from verifier.core.derivation.problem import Problem
    from verifier.core.values import Quantity

_HUNDRED: Final = Fraction(100)


def find_products(problem: Problem) -> Iterator[Candidate]:
    """Yield an amount times a count, or a rate times what it is per ($12.50 per month × 6 months)."""
    for one, other in _list_pairs(problem):
        factor = _times(one, other)
        if factor is None or factor in {0, 1}:
            continue
        template = replace(one.value, per=_product_per(one, other))
        if not _is_of_claim(problem, template):
            continue
        number = one.number * factor
        if problem.target.holds(number):
            wording = f"{shown(one.value)} × {shown(other.value)}"
            yield _result(Operation.PRODUCT, (one, other), number, template, wording)


def _list_pairs(problem: Problem) -> Iterator[tuple[Amount, Amount]]:
    """Yield pairs of different operands in both orders, the nearest first."""
    left = problem.tried * 2
    for index, other in enumerate(problem.near):
        for one in problem.near[:index]:
            if one.operand is other.operand:
                continue
            for pair in ((one, other), (other, one)):
                if not left:
                    return
                left -= 1
                yield pair


def _times(amount: Amount, factor: Amount) -> Fraction | None:
    """Return what an amount is multiplied by, None where the two make no product."""
    if amount.family == PERCENT or factor.family == PERCENT:
        return None
    if amount.value.per is None:
        return factor.number if factor.is_count else None
    return _measure_in(factor, amount.value.per)


def _product_per(amount: Amount, factor: Amount) -> str | None:
    return None if amount.value.per is not None else factor.value.per


def _measure_in(measure: Amount, per: str) -> Fraction | None:
    """Return the measure in the unit that a rate is per; a bare number counts such units."""
    if measure.family == NUMBER or measure.value.unit == per:
        return measure.number / measure.factor
    unit = unit_of(per)
    if unit is None or measure.family[0] != "unit" or measure.family[1] != unit.dimension:
        return None
    return measure.number / unit.factor


def find_unit_prices(problem: Problem) -> Iterator[Candidate]:
    """Yield an amount divided by a count or a measure: $37.50 for 3 is $12.50 each."""
    per = problem.claimed.per
    for one, other in _list_pairs(problem):
        if one.value.per is not None or one.family == PERCENT or other.number <= 0:
            continue
        divisor = _divisor(other, per)
        if divisor is None or divisor == 1 or one.is_count:
            continue
        template = replace(one.value, per=per)
        number = one.number / divisor
        if _is_of_claim(problem, template) and problem.target.holds(number):
            wording = f"{shown(one.value)} / {shown(other.value)}"
            yield _result(Operation.UNIT_PRICE, (one, other), number, template, wording)


def _divisor(measure: Amount, per: str | None) -> Fraction | None:
    if per is None:
        return measure.number if measure.is_count else None
    return _measure_in(measure, per)


def find_percents_of(problem: Problem) -> Iterator[Candidate]:
    """Yield a percentage of an amount."""
    yield from _with_percent(problem, Operation.PERCENT_OF, Fraction(0), 1)


def find_discounts(problem: Problem) -> Iterator[Candidate]:
    """Yield an amount less a percentage of it."""
    yield from _with_percent(problem, Operation.DISCOUNT, Fraction(1), -1)


def find_markups(problem: Problem) -> Iterator[Candidate]:
    """Yield an amount plus a percentage of it."""
    yield from _with_percent(problem, Operation.MARKUP, Fraction(1), 1)


def _with_percent(
    problem: Problem, operation: Operation, whole: Fraction, sign: int
) -> Iterator[Candidate]:
    percents = [amount for amount in problem.near if amount.family == PERCENT]
    bases = [amount for amount in problem.near if is_like(amount.family, problem.target.family)]
    if problem.target.family == PERCENT:
        return
    left = problem.tried
    for percent in percents:
        share = percent.number / _HUNDRED
        if not 0 < share < 1:
            continue
        for amount in bases[:left]:
            number = amount.number * (whole + sign * share)
            if problem.target.holds(number):
                wording = _word(operation, amount, percent)
                yield _result(operation, (amount, percent), number, amount.value, wording)
        left -= min(left, len(bases))


def _word(operation: Operation, amount: Amount, percent: Amount) -> str:
    if operation is Operation.PERCENT_OF:
        return f"{shown(percent.value)} × {shown(amount.value)}"
    sign = "-" if operation is Operation.DISCOUNT else "+"
    return f"{shown(amount.value)} {sign} {shown(percent.value)}"


def _is_of_claim(problem: Problem, template: Quantity) -> bool:
    known = family_of(template)
    if known is None:
        return False
    return is_like(known[0], problem.target.family)


def _result(
    operation: Operation,
    used: tuple[Amount, Amount],
    number: Fraction,
    template: Quantity,
    wording: str,
) -> Candidate:
    return Candidate(
        operation=operation,
        used=tuple(amount.operand for amount in used),
        number=number,
        template=template,
        wording=wording,
    )
