"""Whether a stated value follows from cells of a cited table: a change, a total, a share, an average.

Only on a word that says so, and only from cells whose row the statement names and whose period it tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.cell_comparison import stems_of_words
from verifier.core.cited_cells import is_year
from verifier.core.derivation import Cues, Operation, contradicts, derive, find_cues
from verifier.core.derivation.amounts import spell
from verifier.core.derived_operands import (
    can_have_scale,
    differs_in_scale,
    is_near,
    is_unit_proven,
    make_operand,
    plain_number,
    results_of,
    scaled,
)
from verifier.core.named_cells import NamedCells, find_named
from verifier.core.spans import Span
from verifier.core.statement_results import CitedClause, contradict, review, support
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.core.cell_comparison import CellQuestion
    from verifier.core.cited_cells import CitedCell
    from verifier.core.derivation import Derivation, Operand
    from verifier.core.statement_results import StatementResult

_PERIOD_NUMBER: Final = re.compile(  # a number of a period is no rival: 2019, June 30, 3 years
    r"(?<![\d.,])(?:19|20)\d\d(?![\d,]|\.\d)"
    r"|(?<=[a-z]{3}\s)\d{1,2}(?=,|\sand\b|\sto\b|\sthen\b)|\b\d{1,2}(?=[\s-]years?\b)",
    re.IGNORECASE,
)
_EITHER_WAY: Final = re.compile(  # "increase / (decrease)" tells no direction
    r"\b(?:increase|decrease|gain|loss)\s?/\s?\(?(?:increase|decrease|gain|loss)\)?", re.IGNORECASE
)
_STRETCH: Final = re.compile(  # 2017-2019, 2017 to 2019, between 2017 and 2019
    r"(?<![\d.,])(?P<first>(?:19|20)\d\d)(?:\D{0,20}\bto\b\D{0,20}|\s?[-–—]\s?)(?P<last>(?:19|20)\d\d)(?![\d,])"
    r"|\bbetween\b\D{0,20}(?P<start>(?:19|20)\d\d)\D{0,20}\band\b\D{0,20}(?P<end>(?:19|20)\d\d)(?![\d,])",
    re.IGNORECASE,
)
_FROM_TO: Final = re.compile(
    r"\b(?:from|between)\b\D{0,20}(?P<first>(?:19|20)\d\d)\D{1,20}(?P<last>(?:19|20)\d\d)"
)
_LONGEST_STRETCH: Final = 10
_PAIRED: Final = frozenset({Operation.DIFFERENCE, Operation.CHANGE_PERCENT})
_ORDERED: Final = frozenset({Operation.CHANGE_PERCENT, Operation.CHANGE_POINTS})
_NAMED: Final = (
    ("changes", _PAIRED | _ORDERED),
    ("averages", frozenset({Operation.AVERAGE})),
    ("sums", frozenset({Operation.SUM})),
    ("shares", frozenset({Operation.RATIO, Operation.SHARE, Operation.AS_PERCENT})),
)
_OF_READING: Final[Mapping[Kind, frozenset[Operation]]] = MappingProxyType(
    {
        Kind.PERCENTAGE_POINT: frozenset({Operation.CHANGE_POINTS}),
        Kind.NUMBER: frozenset({Operation.DIFFERENCE}),
    }
)
_OF_ONE_ROW: Final = frozenset({"changes", "averages"})
_SUM_OF: Final = re.compile(r"\bsum of\b|\bcombined\b|\btogether\b", re.IGNORECASE)
_TWO: Final = 2
_MINUS: Final = Fraction(-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Calculation:
    """A value to be calculated from named cells. `open` says why a result is for a person to judge."""

    value: Quantity
    named: NamedCells
    operands: tuple[Operand, ...]
    years: frozenset[str]
    open: str = ""


def compare_with_derived(
    question: CellQuestion, cells: Sequence[tuple[int, CitedCell]], texts: Sequence[str]
) -> StatementResult | None:
    """Return what calculating with the cells that the statement names comes to; None where nothing does."""
    cues = _find_cues(question)
    if not cues:
        return None
    tried = list(_list_calculations(question, cells))
    for one in tried:
        found = derive(one.value, _cues_of(one, _directed(question, one.named, cues)), one.operands)
        own = [cell for _, cell in one.named.cells]
        if found is not None and can_have_scale(question.value, own, texts):
            return _derived(found, one, question)
    return _contradicted(question, cues, tried) if tried else None


def _cues_of(one: _Calculation, cues: Cues) -> Cues:
    """Return the cues of a reading: a change in percent may be one in points, or of bare numbers."""
    told = _OF_READING.get(one.value.kind, frozenset())
    if Operation.CHANGE_PERCENT not in cues or not one.open:
        return cues
    return replace(cues, operations=cues.operations | told)


def _directed(question: CellQuestion, named: NamedCells, cues: Cues) -> Cues:
    """Return the cues without a direction that only the rows' own words tell: "operating loss"."""
    told = _directing() & question.stems
    rows = frozenset().union(*(cell.row | cell.aside for _, cell in named.cells))
    return replace(cues, direction=None) if told and told <= rows else cues


