"""The names of the sources that may be cited, and how they may be written."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from verifier.core.text import fold

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_DIGITS: Final = re.compile(r"[0-9]+")
_FILE: Final = re.compile(r"[\w][\w .()-]{0,120}\.(?=[a-z0-9]*[a-z])[a-z0-9]{2,5}", re.IGNORECASE)
_SUFFIX: Final = re.compile(r"\.(?=[a-z0-9]*[a-z])[a-z0-9]{2,5}\Z")  # .pdf, of a folded name
_LOOSE: Final = re.compile(r"(?<=[^\W\d_])[\s_-]+(?=\d)")  # S 1, S-1
_SQUARE: Final = re.compile(r"[\[\]]")
_BRACKETS: Final = "[](){}【】<>"


class LabelNames:
    """The known labels by every form in which an answer may write them.

    A label is found as it is, else in another letter case, else loosely: "S 1" of S1, "manual" of
    manual.pdf, "1" of [1]. What is the form of several is found as all of them.
    """

    def __init__(self, labels: Collection[str]) -> None:
        self._labels = frozenset(labels)
        self._folded: defaultdict[str, set[str]] = defaultdict(set)
        self._loose: defaultdict[str, set[str]] = defaultdict(set)
        for label in self._labels:
            folded = fold(label)
            self._folded[folded].add(label)
            for form in {_loosen(folded), _loosen(_SUFFIX.sub("", folded))}:
                self._loose[form].add(label)
        shaped = [one for one in self._labels if _DIGITS.search(one) and not one.isdigit()]
        self._forms = frozenset(_DIGITS.sub("0", one) for one in shaped)
        self._has_files = any(_FILE.fullmatch(one) for one in self._labels)
        bracketed = [one for one in self._labels if "[" in one or "]" in one]
        self.longest_bracketed = max(map(len, bracketed), default=0)
        self._around_brackets = {
            _surroundings(one, found.start())
            for one in bracketed
            for found in _SQUARE.finditer(one)
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)

    def __len__(self) -> int:
        return len(self._labels)

    def find(self, written: str) -> str | None:
        """Return the one label that is written here, in any letter case, or None."""
        if written in self._labels:
            return written
        found = self._folded.get(fold(written), ()) if written else ()
        return next(iter(found)) if len(found) == 1 else None

    def find_all(self, written: str) -> tuple[str, ...]:
        """Return the labels that are written here: several where no form tells them apart."""
        if written in self._labels:
            return (written,) if written else ()
        folded = fold(_plain_digits(written))
        if not folded:
            return ()
        found = self._folded.get(folded) or self._loose.get(_loosen(folded)) or ()
        return tuple(sorted(found))

    def may_hold(self, inside: str) -> bool:
        """Return whether the first square bracket within a mark may be one of a known label."""
        bracket = _SQUARE.search(inside)
        if bracket is None:
            return False
        before, sign, behind = _surroundings(inside, bracket.start())
        return any(
            (one, sign, other) in self._around_brackets
            for one in (before, "")
            for other in (behind, "")
        )

    def has_form(self, written: str) -> bool:
        """Return whether a text has the form of a known label that is more than a number: S99 beside S01."""
        return _DIGITS.sub("0", written) in self._forms

    def looks_like_file(self, written: str) -> bool:
        """Return whether a text is the name of a file, where known labels are names of files."""
        return self._has_files and _FILE.fullmatch(written) is not None


def _surroundings(text: str, at: int) -> tuple[str, str, str]:
    """Return the sign at a place with its neighbours, in small letters; "" where the text ends."""
    before = text[at - 1 : at].casefold() if at else ""
    return before, text[at], text[at + 1 : at + 2].casefold()


def _loosen(folded: str) -> str:
    return _LOOSE.sub("", folded.strip(_BRACKETS))


def _plain_digits(written: str) -> str:
    """Return digits of any script as those of ours."""
    if written.isascii() or not written.isdecimal():
        return written
    return "".join(str(unicodedata.digit(char)) for char in written)
