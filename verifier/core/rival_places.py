"""Whether a number that the bound cell lacks stands elsewhere in the text, of what may be the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.absent_values import list_numbers
from verifier.core.cited_cells import is_year

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.cell_comparison import CellQuestion
    from verifier.core.cited_cells import CitedCell
    from verifier.core.statement_results import CitedClause


def is_told_elsewhere(
    question: CellQuestion,
    bound: Sequence[CitedCell],
    cells: Sequence[tuple[int, CitedCell]],
    clauses: Sequence[CitedClause],
) -> bool:
    """Return whether the claimed number stands where the statement's words are spoken of as well.

    A cell is ruled out by the row of the bound cell with another period or column, and by a row of which
    the statement has no word; a sentence by having none of the statement's words.
    """
    written = list_numbers(question.value.text)
    rows = {cell.row_head for cell in bound}
    for _, cell in cells:
        if cell in bound or not written & list_numbers(cell.written):
            continue
        if cell.row_head in rows and (cell.periods or cell.column):
            continue
        if cell.row & question.stems and not _is_of_another_period(question, cell):
            return True
    return any(
        "|" not in one.clause.text
        and one.clause.stems & question.stems
        and any(written & list_numbers(other.value.text) for other in one.clause.values)
        for one in clauses
    )


def _is_of_another_period(question: CellQuestion, cell: CitedCell) -> bool:
    asked = {one for one in question.periods if is_year(one)}
    own = {one for one in cell.periods if is_year(one)}
    return bool(asked and own) and not asked & own