@cache
def _directing() -> frozenset[str]:
    neutral = stems_of_words("neutral_changes")
    return (
        stems_of_words("changes") | stems_of_words("losses") | stems_of_words("gains")
    ) - neutral


def _find_cues(question: CellQuestion) -> Cues:
    before, _, after = question.part.text.rpartition(question.value.text)
    before = _EITHER_WAY.sub("change", _PERIOD_NUMBER.sub("then", before))
    start = len(before)
    text = f"{before}{question.value.text}{after}"
    return find_cues(text, Span(start, start + len(question.value.text)))


def _list_calculations(
    question: CellQuestion, cells: Sequence[tuple[int, CitedCell]]
) -> Iterator[_Calculation]:
    asked = _asked(question)
    stretch = _years_between(question) if _named_operations(question) != {"changes"} else asked
    for years in dict.fromkeys((stretch, asked)):
        for named in find_named(question, cells, years):
            for own in _of_one_kind(question, named):
                for one in _readings(question, own, years):
                    yield one if years == stretch else replace(one, open="of the ends alone")


def _years_between(question: CellQuestion) -> frozenset[str]:
    """Return the years asked, with those between the ends of a stretch: an average "from 2017 to 2019"."""
    asked = _asked(question)
    found = _STRETCH.search(question.part.text)
    if found is None:
        return asked
    first, last = sorted(int(one) for one in found.groups() if one)
    if last - first > _LONGEST_STRETCH:
        return asked
    return asked | {str(year) for year in range(first, last + 1)}


def _asked(question: CellQuestion) -> frozenset[str]:
    return frozenset(one for one in question.periods if is_year(one))


def _of_one_kind(question: CellQuestion, named: NamedCells) -> Iterator[NamedCells]:
    """Yield the amounts among the cells and the percentages among them, each apart."""
    percents = [one for one in named.cells if one[1].value.kind is Kind.PERCENT]
    amounts = [one for one in named.cells if one[1].value.kind is not Kind.PERCENT]
    of_percents = question.value.kind is Kind.PERCENT or not amounts
    for own in (amounts, percents) if of_percents else (amounts,):
        if len(own) > 1:
            yield NamedCells(cells=tuple(own), whole=named.whole)


def _readings(
    question: CellQuestion, named: NamedCells, years: frozenset[str]
) -> Iterator[_Calculation]:
    value = plain_number(question.value)
    operands = tuple(make_operand(cell, value) for _, cell in named.cells)
    plain = _Calculation(value=value, named=named, operands=operands, years=years)
    yield plain
    percents = all(cell.value.kind is Kind.PERCENT for _, cell in named.cells)
    if percents and value.kind is Kind.PERCENT:
        points = replace(value, kind=Kind.PERCENTAGE_POINT)
        yield replace(plain, value=points, open="in percentage points")
    if not percents and value.kind is Kind.PERCENT and "changes" in _named_operations(question):
        number = replace(value, kind=Kind.NUMBER, unit=None)
        yield replace(plain, value=number, open="as a difference of the numbers")
    if all((cell.value.interval.low or 0) < 0 for _, cell in named.cells):
        turned = tuple(replace(one, value=scaled(one.value, _MINUS)) for one in operands)
        yield replace(plain, operands=turned, open="without their signs")


