"""Finding things in a text: by id, by name, by part of a name, by what they are like."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.facts.model import NamedBy, ThingMention
from verifier.core.lexicons import load_word_lists
from verifier.core.spans import Span
from verifier.core.text import fold
from verifier.core.text_stems import stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.core.facts.model import Thing

_WORD: Final = re.compile(r"\d+|[^\W\d_]+(?:['’][^\W\d_]+)*")  # "64GB" is 64 and GB
_TOKEN: Final = re.compile(r"[^\s,;()\[\]{}\"“”<>|*`]+")  # "#W4923227.", "card_12's"
_ENDS: Final = re.compile(r"(?:['’]s)?[.:!?'’…]*\Z")
_MOST_WORDS: Final = 12
_MOST_PART_WORDS: Final = 3
_MOST_THINGS: Final = 50_000
_LONGEST_TEXT: Final = 300
_SHORT_NUMBER: Final = 6
_SHORT_PLURAL: Final = 4
_STOPS: Final = load_word_lists("stop_words")["english"]
_NUMBERING: Final = load_word_lists("fact_words")["numbering"]
_JOINING: Final = frozenset({"and", "or", "to", "&"})

_Phrase = tuple[NamedBy, tuple["Thing", ...]]


@dataclass(frozen=True, slots=True)
class _Word:
    stem: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThingIndex:
    """Things by the tokens of their ids and by the stems of their names and descriptors."""

    _keys: Mapping[str, tuple[Thing, ...]]
    _phrases: Mapping[tuple[str, ...], _Phrase]
    _longest: Mapping[str, int]

    def find(self, text: str) -> Sequence[ThingMention]:
        """Return the mentions in `text`, from left to right, without overlap; linear in its length."""
        keyed = list(self._find_keys(text)) if self._keys else []
        named = self._find_phrases(text, keyed) if self._phrases else ()
        return sorted((*keyed, *named), key=lambda mention: mention.span)

    def _find_keys(self, text: str) -> Iterator[ThingMention]:
        before, named_before = "", False
        for match in _TOKEN.finditer(text):
            token = _ENDS.sub("", match.group())
            start = match.start() + len(token) - len(token.lstrip("'‘"))
            found = list(self._read_token(token.lstrip("'‘"), start, before, chained=named_before))
            yield from found
            folded = fold(token)
            named_before = bool(found) or (named_before and folded in _JOINING)
            before = folded.rstrip(".:#") or before

    def _read_token(
        self, token: str, start: int, before: str, *, chained: bool
    ) -> Iterator[ThingMention]:
        things = self._bearers(token, before, chained=chained)
        if things:
            span = Span(start, start + len(token))
            yield ThingMention(span=span, things=things, by=NamedBy.KEY)
        elif "/" in token:
            for part in re.finditer(r"[^/]+", token):
                bearers = self._bearers(part.group(), before, chained=chained)
                if bearers:
                    span = Span(start + part.start(), start + part.end())
                    yield ThingMention(span=span, things=bearers, by=NamedBy.KEY)

    def _bearers(self, token: str, before: str, *, chained: bool) -> tuple[Thing, ...]:
        """Return the things with that id; a short number is one only where a word says so."""
        folded = fold(token)
        things = self._keys.get(folded) or self._keys.get(folded.lstrip("#"), ())
        if not things or token.startswith("#") or not _is_short_number(folded):
            return things
        if chained or before in _NUMBERING:
            return things
        word = stem(before)
        return tuple(thing for thing in things if word in thing.kinds)

    def _find_phrases(self, text: str, keyed: Sequence[ThingMention]) -> Iterator[ThingMention]:
        words = [
            _Word(_stem_word(match.group()), match.start(), match.end())
            for match in _WORD.finditer(text)
        ]
        taken = bytearray(len(text) + 1)
        for mention in keyed:
            span = mention.span
            taken[span.start : span.end] = b"\1" * (span.end - span.start)
        at = 0
        while at < len(words):
            length = 0 if taken[words[at].start] else self._match(words, at)
            if length:
                span = Span(words[at].start, words[at + length - 1].end)
                by, things = self._phrases[tuple(one.stem for one in words[at : at + length])]
                yield ThingMention(span=span, things=things, by=by)
            at += length or 1

    def _match(self, words: list[_Word], at: int) -> int:
        longest = min(self._longest.get(words[at].stem, 0), len(words) - at)
        for length in range(longest, 0, -1):
            if tuple(one.stem for one in words[at : at + length]) in self._phrases:
                return length
        return 0


def index_things(things: Sequence[Thing]) -> ThingIndex:
    """Return an index of the things; beyond 50,000 only ids are found."""
    keys: defaultdict[str, dict[Thing, None]] = defaultdict(dict)
    phrases: dict[NamedBy, defaultdict[tuple[str, ...], dict[Thing, None]]] = {
        by: defaultdict(dict)
        for by in (NamedBy.KEY, NamedBy.NAME, NamedBy.DESCRIPTOR, NamedBy.PART)
    }
    for thing in things:
        for key in thing.keys:
            keys[key][thing] = None
            if " " in key:
                phrases[NamedBy.KEY][_phrases_of(key)[0]][thing] = None
        if thing.number < _MOST_THINGS:
            _add_phrases(thing, phrases)
    chosen: dict[tuple[str, ...], _Phrase] = {}
    longest: dict[str, int] = {}
    for by, found in phrases.items():
        for words, bearers in found.items():
            if not words:
                continue
            chosen.setdefault(words, (by, tuple(bearers)))
            longest[words[0]] = max(longest.get(words[0], 0), len(words))
    return ThingIndex(
        _keys={key: tuple(bearers) for key, bearers in keys.items()},
        _phrases=chosen,
        _longest=longest,
    )


def _add_phrases(
    thing: Thing, phrases: Mapping[NamedBy, defaultdict[tuple[str, ...], dict[Thing, None]]]
) -> None:
    for name in thing.names:
        words, parts = _phrases_of(name)
        if words:
            phrases[NamedBy.NAME][words][thing] = None
        for part in parts:
            phrases[NamedBy.PART][part][thing] = None
    for descriptor in thing.descriptors:
        words, _ = _phrases_of(descriptor)
        if words:
            phrases[NamedBy.DESCRIPTOR][words][thing] = None


@lru_cache(maxsize=16_384)
def _phrases_of(text: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the stems of a name, and the parts of it that could stand for it."""
    written = [match.group() for match in _WORD.finditer(text[:_LONGEST_TEXT])]
    words = tuple(_stem_word(word) for word in written)
    telling = [not word.isdigit() and word.casefold() not in _STOPS for word in written]
    if not any(telling):
        named = len(words) > 1 and any(word.isalpha() for word in words)  # 7-Up
        return (words if named else ()), ()
    parts = [
        words[start : start + length]
        for length in range(1, min(_MOST_PART_WORDS, len(words) - 1) + 1)
        for start in range(min(len(words), _MOST_WORDS) - length + 1)
        if telling[start]
        and telling[start + length - 1]
        and len("".join(words[start : start + length])) > 1
    ]
    return (words if len(words) <= _MOST_WORDS else ()), tuple(dict.fromkeys(parts))


def _is_short_number(folded: str) -> bool:
    digits = folded.lstrip("#")
    return digits.isdecimal() and len(digits) <= _SHORT_NUMBER


@lru_cache(maxsize=16_384)
def _stem_word(word: str) -> str:
    """Return the stem of a word of a name without its possessive; "TVs", "rays" are plurals here, too."""
    folded = fold(word).removesuffix("'s")
    if 2 < len(folded) <= _SHORT_PLURAL and folded[-1] == "s" and folded[-2] not in "aisu":
        return folded[:-1]
    return stem(folded)
