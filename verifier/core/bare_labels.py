"""A price tag as a cited text: all that it holds is a price, and the statement says whose it is.

A text that gives the value of nothing else ("Price: €1.98 / 100 g", "Was $1,900, now $1,640.") speaks of
the one thing that it is cited for. As soon as it holds another word, this does not apply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.clause_accounts import is_past
from verifier.core.comparison import Outcome, relate
from verifier.core.lexicons import load_word_lists
from verifier.core.statement_results import contradict, support
from verifier.core.value_presence import widens
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.statement_results import CitedClause, StatementResult
    from verifier.core.statements import Clause

_MOST_SUBJECT_WORDS: Final = 3
_MOST_CLAUSES: Final = 4


def compare_with_bare(part: Clause, cited: Sequence[CitedClause]) -> StatementResult | None:
    """Return what a text that is nothing but prices says of the statement; None where it is more."""
    if len(cited) > _MOST_CLAUSES or not _states_one_price(part):
        return None
    if not all(_is_bare(one.clause) for one in cited):
        return None
    same = [one for one in cited if is_past(one.clause) is is_past(part)]
    if len(same) != 1 or len({one.text_number for one in cited}) != 1:
        return None
    claimed, held = part.values[0].value, same[0].clause.values[0].value
    outcome = relate(claimed, held).outcome
    if outcome is Outcome.DISAGREE:
        return contradict(part, f"it is {held.text!r} there", same, right=held.text)
    if outcome is not Outcome.AGREE or widens(part.values, same[0].clause.values, backwards=False):
        return None
    return support("the cited text gives one price, which is this", same)


def _states_one_price(part: Clause) -> bool:
    if len(part.values) != 1 or part.values[0].value.kind is not Kind.MONEY:
        return False
    lists = load_word_lists("bare_labels")
    subject = [word for word in part.words if word not in lists["frame"]]
    return (
        not part.denied
        and not part.condition - _time_stems()
        and 0 < len(subject) <= _MOST_SUBJECT_WORDS
        and not lists["other_amounts"] & set(subject)
    )


def _is_bare(clause: Clause) -> bool:
    prices = len(clause.values) == 1 and clause.values[0].value.kind is Kind.MONEY
    known = clause.words <= load_word_lists("bare_labels")["money"]
    return prices and known and not clause.denied


def _time_stems() -> frozenset[str]:
    return frozenset({"now"})