def _contradicted(
    question: CellQuestion, cues: Cues, tried: Sequence[_Calculation]
) -> StatementResult | None:
    """Return that the statement has another value than the only calculation that it can mean."""
    first = tried[0]
    told = _named_operations(question, first.named)
    if not _is_plain(question, first.named, told):
        return None
    named = frozenset().union(*(operations for name, operations in _NAMED if name in told))
    own = replace(_directed(question, first.named, cues), operations=cues.operations & named)
    other = contradicts(first.value, own, first.operands)
    if other is not None and not _has_shares(first.named):
        if differs_in_scale(question.value, other.result):
            return None
        detail = f"the cited table gives {other.wording}"
        return contradict(question.part, detail, _clauses(first.named), right=other.result.text)
    results = results_of(told, first.operands)
    if not results or any(is_near(question.value, one) for one in results):
        return None
    shown = " or ".join(spell(one) for one in dict.fromkeys(results))
    return contradict(question.part, f"the cited table gives {shown}", _clauses(first.named))


def _has_shares(named: NamedCells) -> bool:
    return any(cell.value.kind is Kind.PERCENT for _, cell in named.cells)


def _is_plain(question: CellQuestion, named: NamedCells, told: set[str]) -> bool:
    """Return whether the statement can only mean a change or an average of one row, or a sum of two."""
    first = named.cells[0][1]
    if not named.whole or _goes_back(question.part.text) or len(told) != 1:
        return False
    if first.aside - question.stems:
        return False
    if told == {"sums"}:
        rows = len(named.row_heads) == len(named.cells) == _TWO
        return rows and _SUM_OF.search(question.part.text) is not None
    asked = _years_between(question) if told == {"averages"} else _asked(question)
    own = [frozenset(one for one in cell.periods if is_year(one)) for _, cell in named.cells]
    years = frozenset().union(*own)
    return (
        len(named.row_heads) == 1
        and told <= _OF_ONE_ROW
        and len(set(own)) == len(own) == len(years)
        and (years == asked or (told == {"averages"} and not asked))
        and (told == {"averages"} or len(own) == _TWO)
        and all((cell.value.interval.low or 0) > 0 for _, cell in named.cells)
    )


def _derived(found: Derivation, one: _Calculation, question: CellQuestion) -> StatementResult:
    detail = f"{found.operation}: {found.wording}"
    cells = [cell for _, cell in one.named.cells]
    certain = (
        one.named.whole
        and not one.open
        and not found.direction_open
        and (found.operation is Operation.RATIO or is_unit_proven(question.value, cells))
        and _is_named(found, one, question)
    )
    if certain:
        return support(f"it follows from the cited table ({detail})", _clauses(one.named))
    told = f"{detail}, {one.open}" if one.open else detail
    return review(f"it follows from the cited table by a calculation ({told})", _clauses(one.named))


def _clauses(named: NamedCells) -> list[CitedClause]:
    return [CitedClause(clause=cell.clause, text_number=number) for number, cell in named.cells[:5]]


def _named_operations(question: CellQuestion, named: NamedCells | None = None) -> set[str]:
    """Return the calculations that the statement's words name beyond those of the rows."""
    cells = named.cells if named else ()
    told = question.stems - frozenset().union(*(cell.row for _, cell in cells))
    return {name for name, _ in _NAMED if told & stems_of_words(name)}


def _is_named(found: Derivation, one: _Calculation, question: CellQuestion) -> bool:
    """Return whether the statement names just this calculation, and between just these periods."""
    named = _named_operations(question, one.named)
    if not any(named == {name} and found.operation in operations for name, operations in _NAMED):
        return False
    if _goes_back(question.part.text) or not _uses_all(found, one, question):
        return False
    used = [operand.period for operand in found.operands]
    if found.operation in _ORDERED and (None in used or len(set(used)) != len(used)):
        return False
    return not one.years or {period for period in used if period} == one.years


def _uses_all(found: Derivation, one: _Calculation, question: CellQuestion) -> bool:
    """Return whether every row that the statement names is in the calculation: both of two."""
    groups = {operand.group for operand in found.operands}
    rows = [(cell.row_head in groups, cell.row & question.stems) for _, cell in one.named.cells]
    used = frozenset().union(*(stems for is_used, stems in rows if is_used))
    return all(stems <= used for _, stems in rows)


def _goes_back(text: str) -> bool:
    """Return whether a statement tells the later year first: "from 2024 to 2023"."""
    found = _FROM_TO.search(text)
    return found is not None and found["first"] > found["last"]
