"""Names of catalogued things, found in prose by their words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.spans import Span
from verifier.core.text import fold
from verifier.core.text_stems import stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from verifier.core.evidence import Subject

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LONGEST_NAME_WORDS: Final = 12


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

    def find(self, text: str) -> Iterator[NameMention]:
        """Yield the names that stand in `text`, from left to right, without overlap."""
        if not self._by_words:
            return
        words = [(_stem_word(match.group()), match.span()) for match in _WORD.finditer(text)]
        at = 0
        while at < len(words):
            length = self._match(words, at)
            if length == 0:
                at += 1
                continue
            stems = tuple(word for word, _ in words[at : at + length])
            span = Span(words[at][1][0], words[at + length - 1][1][1])
            yield NameMention(span=span, subjects=self._by_words[stems])
            at += length

    def _match(self, words: list[tuple[str, tuple[int, int]]], at: int) -> int:
        longest = min(self._longest.get(words[at][0], 0), len(words) - at)
        for length in range(longest, 0, -1):
            if tuple(word for word, _ in words[at : at + length]) in self._by_words:
                return length
        return 0


@lru_cache(maxsize=16384)
def _stem_word(word: str) -> str:
    return stem(fold(word))


def index_names(named: Iterable[tuple[str, Subject]]) -> NameIndex:
    """Return an index of the names; names of more than twelve words are left out."""
    by_words: dict[tuple[str, ...], dict[Subject, None]] = {}
    longest: dict[str, int] = {}
    for name, subject in named:
        words = tuple(_stem_word(match.group()) for match in _WORD.finditer(name[:500]))
        if not 0 < len(words) <= _LONGEST_NAME_WORDS:
            continue
        by_words.setdefault(words, {})[subject] = None
        longest[words[0]] = max(longest.get(words[0], 0), len(words))
    return NameIndex(
        _by_words={words: tuple(subjects) for words, subjects in by_words.items()},
        _longest=longest,
    )
