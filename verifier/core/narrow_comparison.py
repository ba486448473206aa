"""Whether cited text holds the values of a statement where it speaks of it: what the narrow checks go by.

It accepts more than the full comparison: the clause that shares most of the statement's words must have
its values, but the words that it does not share are believed. What refutes is refuted here as well.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.clause_accounts import widens_subject
from verifier.core.clause_cuts import FINITE_VERB
from verifier.core.comparison import How, Outcome, relate
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import list_words
from verifier.core.statement_comparison import CitedText, compare_statement
from verifier.core.statement_results import CitedClause, StatementResult, review, support
from verifier.core.statements import list_stems, plain_form
from verifier.core.turns import Level
from verifier.core.value_presence import holds_in_order
from verifier.core.values import Quantity, Writing
from verifier.core.verdicts import VerdictCode
from verifier.core.windows import compare_with_window

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from verifier.core.statements import Clause

_PERMITTING: Final = frozenset({"can"})
_BINDING: Final = frozenset({"must", "need", "needs", "requires", "require", "required", "only"})
_MOST_MISSING: Final = 1
_OPENING: Final = re.compile(  # Exchanges are ..., The exchange is ...
    r"\W*(?:(?:the|an?|all|any|each|every|your|our|this|these)\s+)?(?P<word>[^\W\d_]+)",
    re.IGNORECASE,
)
_SUBJECTLESS: Final = re.compile(  # "is kept for 30 days", "it is kept"
    rf"(?:it|they|this|these)\b|{FINITE_VERB.pattern}", re.IGNORECASE
)
_MARK: Final = "\x00"
_VALUE_IN_CONDITION: Final = re.compile(
    r"\b(?:if|when|whenever|unless|except|provided|until|once)\b[^,;\x00]*\x00", re.IGNORECASE
)
_NAME: Final = re.compile(r"(?<=\s)[A-Z][^\W_]*(?:[-.][^\W_]+)*|\b[^\W\d_]+-?\d+[^\W_]*\b")
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
    results = [_compare(part, cited, said, level) for part in parts]
    worst = min(results, key=lambda result: _WORST_FIRST.index(result.code))
    if worst.code is not VerdictCode.SUPPORTED:
        return worst
    return replace(
        worst, clauses=tuple(dict.fromkeys(one for each in results for one in each.clauses))
    )


def _compare(
    part: Clause, cited: CitedText, said: Sequence[CitedClause], level: Level
) -> StatementResult:
    values = [other.value for one in said for other in one.clause.values]
    found = compare_statement([part], cited, values)
    if level is Level.STRICT_EXTRACTIVE:
        return _hold_to_words(part, found)
    if found.code is not VerdictCode.NEEDS_ENTAILMENT_REVIEW or not part.values:
        return found
    return (
        compare_with_window(part, cited.clauses, said)
        or _find_instance(part, cited.clauses)
        or _find_values(part, cited.clauses)
        or found
    )


def _hold_to_words(part: Clause, found: StatementResult) -> StatementResult:
    """Return a review where what is supported is no restating, word for word."""
    if found.code is not VerdictCode.SUPPORTED:
        return found
    wanted = plain_form(part.text)
    if any(plain_form(one.clause.text) == wanted for one in found.clauses):
        return found
    return review("it says so in other words, and only restated text passes", found.clauses)


def _find_instance(part: Clause, cited: Sequence[CitedClause]) -> StatementResult | None:
    """Return support for one number of a range that the statement permits: 5 °C of 2 to 8 °C."""
    if not part.words & _PERMITTING or len(part.values) != 1 or part.denied:
        return None
    stated = part.values[0].value
    holding = [one for one in cited if _ranges_over(stated, one.clause)]
    if len(holding) != 1 or not part.stems or not part.stems <= holding[0].clause.stems:
        return None
    clause = holding[0].clause
    foreign = (part.words - clause.words) & list_words("turning_words") - _PERMITTING
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
    shares = [len(part.stems & _list_known(one, cited)) for one in comparable]
    greatest = max(shares)
    if greatest == 0 or len(part.stems) - greatest > _MOST_MISSING:
        return None
    best = [one for one, share in zip(comparable, shares, strict=True) if share == greatest]
    if not all(holds_in_order(part.values, one.clause.values) for one in best):
        return None
    if any(_says_other(part, one, cited) for one in best):
        return None
    return support("the cited text has every value where it shares most of the words", best)


def _says_other(part: Clause, one: CitedClause, cited: Sequence[CitedClause]) -> bool:
    """Return whether words that one of the two lacks may make it another statement."""
    return (
        _turns(part, one.clause)
        or _replaces(part, one.clause, _list_known(one, cited))
        or _adds_behind(part, one.clause.stems | _list_before(one, cited))
        or widens_subject(part, one.clause, cited)
    )


def _list_known(one: CitedClause, cited: Sequence[CitedClause]) -> frozenset[str]:
    """Return the stems of a clause, with those of the one before where it leaves its subject to that."""
    leaves = _SUBJECTLESS.match(one.clause.text) is not None
    return one.clause.stems | _list_before(one, cited) if leaves else one.clause.stems


def _are_comparable(part: Clause, clause: Clause) -> bool:
    return all(
        any(
            relate(one.value, other.value).outcome is not Outcome.INCOMPARABLE
            for other in clause.values
        )
        for one in part.values
    )


def _turns(part: Clause, clause: Clause) -> bool:
    """Return whether one of the two has a word that may turn or limit what it says, and the other not."""
    if part.denied != clause.denied or clause.unsettled:
        return True
    allowed = _PERMITTING
    if _VALUE_IN_CONDITION.search(_with_marks(clause)):
        if not (part.condition or part.words & _BINDING):
            return True
        allowed = allowed | _BINDING
    elif clause.condition and not clause.condition & part.stems:
        return True
    turning = list_words("turning_words") | list_words("limiting_words") | list_words("hedges")
    added = (part.words - clause.words) & turning - allowed - list_words("conditions")
    limits = (clause.words - part.words) & list_words("limiting_words") - allowed
    return bool(added or limits) or _names_another(part, clause)


def _adds_behind(part: Clause, known: Set[str]) -> bool:
    """Return whether words behind a value of the statement are not the clause's: 7 days *of delivery*."""
    behind = _with_marks(part).partition(_MARK)[2].partition(",")[0]
    return not set(list_stems(behind)) <= known


def _list_before(one: CitedClause, cited: Sequence[CitedClause]) -> frozenset[str]:
    """Return the stems of the clause before this one in its text."""
    at = cited.index(one)
    before = cited[at - 1] if at else None
    near = before is not None and before.text_number == one.text_number
    return before.clause.stems if near and before is not None else frozenset()


def _replaces(part: Clause, clause: Clause, known: Set[str]) -> bool:
    """Return whether the statement begins with another subject, or refuses what the clause does not."""
    opening = _OPENING.match(part.text)
    first = next(iter(list_stems(opening.group("word"))), None) if opening else None
    refused = (part.words - clause.words) & load_word_lists("grounding")["refusing_words"]
    return bool(refused) or (first is not None and first not in known)


def _with_marks(clause: Clause) -> str:
    """Return the clause's text with a mark for each value."""
    text = clause.text
    for one in clause.values:
        text = text.replace(one.value.text, _MARK, 1)
    return text


def _names_another(part: Clause, clause: Clause) -> bool:
    """Return whether the statement has a name or a model number that the clause does not have."""
    told = clause.text.casefold()
    return any(name.casefold() not in told for name in _NAME.findall(part.text))
