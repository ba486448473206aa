"""Where a sentence of a text stands: the headings, list items and lines above it that it depends on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.sentences import BlockKind

if TYPE_CHECKING:
    from verifier.core.sentences import Sentence

_HEADING: Final = re.compile(r"[ ]{0,3}(?P<level>#{1,6})\s")  # "## Returns"
_LISTED: Final = re.compile(r"[ \t]*(?:[-*+•‣◦▪–]|\(?\d{1,3}[.)]|\(?[a-z][)]|\([ivx]{1,5}\))[ \t]+")
_PARTED: Final = re.compile(r"\n[ \t]*\n")
_LINE_END: Final = re.compile(r"[ \t]*(?:\n|\Z)")
_ENDED: Final = (".", "!", ";", ",")
_MOST_WORDS: Final = 8
_UNDERLINED: Final = 1  # the level of a heading that no "#" tells


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Surroundings:
    """A sentence and what it depends on.

    `above` are the headings, the line that leads into its list and the items that it is indented below,
    outside in; `earlier` is the sentence before it in the same block.
    """

    sentence: str
    above: tuple[str, ...] = ()
    earlier: Surroundings | None = None


class SurroundingsReader:
    """Reads the sentences of one text in order, and knows what stands above the next."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._headings: list[tuple[int, str]] = []
        self._title: str | None = None
        self._lead: str | None = None
        self._items: list[tuple[int, str]] = []
        self._last: Surroundings | None = None
        self._end = 0

    def read(self, sentence: Sentence) -> Surroundings:
        """Return where the next sentence stands."""
        start = sentence.span.start
        gap = self._text[self._end : start]
        self._end = sentence.span.end
        match sentence.block:
            case BlockKind.HEADING:
                return self._heading(sentence.text)
            case BlockKind.LIST_ITEM:
                return self._item(sentence.text, start)
            case _:
                alone = _LINE_END.match(self._text, self._end) is not None
                parted = _PARTED.search(gap) is not None
                return self._plain(sentence.text, parted=parted, alone=alone)

    def _heading(self, text: str) -> Surroundings:
        mark = _HEADING.match(text)
        level = len(mark["level"]) if mark else _UNDERLINED
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._title = self._lead = self._last = None
        self._items = []
        found = self._place(text)
        self._headings.append((level, text.lstrip(" #")))
        return found

    def _item(self, text: str, start: int) -> Surroundings:
        line = self._text.rfind("\n", 0, start) + 1
        before = self._text[line:start]
        mark = _LISTED.match(text)
        if before.strip(" \t>") or mark is None:
            self._last = self._place(text, earlier=self._last)
            return self._last
        indent = len(before.expandtabs(4))
        while self._items and self._items[-1][0] >= indent:
            self._items.pop()
        self._last = self._place(text)
        self._items.append((indent, text[mark.end() :]))
        return self._last

    def _plain(self, text: str, *, parted: bool, alone: bool) -> Surroundings:
        if parted or self._items or self._last is None:
            self._items, self._last, self._lead = [], None, None
            if alone and _is_title(text):
                self._title = None
                found, self._title = self._place(text), text
                return found
        self._lead = None
        self._last = self._place(text, earlier=self._last)
        self._lead = text
        return self._last

    def _place(self, text: str, earlier: Surroundings | None = None) -> Surroundings:
        above = [heading for _, heading in self._headings]
        above += [one for one in (self._title, self._lead) if one is not None]
        above += [item for _, item in self._items]
        return Surroundings(sentence=text, above=tuple(dict.fromkeys(above)), earlier=earlier)


def _is_title(text: str) -> bool:
    """Return whether a line by itself is the heading of what follows: "**Business class**", a question."""
    plain = text.strip("*_ ")
    if "\n" in plain or plain.endswith(_ENDED):
        return False
    return plain.endswith("?") or len(plain.split()) <= _MOST_WORDS
