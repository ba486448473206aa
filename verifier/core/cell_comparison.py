"""Whether a cell of a cited table says what a statement says.

A cell is bound where its heads, section and caption account for every content word of the statement, and
for its period. Where several cells are bound alike, they have to agree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final

from verifier.core.absent_values import list_numbers
from verifier.core.cited_cells import find_periods, is_year
from verifier.core.comparison import Outcome, relate
from verifier.core.lexicons import load_word_lists
from verifier.core.quantities.currencies import currency_family
from verifier.core.rival_places import is_told_elsewhere
from verifier.core.speech import holds, read_words
from verifier.core.statement_results import CitedClause, contradict, review, support
from verifier.core.statements import list_stems
from verifier.core.values import Interval, Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.cited_cells import CitedCell
    from verifier.core.statement_results import StatementResult
    from verifier.core.statements import Clause

_PROVIDED: Final = re.compile(  # cash provided by operating activities, which is no condition
    r"\bprovided\s(?:by|from|in|to|for)\b", re.IGNORECASE
)
_STRETCH: Final = re.compile(r"\b(?:\d{1,2}|two|three|four|five)[\s-]years?\b", re.IGNORECASE)
_PROSPECTIVE: Final = frozenset({"will", "would", "shall", "may", "might"})
_AMOUNTS: Final = frozenset({Kind.NUMBER, Kind.MONEY, Kind.PERCENT, Kind.QUANTITY, Kind.DURATION})
_NUMBERS: Final = frozenset({Kind.NUMBER, Kind.MONEY})
_SCALED: Final = ("thousand", "million", "billion", "trillion", "lakh", "crore")


@dataclass(frozen=True, slots=True, kw_only=True)
class CellQuestion:
    """A statement that gives one amount: its words without periods, and its periods."""

    part: Clause
    value: Quantity
    stems: frozenset[str]
    periods: frozenset[str]


def ask_cells(part: Clause) -> CellQuestion | None:
    """Return what a statement asks of a table; None where it does not give just one amount.

    "Over the 3 years from 2017 to 2019" gives none by its 3 years.
    """
    amounts = [
        one.value
        for one in part.values
        if isinstance(one.value, Quantity)
        and one.value.kind in _AMOUNTS
        and not find_periods(one.value.text)
    ]
    if len(amounts) > 1 and len(find_periods(part.text)) > 1:
        amounts = [one for one in amounts if _STRETCH.search(one.text) is None]
    if (
        len(amounts) != 1
        or not list_numbers(amounts[0].text)
        or part.denied
        or holds(read_words(_PROVIDED.sub(" ", part.text)), "conditions")
    ):
        return None
    return CellQuestion(
        part=part,
        value=amounts[0],
        stems=part.stems - _period_stems(),
        periods=find_periods(part.text.replace(amounts[0].text, " ")),
    )


def find_cells(
    question: CellQuestion, cells: Sequence[tuple[int, CitedCell]]
) -> list[tuple[int, CitedCell]]:
    """Return the cells that account for the statement, of those the ones whose heads say least beyond it."""
    fitting = [
        (number, cell)
        for number, cell in cells
        if _accounts(question, cell) and _is_of_period(question, cell)
    ]
    extras = [_distance(question, cell) for _, cell in fitting]
    least = min(extras, default=(0, 0, 0))
    return [one for one, extra in zip(fitting, extras, strict=True) if extra == least]


def compare_with_cells(
    question: CellQuestion,
    cells: Sequence[tuple[int, CitedCell]],
    prose: Sequence[CitedClause] = (),
) -> StatementResult | None:
    """Return what the bound cells say of the statement; None where no cell is bound to it."""
    found = find_cells(question, cells)
    if not found or _required(question, found[0][1]) - question.stems - _generic():
        return None
    clauses = [CitedClause(clause=cell.clause, text_number=number) for number, cell in found[:5]]
    outcomes = {_relate_cell(question, cell) for _, cell in found}
    if outcomes == {Outcome.AGREE} and not _says_less(question, found[0][1]):
        return support("the cited table has this value in the cell of these heads", clauses)
    bound = [cell for _, cell in found]
    if outcomes == {Outcome.DISAGREE} and not is_told_elsewhere(question, bound, cells, prose):
        right = found[0][1].written if len(found) == 1 else None
        return contradict(
            question.part, "the cited table has another value there", clauses, right=right
        )
    return review(
        "the cited table leaves open which of its cells is meant, or in what unit", clauses
    )


def _says_less(question: CellQuestion, cell: CitedCell) -> bool:
    """Return whether a statement bounds what the cell has exactly, or tells what will or would be."""
    bounded = question.value.writing is Writing.BOUND and cell.value.writing is Writing.EXACT
    return bounded or not _PROSPECTIVE.isdisjoint(read_words(question.part.text))


def generic_stems() -> frozenset[str]:
    """Return the stems of words that a statement about a table may have beyond the table's own."""
    return _generic() | _period_stems()


def _accounts(question: CellQuestion, cell: CitedCell) -> bool:
    heads = cell.row | cell.aside | cell.column
    if not question.stems & (heads | cell.around) or not (cell.row or cell.aside):
        return False
    if cell.value.kind is Kind.PERCENT and question.value.kind is not Kind.PERCENT:
        return False
    if not question.stems & heads and not cell.periods:
        return False
    if (question.stems & stems_of_words("derived")) - heads:
        return False  # a change or a total is not what it is a change or a total of
    return question.stems <= heads | cell.around | _generic()


