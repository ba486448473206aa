"""Whether cited text bears out a cited statement, clause by clause.

A value counts only where the clause that speaks of the same thing holds it. Equality alone never accepts:
the clause must account for every content word of the statement, with the same polarity, and no condition
of it may be cut off. What passes less than that is left for review.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.core.absent_values import find_presence
from verifier.core.bare_labels import compare_with_bare
from verifier.core.bound_values import compare_bound
from verifier.core.cell_comparison import ask_cells, compare_with_cells
from verifier.core.clause_accounts import accounts_for, find_best, holds_all
from verifier.core.comparison import Outcome, relate
from verifier.core.derived_cells import compare_with_derived
from verifier.core.lead_ins import is_struck
from verifier.core.left_out import says_no_more
from verifier.core.opposites import find_reverse
from verifier.core.quotations import makes_other_unit
from verifier.core.statement_results import (
    CitedClause,
    StatementResult,
    contradict,
    join_results,
    review,
    support,
)
from verifier.core.statements import plain_form
from verifier.core.value_presence import differ, stands_in
from verifier.core.verdicts import VerdictCode
from verifier.core.windows import compare_with_window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.cited_cells import CitedCell
    from verifier.core.quantities import ValueMention
    from verifier.core.statements import Clause
    from verifier.core.values import Value

__all__ = ["CitedClause", "CitedText", "StatementResult", "compare_statement"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedText:
    """What a statement is held against: the texts that it cites, their clauses, and the cells of tables.

    A cell comes with the number of its text.
    """

    texts: tuple[str, ...]
    clauses: tuple[CitedClause, ...]
    cells: tuple[tuple[int, CitedCell], ...] = ()


def compare_statement(
    parts: Sequence[Clause],
    cited: CitedText,
    said: Sequence[Value] = (),
    told: Sequence[CitedClause] = (),
) -> StatementResult:
    """Return the worst of what comparing each clause of a statement with the cited text comes to.

    `said` are the values that the user stated, `told` the clauses that they stand in: the statement may
    repeat them and hold them against a period of the text, they prove nothing.
    """
    return join_results([_compare_clause(part, cited, said, told) for part in parts])


def _compare_clause(
    part: Clause, cited: CitedText, said: Sequence[Value], told: Sequence[CitedClause]
) -> StatementResult:
    clauses = cited.clauses
    restated = _find_restated(part, clauses)
    if restated is not None:
        against = _contradicting(part, restated, clauses)
        return against or support("the cited text says so in the same words", (restated,))
    found = compare_with_bare(part, clauses) or find_reverse(part, clauses)
    if found is not None:
        return found
    found = _compare_with_tables(part, cited)
    if found is not None:
        return found
    best = find_best(part, clauses)
    if not part.values:
        return StatementResult(
            code=VerdictCode.NEEDS_REVIEW_NO_QUANTITY,
            detail="it holds no number, date or version that could be compared",
            clauses=best[:1] or clauses[:1],
        )
    presence = find_presence(part, clauses, cited.texts)
    unsaid = [one for one in presence.absent if not _is_said(one, said)]
    if unsaid:
        return _absent(part, unsaid, best or clauses)
    if presence.absent:
        written = ", ".join(repr(one.value.text) for one in presence.absent)
        detail = f"{written} is what the user said; what follows from it is not checked"
        return compare_with_window(part, clauses, told) or review(detail, best)
    if presence.open:
        return _left_open(part, presence.open, best)
    return compare_bound(part, best, clauses)


def _compare_with_tables(part: Clause, cited: CitedText) -> StatementResult | None:
    question = ask_cells(part) if cited.cells and part.values else None
    if question is None:
        return None
    found = compare_with_cells(question, cited.cells, cited.clauses)
    return found or compare_with_derived(question, cited.cells, cited.texts)


def _find_restated(part: Clause, cited: Sequence[CitedClause]) -> CitedClause | None:
    wanted = plain_form(part.text)
    if not part.stems or is_struck(part.text):
        return None
    for one in cited:
        if (
            one.clause.whole
            and not one.clause.unsettled
            and part.stems == one.clause.stems
            and plain_form(one.clause.text) == wanted
            and not makes_other_unit(part.text, one.clause.text)
        ):
            return one
    return None


def _contradicting(
    part: Clause, holding: CitedClause, cited: Sequence[CitedClause]
) -> StatementResult | None:
    """Return a conflict where another of the cited texts says otherwise of the very same, else a review."""
    doubt: StatementResult | None = None
    for one in cited:
        if not _says_otherwise(part, one.clause):
            continue
        if one.text_number != holding.text_number:
            return StatementResult(
                code=VerdictCode.SOURCE_CONFLICT,
                detail="two of the cited texts say two things of this",
                clauses=(holding, one),
            )
        if says_no_more(part, one.clause):
            doubt = review("the cited text says two things of this", (holding, one))
    return doubt


def _says_otherwise(part: Clause, clause: Clause) -> bool:
    told = accounts_for(part, clause) and differ(part.values, clause.values)
    return told and not holds_all(part, clause)


def _is_said(mention: ValueMention, said: Sequence[Value]) -> bool:
    return any(stands_in(value, mention.value) for value in said)


def _absent(
    part: Clause, absent: Sequence[ValueMention], near: Sequence[CitedClause]
) -> StatementResult:
    first = absent[0].value
    others = [
        other.value.text
        for one in near
        for other in one.clause.values
        if relate(first, other.value).outcome is Outcome.DISAGREE
    ]
    written = ", ".join(repr(one.value.text) for one in absent)
    hint = f"; the nearest there is {others[0]!r}" if others else ""
    bound = len(near) == len(others) == len(absent) == 1 and accounts_for(part, near[0].clause)
    return StatementResult(
        code=VerdictCode.UNSUPPORTED_QUANTITY,
        detail=f"not in the cited text: {written}{hint}",
        values=tuple(one.value.text for one in absent),
        clauses=tuple(near[:1]),
        right=others[0] if bound else None,
    )


def _left_open(
    part: Clause, left_open: Sequence[ValueMention], best: Sequence[CitedClause]
) -> StatementResult:
    """Return what comes of values whose digits are in the text: there in another sense, or a derived one."""
    told = len(best) == 1 and accounts_for(part, best[0].clause)
    if (
        told
        and not best[0].clause.unsettled
        and best[0].clause.condition <= part.stems
        and len(part.values) == len(best[0].clause.values) == 1
        and differ(part.values, best[0].clause.values)
    ):
        return contradict(part, "the cited text has another value where it speaks of this", best)
    written = ", ".join(repr(one.value.text) for one in left_open)
    return review(f"{written} is not in the cited text in this form", best)
