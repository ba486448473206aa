"""What stands within a mark: one label, a list of them, a range; known, or of the form of a label."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.lexicons import load_word_lists
from verifier.core.text import fold

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

Labelled = tuple[str, int, int]
"""A label, and where it starts and ends in the text between the marks."""

_PART: Final = re.compile(r"(?:(?!\s(?:and|&)\s)[^,;])+")  # 1, 3; 4 and 5
_RANGE: Final = re.compile(r"(?P<first>[0-9]{1,3})\s?[-–—‑‒]\s?(?P<last>[0-9]{1,3})")  # 2–4
_NUMBER: Final = re.compile(r"[0-9]{1,3}")  # 12
_CHUNK: Final = re.compile(r"\S.*#[0-9]+")  # refund-policy@3#0
_WORDED: Final = re.compile(  # source: 2, ID:0, Doc 1
    r"(?P<word>[^\W\d_]{2,12})\.?[ ]?(?P<colon>[:#]?)[ ]?(?P<rest>\S.*)", re.DOTALL
)
_FILE: Final = re.compile(r"[\w][\w .()-]{0,120}\.(?=[a-z0-9]*[a-z])[a-z0-9]{2,5}", re.IGNORECASE)
_DIGITS: Final = re.compile(r"[0-9]+")
_LONGEST_RANGE: Final = 30


class KnownLabels:
    """The labels that an answer may cite, and what looks like one of them."""

    def __init__(self, labels: Collection[str]) -> None:
        self._labels = frozenset(labels)
        self._folded = _by_folded(self._labels)
        shaped = [one for one in self._labels if _DIGITS.search(one) and not one.isdigit()]
        self._forms = frozenset(_DIGITS.sub("0", one) for one in shaped)
        self._has_files = any(_FILE.fullmatch(one) for one in self._labels)
        self.has_brackets = any("[" in one or "]" in one for one in self._labels)

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)

    def find(self, written: str) -> str | None:
        """Return the known label that is written here, in any letter case, or None."""
        if written in self._labels:
            return written
        return self._folded.get(fold(written)) if written else None

    def read(self, inside: str) -> list[Labelled] | None:
        """Return the labels that a mark holds, in order; None where it is no mark of citation.

        A range of more than a few dozen members is one label, as it is written.
        """
        whole = self._read_known(inside, 0)
        if whole is not None:
            return [whole]
        found: list[Labelled] = []
        for part in _PART.finditer(inside):
            written = part.group().strip()
            if written.startswith(("and ", "& ")):
                written = written.partition(" ")[2].strip()
            if not written:
                continue
            start = part.start() + part.group().rindex(written)
            labels = self._read_part(written, start)
            if labels is None:
                return None
            found.extend(labels)
        return found or None

    def _read_known(self, inside: str, offset: int) -> Labelled | None:
        written = inside.strip()
        label = self.find(written)
        if label is None:
            return None
        start = offset + inside.index(written)
        return label, start, start + len(written)

    def _read_part(self, written: str, start: int) -> list[Labelled] | None:
        label = self.find(written) or self.find(written.removeprefix("@"))
        end = start + len(written)
        if label is not None:
            return [(label, start, end)]
        ranged = _RANGE.fullmatch(written)
        if ranged is not None:
            return self._read_range(ranged, start)
        if _NUMBER.fullmatch(written):
            return [(written, start, end)]
        worded = self._read_worded(written, start)
        if worded is not None:
            return worded
        return [(written, start, end)] if self._looks_like_label(written) else None

    def _read_worded(self, written: str, start: int) -> list[Labelled] | None:
        """Read a label behind a word that only says that it is one: "Source 2", "ID:0"."""
        match = _WORDED.fullmatch(written)
        words = load_word_lists("citations")
        if match is None or match["word"].casefold() not in words["mark_words"]:
            return None
        start += match.start("rest")
        named = match["colon"] and match["word"].casefold() in words["source_words"]
        return self._read_part(match["rest"], start) or (
            [(match["rest"], start, start + len(match["rest"]))] if named else None
        )

    def _read_range(self, ranged: re.Match[str], start: int) -> list[Labelled] | None:
        first, last = int(ranged["first"]), int(ranged["last"])
        if first == 0 and self.find("0") is None:
            return None  # a class of characters, an interval
        end = start + ranged.end()
        if not first < last <= first + _LONGEST_RANGE:
            return [(ranged.group(), start, end)]
        return [(str(number), start, end) for number in range(first, last + 1)]

    def _looks_like_label(self, written: str) -> bool:
        if _CHUNK.fullmatch(written) or _DIGITS.sub("0", written) in self._forms:
            return True
        return self._has_files and _FILE.fullmatch(written) is not None


def _by_folded(labels: Collection[str]) -> dict[str, str]:
    """Return the labels by their folded form, but for those that only the letter case tells apart."""
    found: dict[str, str] = {}
    twice: set[str] = set()
    for label in labels:
        folded = fold(label)
        if folded in found:
            twice.add(folded)
        found[folded] = label
    return {folded: label for folded, label in found.items() if folded not in twice}
