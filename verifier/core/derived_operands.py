"""Cells of a cited table as operands, and whether their scale and currency are those of a statement."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.absent_values import list_numbers
from verifier.core.cited_cells import is_year
from verifier.core.derivation import Operand
from verifier.core.quantities.currencies import currency_family
from verifier.core.values import Interval, Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from verifier.core.cited_cells import CitedCell

_MEASURED: Final = frozenset({Kind.QUANTITY, Kind.DURATION})
_SHORT_SCALES: Final = {"thousand": "000", "million": "$m", "billion": "bn)", "trillion": "tn)"}
_SCALES: Final = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}


def make_operand(cell: CitedCell, claimed: Quantity) -> Operand:
    """Return the cell's number, in the claimed scale where the table tells none; its row is its group.

    A number without a unit is of the unit that the row's head tells.
    """
    value = plain_number(cell.value)
    if claimed.kind is Kind.NUMBER and value.kind in _MEASURED:
        value = replace(value, kind=Kind.NUMBER, unit=None)
    power = _scale_of(claimed)
    if power and not has_scale(cell):
        value = scaled(value, Fraction(10) ** power)
    years = sorted(one for one in cell.periods if is_year(one))
    return Operand(value=value, group=cell.row_head, period=years[0] if len(years) == 1 else None)


def plain_number(value: Quantity) -> Quantity:
    """Return an amount of money as its number: the columns of a table show the mark only once."""
    if value.kind is not Kind.MONEY:
        return value
    return replace(value, kind=Kind.NUMBER, currency=None, unit=None, alternatives=())


def scaled(value: Quantity, factor: Fraction) -> Quantity:
    """Return a number times a factor, as an exact value."""
    low = value.interval.low
    return replace(value, interval=Interval.point((low or Fraction(0)) * factor))


def results_of(told: Collection[str], operands: Sequence[Operand]) -> tuple[Fraction, ...]:
    """Return what a change or an average can come to: of a change also what it is in percent."""
    ordered = sorted(operands, key=lambda one: one.period or "")
    numbers = [one.value.interval.low or Fraction(0) for one in ordered]
    if "averages" in told:
        return (sum(numbers, Fraction(0)) / len(numbers),)
    if "changes" not in told or not numbers[0]:
        return ()
    gap = numbers[-1] - numbers[0]
    return (gap, gap / numbers[0] * 100)


def is_near(value: Quantity, number: Fraction) -> bool:
    """Return whether a value may be the number, its sign and its scale aside, at the places written."""
    low = value.interval.low
    if low is None or value.places is None:
        return True
    gap = abs(abs(low) - abs(number))
    return gap <= Fraction(10) ** -max(-12, min(value.places, 12)) or (
        bool(low) and bool(number) and differs_by_scale(low, number)
    )


def differs_by_scale(low: Fraction, other: Fraction) -> bool:
    """Return whether two numbers have the same digits: the one may be in thousands, the other not."""
    ratio = abs(low / other)
    return any(ratio == Fraction(10) ** power for power in range(-12, 13))


def has_scale(cell: CitedCell) -> bool:
    """Return whether heads or caption tell a scale: the value is another than the number written."""
    low = cell.value.interval.low
    return low is not None and all(abs(low) != Fraction(one) for one in list_numbers(cell.written))


def can_have_scale(value: Quantity, cells: Sequence[CitedCell], texts: Sequence[str]) -> bool:
    """Return whether the texts tell the statement's scale at all: "121.5 million" follows from no 121.5."""
    told = next((word for word in _SCALES if word in value.text.casefold()), None)
    if told is None or all(has_scale(cell) for cell in cells):
        return True
    short = _SHORT_SCALES[told]
    return any(told in text.casefold() or short in text for text in texts)


def differs_in_scale(value: Quantity, result: Quantity) -> bool:
    """Return whether a value has no other digits than a result."""
    low, other = value.interval.low, result.interval.low
    return not low or not other or differs_by_scale(low, other)


def is_unit_proven(value: Quantity, cells: Sequence[CitedCell]) -> bool:
    """Return whether scale and currency of the statement are those of the table."""
    if _is_scale_open(value, cells):
        return False
    if value.kind is not Kind.MONEY:
        return True
    return all(
        cell.value.kind is Kind.MONEY
        and (
            (cell.value.currency, cell.value.unit) == (value.currency, value.unit)
            or (value.currency is None and cell.value.currency in currency_family(value.unit or ""))
        )
        for cell in cells
    )


def _is_scale_open(value: Quantity, cells: Sequence[CitedCell]) -> bool:
    if value.kind is Kind.PERCENT:
        return False
    told = bool(_scale_of(value))
    return any(told is not has_scale(cell) or not cell.scale_is_sure for cell in cells)


def _scale_of(value: Quantity) -> int:
    text = value.text.casefold()
    return next((power for word, power in _SCALES.items() if word in text), 0)
