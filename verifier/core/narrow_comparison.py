"""Whether cited text holds the values of a statement where it speaks of it: what the narrow checks go by.

It accepts more than the full comparison: the clause that shares most of the statement's words must have
its values, but the words that it does not share are believed. What refutes is refuted here as well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.comparison import How, Outcome, relate
from verifier.core.narrow_vetoes import PERMITTING, list_known, says_other
from verifier.core.restating import hold_to_words
from verifier.core.speech import list_words
from verifier.core.statement_comparison import CitedText, compare_statement
from verifier.core.statement_results import CitedClause, StatementResult, support
from verifier.core.turns import Level
from verifier.core.value_presence import holds_in_order
from verifier.core.values import Quantity, Writing
from verifier.core.verdicts import VerdictCode
from verifier.core.windows import compare_with_window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.statements import Clause

_CONCLUDING: Final = frozenset({"so", "therefore", "thus", "hence"})
_MOST_MISSING: Final = 1
_WORST_FIRST: Final = (
    VerdictCode.UNSUPPORTED_QUANTITY,
    VerdictCode.CONTRADICTED,
    VerdictCode.SOURCE_CONFLICT,
    VerdictCode.NEEDS_ENTAILMENT_REVIEW,
    VerdictCode.NEEDS_REVIEW_NO_QUANTITY,
    VerdictCode.SUPPORTED,
)


def compare_narrowly(
    parts: Sequence[Clause],
    cited: CitedText,
    *,
    said: Sequence[CitedClause] = (),
    level: Level = Level.SYNTHESIS,
) -> StatementResult:
    """Return the worst of what comparing each clause of a statement with the cited text comes to.

    `said` are the clauses of what the user said, whose values the statement may repeat and apply. At the
    strict level only what restates a clause of the cited text passes.
    """
    results: list[StatementResult] = []
    for at, part in enumerate(parts):
        found = _compare(part, cited, said, level)
        if (
            found.code is VerdictCode.NEEDS_ENTAILMENT_REVIEW
            and at
            and _follows(part, parts[at - 1])
        ):
            found = results[-1]
        results.append(found)
    worst = min(results, key=lambda result: _WORST_FIRST.index(result.code))
    if worst.code is not VerdictCode.SUPPORTED:
        return worst
    return replace(
        worst, clauses=tuple(dict.fromkeys(one for each in results for one in each.clauses))
    )


def _follows(part: Clause, before: Clause) -> bool:
    """Return whether a clause only applies the one before it: "so you're eligible if less than 20% ..."."""
    return (
        bool(part.words & _CONCLUDING)
        and bool(part.condition)
        and part.denied is before.denied
        and bool(part.values)
        and holds_in_order(part.values, before.values)
        and len(part.stems - before.stems) <= _MOST_MISSING
    )


def _compare(
    part: Clause, cited: CitedText, said: Sequence[CitedClause], level: Level
) -> StatementResult:
    values = [other.value for one in said for other in one.clause.values]
    found = compare_statement([part], cited, values)
    if level is Level.STRICT_EXTRACTIVE:
        return hold_to_words([part], found)
    if found.code is not VerdictCode.NEEDS_ENTAILMENT_REVIEW or not part.values:
        return found
    return (
        compare_with_window(part, cited.clauses, said)
        or _find_instance(part, cited.clauses)
        or _find_values(part, cited.clauses)
        or found
    )


def _find_instance(part: Clause, cited: Sequence[CitedClause]) -> StatementResult | None:
    """Return support for one number of a range that the statement permits: 5 °C of 2 to 8 °C."""
    if not part.words & PERMITTING or len(part.values) != 1 or part.denied:
        return None
    stated = part.values[0].value
    holding = [one for one in cited if _ranges_over(stated, one.clause)]
    if len(holding) != 1 or not part.stems or not part.stems <= holding[0].clause.stems:
        return None
    clause = holding[0].clause
    foreign = (part.words - clause.words) & list_words("turning_words") - PERMITTING
    if foreign or clause.denied or clause.unsettled or not clause.condition <= part.stems:
        return None
    detail = f"{stated.text!r} lies inside {clause.values[0].value.text!r}"
    return support(detail, holding)


def _ranges_over(stated: object, clause: Clause) -> bool:
    if len(clause.values) != 1 or not isinstance(stated, Quantity):
        return False
    held = clause.values[0].value
    if not isinstance(held, Quantity) or held.writing is not Writing.RANGE:
        return False
    relation = relate(stated, held)
    inside = relation.how in {How.INSIDE, How.END} and relation.outcome is Outcome.COULD_BE
    return inside and stated.writing is Writing.EXACT


def _find_values(part: Clause, cited: Sequence[CitedClause]) -> StatementResult | None:
    """Return support where the clauses that share most with the statement all have its values.

    One content word of the statement may be missing there, if it does not stand behind a value.
    """
    comparable = [one for one in cited if _are_comparable(part, one.clause)]
    if not comparable or not part.stems:
        return None
    shares = [len(part.stems & list_known(one, cited)) for one in comparable]
    greatest = max(shares)
    if greatest == 0 or len(part.stems) - greatest > _MOST_MISSING:
        return None
    best = [one for one, share in zip(comparable, shares, strict=True) if share == greatest]
    if not all(holds_in_order(part.values, one.clause.values) for one in best):
        return None
    if any(says_other(part, one, cited) for one in best):
        return None
    return support("the cited text has every value where it shares most of the words", best)


def _are_comparable(part: Clause, clause: Clause) -> bool:
    return all(
        any(
            relate(one.value, other.value).outcome is not Outcome.INCOMPARABLE
            for other in clause.values
        )
        for one in part.values
    )
