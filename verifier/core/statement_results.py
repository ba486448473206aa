"""What comparing a statement with cited text comes to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.verdicts import VerdictCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.statements import Clause

WORST_FIRST: Final = (
    VerdictCode.UNSUPPORTED_QUANTITY,
    VerdictCode.CONTRADICTED,
    VerdictCode.SOURCE_CONFLICT,
    VerdictCode.NEEDS_ENTAILMENT_REVIEW,
    VerdictCode.NEEDS_REVIEW_NO_QUANTITY,
    VerdictCode.SUPPORTED,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedClause:
    """A clause of a cited text; `text_number` says of which of the cited texts."""

    clause: Clause
    text_number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementResult:
    """What comparing came to. `values` are as written in the statement, `clauses` what decided.

    `right` is the value that the cited text has instead, where one clause speaks of the very same.
    """

    code: VerdictCode
    detail: str
    values: tuple[str, ...] = ()
    clauses: tuple[CitedClause, ...] = ()
    right: str | None = None


def join_results(results: Sequence[StatementResult]) -> StatementResult:
    """Return the worst of the results; where all support, with the clauses of all."""
    worst = min(results, key=lambda result: WORST_FIRST.index(result.code))
    if worst.code is not VerdictCode.SUPPORTED:
        return worst
    clauses = tuple(dict.fromkeys(one for result in results for one in result.clauses))
    return StatementResult(code=worst.code, detail=worst.detail, clauses=clauses)


def support(detail: str, clauses: Sequence[CitedClause]) -> StatementResult:
    """Return that the clauses bear the statement out."""
    return StatementResult(code=VerdictCode.SUPPORTED, detail=detail, clauses=tuple(clauses))


def review(detail: str, clauses: Sequence[CitedClause]) -> StatementResult:
    """Return that nothing speaks against the statement, and that a person is to decide."""
    code = VerdictCode.NEEDS_ENTAILMENT_REVIEW
    return StatementResult(code=code, detail=detail, clauses=tuple(clauses))


def contradict(
    part: Clause, detail: str, clauses: Sequence[CitedClause], *, right: str | None = None
) -> StatementResult:
    """Return that the clauses say otherwise than the statement's clause."""
    return StatementResult(
        code=VerdictCode.CONTRADICTED,
        detail=detail,
        values=tuple(one.value.text for one in part.values),
        clauses=tuple(clauses),
        right=right,
    )
