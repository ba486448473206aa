"""The one pass over the text: digits, words, ideographs, symbols and line ends with their places."""

from __future__ import annotations

import re
from typing import Final

from verifier.core.quantities.numerals import find_decimal_mark

_NOT_LETTERS: Final = (
    r"\s\d_\x00-\x1f!-/:-@\[-^`{-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf×÷\u02c2-\u02df\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0e3f\u09f2\u09f3\u17db\ufdfc"
    r"\u0965\u2000-\u2bff\u3000-\u303f\u3220-\u32b0\u3400-\u9fff\uf900-\ufaff\ufe00-\ufe0f\uff00-\uff20\uff3b-\uff40"
    r"\uff5b-\uff65\uffe0-\uffef\ud800-\udfff\U0001f000-\U0001faff"
)
"""Spaces, digits, punctuation, signs and ideographs; all else, combining marks included, makes up words."""
_TOKEN: Final = re.compile(
    rf"""
    (?P<n>\d+(?:[.,'’٫٬]\d+)*)          # 1,299.00
   |(?P<w>[^{_NOT_LETTERS}]+(?:['’][^{_NOT_LETTERS}]+)*)  # don't
   |(?P<h>[\u3400-\u9fff\uf900-\ufaff])     # 万
   |(?P<b>\n)
   |(?P<s>\S)
    """,
    re.VERBOSE,
)
_WELL_FORMED: Final = re.compile(
    r"""\d{1,3}(?:[.,'’٬]\d{3})+(?:[.,٫]\d+)?   # grouped by threes
       |\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?      # 12,34,567
       |\d+[.,٫]\d+                             # one mark
       |\d+(?:\.\d+)+                           # dates, versions, addresses
    """,
    re.VERBOSE,
)
DIGITS, WORD, IDEOGRAPH, BREAK, SYMBOL, END = "n", "w", "h", "b", "s", "e"
_PAD: Final = 8
_NO_KINDS: Final = (END,) * _PAD
_NO_WORDS: Final = ("",) * _PAD
_ENGLISH: Final = re.compile(
    r"\b(?:the|is|was|are|were|of|and|has|have|with|from|this|that|it|its|takes|weighs)\b",
    re.IGNORECASE,
)


def _add_parts(word: str, start: int, lists: tuple[list[str], list[str], list[int]]) -> None:
    """Add digits and marks that are no one number, such as `22,24,26`, one by one."""
    for part in re.finditer(r"\d+|\D", word):
        lists[0].append(DIGITS if part[0].isdecimal() else SYMBOL)
        lists[1].append(part[0])
        lists[2].append(start + part.start())


class Stream:
    """The tokens of a text in parallel lists, padded with empty ones so that a look around never fails.

    `kinds`, `words`, `folds`, `starts` and `ends` have one entry a token; `count` is their number
    without the padding. `words[-1]` is padding, so looking left of the first token is safe too. `read_to` is
    the index up to which readings were taken.
    """

    __slots__ = (
        "_english",
        "_habit",
        "count",
        "ends",
        "folds",
        "kinds",
        "read_to",
        "starts",
        "text",
        "words",
    )

    def __init__(self, text: str) -> None:
        kinds: list[str] = []
        words: list[str] = []
        starts: list[int] = []
        add_kind, add_word, add_start = kinds.append, words.append, starts.append
        for match in _TOKEN.finditer(text):
            kind, word = match.lastgroup or SYMBOL, match[0]
            if kind == DIGITS and not word.isdecimal() and not _WELL_FORMED.fullmatch(word):
                _add_parts(word, match.start(), (kinds, words, starts))
                continue
            add_kind(kind)
            add_word(word)
            add_start(match.start())
        self.text = text
        self.read_to = 0
        self.count = len(words)
        size = len(text)
        self.ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
        self.ends += [size, size, size, size, size, size, size, 0]
        kinds += _NO_KINDS
        words += _NO_WORDS
        starts += [size + 1] * _PAD
        self.kinds, self.words, self.starts = kinds, words, starts
        self.folds = [word.lower() for word in words]
        self._habit: str | None = ""
        self._english: bool | None = None

    @property
    def english(self) -> bool:
        """Whether common words tell that the text is English."""
        if self._english is None:
            self._english = _ENGLISH.search(self.text) is not None
        return self._english

    @property
    def habit(self) -> str | None:
        """The decimal mark that the text's unambiguous numbers use, None if none does or both are."""
        if self._habit == "":
            self._habit = find_decimal_mark(self.text)
        return self._habit

    def glued(self, index: int) -> bool:
        """Return whether token `index` follows its predecessor without a space."""
        if not 0 < index < self.count or self.starts[index] != self.ends[index - 1]:
            return False
        return self.kinds[index] != BREAK and self.kinds[index - 1] != BREAK

    def gap(self, index: int) -> str:
        """Return the characters between token `index` and its predecessor."""
        return self.text[self.ends[index - 1] : self.starts[index]] if index > 0 else ""

    def opens_line(self, index: int) -> bool:
        """Return whether token `index` is the first of its line."""
        return index == 0 or self.kinds[index - 1] == BREAK

    def phrase(self, index: int, length: int) -> str:
        """Return `length` case-folded tokens from `index`, joined by single spaces."""
        return " ".join(self.folds[index : index + length])
