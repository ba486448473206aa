"""What a quotation leaves away before it in its own sentence, and whether that changes its sense."""

from __future__ import annotations

import re
from typing import Final

from verifier.core.quotations.senses import (
    BOUNDARY,
    CLAUSE,
    VERB,
    Cut,
    denies,
    holds_any,
    is_framed,
    listed,
    opens_with,
    states,
)
from verifier.core.speech import read_words

_JOINED: Final = re.compile(r"(?:^|[\s,])(?:and|but|so)\s+\Z", re.IGNORECASE)
_COMMA: Final = re.compile(r",\s")
_LABEL_END: Final = re.compile(r"(?::|\s[–—-])\s*[\"'“‘«„]?\Z")  # Rule 4: “
_LIST_MARK: Final = re.compile(r"\A\s*(?:[-*+•]|\(?\w{1,3}[.)])(?:\s|\Z)")  # "2. ", "(a) "
_SUBORDINATING: Final = frozenset({"that", "dass", "que"})
_DEFINITE: Final = frozenset({"the", "this", "these", "our", "your", "their"})
_LENGTH_OF_YEAR: Final = 4
_ADJACENT: Final = 3


def judge_left(left: str, quoted: str) -> tuple[Cut, str]:
    """Return what leaving `left`, the start of its sentence, away does to `quoted`, the rest of it."""
    left = _LIST_MARK.sub("", left)
    near = _within_reach(BOUNDARY, left, quoted)
    cut = _judge_denial(near)
    if cut is not Cut.HARMLESS:
        return cut, "the cut drops a denial before it"
    if holds_any(read_words(near), "conditions"):
        return Cut.ALTERS, "the cut drops a condition before it"
    lead = _within_reach(CLAUSE, left, quoted)
    words = read_words(lead)
    if listed("plain_leads").issuperset(word for word in words if not _is_number(word)):
        return Cut.HARMLESS, ""
    detail = _find_dropped(read_words(near), lead, quoted)
    return (Cut.OPEN, f"the cut drops {detail} before it") if detail else (Cut.HARMLESS, "")


def _find_dropped(near: tuple[str, ...], lead: str, quoted: str) -> str | None:
    """Return what a lead, whose words reach the quoted ones, loses when it is cut off."""
    words = read_words(lead)
    if holds_any(near, "circumstances"):
        return "a circumstance"
    if holds_any(words[-_ADJACENT:], "limits"):
        return "a limit"
    if is_framed(lead) or words[-1] in _SUBORDINATING:
        return "that it is of another time or somebody else's"
    if _LABEL_END.search(lead):
        return None
    if words[0] in listed("restrictions") and (states(quoted) or lead.rstrip().endswith(",")):
        return "what it is limited to"
    aside = (
        lead.rstrip().endswith(",") and words[0] in _DEFINITE
    )  # The deposit, | paid on arrival, is
    return "words of its subject" if not aside and _cuts_subject(words, quoted) else None


def _is_number(word: str) -> bool:
    """Return whether a word is the number of a section, and no year."""
    return word.isdigit() and len(word) < _LENGTH_OF_YEAR


def _within_reach(boundary: re.Pattern[str], left: str, quoted: str) -> str:
    """Return what of `left` may reach the quoted words: behind the boundary and a joint of two clauses."""
    near = boundary.split(left)[-1]
    joined = _JOINED.search(near) and VERB.search(near) and VERB.search(quoted[:80])
    return "" if joined else near


def _judge_denial(near: str) -> Cut:
    if not denies(read_words(near)):
        return Cut.HARMLESS
    clause = read_words(_COMMA.split(near)[-1])
    return Cut.ALTERS if denies(clause) or opens_with(near, "denials") else Cut.OPEN


def _cuts_subject(words: tuple[str, ...], quoted: str) -> bool:
    """Return whether a statement lacks the start of its subject: "Paying | guests may use the sauna"."""
    if not states(quoted):
        return False
    last = words[-1]
    if last in listed("joints"):
        return True
    return last not in listed("plain_leads") and not opens_with(quoted, "subject_openers")
