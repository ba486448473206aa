"""Whether a clause says the reverse of a statement: the same of the same thing, with one word turned round.

Nothing is concluded from words that differ; only a pair that is known to be opposite counts, and only
where all else that the statement says is in the clause, in the same order.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from verifier.core.clause_accounts import runs_through
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import list_words
from verifier.core.statement_results import contradict
from verifier.core.statements import denies_in_passing
from verifier.core.text import content_stems
from verifier.core.text_stems import stem
from verifier.core.value_presence import holds_in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.statement_results import CitedClause, StatementResult
    from verifier.core.statements import Clause

_PERMITTED: Final = frozenset({"can"})  # "cannot" is one word


def find_reverse(part: Clause, cited: Sequence[CitedClause]) -> StatementResult | None:
    """Return the contradiction where a cited clause says the reverse and none says the same."""
    if not part.stems:
        return None
    for one in cited:
        how = _how_reversed(part, one.clause)
        if how is not None and not _also_said(part, cited):
            return contradict(part, how, (one,))
    return None


def _how_reversed(part: Clause, clause: Clause) -> str | None:
    if clause.unsettled or not (part.values or clause.condition <= part.stems | _reverses(part)):
        return None
    if part.denied == clause.denied:
        turned = _turned_word(part, clause)
        return None if turned is None else f"the cited text says {turned[1]!r}, not {turned[0]!r}"
    if _is_always_against_never(part, clause):
        return "the cited text says always or never where this says the reverse"
    same = part.stems == clause.stems and not (part.words ^ clause.words) & _turning() - _PERMITTED
    if not same or part.order != clause.order or not _same_values(part, clause):
        return None
    if denies_in_passing(clause) or denies_in_passing(part):
        return None
    return "the cited text denies or states what this does not"


def _is_always_against_never(part: Clause, clause: Clause) -> bool:
    both = {"always", "never"}
    if {*(part.words & both), *(clause.words & both)} != both or part.values or clause.values:
        return False
    apart = both | {stem(word) for word in both}
    return part.stems - apart == clause.stems - apart and part.words - both == clause.words - both


def _turned_word(part: Clause, clause: Clause) -> tuple[str, str] | None:
    """Return the statement's word and the clause's that is its opposite, where nothing else differs."""
    missing = part.stems - clause.stems
    turned = (part.words - clause.words) & _turning()
    if len(missing) > 1 or len(turned) > 1:
        return None
    words = [word for word in part.words if stem(word) in missing or word in turned]
    others = _opposites().get(words[0], frozenset()) & clause.words if len(words) == 1 else ()
    if len(others) != 1 or part.words.issuperset(others):
        return None
    return (words[0], next(iter(others))) if _has_same_frame(part, clause, words[0]) else None


def _has_same_frame(part: Clause, clause: Clause, word: str) -> bool:
    """Return whether all but the word is in the clause; without a value the clause says nothing more."""
    rest = [one for one in part.order if one != stem(word)]
    if not rest or not runs_through(rest, clause.order) or not _same_values(part, clause):
        return False
    extra = clause.stems - part.stems - _reverses(part)
    return not extra if not part.values else not extra & set(content_stems(" ".join(_limits())))


def _same_values(part: Clause, clause: Clause) -> bool:
    if not part.values or not clause.values:
        return not part.values and not clause.values
    return len(part.values) == len(clause.values) and holds_in_order(part.values, clause.values)


def _also_said(part: Clause, cited: Sequence[CitedClause]) -> bool:
    return any(
        (part.stems <= one.clause.stems or _has_its_values_too(part, one.clause))
        and part.denied == one.clause.denied
        and not (part.words - one.clause.words) & _turning()
        for one in cited
    )


def _has_its_values_too(part: Clause, clause: Clause) -> bool:
    """Return whether the clause holds the statement's values, and not with the reverse of its words."""
    if not part.values or clause.stems & _reverses(part) or not clause.stems & part.stems:
        return False
    return holds_in_order(part.values, clause.values)


def _reverses(part: Clause) -> frozenset[str]:
    """Return the stems of all words that are the opposite of one of the statement's."""
    known = _opposites()
    return frozenset(stem(other) for word in part.words for other in known.get(word, frozenset()))


def _turning() -> frozenset[str]:
    return list_words("turning_words")


def _limits() -> frozenset[str]:
    return list_words("limiting_words")


@cache
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pairs in load_word_lists("opposites").values():
        for pair in pairs:
            one, other = pair.split("/")
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}
