"""Whether a word for a state is said of a thing, or only describes something in passing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.facts.model import NamedBy
from verifier.core.lexicons import load_word_lists
from verifier.core.sentences import BlockKind
from verifier.core.speech import read_words
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.binding.passages import Passage
    from verifier.core.binding.stated_values import StatedValue

_LOOK_BACK: Final = 60
_LOOK_AHEAD: Final = 30
_SUBJECT_WORDS: Final = 8
_PREDICATING: Final = re.compile(  # "is now", "has already been", "status:", "I have"
    r"""(?: \b(?: is|are|was|were|has|have|had|be|been
               | isn['’]t|aren['’]t|wasn['’]t|hasn['’]t|haven['’]t|(?<!you)['’]re|(?<!it)['’]s|['’]ve
               | marked|shown|listed|remains|remain|status|state|shows )
          (?:\s+(?:as|is|now|currently|already|still|just|not|never|yet|been|successfully|both|all|also|fully|in))*
        | \bstatus\s*[:=–-]\s* ) [\s*_:"'“`]* \Z""",
    re.VERBOSE | re.IGNORECASE,
)
_DETERMINED: Final = re.compile(  # "for the", "your current", "of the new"
    r"\b(?:the|your|this|that|their|our)\s+(?:(?:current|new|old|original|other|same)\s+)?\Z",
    re.IGNORECASE,
)
_NOUN: Final = re.compile(r"\s+[\"“‘(]?[A-Za-z]{3,}")
_BRACKETED: Final = re.compile(r"\([\s*_]*\Z")
_AFTER_COLON: Final = re.compile(r":[\s*_]*\Z")
_ENDING: Final = re.compile(r"\A[\s*_)\].,;!|]*\Z")


def is_predicated(passage: Passage, stated: StatedValue) -> bool:
    """Return whether the state is said of a thing: "is shipped", "(shipped)", "Status: shipped"."""
    text, offset = passage.sentence.text, passage.sentence.span.start
    start, end = stated.span.start - offset, stated.span.end - offset
    before = text[max(0, start - _LOOK_BACK) : start]
    if _PREDICATING.search(before):
        return not _is_of_money(before)
    if passage.sentence.block is BlockKind.TABLE_ROW:
        return before.rstrip().endswith("|") and text[end:].lstrip().startswith("|")
    if _BRACKETED.search(before) and passage.mentions:
        return True
    if _AFTER_COLON.search(before) and _ENDING.match(text[end:]):
        return True
    states = sum(one.value.kind is Kind.STATE for one in passage.values)
    return states == 1 and any(
        one.by == "key" and 0 <= one.span.start - stated.span.end <= _LOOK_AHEAD
        for one in passage.mentions
    )


def is_epithet(passage: Passage, stated: StatedValue) -> bool:
    """Return whether an amount only tells which thing is meant, as its name does: "the 100ml bottle"."""
    named = any(
        one.by == NamedBy.DESCRIPTOR and one.span.contains(stated.span) for one in passage.mentions
    )
    if not named:
        return False
    text, offset = passage.sentence.text, passage.sentence.span.start
    before, after = text[: stated.span.start - offset], text[stated.span.end - offset :]
    return _DETERMINED.search(before) is not None and _NOUN.match(after) is not None


def says_state(before: str) -> bool:
    """Return whether a text ends in what leads to a state: "is now", "status:"."""
    return _PREDICATING.search(before[-_LOOK_BACK:]) is not None


def _is_of_money(before: str) -> bool:
    """Return whether an amount is said to be refunded or processed, not a thing to be in that state."""
    words = read_words(before)[-_SUBJECT_WORDS:]
    return bool(load_word_lists("cautions")["paid_things"] & set(words))
