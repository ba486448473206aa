"""Whether a text stands behind the words that a quotation takes from it, or denies or strikes them."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.lead_ins import is_struck
from verifier.core.quotations.finding import find_quotations
from verifier.core.quotations.retracting import takes_back
from verifier.core.quotations.senses import frames_below, holds_any
from verifier.core.sentences import BlockKind, split_sentences
from verifier.core.spans import Span
from verifier.core.speech import is_question, read_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.sentences import Sentence

_NOTE_SIGNS: Final = frozenset("*†‡")
_EMPHASIS: Final = ("*", "_")
_CATAPHORIC: Final = frozenset({"this", "following", "here", "below", "what", "next"})
_OPENING: Final = 4
_LONGEST_LEAD: Final = 10
_CACHED: Final = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """A sentence with the start of the heading or line that leads into it and weakens it."""

    sentence: Sentence
    lead: int | None = None


def find_doubt(text: str, span: Span, *, asks: bool = False) -> str | None:
    """Return why a text may not mean the words at `span`; None where nothing around them says so.

    A line that leads into them, a heading or a label may deny, date or attribute them, so may a line through
    them, marks of quotation, or the sentence behind them. What the quotation covers itself is no reason.
    A question is none to a quotation that `asks` too.
    """
    covered = _cover(text, span)
    if not covered:
        return None
    if not asks and "?" in text[span.end : covered[-1].sentence.span.end]:
        return "it is part of a question there"
    return _find_doubt_within(text, span, covered) or find_doubt_around(text, span)


def find_doubt_around(text: str, span: Span) -> str | None:
    """Return why what leads into the sentences at `span`, or what follows them, may turn their sense."""
    covered = _cover(text, span)
    if not covered:
        return None
    if any(one.lead is not None and one.lead < span.start for one in covered):
        return "what leads into it denies or dates it, or tells it of others"
    placed, end = _place(text), covered[-1].sentence.span.end
    at = _number(placed, end - 1) + 1
    for one in placed[at : at + 1]:
        adjoins = _adjoins(text[end : one.sentence.span.start], one.sentence)
        if takes_back(one.sentence, span.of(text), adjoins=adjoins):
            return "what stands behind it takes it back"
    return None


def _cover(text: str, span: Span) -> tuple[_Placed, ...]:
    """Return the sentences that `span` lies in."""
    placed = _place(text)
    first, last = (_number(placed, at) for at in (span.start, max(span.start, span.end - 1)))
    return placed[first : last + 1]


def _adjoins(between: str, behind: Sentence) -> bool:
    """Return whether a sentence stands in one block with what is before it."""
    if behind.text.startswith(_EMPHASIS):  # a line of its own, in bold, is a heading
        return "\n" not in between
    return between.count("\n") < (1 if behind.block is BlockKind.LIST_ITEM else 2)


def _find_doubt_within(text: str, span: Span, covered: Sequence[_Placed]) -> str | None:
    """Return why the very sentences of the words may not mean them."""
    start, end = covered[0].sentence.span.start, covered[-1].sentence.span.end
    label, colon, _ = text[start : span.start].rpartition(": ")
    if colon and _denies(label):
        return "the label before it denies it"
    if any(is_struck(one.sentence.text) for one in covered):
        return "it is struck out there"
    if _has_footnote(text, span, covered[-1].sentence.text):
        return "a note below it may limit it"
    if holds_any(read_words(text[span.end : end]), "taking_back"):
        return "what stands behind it takes it back"
    if _is_quoted(text[start:end], Span(span.start - start, span.end - start)):
        return "the text quotes it itself"
    return None


def _is_quoted(sentence: str, span: Span) -> bool:
    """Return whether words stand between marks of quotation that something leads into."""
    return any(
        one.is_passage and one.span.contains(span) and read_words(sentence[: one.mark.start])
        for one in find_quotations(sentence)
    )


def _has_footnote(text: str, span: Span, sentence: str) -> bool:
    """Return whether a sign of a note stands at the end, one that pairs with no other, and a note for it."""
    sign = text[span.end : span.end + 1]
    if sign not in _NOTE_SIGNS or sentence.count(sign) % 2 == 0:
        return False
    return re.search(rf"^[ \t]*{re.escape(sign)}", text[span.end :], re.MULTILINE) is not None


def _denies(lead: str) -> bool:
    words = read_words(lead)
    return holds_any(words, "denying_leads") or any(word.endswith("n't") for word in words)


def _number(placed: tuple[_Placed, ...], at: int) -> int:
    return max(0, bisect_right(placed, at, key=_start) - 1)


def _start(placed: _Placed) -> int:
    return placed.sentence.span.start


@lru_cache(maxsize=_CACHED)
def _place(text: str) -> tuple[_Placed, ...]:
    return tuple(_read(text))


def _read(text: str) -> Iterator[_Placed]:
    """Yield the sentences with what leads into them: a heading, a line above, "The following was valid."."""
    heading: int | None = None
    lead: int | None = None
    for sentence in split_sentences(text):
        start = sentence.span.start
        if sentence.block is BlockKind.HEADING:
            weakened = not is_question(sentence.text) and frames_below(sentence.text)
            lead, heading = None, start if weakened else None
            yield _Placed(sentence=sentence)
            continue
        yield _Placed(sentence=sentence, lead=heading if lead is None else lead)
        if _leads(sentence):
            lead = start
        elif sentence.block is not BlockKind.LIST_ITEM:
            lead = None


def _leads(sentence: Sentence) -> bool:
    """Return whether a sentence speaks of what follows it, and denies, dates or attributes that."""
    text, words = sentence.text, read_words(sentence.text)
    if text.rstrip().endswith(":"):
        return _denies(text) or frames_below(text)
    if _CATAPHORIC.isdisjoint(words[:_OPENING]):
        return False
    unreal = len(words) <= _LONGEST_LEAD and holds_any(words, "unreal")
    return unreal or ("following" in words and frames_below(text))
