"""The parts of a sentence that state a rule each, and the label before them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.lexicons import load_word_lists
from verifier.core.spans import Span
from verifier.core.speech import read_words
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.quantities import ValueMention

_MARK: Final = re.compile(r"\s*(?:\#{1,6}\s|(?:[-*+•‣◦▪–]|\(?\d{1,3}[.)]|\(?[a-z][)])[ \t]+)?\s*")
_LABEL: Final = re.compile(
    r"[*_]*(?P<label>[^\W\d_][^\n:;.!?]{0,60}?)[*_]*:[*_]*\s+(?=\S)"
)  # "Fees: "
_CUT: Final = re.compile(
    r"(?P<strong>;\s+|,?\s+(?:while|whereas)\s+)|,?\s+(?:and|but)\s+", re.IGNORECASE
)
_AT: Final = "at "
_MOST_PARTS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceParts:
    """The whole sentence behind its label, then the parts that stand by themselves; spans are its own."""

    label: str
    spans: tuple[Span, ...]


def find_parts(text: str, mentions: Sequence[ValueMention]) -> SentenceParts:
    """Return the parts of a sentence; one whose condition may stand in another part is none.

    "X costs $5 and Y costs $3 for members" may tell both prices of members.
    """
    start = _start(text)
    label = _LABEL.match(text, start)
    named = label is not None and not any(one.span.start < label.end() for one in mentions)
    if label is not None and named:
        start = label.end()
    pieces = _pieces(text, start, mentions)
    spans = [Span(start, len(text))]
    if 1 < len(pieces) <= _MOST_PARTS:
        told = _without_values(text, mentions)
        spans += [piece for at, (piece, _) in enumerate(pieces) if _stands_alone(told, pieces, at)]
    written = label["label"] if label is not None and named else ""
    return SentenceParts(label=written, spans=tuple(spans))


def _start(text: str) -> int:
    mark = _MARK.match(text)
    return mark.end() if mark is not None else 0


def _pieces(text: str, start: int, mentions: Sequence[ValueMention]) -> list[tuple[Span, bool]]:
    """Return the pieces between cuts, each with whether the cut before it parts what a condition reaches."""
    taken = [one.span for one in mentions]
    pieces: list[tuple[Span, bool]] = []
    strong = False
    for match in _CUT.finditer(text, start):
        place = Span(*match.span())
        if any(one.overlaps(place) for one in taken):
            continue
        if not (_has_verb(text[start : place.start]) and _has_verb(text[place.end :])):
            continue
        pieces.append((Span(start, place.start), strong))
        start, strong = place.end, match["strong"] is not None
    pieces.append((Span(start, len(text)), strong))
    return pieces


def _has_verb(text: str) -> bool:
    return not load_word_lists("rule_words")["verbs"].isdisjoint(read_words(text))


def _without_values(text: str, mentions: Sequence[ValueMention]) -> str:
    """Return a text with its values blank, and the "at" before a time, which is no condition."""
    kept = list(text)
    for one in mentions:
        start = one.span.start - len(_AT)
        if one.value.kind is not Kind.TIME or text[max(0, start) : start + 3].casefold() != _AT:
            start = one.span.start
        kept[start : one.span.end] = " " * (one.span.end - start)
    return "".join(kept)


def _stands_alone(text: str, pieces: Sequence[tuple[Span, bool]], at: int) -> bool:
    """Return whether a piece has its own subject, and no other one has a condition that may reach it."""
    lists = load_word_lists("rule_words")
    own = read_words(pieces[at][0].of(text))
    if not own or (at and (own[0] in lists["verbs"] or own[0] in lists["pointing"])):
        return False
    for other, (span, _) in enumerate(pieces):
        if other == at:
            continue
        between = pieces[min(at, other) + 1 : max(at, other) + 1]
        words = read_words(span.of(text))
        if any(strong for _, strong in between):
            words = words[:1]
        elif other > at:
            words = (*words[:1], *_after_verb(words))
        if not lists["reaching"].isdisjoint(words):
            return False
    return True


def _after_verb(words: Sequence[str]) -> Sequence[str]:
    """Return the words behind the last verb: those before it only tell who "works on site"."""
    verbs = load_word_lists("rule_words")["verbs"]
    last = max((at for at, word in enumerate(words) if word in verbs), default=-1)
    return words[last + 1 :]
