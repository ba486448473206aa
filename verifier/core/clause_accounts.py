"""Whether a clause speaks of what another one speaks of: all its content words, in their order."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from verifier.core.comparison import relate
from verifier.core.speech import list_words
from verifier.core.statements import list_stems
from verifier.core.text import content_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.statement_results import CitedClause
    from verifier.core.statements import Clause

_LEADING: Final = re.compile(
    r"\s*(?:on|in|at|for|with|without|during|before|after|from|unless|if|when|until|within)\b",
    re.IGNORECASE,
)
_LABELLED: Final = re.compile(r"[^:.]{1,80}:\s")


def accounts_for(part: Clause, clause: Clause) -> bool:
    """Return whether the clause has every content word of the statement's.

    What it leaves to the sentence before ("the interval", of a reading) may come from there, where the
    two share a word.
    """
    if (part.words - clause.words) & list_words("turning_words"):
        return False
    present = [word for word in part.order if word in clause.stems]
    if not runs_through(present, clause.order) and not _runs_turned(part, clause):
        return False
    missing = part.stems - clause.stems
    if _LABELLED.match(clause.text):
        missing -= stems_of_light_verbs()
    if not missing:
        return bool(part.stems)
    shared = clause.stems & clause.before
    return bool(shared) and missing <= clause.before and bool(part.stems & clause.stems)


@cache
def stems_of_light_verbs() -> frozenset[str]:
    """Return the stems of verbs that say no more than a colon does: "Delivery takes 5 days"."""
    return frozenset(content_stems(" ".join(list_words("light_verbs"))))


def runs_through(words: Sequence[str], order: Sequence[str]) -> bool:
    """Return whether the words come in this order: who pays whom is told by nothing else."""
    rest = iter(order)
    return all(word in rest for word in words)


def _runs_turned(part: Clause, clause: Clause) -> bool:
    """Return whether the words come in one order once what stands in front of a comma is put behind."""
    turned = _put_lead_behind(clause)
    present = [word for word in _put_lead_behind(part) if word in clause.stems]
    return len(present) == len(part.order) and runs_through(present, turned)


def _put_lead_behind(clause: Clause) -> tuple[str, ...]:
    """Return the stems of "On weekdays, the clinic opens" as of "the clinic opens on weekdays"."""
    lead, comma, _ = clause.stated.partition(",")
    if not comma or _LEADING.match(lead) is None:
        return clause.order
    length = len(list_stems(lead))
    return (*clause.order[length:], *clause.order[:length])


def find_best(part: Clause, cited: Sequence[CitedClause]) -> tuple[CitedClause, ...]:
    """Return the clauses with the greatest overlap, a rarer stem weighing more; none without any.

    Of several, those that say nothing beyond the statement's words stand for it, and those that speak of
    the past do not where others speak of now.
    """
    weights = {
        word: 1 + len(cited) - sum(word in one.clause.stems for one in cited) for word in part.stems
    }
    overlaps = [sum(weights[word] for word in part.stems & one.clause.stems) for one in cited]
    greatest = max(overlaps, default=0)
    if greatest == 0:
        return ()
    best = [one for one, overlap in zip(cited, overlaps, strict=True) if overlap == greatest]
    return tuple(_of_the_same(part, _of_the_same_time(part, best)))


def is_past(clause: Clause) -> bool:
    """Return whether a clause speaks of what was."""
    return bool(clause.words & list_words("past_words"))


def holds_all(part: Clause, clause: Clause) -> bool:
    """Return whether each value of the statement agrees with some value of the clause."""
    return all(
        any(relate(one.value, other.value).agrees for other in clause.values) for one in part.values
    )


def widens_subject(part: Clause, clause: Clause, cited: Sequence[CitedClause]) -> bool:
    """Return whether "Delivery costs $5" is said of what the cited text tells apart: express delivery."""
    if len(clause.order) < 2 or not part.order:
        return False
    kind, subject = clause.order[:2]
    if kind in part.stems or part.order[0] != subject:
        return False
    others = (one.clause for one in cited if one.clause is not clause)
    return any(subject in other.stems and kind not in other.stems for other in others)


def _of_the_same_time(part: Clause, best: list[CitedClause]) -> list[CitedClause]:
    past = is_past(part)
    same = [one for one in best if is_past(one.clause) is past]
    return same if same and len(best) > 1 and any(one.clause.values for one in same) else best


def _of_the_same(part: Clause, best: list[CitedClause]) -> list[CitedClause]:
    """Return the clauses whose words are just those of the statement, where all others say more."""
    if len(best) < 2 or not part.values:
        return best
    same = [one for one in best if one.clause.stems == part.stems and one.clause.values]
    return same or best
