"""The strict level: a statement passes only where each clause of it restates the cited text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.statement_results import StatementResult, review
from verifier.core.statements import plain_form
from verifier.core.verdicts import VerdictCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.statements import Clause


def hold_to_words(parts: Sequence[Clause], found: StatementResult) -> StatementResult:
    """Return a review where what is supported is no restating of cited clauses, word for word."""
    if found.code is not VerdictCode.SUPPORTED:
        return found
    restated = {plain_form(one.clause.text) for one in found.clauses}
    if all(plain_form(part.text) in restated for part in parts):
        return found
    return review("it says so in other words, and only restated text passes", found.clauses)
