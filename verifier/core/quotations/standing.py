"""Whether a text stands behind the words that a quotation takes from it, or denies or strikes them."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.lead_ins import denies_before, is_struck
from verifier.core.lexicons import load_word_lists
from verifier.core.sentences import BlockKind, split_sentences
from verifier.core.speech import list_words, read_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.sentences import Sentence
    from verifier.core.spans import Span

_NOTE_SIGNS: Final = frozenset("*†‡")
_PLACING: Final = frozenset({"on", "in", "at", "for", "if", "when", "during", "before", "after"})
_FEWEST_WORDS: Final = 3
_CACHED: Final = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """A sentence with the start of the heading or line that leads into it and denies it."""

    sentence: Sentence
    lead: int | None = None


def find_doubt(text: str, span: Span) -> str | None:
    """Return why a text may not mean the words at `span`; None where nothing around them says so.

    A line that leads into an item may deny it, a heading or a label withdraw it, so may a line through it, or
    what stands behind it. What the quotation covers itself is no reason. A sentence behind that goes on
    with "but" or "however" is none either: it mostly adds to what was said.
    """
    placed = _place(text)
    if not placed:
        return None
    first, last = (_number(placed, at) for at in (span.start, max(span.start, span.end - 1)))
    covered = placed[first : last + 1]
    if any(one.lead is not None and one.lead < span.start for one in covered):
        return "what leads into it denies it"
    label, colon, _ = text[covered[0].sentence.span.start : span.start].rpartition(": ")
    if colon and (_denies(label) or _withdraws(label)):
        return "the label before it denies it"
    if any(is_struck(one.sentence.text) for one in covered):
        return "it is struck out there"
    if _has_footnote(text, span, covered[-1].sentence.text):
        return "a note below it may limit it"
    behind = placed[last + 1].sentence if last + 1 < len(placed) else None
    taken_back = _withdraws(text[span.end : covered[-1].sentence.span.end])
    if taken_back or (behind is not None and _takes_back(behind)):
        return "what stands behind it takes it back"
    return None


def _takes_back(behind: Sentence) -> bool:
    """Return whether a sentence speaks of the one before it, and denies, withdraws or limits it."""
    if behind.block is BlockKind.HEADING:
        return False
    words = read_words(behind.text)
    if denies_before(behind.text) or (words[:1] == ("not",) and _PLACING.issuperset(words[1:2])):
        return True
    points = len(words) <= _FEWEST_WORDS or words[0] in list_words("pointing_words")
    return points and _withdraws(behind.text)


def _withdraws(words: str) -> bool:
    return not load_word_lists("quotations")["taking_back"].isdisjoint(read_words(words))


def _has_footnote(text: str, span: Span, sentence: str) -> bool:
    """Return whether a sign of a note stands at the end, one that pairs with no other, and a note for it."""
    sign = text[span.end : span.end + 1]
    if sign not in _NOTE_SIGNS or sentence.count(sign) % 2 == 0:
        return False
    return re.search(rf"^[ \t]*{re.escape(sign)}", text[span.end :], re.MULTILINE) is not None


def _denies(lead: str) -> bool:
    words = read_words(lead)
    denying = load_word_lists("quotations")["denying_leads"]
    return any(word in denying or word.endswith("n't") for word in words)


def _number(placed: tuple[_Placed, ...], at: int) -> int:
    return max(0, bisect_right(placed, at, key=_start) - 1)


def _start(placed: _Placed) -> int:
    return placed.sentence.span.start


@lru_cache(maxsize=_CACHED)
def _place(text: str) -> tuple[_Placed, ...]:
    return tuple(_read(text))


def _read(text: str) -> Iterator[_Placed]:
    heading: int | None = None
    lead: int | None = None
    for sentence in split_sentences(text):
        if sentence.block is BlockKind.HEADING:
            lead, heading = None, sentence.span.start if _withdraws(sentence.text) else None
            yield _Placed(sentence=sentence)
            continue
        listed = sentence.block is BlockKind.LIST_ITEM
        yield _Placed(sentence=sentence, lead=lead if listed and lead is not None else heading)
        if not listed:
            leads = sentence.text.rstrip().endswith(":") and _denies(sentence.text)
            lead = sentence.span.start if leads else None
