"""What a quotation leaves away at its edges and between its pieces, and whether that changes its sense."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import Final

from verifier.core.quantities import extract_quantities
from verifier.core.quotations.leading import judge_left
from verifier.core.quotations.retracting import retracts
from verifier.core.quotations.senses import CLAUSE, VERB, Cut, denies, listed, opens_with
from verifier.core.quotations.trailing import judge_right
from verifier.core.sentences import split_sentences
from verifier.core.spans import Span
from verifier.core.speech import read_words

_ASIDE: Final = re.compile(  # ", who must be of age, "; "(a firm; it is new) "
    r"\s*(?:,.*,|\(.*\)|[–—-]\s.*\s[–—-])\s*", re.DOTALL
)
_FEWEST_STATED: Final = 3  # a term of one or two words states nothing that could be turned
_LONGEST_SENTENCE: Final = 4_000
_LONGEST_VALUE: Final = 60
_CACHED: Final = 128


def judge_edges(text: str, span: Span) -> tuple[Cut, str]:
    """Return what leaving the rest of its sentences away does to a quotation at `span` of `text`."""
    before, behind = (
        _sentence_at(text, span.start),
        _sentence_at(text, max(span.start, span.end - 1)),
    )
    if any(_cuts_value(text, one, span) for one in {before, behind}):
        return Cut.ALTERS, "it is cut inside a value"
    left = text[max(before.start, span.start - _LONGEST_SENTENCE) : span.start]
    right = text[span.end : min(behind.end, span.end + _LONGEST_SENTENCE)]
    told = [
        judge_left(left, text[span.start : min(before.end, span.start + _LONGEST_SENTENCE)]),
        judge_right(right, text[max(span.start, behind.start) : span.end]),
    ]
    if span.end > span.start and _ends_in_value(span.of(text)) and opens_with(right, "value_tails"):
        told.append((Cut.OPEN, "the cut drops what its value is counted by"))
    cut, detail = max(told)
    if cut is Cut.ALTERS and len(span.of(text).split()) < _FEWEST_STATED:
        return Cut.OPEN, detail
    return cut, detail


def judge_gap(text: str, gap: Span) -> tuple[Cut, str]:
    """Return what leaving `gap` out between two pieces does: within a sentence, or whole sentences."""
    first, last = _sentence_at(text, max(0, gap.start - 1)), _sentence_at(text, gap.end)
    omitted = gap.of(text)
    if _cuts_value(text, first, gap):
        return Cut.ALTERS, "a value is cut by what is left out"
    if _replaces_value(text, first, gap):
        return Cut.ALTERS, "a value is left out where another one follows"
    spoken = read_words(omitted)
    if first != last and leaves_out_whole(text, gap) and spoken and not retracts(spoken):
        return Cut.OPEN, "whole sentences are left out"
    words = set(spoken)
    if denies(words) or any(words & listed(one) for one in ("conditions", "exceptions", "limits")):
        return Cut.ALTERS, "what is left out denies or limits it"
    if first != last:
        whole = leaves_out_whole(text, gap)
        return (Cut.HARMLESS, "") if whole else (Cut.ALTERS, "it joins pieces of two sentences")
    return _judge_omitted(omitted, words)


def _judge_omitted(omitted: str, words: set[str]) -> tuple[Cut, str]:
    """Return what leaving words out of one sentence does that deny and limit nothing."""
    if _joins_clauses(omitted):
        return Cut.ALTERS, "it joins pieces of two clauses"
    aside = _ASIDE.fullmatch(omitted) is not None
    if words & listed("circumstances") or (not aside and words & listed("restrictions")):
        return Cut.OPEN, "a circumstance is left out"
    return Cut.HARMLESS, ""


def _replaces_value(text: str, sentence: Span, gap: Span) -> bool:
    """Return whether a gap has a value and ends at another: "pay [5 EUR, members] 8 EUR"."""
    if sentence.end - sentence.start > _LONGEST_SENTENCE:
        return False
    places = [one.span.shift(sentence.start) for one in extract_quantities(sentence.of(text))]
    behind = any(gap.end <= one.start and not text[gap.end : one.start].strip() for one in places)
    return behind and any(gap.contains(one) for one in places)


def leaves_out_whole(text: str, gap: Span) -> bool:
    """Return whether what is left out between two pieces is whole sentences."""
    first, last = _sentence_at(text, max(0, gap.start - 1)), _sentence_at(text, gap.end)
    return not _strip(text[gap.start : first.end]) and not _strip(text[last.start : gap.end])


def _joins_clauses(omitted: str) -> bool:
    """Return whether a clause ends and another with a verb begins in what is left out, and is no aside."""
    end = None if _ASIDE.fullmatch(omitted) else CLAUSE.search(omitted)
    return end is not None and VERB.search(omitted, end.end()) is not None


def same_sentence(text: str, start: int, end: int) -> bool:
    """Return whether two places stand in one sentence, or in two that follow each other."""
    places = _sentences(text)
    return abs(_number(places, start) - _number(places, end)) <= 1


def _cuts_value(text: str, sentence: Span, span: Span) -> bool:
    """Return whether an edge of `span` lies inside a number, a range or a bound of its sentence.

    The stop that ends a sentence may be a value's own too: "until 11 p.m."
    """
    if sentence.end - sentence.start > _LONGEST_SENTENCE:
        return False
    for one in extract_quantities(sentence.of(text)):
        place = one.span.shift(sentence.start)
        behind = text[span.end : place.end] if place.start < span.end else ""
        if place.start < span.start < place.end or behind.rstrip("."):
            return True
    return False


def _ends_in_value(text: str) -> bool:
    end = text[-_LONGEST_VALUE:]
    return any(one.span.end == len(end) for one in extract_quantities(end))


def _strip(text: str) -> str:
    return text.strip(" \t\r\n.,;:!?'\"”’»)*_-")


def _sentence_at(text: str, at: int) -> Span:
    places = _sentences(text)
    if not places:
        return Span(0, len(text))
    return places[_number(places, at)]


def _number(places: tuple[Span, ...], at: int) -> int:
    return max(0, bisect_right(places, at, key=_start) - 1)


def _start(span: Span) -> int:
    return span.start


@lru_cache(maxsize=_CACHED)
def _sentences(text: str) -> tuple[Span, ...]:
    return tuple(one.span for one in split_sentences(text))
