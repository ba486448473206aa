"""What a quotation leaves away behind it in its own sentence, and whether that changes its sense."""

from __future__ import annotations

import re
from typing import Final

from verifier.core.quotations.retracting import retracts
from verifier.core.quotations.senses import (
    BOUNDARY,
    NOTE_MARK,
    Cut,
    denies,
    has_verb,
    holds_any,
    listed,
)
from verifier.core.speech import read_words

_ADJACENT: Final = 3
_ENDS_CLAUSE: Final = re.compile(r"[\s.!?]*[;|]")  # "; towels are lent", ". | valid |"
_AS_LONG_AS: Final = (("as", "long", "as"), ("so", "long", "as"))
_UNTIL: Final = frozenset({"until", "till"})
_PAST: Final = frozenset({"was", "were", "did", "had"})
_FEWEST_STATED: Final = 3


def judge_right(right: str, quoted: str) -> tuple[Cut, str]:
    """Return what leaving `right`, the rest of its sentence, away does to the quoted words."""
    right = NOTE_MARK.sub("", right, count=1) if NOTE_MARK.match(right) else right
    words = read_words(right)
    if not words:
        return Cut.HARMLESS, ""
    first = words[:_ADJACENT]
    if holds_any(first, "conditions", "exceptions") or first in _AS_LONG_AS:
        return Cut.ALTERS, "the cut drops a condition or an exception behind it"
    if _turns_at_once(first):
        return Cut.ALTERS, "the cut drops a denial behind it"
    if first[0] in _UNTIL:
        return Cut.ALTERS, "the cut drops a circumstance behind it"
    detail = _find_dropped(right, words, quoted)
    return (Cut.OPEN, detail) if detail else (Cut.HARMLESS, "")


def _find_dropped(right: str, words: tuple[str, ...], quoted: str) -> str | None:
    """Return what a person must weigh of what is left away: a condition further on, a denial, a limit."""
    clause = _clause(right)
    if holds_any(clause, "conditions", "exceptions"):
        return "its sentence goes on with a condition"
    if denies(clause):
        return "its sentence goes on with a denial"
    if words[0] in listed("circumstances") and not _adds(right, words):
        return "the cut drops a circumstance behind it"
    limits = _limits(right, words, quoted)
    return "its sentence goes on, and what follows may limit it" if limits else None


def _clause(right: str) -> tuple[str, ...]:
    return read_words(BOUNDARY.split(right, maxsplit=1)[0])


def _turns_at_once(first: tuple[str, ...]) -> bool:
    """Return whether words deny or bound what stands before them: "not", "in no case", "less than half"."""
    if first[0] in listed("compared") and "than" in first[1:2]:
        return True
    return first[0] in {"not", "never", "no", "nor"} or (first[0] == "in" and denies(first))


def _limits(right: str, words: tuple[str, ...], quoted: str) -> bool:
    """Return whether what follows may limit the quoted words; what only adds to them does not.

    A statement may be limited by whatever goes on in its clause, other words by what is known to limit.
    """
    if _adds(right, words):
        return False
    if _ENDS_CLAUSE.match(right):
        needs = words[0] in listed("pointers") and holds_any(words, "needing")
        return needs or retracts(words)
    if words[0] == "in" and not _PAST.isdisjoint(read_words(quoted)):
        return words[1:2] != () and words[1] in listed("exceptional")
    if len(read_words(quoted)) < _FEWEST_STATED:
        return False
    return words[0] in listed("restrictions") or has_verb(read_words(quoted))


def _adds(right: str, words: tuple[str, ...]) -> bool:
    """Return whether another clause, or another thing that nothing limits, is added: "and we lend towels"."""
    if words[0] not in listed("adding") and words[:2] not in {("as", "was"), ("as", "were")}:
        return False
    joined = words[0] == "and" and "," not in right[: right.find("and")]
    if not joined or has_verb(words):
        return True
    return (
        words[1:2] == ()
        or words[1] in listed("restrictions")
        or not holds_any(words, "restrictions")
    )
