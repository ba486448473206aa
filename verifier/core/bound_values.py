"""Whether the clause that speaks of what a statement speaks of has its values, and says no less."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.clause_accounts import accounts_for, holds_all
from verifier.core.lead_ins import is_struck
from verifier.core.left_out import find_left_out, relates_otherwise
from verifier.core.speech import list_words, read_words
from verifier.core.statement_results import CitedClause, contradict, review, support
from verifier.core.statements import denies_in_passing
from verifier.core.tenses import tells_another_time
from verifier.core.text_stems import stem
from verifier.core.value_presence import (
    changes_scale,
    differ,
    find_values_left_out,
    holds_in_order,
    widens,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.statement_results import StatementResult
    from verifier.core.statements import Clause

_MOST_ALIKE: Final = 5
BACKWARDS: Final = frozenset({"before", "prior", "ahead"})


def compare_bound(
    part: Clause, best: Sequence[CitedClause], cited: Sequence[CitedClause]
) -> StatementResult:
    """Compare where every value stands somewhere in the cited text: it must stand where it belongs."""
    if len(best) > _MOST_ALIKE:
        return review("many clauses of the cited text speak of this", best)
    holding = [one for one in best if holds_in_order(part.values, one.clause.values)]
    if not holding:
        return _elsewhere(part, best)
    if len(holding) < len(best):
        return review("two clauses of the cited text speak of this, with other values", best)
    clause = holding[0].clause
    if not accounts_for(part, clause) or is_struck(part.text):
        return review("the values agree; that the words mean the same is not checked", holding)
    if part.denied != clause.denied and not clause.unsettled:
        return _denied(part, clause, holding)
    if "by" in part.words and changes_scale(part.values, clause.values):
        return review("a change of temperature on another scale", holding)
    if widens(part.values, clause.values, backwards=bool(part.words & BACKWARDS)):
        return review("the cited text has an exact value, or bounds it in other words", holding)
    limited = _limited(part, clause, cited)
    return limited or support("the cited text has every value, said of the same", holding)


def _denied(part: Clause, clause: Clause, holding: Sequence[CitedClause]) -> StatementResult:
    if clause.denied and denies_in_passing(clause):
        return review("the cited text denies something in passing", holding)
    detail = "the cited text has the same values, and denies or states what this does not"
    return contradict(part, detail, holding)


def _elsewhere(part: Clause, best: Sequence[CitedClause]) -> StatementResult:
    told = len(best) == 1 and accounts_for(part, best[0].clause)
    if told and holds_all(part, best[0].clause):
        return review("the values are in the clause that speaks of this, among others", best)
    if told and (best[0].clause.unsettled or not best[0].clause.condition <= part.stems):
        return review("the cited text says otherwise under a condition that is not repeated", best)
    if not told or not differ(part.values, best[0].clause.values):
        return review("the values are in the cited text, but not clearly of this", best)
    detail = "the cited text has these values elsewhere, and others where it speaks of this"
    return contradict(part, detail, best)


def _limited(part: Clause, clause: Clause, cited: Sequence[CitedClause]) -> StatementResult | None:
    """Return a review where the cited clause says less than the statement, or says it of less."""
    here = (CitedClause(clause=clause, text_number=0),)
    found = [one for one in cited if one.clause is clause] or here
    if clause.unsettled:
        return review("the cited text asks this, or says it of less or of another time", found)
    if not clause.condition <= part.stems:
        told = ", ".join(_as_written(sorted(clause.condition - part.stems), clause))
        detail = f"the cited text says so under a condition that is not repeated: {told}"
        return review(detail, found)
    limits = (clause.words - part.words) & list_words("limiting_words")
    if limits:
        told = ", ".join(sorted(limits))
        return review(f"the cited text limits what it says, and this does not: {told}", found)
    if relates_otherwise(part, clause) or tells_another_time(part, clause):
        return review("the cited text relates the same words otherwise, or at another time", found)
    beside = find_values_left_out(part.values, clause.values)
    if beside:
        told = ", ".join(f"'{one.value.text}'" for one in beside)
        return review(f"the cited text says so beside what is not repeated: {told}", found)
    left_out = find_left_out(part, clause, cited)
    if left_out:
        told = ", ".join(_as_written(left_out, clause))
        return review(f"the cited text says more than this: {told}", found)
    return None


def _as_written(stems: Sequence[str], clause: Clause) -> Iterator[str]:
    """Yield the words of the clause that have these stems, and the stems of words around it."""
    written = {stem(word): word for word in read_words(clause.text)}
    for one in stems:
        yield written.get(one, one)
