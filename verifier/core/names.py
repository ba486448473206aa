"""Names of catalogued things, found in prose by their words."""

from __future__ import annotations

import re
import unicodedata
from collections import ChainMap
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar, cast

from verifier.core.name_phrases import find_phrases, spell
from verifier.core.spans import Span
from verifier.core.taken_spans import Taken
from verifier.core.text import fold
from verifier.core.text_stems import stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from verifier.core.evidence import Subject

_K = TypeVar("_K")
_V = TypeVar("_V")
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PLAIN: Final = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe"})
_LONGEST_NAME_WORDS: Final = 12
_MOST_BEARERS: Final = 8  # of a word that many names have, none is meant
_SHORTEST_WORD: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class NameMention:
    """A name as it stands in a text, and every thing that bears it."""

    span: Span
    subjects: tuple[Subject, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NameIndex:
    """Names by the stems of their words; the longest match wins."""

    _by_words: Mapping[tuple[str, ...], tuple[Subject, ...]]
    _longest: Mapping[str, int]
    _by_stem: Mapping[str, tuple[Subject, ...]] = field(default_factory=dict)
    _as_written: Mapping[str, tuple[Subject, ...]] = field(default_factory=dict)

    def find(self, text: str) -> Iterator[NameMention]:
        """Yield the names that stand in `text`, from left to right, the longest where some overlap.

        "The Fly Me To The Moon" names that song, though "The Fly" is one, too.
        """
        if not self._by_words and not self._as_written:
            return
        words = [(_stem_word(match.group()), match.span()) for match in _WORD.finditer(text)]
        written = self._find_written(text)
        places = (
            (self._mention(words, at), written.get(words[at][1][0])) for at in range(len(words))
        )
        found = [one for place in places if (one := self._longer(*place)) is not None]
        taken = Taken(len(text), ())
        longest = sorted(found, key=lambda one: (one.span.start - one.span.end, one.span.start))
        chosen = [one for one in longest if taken.claim(one.span)]
        yield from sorted(chosen, key=lambda one: one.span.start)

    def _mention(self, words: list[tuple[str, tuple[int, int]]], at: int) -> NameMention | None:
        length = self._match(words, at)
        if length == 0:
            return None
        stems = tuple(word for word, _ in words[at : at + length])
        span = Span(words[at][1][0], words[at + length - 1][1][1])
        return NameMention(span=span, subjects=self._by_words[stems])

    def _find_written(self, text: str) -> dict[int, NameMention]:
        """Return the names that only count as they are written, the longest at each place."""
        found: dict[int, NameMention] = {}
        for span in find_phrases(text) if self._as_written else ():
            subjects = dict.fromkeys(
                one for name in spell(span.of(text)) for one in self._as_written.get(name, ())
            )
            if subjects:
                found.setdefault(span.start, NameMention(span=span, subjects=tuple(subjects)))
        return found

    def _longer(
        self, folded: NameMention | None, written: NameMention | None
    ) -> NameMention | None:
        """Return the longer of two mentions that begin alike; of one length, one of all that they name."""
        if folded is None or written is None:
            return folded or written
        if folded.span.end != written.span.end:
            return max(folded, written, key=lambda one: one.span.end)
        subjects = dict.fromkeys((*folded.subjects, *written.subjects))
        return NameMention(span=folded.span, subjects=tuple(subjects))

    def _match(self, words: list[tuple[str, tuple[int, int]]], at: int) -> int:
        longest = min(self._longest.get(words[at][0], 0), len(words) - at)
        for length in range(longest, 0, -1):
            if tuple(word for word, _ in words[at : at + length]) in self._by_words:
                return length
        return 0

    def find_partly(self, text: str) -> Iterator[Subject]:
        """Yield the things with a word of `text` in their name, where only a few have it."""
        for match in _WORD.finditer(text):
            yield from self._by_stem.get(_stem_word(match.group()), ())

    def beside(self, other: NameIndex) -> NameIndex:
        """Return an index of the names of both; best called on the smaller one."""
        merged = {
            words: tuple(dict.fromkeys((*subjects, *other._by_words.get(words, ()))))
            for words, subjects in self._by_words.items()
        }
        longest = {
            word: max(length, other._longest.get(word, 0)) for word, length in self._longest.items()
        }
        return NameIndex(
            _by_words=_above(merged, other._by_words),
            _longest=_above(longest, other._longest),
            _by_stem=other._by_stem,
            _as_written={**other._as_written, **self._as_written},
        )


def _above(own: dict[_K, _V], other: Mapping[_K, _V]) -> Mapping[_K, _V]:
    """Return both, without a copy of the larger one."""
    return ChainMap(own, cast("dict[_K, _V]", other)) if own else other


@lru_cache(maxsize=16384)
def _stem_word(word: str) -> str:
    """Return the stem of a word without its accents, which people leave out: Rössle, Guaraná, Køb."""
    letters = unicodedata.normalize("NFD", fold(word).translate(_PLAIN))
    return stem("".join(one for one in letters if not unicodedata.combining(one)))


def index_names(named: Iterable[tuple[str, Subject]]) -> NameIndex:
    """Return an index of the names; names of more than twelve words are left out."""
    by_stem: dict[str, dict[Subject, None]] = {}
    by_words: dict[tuple[str, ...], dict[Subject, None]] = {}
    longest: dict[str, int] = {}
    for name, subject in named:
        words = tuple(_stem_word(match.group()) for match in _WORD.finditer(name[:500]))
        if not 0 < len(words) <= _LONGEST_NAME_WORDS:
            continue
        by_words.setdefault(words, {})[subject] = None
        longest[words[0]] = max(longest.get(words[0], 0), len(words))
        for word in words:
            bearers = by_stem.setdefault(word, {})
            if len(bearers) <= _MOST_BEARERS:
                bearers[subject] = None
    return NameIndex(
        _by_words={words: tuple(subjects) for words, subjects in by_words.items()},
        _longest=longest,
        _by_stem={
            word: tuple(bearers)
            for word, bearers in by_stem.items()
            if len(bearers) <= _MOST_BEARERS and len(word) >= _SHORTEST_WORD
        },
    )


def index_written_names(named: Iterable[tuple[str, Subject]]) -> NameIndex:
    """Return an index of names that count only where they stand as they are, and no word beside them.

    It is for names of which not all are known: a longer one may be among the others.
    """
    by_name: dict[str, dict[Subject, None]] = {}
    for name, subject in named:
        by_name.setdefault(name, {})[subject] = None
    written = {name: tuple(subjects) for name, subjects in by_name.items()}
    return NameIndex(_by_words={}, _longest={}, _as_written=written)
