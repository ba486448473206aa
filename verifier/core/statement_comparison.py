"""Whether cited text bears out a cited statement, clause by clause.

A value counts only where the clause that speaks of the same thing holds it. Equality alone never accepts:
the clause must account for every content word of the statement, with the same polarity, and no condition
of it may be cut off. What passes less than that is left for review.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from verifier.core.comparison import Outcome, relate
from verifier.core.speech import list_words
from verifier.core.statements import plain_form
from verifier.core.values import Interval, Quantity, Writing
from verifier.core.verdicts import VerdictCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.quantities import ValueMention
    from verifier.core.statements import Clause
    from verifier.core.values import Value

_WORST_FIRST: Final = (
    VerdictCode.UNSUPPORTED_QUANTITY,
    VerdictCode.CONTRADICTED,
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
    """What comparing came to. `values` are as written in the statement, `clauses` what decided."""

    code: VerdictCode
    detail: str
    values: tuple[str, ...] = ()
    clauses: tuple[CitedClause, ...] = ()
    nearest: str | None = None


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
        detail = "the cited text says so in the same words"
        return StatementResult(code=VerdictCode.SUPPORTED, detail=detail, clauses=(restated,))
    best = _best(part, cited)
    if not part.values:
        return StatementResult(
            code=VerdictCode.NEEDS_REVIEW_NO_QUANTITY,
            detail="it holds no number, date or version that could be compared",
            clauses=best,
        )
    absent = [one for one in part.values if not _stands_anywhere(one, cited)]
    users = [one for one in absent if _is_said(one, said)]
    if len(users) < len(absent):
        return _absent([one for one in absent if one not in users], best or tuple(cited))
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
            and part.stems == one.clause.stems
            and plain_form(one.clause.text) == wanted
        ):
            return one
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
        _stands_in(mention.value, other.value) for one in cited for other in one.clause.values
    )


def _stands_in(claimed: Value, held: Value) -> bool:
    """Return whether the claimed number is the held one, or one of a range that has both its ends.

    Of a bound only its end stands there: "within 7 days" does not say 5, and "below 20" says 20.
    """
    outcome = relate(claimed, held).outcome
    if not isinstance(claimed, Quantity) or not isinstance(held, Quantity):
        return outcome in {Outcome.AGREE, Outcome.COULD_BE}
    if outcome is Outcome.AGREE:
        return True
    if outcome is Outcome.INCOMPARABLE:
        return False
    if outcome is Outcome.COULD_BE and _is_closed(claimed) and _is_closed(held):
        return True
    return any(relate(one, other).agrees for one in _ends(claimed) for other in _ends(held))


def _is_closed(value: Quantity) -> bool:
    return value.interval.low is not None and value.interval.high is not None


def _ends(value: Quantity) -> tuple[Quantity, ...]:
    ends = dict.fromkeys((value.interval.low, value.interval.high))
    return tuple(
        replace(value, interval=Interval.point(end), writing=Writing.EXACT, alternatives=())
        for end in ends
        if end is not None and value.writing in {Writing.BOUND, Writing.RANGE, Writing.EXACT}
    )


def _is_said(mention: ValueMention, said: Sequence[Value]) -> bool:
    return any(relate(mention.value, value).agrees for value in said)


def _absent(absent: Sequence[ValueMention], near: Sequence[CitedClause]) -> StatementResult:
    first = absent[0].value
    nearest = next(
        (
            other.value.text
            for one in near
            for other in one.clause.values
            if relate(first, other.value).outcome is Outcome.DISAGREE
        ),
        None,
    )
    written = ", ".join(repr(one.value.text) for one in absent)
    hint = f"; the nearest there is {nearest!r}" if nearest is not None else ""
    return StatementResult(
        code=VerdictCode.UNSUPPORTED_QUANTITY,
        detail=f"not in the cited text: {written}{hint}",
        values=tuple(one.value.text for one in absent),
        clauses=tuple(near[:1]),
        nearest=nearest,
    )


def _compare_bound(
    part: Clause, best: Sequence[CitedClause], cited: Sequence[CitedClause]
) -> StatementResult:
    """Compare where every value stands somewhere in the cited text: it must stand where it belongs."""
    holding = [one for one in best if _holds_in_order(part.values, one.clause.values)]
    if not holding:
        return _elsewhere(part, best)
    if len(holding) < len(best):
        return _review("two clauses of the cited text speak of this, with other values", best)
    clause = holding[0].clause
    if not _accounts_for(part, clause):
        return _review("the values agree; that the words mean the same is not checked", holding)
    if part.denied != clause.denied:
        return StatementResult(
            code=VerdictCode.CONTRADICTED,
            detail="the cited text has the same values, and denies or states what this does not",
            values=tuple(one.value.text for one in part.values),
            clauses=tuple(holding),
        )
    return _limited(part, clause, cited) or StatementResult(
        code=VerdictCode.SUPPORTED,
        detail="the cited text has every value, said of the same",
        clauses=tuple(holding),
    )


def _elsewhere(part: Clause, best: Sequence[CitedClause]) -> StatementResult:
    told = len(best) == 1 and _accounts_for(part, best[0].clause)
    if not told or not _differs(part, best[0].clause):
        return _review("the values are in the cited text, but not clearly of this", best)
    return StatementResult(
        code=VerdictCode.CONTRADICTED,
        detail="the cited text has these values elsewhere, and others where it speaks of this",
        values=tuple(one.value.text for one in part.values),
        clauses=tuple(best),
    )


def _limited(part: Clause, clause: Clause, cited: Sequence[CitedClause]) -> StatementResult | None:
    """Return a review where the cited clause says less than the statement, or says it of less."""
    here = (CitedClause(clause=clause, text_number=0),)
    found = [one for one in cited if one.clause is clause] or here
    if not clause.condition <= part.stems:
        return _review("the cited text says so under a condition that is not repeated", found)
    if (clause.words - part.words) & list_words("limiting_words"):
        return _review("the cited text limits what it says, and this does not", found)
    dropped = clause.stems - part.stems
    for one in cited:
        if one.clause is not clause and _differs(part, one.clause) and dropped - one.clause.stems:
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


def _holds_in_order(claimed: Sequence[ValueMention], held: Sequence[ValueMention]) -> bool:
    """Return whether each value agrees with its counterpart: the only one of its dimension, or in order."""
    for mention in claimed:
        rivals = [other for other in held if _comparable(mention.value, other.value)]
        alike = [other for other in claimed if _comparable(mention.value, other.value)]
        if len(alike) > len(rivals) or (len(rivals) > 1 and len(alike) != len(rivals)):
            return False
        counterpart = rivals[alike.index(mention)]
        if not relate(mention.value, counterpart.value).agrees:
            return False
    return True


def _differs(part: Clause, clause: Clause) -> bool:
    return any(
        relate(one.value, other.value).outcome is Outcome.DISAGREE
        for one in part.values
        for other in clause.values
    )


def _comparable(one: Value, other: Value) -> bool:
    if isinstance(one, Quantity) != isinstance(other, Quantity):
        return False
    return relate(one, other).outcome is not Outcome.INCOMPARABLE
