"""What a quotation leaves away at its edges and between its pieces, and whether that changes its sense."""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import IntEnum
from functools import lru_cache
from typing import Final

from verifier.core.lexicons import load_word_lists
from verifier.core.quantities import extract_quantities
from verifier.core.sentences import split_sentences
from verifier.core.spans import Span
from verifier.core.speech import read_words

_BOUNDARY: Final = re.compile(  # where a denial ends to reach: "; ", ", and ", ": "
    r"[;:]\s|\s[–—-]\s|,\s+(?:and|but|so|yet|while|whereas)\s", re.IGNORECASE
)
_CLAUSE: Final = re.compile(r";\s|,\s+(?:and|but|so|yet|while|whereas)\s", re.IGNORECASE)
_ASIDE: Final = re.compile(  # ", who must be of age, "; "(a firm; it is new) "
    r"\s*(?:,.*,|\(.*\)|[–—-]\s.*\s[–—-])\s*", re.DOTALL
)
_JOINED: Final = re.compile(r"(?:^|[\s,])(?:and|but|so)\s+\Z", re.IGNORECASE)
_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|can|must|may|will|shall|do|does|\w{3,}(?:ed|es|s))\b",
    re.IGNORECASE,
)
_COMMA: Final = re.compile(r",\s")
_ADJACENT: Final = 3
_FEWEST_STATED: Final = 3  # a term of one or two words states nothing that could be turned
_LONGEST_SENTENCE: Final = 4_000
_LONGEST_VALUE: Final = 60
_CACHED: Final = 128


class Cut(IntEnum):
    """What was left away: nothing that matters, something a person must weigh, something that turns it."""

    HARMLESS = 0
    OPEN = 1
    ALTERS = 2


def judge_edges(text: str, span: Span) -> tuple[Cut, str]:
    """Return what leaving the rest of its sentences away does to a quotation at `span` of `text`."""
    before, behind = (
        _sentence_at(text, span.start),
        _sentence_at(text, max(span.start, span.end - 1)),
    )
    if any(_cuts_value(text, one, span) for one in {before, behind}):
        return Cut.ALTERS, "it is cut inside a value"
    left = text[before.start : span.start]
    right = text[span.end : behind.end]
    told = [_judge_left(left, text[span.start : before.end]), _judge_right(right)]
    if span.end > span.start and _ends_in_value(span.of(text)) and _opens(right, "value_tails"):
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
    words = set(read_words(omitted))
    if _denies(words) or any(words & _list(one) for one in ("conditions", "exceptions", "limits")):
        return Cut.ALTERS, "what is left out denies or limits it"
    if first != last:
        if not leaves_out_whole(text, gap):
            return Cut.ALTERS, "it joins pieces of two sentences"
        return (Cut.OPEN, "whole sentences are left out") if _strip(omitted) else (Cut.HARMLESS, "")
    if _joins_clauses(omitted):
        return Cut.ALTERS, "it joins pieces of two clauses"
    return (
        (Cut.OPEN, "a circumstance is left out")
        if words & _list("circumstances")
        else (Cut.HARMLESS, "")
    )


def leaves_out_whole(text: str, gap: Span) -> bool:
    """Return whether what is left out between two pieces is whole sentences."""
    first, last = _sentence_at(text, max(0, gap.start - 1)), _sentence_at(text, gap.end)
    return not _strip(text[gap.start : first.end]) and not _strip(text[last.start : gap.end])


def _joins_clauses(omitted: str) -> bool:
    """Return whether a clause ends and another with a verb begins in what is left out, and is no aside."""
    end = None if _ASIDE.fullmatch(omitted) else _CLAUSE.search(omitted)
    return end is not None and _VERB.search(omitted, end.end()) is not None


def same_sentence(text: str, start: int, end: int) -> bool:
    """Return whether two places stand in one sentence, or in two that follow each other."""
    places = _sentences(text)
    return abs(_number(places, start) - _number(places, end)) <= 1


def _judge_left(left: str, quoted: str) -> tuple[Cut, str]:
    """Judge what stands before: a denial within reach, a condition of the sentence, a limit next to it."""
    near = _BOUNDARY.split(left)[-1]
    joint = _JOINED.search(near)
    if joint is not None and _VERB.search(near) and _VERB.search(quoted[:80]):
        near = ""
    words = read_words(near)
    if _denies(set(words)):
        clause = read_words(_COMMA.split(near)[-1])
        cut = Cut.ALTERS if _denies(set(clause)) or _opens(near, "denials") else Cut.OPEN
        return cut, "the cut drops a denial before it"
    found = set(words)
    if found & _list("conditions"):
        return Cut.ALTERS, "the cut drops a condition before it"
    if found & _list("circumstances"):
        return Cut.OPEN, "the cut drops a circumstance before it"
    if set(words[-_ADJACENT:]) & _list("limits"):
        return Cut.OPEN, "the cut drops a limit before it"
    return Cut.HARMLESS, ""


def _judge_right(right: str) -> tuple[Cut, str]:
    """Judge what stands behind: a condition or an exception at once, or later in the same clause."""
    words = read_words(right)
    if not words:
        return Cut.HARMLESS, ""
    first = words[:_ADJACENT]
    turning = _list("conditions") | _list("exceptions")
    if set(first) & turning or tuple(first) in {
        ("as", "long", "as"),
        ("so", "long", "as"),
    }:
        return Cut.ALTERS, "the cut drops a condition or an exception behind it"
    if _turns_at_once(first):
        return Cut.ALTERS, "the cut drops a denial behind it"
    clause = set(read_words(_BOUNDARY.split(right, maxsplit=1)[0]))
    if clause & turning:
        return Cut.OPEN, "its sentence goes on with a condition"
    if first[0] in _list("circumstances"):
        cut = Cut.ALTERS if first[0] in {"until", "till"} else Cut.OPEN
        return cut, "the cut drops a circumstance behind it"
    if _denies(clause):
        return Cut.OPEN, "its sentence goes on with a denial"
    return Cut.HARMLESS, ""


def _turns_at_once(first: tuple[str, ...]) -> bool:
    """Return whether words deny or bound what stands before them: "not", "in no case", "less than half"."""
    if first[0] in _list("compared") and "than" in first[1:2]:
        return True
    return first[0] in {"not", "never", "no", "nor"} or (first[0] == "in" and _denies(set(first)))


def _cuts_value(text: str, sentence: Span, span: Span) -> bool:
    """Return whether an edge of `span` lies inside a number, a range or a bound of its sentence."""
    if sentence.end - sentence.start > _LONGEST_SENTENCE:
        return False
    for one in extract_quantities(sentence.of(text)):
        place = one.span.shift(sentence.start)
        if place.start < span.start < place.end or place.start < span.end < place.end:
            return True
    return False


def _ends_in_value(text: str) -> bool:
    end = text[-_LONGEST_VALUE:]
    return any(one.span.end == len(end) for one in extract_quantities(end))


def _denies(words: set[str]) -> bool:
    return bool(words & _list("denials")) or any(word.endswith("n't") for word in words)


def _opens(text: str, name: str) -> bool:
    words = read_words(text)
    return bool(words) and words[0] in _list(name)


def _strip(text: str) -> str:
    return text.strip(" \t\r\n.,;:!?'\"”’»)*_-")


def _list(name: str) -> frozenset[str]:
    return load_word_lists("quotations")[name]


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
