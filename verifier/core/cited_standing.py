"""Whether a cited text stands by the clauses that support a statement, or takes them back around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.quotations import find_doubt_around, makes_other_power, makes_other_word
from verifier.core.statement_results import StatementResult, review
from verifier.core.statements import plain_form
from verifier.core.verdicts import VerdictCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.statements import Clause


def weigh_standing(
    found: StatementResult, parts: Sequence[Clause], texts: Sequence[str]
) -> StatementResult:
    """Return a review of what is supported by clauses that a heading, a lead or what follows weakens.

    `parts` are the clauses of the statement, `texts` those that the clauses of the result are numbered by. A
    part that restates a clause but for a raised sign or ß is left for review too.
    """
    if found.code is not VerdictCode.SUPPORTED:
        return found
    for one in found.clauses:
        doubt = find_doubt_around(texts[one.text_number], one.clause.span)
        if doubt is not None:
            return review(doubt, found.clauses)
        if any(_differs_by_sign(part.text, one.clause.text) for part in parts):
            return review("a raised sign or ß is written otherwise there", found.clauses)
    return found


def _differs_by_sign(stated: str, cited: str) -> bool:
    """Return whether the same words on the normal form may be others, by signs that it makes alike."""
    if (stated.isascii() and cited.isascii()) or plain_form(stated) != plain_form(cited):
        return False
    return makes_other_power(stated, cited) or makes_other_word(stated, cited)
