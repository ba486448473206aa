"""Whether a stated value follows from cells of a cited table: a change, a total, a share, an average.

Only on a word that says so, and only from cells whose row the statement names and whose period it tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.absent_values import list_numbers
from verifier.core.cell_comparison import generic_stems, stems_of_words
from verifier.core.cited_cells import is_year
from verifier.core.derivation import Operand, Operation, contradicts, derive, find_cues
from verifier.core.quantities.currencies import currency_family
from verifier.core.spans import Span
from verifier.core.statement_results import CitedClause, contradict, review, support
from verifier.core.values import Interval, Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.cell_comparison import CellQuestion
    from verifier.core.cited_cells import CitedCell
    from verifier.core.derivation import Derivation
    from verifier.core.statement_results import StatementResult

_YEAR: Final = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?![\d,]|\.\d)")
_FROM_TO: Final = re.compile(
    r"\b(?:from|between)\b\D{0,20}(?P<first>(?:19|20)\d\d)\D{1,20}(?P<last>(?:19|20)\d\d)"
)
_PAIRED: Final = frozenset({Operation.DIFFERENCE, Operation.CHANGE_PERCENT})
_ORDERED: Final = frozenset({Operation.CHANGE_PERCENT, Operation.CHANGE_POINTS})
_NAMED: Final = (
    ("changes", _PAIRED | _ORDERED),
    ("averages", frozenset({Operation.AVERAGE})),
    ("sums", frozenset({Operation.SUM})),
    ("shares", frozenset({Operation.RATIO, Operation.SHARE, Operation.AS_PERCENT})),
)
_MOST_OPERANDS: Final = 12
_SHORT_SCALES: Final = {"thousand": "000", "million": "$m", "billion": "bn)", "trillion": "tn)"}
_SCALES: Final = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bound:
    """Cells that a statement names; `whole` says that their heads account for all of its words."""

    cells: tuple[tuple[int, CitedCell], ...]
    whole: bool


def compare_with_derived(
    question: CellQuestion, cells: Sequence[tuple[int, CitedCell]], texts: Sequence[str]
) -> StatementResult | None:
    """Return what calculating with the cells that the statement names comes to; None where nothing does."""
    value = question.value
    before, _, after = question.part.text.partition(value.text)
    text = f"{_YEAR.sub('then', before)}{value.text}{after}"  # a year is no rival of the value
    start = len(text) - len(value.text) - len(after)
    cues = find_cues(text, Span(start, start + len(value.text)))
    if not cues:
        return None
    bound = _bind(question, cells)
    if bound is None:
        return None
    clauses = [
        CitedClause(clause=cell.clause, text_number=number) for number, cell in bound.cells[:5]
    ]
    operands = [_operand(cell, value) for _, cell in bound.cells]
    found = derive(_plain(value), cues, operands)
    if found is not None and _can_have_scale(value, bound, texts):
        return _derived(found, bound, question, clauses)
    other = (
        contradicts(_plain(value), cues, operands) if _is_plain_change(question, bound) else None
    )
    if other is None or other.operation not in _PAIRED or _differs_in_scale(value, other.result):
        return None
    detail = f"the cited table gives {other.wording}"
    return contradict(question.part, detail, clauses, right=other.result.text)


def _is_plain_change(question: CellQuestion, bound: _Bound) -> bool:
    """Return whether the statement can only mean the change between two cells of one row."""
    asked = {one for one in question.periods if is_year(one)}
    first, *others = (cell for _, cell in bound.cells)
    own = [frozenset(one for one in cell.periods if is_year(one)) for _, cell in bound.cells]
    return (
        bound.whole
        and not _goes_back(question.part.text)
        and len(others) == 1
        and first.row == others[0].row
        and not first.aside
        and len(asked) == len(set(own)) == len(own)
        and frozenset().union(*own) == asked
        and all((cell.value.interval.low or 0) > 0 for _, cell in bound.cells)
        and first.value.kind is not Kind.PERCENT
        and not (question.stems - first.row)
        & (stems_of_words("averages") | stems_of_words("sums") | stems_of_words("shares"))
    )


def _derived(
    found: Derivation, bound: _Bound, question: CellQuestion, clauses: Sequence[CitedClause]
) -> StatementResult:
    detail = f"{found.operation}: {found.wording}"
    certain = (
        bound.whole
        and not found.direction_open
        and _unit_is_proven(question.value, bound)
        and _is_named(found, bound, question)
    )
    if not certain:
        return review(f"it follows from the cited table by a calculation ({detail})", clauses)
    return support(f"it follows from the cited table ({detail})", clauses)


def _is_named(found: Derivation, bound: _Bound, question: CellQuestion) -> bool:
    """Return whether the statement names just this calculation, and between just these periods."""
    told = question.stems - frozenset().union(*(cell.row for _, cell in bound.cells))
    named = {name for name, _ in _NAMED if told & stems_of_words(name)}
    if not any(named == {name} and found.operation in operations for name, operations in _NAMED):
        return False
    if _goes_back(question.part.text):
        return False
    asked = {one for one in question.periods if is_year(one)}
    used = [operand.period for operand in found.operands]
    if found.operation in _ORDERED and (None in used or len(set(used)) != len(used)):
        return False
    return not asked or {one for one in used if one} == asked


def _goes_back(text: str) -> bool:
    """Return whether a statement tells the later year first: "from 2024 to 2023"."""
    found = _FROM_TO.search(text)
    return found is not None and found["first"] > found["last"]


def _bind(question: CellQuestion, cells: Sequence[tuple[int, CitedCell]]) -> _Bound | None:
    """Return the cells of the rows that the statement names, in the periods that it tells."""
    generic = generic_stems() | stems_of_words("derived")
    wanted = question.stems - generic
    named = [one for one in cells if one[1].row and one[1].row - generic <= wanted]
    named = [one for one in named if (one[1].row - generic) or not wanted]
    named = [one for one in named if _is_within(question, one[1])]
    rows = {one[1].row for one in named}
    kept = [one for one in named if not any(one[1].row < row for row in rows)] or named
    plain = [one for one in kept if not one[1].aside - wanted] or kept
    columns = [one for one in plain if one[1].column & wanted] or plain
    if not 1 < len(columns) <= _MOST_OPERANDS or len({cell.row_head for _, cell in columns}) > 2:
        return None
    told = frozenset().union(
        *(cell.row | cell.column | cell.aside | cell.around for _, cell in columns)
    )
    return _Bound(cells=tuple(columns), whole=wanted <= told and bool(wanted))


def _is_within(question: CellQuestion, cell: CitedCell) -> bool:
    asked = {one for one in question.periods if is_year(one)}
    own = {one for one in cell.periods if is_year(one)}
    parts = {one for one in question.periods if not is_year(one)}
    return (not asked or (bool(own) and own <= asked)) and (
        not parts or parts <= cell.periods | cell.outer_periods
    )


def _operand(cell: CitedCell, claimed: Quantity) -> Operand:
    value = _plain(cell.value)
    power = _scale_of(claimed)
    if power and not _has_scale(cell):
        factor = Fraction(10) ** power
        low = value.interval.low
        value = replace(value, interval=Interval.point((low or Fraction(0)) * factor))
    years = sorted(one for one in cell.periods if is_year(one))
    return Operand(value=value, group=cell.row_head, period=years[0] if len(years) == 1 else None)


def _plain(value: Quantity) -> Quantity:
    """Return an amount of money as its number: the columns of a table show the mark only once."""
    if value.kind is not Kind.MONEY:
        return value
    return replace(value, kind=Kind.NUMBER, currency=None, unit=None, alternatives=())


def _scale_of(value: Quantity) -> int:
    text = value.text.casefold()
    return next((power for word, power in _SCALES.items() if word in text), 0)


def _has_scale(cell: CitedCell) -> bool:
    low = cell.value.interval.low
    return low is not None and all(abs(low) != Fraction(one) for one in list_numbers(cell.written))


def _scale_is_open(value: Quantity, bound: _Bound) -> bool:
    if value.kind is Kind.PERCENT:
        return False
    return any(
        bool(_scale_of(value)) is not _has_scale(cell) or not cell.scale_is_sure
        for _, cell in bound.cells
    )


def _can_have_scale(value: Quantity, bound: _Bound, texts: Sequence[str]) -> bool:
    """Return whether the texts tell the statement's scale at all: "121.5 million" follows from no 121.5."""
    told = next((word for word in _SCALES if word in value.text.casefold()), None)
    if told is None or all(_has_scale(cell) for _, cell in bound.cells):
        return True
    short = _SHORT_SCALES[told]
    return any(told in text.casefold() or short in text for text in texts)


def _differs_in_scale(value: Quantity, result: Quantity) -> bool:
    """Return whether two numbers have the same digits: the one may be in thousands, the other not."""
    low, other = value.interval.low, result.interval.low
    if not low or not other:
        return True
    ratio = abs(low / other)
    return any(ratio == Fraction(10) ** power for power in range(-12, 13))


def _unit_is_proven(value: Quantity, bound: _Bound) -> bool:
    """Return whether scale and currency of the statement are those of the table."""
    if _scale_is_open(value, bound):
        return False
    if value.kind is not Kind.MONEY:
        return True
    return all(
        cell.value.kind is Kind.MONEY
        and (
            (cell.value.currency, cell.value.unit) == (value.currency, value.unit)
            or (value.currency is None and cell.value.currency in currency_family(value.unit or ""))
        )
        for _, cell in bound.cells
    )
