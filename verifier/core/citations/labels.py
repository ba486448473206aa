"""What stands within a mark: one label, a list of them, a range; known, or of the form of a label."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from verifier.core.citations.dressing import is_quoted, undress
from verifier.core.citations.known_labels import LabelNames
from verifier.core.citations.locators import find_placed, is_place
from verifier.core.lexicons import load_word_lists

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


class Labelled(NamedTuple):
    """A label, where it starts and ends in the text between the marks, and what else it may mean."""

    label: str
    start: int
    end: int
    readings: tuple[str, ...] = ()


_PART: Final = re.compile(  # 1, 3; 4 and 5、6
    r"(?:(?!\s(?:and|&|or|und|oder|et|ou|y|e|en|og|och|i|и)\s)[^,;、，；])+"
)
_JOINT: Final = re.compile(r"(?:and|&|or|und|oder|et|ou|y|e|en|og|och|i|и)\s+")
_RANGE: Final = re.compile(  # 2–4, 1 to 3, 2..4, 1–Source 3
    r"""(?P<first>[0-9]{1,3}) (?: \s?(?:[-–—‑‒−~～…]|\.{2,3})\s? | \s(?:to|through|bis|a|à|al|до)\s )
        (?:(?P<word>[^\W\d_]{2,12})\.?\s)? (?P<last>[0-9]{1,3})""",
    re.VERBOSE,
)
_FORMED_RANGE: Final = re.compile(  # S1–S3, doc_1-3
    r"(?P<stem>[^\W\d_][\w.@/-]{0,40}?)(?P<first>[0-9]{1,3})\s?[-–—‑‒−~…]\s?(?P<again>(?P=stem))?(?P<last>[0-9]{1,3})",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"[0-9]{1,3}")  # 12
_CHUNK: Final = re.compile(r"\S.*#[0-9]+")  # refund-policy@3#0
_WORDED: Final = re.compile(  # source: 2, ID:0, Doc 1, source_1, 出典1
    r"(?P<word>[^\W\d_]{2,12})\.?\s?(?P<colon>[:：#=]?)(?:\s?|[_-](?=\d|id\b))(?P<rest>[^\s_-].*)",
    re.DOTALL,
)
_SIGN: Final = re.compile(r"(?:[#№@]|nos?\.\s|nr\.\s)\s?(?=\S)", re.IGNORECASE)
_ENTITY: Final = re.compile(r"&(?:\#[0-9]{1,6}|\#x[0-9a-f]{1,5}|[a-z]{2,8});", re.IGNORECASE)
_TITLED: Final = re.compile(  # 1: Handbook, 1 – Handbook
    r"(?P<label>[0-9]{1,3})(?::\s|\s[–—-]\s)\s?(?=[“\"]?[^\W\d_a-z])[^\d\[\]]{2,100}"
)
_LONGEST_RANGE: Final = 30
_MOST_JOINED: Final = 4


class KnownLabels:
    """The labels that an answer may cite, and what looks like one of them."""

    def __init__(self, labels: Collection[str]) -> None:
        self.names = LabelNames(labels)
        self._words = load_word_lists("citations")

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __bool__(self) -> bool:
        return bool(self.names)

    def find(self, written: str) -> str | None:
        """Return the known label that is written here, in any letter case, or None."""
        return self.names.find(written)

    def are_known(self, found: Collection[Labelled]) -> bool:
        """Return whether all labels of a mark are known."""
        return all(one.readings or self.find(one.label) == one.label for one in found)

    def read(self, inside: str) -> list[Labelled] | None:
        """Return the labels that a mark holds, in order; None where it is no mark of citation.

        A range of more than a few dozen members is one label, as it is written. Places in a source
        ("p. 3") are passed over.
        """
        whole = self._read_known(inside, 0)
        if whole is not None:
            return [whole]
        if _ENTITY.search(inside):
            told = self.read(html.unescape(inside).replace("\u00a0", " ").replace("&", "＆"))
            return told and [one._replace(start=0, end=len(inside)) for one in told]
        parts = [(part.start(), part.end()) for part in _PART.finditer(inside)]
        found: list[Labelled] = []
        at = 0
        while at < len(parts):
            joined, taken = self._read_joined(inside, parts[at : at + _MOST_JOINED])
            at += taken
            if joined is None:
                return None
            found.extend(joined)
        return found or None

    def _read_joined(
        self, inside: str, parts: list[tuple[int, int]]
    ) -> tuple[list[Labelled] | None, int]:
        """Read the first part, or the most parts that are one known label: "a, b.txt"."""
        for count in range(len(parts), 1, -1):
            start, end = parts[0][0], parts[count - 1][1]
            whole = self._read_known(inside[start:end], start)
            if whole is not None:
                return [whole], count
        start, end = parts[0]
        written = inside[start:end].strip()
        joint = _JOINT.match(written)
        written = written[joint.end() :] if joint is not None else written
        if not written:
            return [], 1
        return self._read_part(written, start + inside[start:end].rindex(written)), 1

    def _read_known(self, inside: str, offset: int) -> Labelled | None:
        written = inside.strip()
        found = self.names.find_all(written)
        if not found:
            return None
        start = offset + inside.index(written)
        return _named(found, start, start + len(written))

    def _read_part(self, written: str, start: int, *, bare: bool = False) -> list[Labelled] | None:
        known = self._read_known(written, start)
        if known is not None:
            return [known]
        numbered = self._read_numbers(written, start)
        if numbered is not None:
            return numbered
        end = start + len(written)
        if self.names.has_form(written):
            return [Labelled(written, start, end)]
        if is_place(written):
            return []
        inner, offset = (written, 0) if bare else undress(written)
        if not inner or inner == written:
            return self._read_told(written, start)
        found = self._read_part(inner, start + offset, bare=True)
        return None if found and is_quoted(written) and not self.are_known(found) else found

    def _read_told(self, written: str, start: int) -> list[Labelled] | None:
        """Read a label with a word before it that says that it is one, a sign, or a place behind."""
        first, dagger, _ = written.partition("†")
        if dagger:
            return self._read_known_only(first, start)  # 1†source
        titled = _TITLED.fullmatch(written)
        if titled is not None:
            return self._read_known_only(titled["label"], start)
        placed = find_placed(written)
        if placed is not None:
            found = self._read_part(written[placed[0] : placed[1]], start + placed[0])
            if found:
                return found
        worded = self._read_worded(written, start)
        if worded is not None:
            return worded
        sign = _SIGN.match(written)
        if sign is not None:
            return self._read_known_only(written[sign.end() :], start + sign.end())
        if _CHUNK.fullmatch(written) or self.names.looks_like_file(written):
            return [Labelled(written, start, start + len(written))]
        return None

    def _read_known_only(self, written: str, start: int) -> list[Labelled] | None:
        known = self._read_known(written, start)
        return None if known is None else [known]

    def _read_worded(self, written: str, start: int) -> list[Labelled] | None:
        """Read a label behind a word that only says that it is one: "Source 2", "ID:0"."""
        match = _WORDED.fullmatch(written)
        if match is None or match["word"].casefold() not in self._words["mark_words"]:
            return None
        start += match.start("rest")
        named = match["colon"] and match["word"].casefold() in self._words["source_words"]
        end = start + len(match["rest"])
        return self._read_part(match["rest"], start) or (
            [Labelled(match["rest"], start, end)] if named else None
        )

    def _read_numbers(self, written: str, start: int) -> list[Labelled] | None:
        """Read a number or a range of them; None where a part is neither."""
        if _NUMBER.fullmatch(written):
            return [Labelled(written, start, start + len(written))]
        ranged = _RANGE.fullmatch(written)
        if ranged is not None:
            word = (ranged["word"] or "source").casefold()
            return self._read_range(ranged, start) if word in self._words["mark_words"] else None
        formed = _FORMED_RANGE.fullmatch(written)
        return None if formed is None else self._read_formed(formed, start)

    def _read_range(self, ranged: re.Match[str], start: int) -> list[Labelled] | None:
        first, last = int(ranged["first"]), int(ranged["last"])
        if first == 0 and self.find("0") is None:
            return None  # a class of characters, an interval
        end = start + ranged.end()
        if not first < last <= first + _LONGEST_RANGE:
            return [Labelled(ranged.group(), start, end)]
        return [Labelled(str(number), start, end) for number in range(first, last + 1)]

    def _read_formed(self, ranged: re.Match[str], start: int) -> list[Labelled] | None:
        first, last = int(ranged["first"]), int(ranged["last"])
        ends = [self.find(f"{ranged['stem']}{ranged[end]}") for end in ("first", "last")]
        if None in ends or not first < last <= first + _LONGEST_RANGE:
            return None
        names = [f"{ranged['stem']}{number}" for number in range(first, last + 1)]
        return [Labelled(self.find(name) or name, start, start + ranged.end()) for name in names]


def _named(found: tuple[str, ...], start: int, end: int) -> Labelled:
    return Labelled(found[0], start, end, found if len(found) > 1 else ())
