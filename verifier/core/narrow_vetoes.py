"""What keeps a narrow check from taking a clause for a statement, though most of the words are the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.bound_values import BACKWARDS
from verifier.core.clause_accounts import runs_through, widens_subject
from verifier.core.clause_cuts import FINITE_VERB
from verifier.core.lead_ins import is_struck
from verifier.core.left_out import find_turning_left_out, relates_otherwise
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import list_words
from verifier.core.statements import OFTEN, list_stems
from verifier.core.tenses import tells_another_time
from verifier.core.value_presence import find_values_left_out, widens

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from verifier.core.statement_results import CitedClause
    from verifier.core.statements import Clause

PERMITTING: Final = frozenset({"can"})
"""The word that "can" and "may" are read as."""

_BINDING: Final = frozenset({"must", "need", "needs", "requires", "require", "required", "only"})
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


def says_other(part: Clause, one: CitedClause, cited: Sequence[CitedClause]) -> bool:
    """Return whether words or values that one of the two lacks may make it another statement."""
    clause = one.clause
    known = list_known(one, cited)
    return (
        _turns(part, clause)
        or bool(find_turning_left_out(part, clause, cited))
        or relates_otherwise(part, clause)
        or tells_another_time(part, clause)
        or _replaces(part, clause, known)
        or _adds_behind(part, clause.stems | _list_before(one, cited))
        or _misses(part, clause, known, cited)
        or widens_subject(part, clause, cited)
        or widens(part.values, clause.values, backwards=bool(part.words & BACKWARDS))
        or bool(find_values_left_out(part.values, clause.values))
    )


def list_known(one: CitedClause, cited: Sequence[CitedClause]) -> frozenset[str]:
    """Return the stems of a clause, with those of the one before where it leaves its subject to that."""
    leaves = _SUBJECTLESS.match(one.clause.text) is not None
    return one.clause.stems | _list_before(one, cited) if leaves else one.clause.stems


def _misses(part: Clause, clause: Clause, known: Set[str], cited: Sequence[CitedClause]) -> bool:
    """Return whether the one word that the clause lacks is another clause's, or tells how often.

    Where it lacks none, the words must come in the same order: who pays whom is told by nothing else.
    """
    missing = part.stems - known
    if not missing:
        return not runs_through([one for one in part.order if one in clause.stems], clause.order)
    return OFTEN.strip() in missing or any(missing & one.clause.stems for one in cited)


def _turns(part: Clause, clause: Clause) -> bool:
    """Return whether one of the two has a word that may turn or limit what it says, and the other not."""
    if part.denied != clause.denied or clause.unsettled or is_struck(part.text):
        return True
    allowed = PERMITTING
    if _VALUE_IN_CONDITION.search(_with_marks(clause)):
        if not (part.condition or part.words & _BINDING):
            return True
        allowed = allowed | (_BINDING if part.words & _BINDING else frozenset())
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
    """Return whether one of the two has a name or a model number that the other one does not have."""
    told, other = clause.text.casefold(), part.text.casefold()
    return any(name.casefold() not in told for name in _NAME.findall(part.text)) or any(
        name.casefold() not in other for name in _NAME.findall(clause.text)
    )
