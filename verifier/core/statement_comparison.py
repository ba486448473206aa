"""Whether cited text bears out a cited statement, clause by clause.

A value counts only where the clause that speaks of the same thing holds it. Equality alone never accepts:
the clause must account for every content word of the statement, with the same polarity, and no condition
of it may be cut off. What passes less than that is left for review.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.comparison import Outcome, relate
from verifier.core.speech import list_words
from verifier.core.statements import denies_in_passing, plain_form
from verifier.core.value_presence import (
    changes_scale,
    differ,
    holds_in_order,
    leaves_date_out,
    stands_in,
    widens,
)
from verifier.core.verdicts import VerdictCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.quantities import ValueMention
    from verifier.core.statements import Clause
    from verifier.core.values import Value

_MOST_ALIKE: Final = 5
_BACKWARDS: Final = frozenset({"before", "prior", "ahead"})
_WORST_FIRST: Final = (
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


def compare_statement(
    parts: Sequence[Clause], cited: Sequence[CitedClause], said: Sequence[Value] = ()
) -> StatementResult:
    """Return the worst of what comparing each clause of a statement with the cited clauses comes to.

    `said` are the values that the user stated: the statement may repeat them, they prove nothing.
    """
    results = [_compare_clause(part, cited, said) for part in parts]
    worst = min(results, key=lambda result: _WORST_FIRST.index(result.code))
    if worst.code is not VerdictCode.SUPPORTED:
        return worst
    clauses = tuple(dict.fromkeys(one for result in results for one in result.clauses))
    return StatementResult(code=worst.code, detail=worst.detail, clauses=clauses)


def _compare_clause(
    part: Clause, cited: Sequence[CitedClause], said: Sequence[Value]
) -> StatementResult:
    restated = _find_restated(part, cited)
    if restated is not None:
        against = _contradicting(part, restated, cited)
        if against is not None:
            return against
        detail = "the cited text says so in the same words"
        return StatementResult(code=VerdictCode.SUPPORTED, detail=detail, clauses=(restated,))
    best = _best(part, cited)
    if not part.values:
        return StatementResult(
            code=VerdictCode.NEEDS_REVIEW_NO_QUANTITY,
            detail="it holds no number, date or version that could be compared",
            clauses=best,
        )
    ranked = (*best, *cited)
    absent = [one for one in part.values if not _stands_anywhere(one, ranked)]
    users = [one for one in absent if _is_said(one, said)]
    if len(users) < len(absent):
        return _absent(part, [one for one in absent if one not in users], best or tuple(cited))
    if users:
        told = ", ".join(repr(one.value.text) for one in users)
        return _review(f"{told} is what the user said; what follows from it is not checked", best)
    return _compare_bound(part, best, cited)


def _find_restated(part: Clause, cited: Sequence[CitedClause]) -> CitedClause | None:
    wanted = plain_form(part.text)
    if not part.stems:
        return None
    for one in cited:
        if (
            one.clause.whole
            and not one.clause.unsettled
            and part.stems == one.clause.stems
            and plain_form(one.clause.text) == wanted
        ):
            return one
    return None


def _contradicting(
    part: Clause, holding: CitedClause, cited: Sequence[CitedClause]
) -> StatementResult | None:
    """Return a conflict where another of the cited texts says otherwise of the very same."""
    for one in cited:
        if (
            one.text_number != holding.text_number
            and _accounts_for(part, one.clause)
            and differ(part.values, one.clause.values)
            and not _holds_all(part, one.clause)
        ):
            return StatementResult(
                code=VerdictCode.SOURCE_CONFLICT,
                detail="two of the cited texts say two things of this",
                clauses=(holding, one),
            )
    return None


def _best(part: Clause, cited: Sequence[CitedClause]) -> tuple[CitedClause, ...]:
    """Return the clauses with the greatest overlap, a rarer stem weighing more; none without any."""
    weights = {
        word: 1 + len(cited) - sum(word in one.clause.stems for one in cited) for word in part.stems
    }
    overlaps = [sum(weights[word] for word in part.stems & one.clause.stems) for one in cited]
    greatest = max(overlaps, default=0)
    if greatest == 0:
        return ()
    return tuple(one for one, overlap in zip(cited, overlaps, strict=True) if overlap == greatest)


def _stands_anywhere(mention: ValueMention, cited: Sequence[CitedClause]) -> bool:
    return any(
        stands_in(mention.value, other.value) for one in cited for other in one.clause.values
    )


def _is_said(mention: ValueMention, said: Sequence[Value]) -> bool:
    return any(relate(mention.value, value).agrees for value in said)


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
    bound = len(near) == len(others) == len(absent) == 1 and _accounts_for(part, near[0].clause)
    return StatementResult(
        code=VerdictCode.UNSUPPORTED_QUANTITY,
        detail=f"not in the cited text: {written}{hint}",
        values=tuple(one.value.text for one in absent),
        clauses=tuple(near[:1]),
        right=others[0] if bound else None,
    )


def _compare_bound(
    part: Clause, best: Sequence[CitedClause], cited: Sequence[CitedClause]
) -> StatementResult:
    """Compare where every value stands somewhere in the cited text: it must stand where it belongs."""
    if len(best) > _MOST_ALIKE:
        return _review("many clauses of the cited text speak of this", best)
    holding = [one for one in best if holds_in_order(part.values, one.clause.values)]
    if not holding:
        return _elsewhere(part, best)
    if len(holding) < len(best):
        return _review("two clauses of the cited text speak of this, with other values", best)
    clause = holding[0].clause
    if not _accounts_for(part, clause):
        return _review("the values agree; that the words mean the same is not checked", holding)
    if part.denied != clause.denied and not clause.unsettled:
        return _denied(part, clause, holding)
    if "by" in part.words and changes_scale(part.values, clause.values):
        return _review("a change of temperature on another scale", holding)
    if widens(part.values, clause.values, backwards=bool(part.words & _BACKWARDS)):
        return _review("the cited text has an exact value, or bounds it in other words", holding)
    return _limited(part, clause, cited) or StatementResult(
        code=VerdictCode.SUPPORTED,
        detail="the cited text has every value, said of the same",
        clauses=tuple(holding),
    )


def _denied(part: Clause, clause: Clause, holding: Sequence[CitedClause]) -> StatementResult:
    if clause.denied and denies_in_passing(clause):
        return _review("the cited text denies something in passing", holding)
    return StatementResult(
        code=VerdictCode.CONTRADICTED,
        detail="the cited text has the same values, and denies or states what this does not",
        values=tuple(one.value.text for one in part.values),
        clauses=tuple(holding),
    )


def _elsewhere(part: Clause, best: Sequence[CitedClause]) -> StatementResult:
    told = len(best) == 1 and _accounts_for(part, best[0].clause)
    if told and _holds_all(part, best[0].clause):
        return _review("the values are in the clause that speaks of this, among others", best)
    if told and (best[0].clause.unsettled or not best[0].clause.condition <= part.stems):
        return _review("the cited text says otherwise under a condition that is not repeated", best)
    if not told or not differ(part.values, best[0].clause.values):
        return _review("the values are in the cited text, but not clearly of this", best)
    return StatementResult(
        code=VerdictCode.CONTRADICTED,
        detail="the cited text has these values elsewhere, and others where it speaks of this",
        values=tuple(one.value.text for one in part.values),
        clauses=tuple(best),
    )


def _holds_all(part: Clause, clause: Clause) -> bool:
    return all(
        any(relate(one.value, other.value).agrees for other in clause.values) for one in part.values
    )


def _limited(part: Clause, clause: Clause, cited: Sequence[CitedClause]) -> StatementResult | None:
    """Return a review where the cited clause says less than the statement, or says it of less."""
    here = (CitedClause(clause=clause, text_number=0),)
    found = [one for one in cited if one.clause is clause] or here
    if clause.unsettled:
        return _review("the cited text asks this, or says it of less or of another time", found)
    if not clause.condition <= part.stems or leaves_date_out(part.values, clause.values):
        return _review("the cited text says so under a condition that is not repeated", found)
    if (clause.words - part.words) & list_words("limiting_words"):
        return _review("the cited text limits what it says, and this does not", found)
    dropped = clause.stems - part.stems
    for one in cited:
        if (
            dropped - one.clause.stems
            and one.clause is not clause
            and differ(part.values, one.clause.values)
        ):
            return _review(
                "words that tell two clauses of the cited text apart are left out", found
            )
    return None


def _review(detail: str, clauses: Sequence[CitedClause]) -> StatementResult:
    code = VerdictCode.NEEDS_ENTAILMENT_REVIEW
    return StatementResult(code=code, detail=detail, clauses=tuple(clauses))


def _accounts_for(part: Clause, clause: Clause) -> bool:
    """Return whether the clause has every content word of the statement's.

    What it leaves to the sentence before ("the interval", of a reading) may come from there, where the
    two share a word.
    """
    if (part.words - clause.words) & list_words("turning_words"):
        return False
    present = [word for word in part.order if word in clause.stems]
    if not _runs_through(present, clause.order):
        return False
    missing = part.stems - clause.stems
    if not missing:
        return bool(part.stems)
    shared = clause.stems & clause.before
    return bool(shared) and missing <= clause.before and bool(part.stems & clause.stems)


def _runs_through(words: Sequence[str], order: Sequence[str]) -> bool:
    """Return whether the words come in this order: who pays whom is told by nothing else."""
    rest = iter(order)
    return all(word in rest for word in words)