def _is_of_period(question: CellQuestion, cell: CitedCell) -> bool:
    if not question.periods <= cell.periods | cell.outer_periods:
        return False
    years = {one for one in cell.periods if is_year(one)}
    asked = {one for one in question.periods if is_year(one)}
    return not asked or not years or years == asked


def _distance(question: CellQuestion, cell: CitedCell) -> tuple[int, int, int]:
    """Return how much of the statement the heads leave to the caption, and how much they say beyond it."""
    heads = cell.row | cell.aside | cell.column
    return (
        len(question.stems - heads - _generic()),
        len(_required(question, cell) - question.stems),
        len((cell.column | cell.aside) - question.stems - generic_stems()),
    )


def _required(question: CellQuestion, cell: CitedCell) -> frozenset[str]:
    """Return the words of the row that the statement must have: of "income (loss)" one of the two."""
    lists = load_word_lists("table_words")
    if question.part.words & lists["losses"] and cell.aside & stems_of_words("losses"):
        return cell.row - stems_of_words("gains")
    return cell.row


def _relate_cell(question: CellQuestion, cell: CitedCell) -> Outcome:
    held = _signed(question, cell)
    if held is None:
        return Outcome.COULD_BE
    claimed = _in_currency_of(held, question.value)
    if claimed.kind not in _NUMBERS or held.kind not in _NUMBERS:
        outcome = relate(claimed, held).outcome
        return outcome if outcome is not Outcome.INCOMPARABLE else Outcome.COULD_BE
    if claimed.kind is held.kind:
        outcome = relate(claimed, held).outcome
    else:
        outcome = relate(_bare(claimed), _bare(held)).outcome
    if outcome is Outcome.AGREE and held.kind is Kind.NUMBER and claimed.kind is Kind.MONEY:
        return Outcome.COULD_BE
    if outcome is Outcome.DISAGREE and not _differs_surely(question, cell, claimed, held):
        return Outcome.COULD_BE
    return outcome


def _differs_surely(
    question: CellQuestion, cell: CitedCell, claimed: Quantity, held: Quantity
) -> bool:
    """Return whether the same digits are another number all the same: by a told scale, or by the sign."""
    if not list_numbers(claimed.text) & list_numbers(cell.written):
        return True
    if _negated(_bare(held)).interval == _bare(claimed).interval:
        return _tells_sign(question, cell)
    return _tells_scale(claimed) and _is_scaled(cell) and cell.scale_is_sure


def _signed(question: CellQuestion, cell: CitedCell) -> Quantity | None:
    """Return the cell's value as the statement's word for it counts: a loss of 5 is an income of -5."""
    lists = load_word_lists("table_words")
    losses, gains = lists["losses"], lists["gains"]
    heads = set(cell.row_head.replace("(", " ").replace(")", " ").replace("/", " ").split())
    told = question.part.words
    claimed = question.value.interval.low
    if claimed is not None and claimed < 0 and told & losses:
        return None  # "a loss of -5": either sign may be meant
    if not heads & losses or told & losses == told & gains == frozenset():
        return cell.value
    if told & losses and told & gains:
        return cell.value
    if heads & gains and told & losses:
        return _negated(cell.value)
    low = cell.value.interval.low
    if not heads & gains:
        return cell.value if told & losses and (low is None or low >= 0) else None
    return cell.value


def _tells_sign(question: CellQuestion, cell: CitedCell) -> bool:
    """Return whether the row is of two words that are each other's reverse, and the statement says one."""
    both = (
        stems_of_words("losses") & (cell.row | cell.aside),
        stems_of_words("gains") & (cell.row | cell.aside),
    )
    lists = load_word_lists("table_words")
    told = question.part.words & (lists["losses"] | lists["gains"])
    return all(both) and len(told) == 1


def _in_currency_of(held: Quantity, claimed: Quantity) -> Quantity:
    """Return the claimed amount in the table's currency, where its mark ("$") leaves the currency open."""
    mark = claimed.unit if claimed.kind is Kind.MONEY and claimed.currency is None else None
    if mark is None or held.currency is None or held.currency not in currency_family(mark):
        return claimed
    return replace(claimed, currency=held.currency, unit=None, alternatives=())


def _negated(value: Quantity) -> Quantity:
    low, high = value.interval.low, value.interval.high
    turned = Interval(
        low=None if high is None else -high,
        high=None if low is None else -low,
        low_open=value.interval.high_open,
        high_open=value.interval.low_open,
    )
    return replace(value, interval=turned, nominal=None, alternatives=())


def _bare(value: Quantity) -> Quantity:
    return replace(value, kind=Kind.NUMBER, currency=None, unit=None, alternatives=())


def _tells_scale(value: Quantity) -> bool:
    return any(word in value.text.casefold() for word in _SCALED)


def _is_scaled(cell: CitedCell) -> bool:
    """Return whether heads or caption tell a scale: the value is another than the number written."""
    low = cell.value.interval.low
    return low is not None and all(abs(low) != Fraction(one) for one in list_numbers(cell.written))


def _period_stems() -> frozenset[str]:
    return stems_of_words("periods")


def _generic() -> frozenset[str]:
    return stems_of_words("generic")


@cache
def stems_of_words(name: str) -> frozenset[str]:
    """Return the stems of the list `name` of words about tables."""
    return frozenset(list_stems(" ".join(load_word_lists("table_words")[name])))
