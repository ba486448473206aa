"""Where words stand in a text: under which headings, and under which heads of a table."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from verifier.core.blocks import BlockKind, find_blocks
from verifier.core.facts.tables import find_tables
from verifier.core.text import fold
from verifier.core.titles import heading_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.facts.tables import Cell
    from verifier.core.spans import Span

_NUMBERING: Final = re.compile(  # "3 Returns", "4.2. Returns", "§ 7 Returns", "b) Returns", "Section 2: Fees"
    r"(?:(?:section|article|part|chapter|§)\s*)?(?:\d{1,2}(?:\.\d{1,2})*[.):]?|[a-z]{1,4}[.)])\s+(?=\S)"
)
_SENTENCE: Final = re.compile(r"[.!?]\s+|\n+")
_WORD: Final = re.compile(r"\w+")
_DRESSING: Final = " \t\r*_`-+•\"'“”"
_LONGEST_LABEL: Final = 200
_ALIKE: Final = 0.6
"""The share of words from which one sentence may have taken the place of another."""

Headings = tuple[str, ...]
"""Folded headings without their numbers, the outermost first."""


@dataclass(frozen=True, slots=True)
class Place:
    """The headings above a span, the label before it in its line ("- Pro plan: $30"), and the tables' heads.

    The heads are those of every cell that the span touches.
    """

    headings: Headings = ()
    label: str = ""
    cells: tuple[tuple[str, ...], ...] = ()


class Layout:
    """The sections and tables of a text, each read once, when it is first asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._alike: dict[tuple[Headings, frozenset[str]], bool] = {}

    def find(self, span: Span) -> Place:
        """Return where a span stands."""
        label = _find_label(self._text, span.start)
        return Place(self._find_headings(span), label, tuple(self._find_cells(span)))

    def answers_to(self, span: Span, place: Place) -> bool:
        """Return whether words at `span` may say here what they say at a place of an earlier text.

        Cells must have the same heads, values the same label. Words may stand under other headings, unless
        their own is still there and says something alike in their place: then they are of something else.
        """
        here = self.find(span)
        if here.cells != place.cells or here.label != place.label:
            return False
        ends = (place.headings[at:] for at in range(len(place.headings)))
        own = next((end for end in ends if end in self._endings), ())
        return not own or _is_under(here.headings, own) or not self._says_alike(own, span)

    def _says_alike(self, own: Headings, span: Span) -> bool:
        """Return whether a section says something like the words at `span`."""
        words = frozenset(fold(span.of(self._text)).split())
        if (own, words) not in self._alike:
            self._alike[own, words] = any(
                len(words & told) >= _ALIKE * max(len(words), len(told))
                for start, end, headings in self._bodies
                if _is_under(headings, own)
                for told in self._list_words(start, end)
            )
        return self._alike[own, words]

    def _list_words(self, start: int, end: int) -> Iterator[set[str]]:
        for sentence in _SENTENCE.split(self._text[start:end]):
            yield set(fold(sentence).split())

    @property
    def _bodies(self) -> Iterator[tuple[int, int, Headings]]:
        """Where the words below each heading start and end, and the headings down to it."""
        starts = [start for start, _, _ in self._sections[1:]]
        for (_, end, names), after in zip_longest(self._sections, starts):
            yield end, len(self._text) if after is None else after, names

    @cached_property
    def _sections(self) -> tuple[tuple[int, int, Headings], ...]:
        """Where each heading starts and ends, and the headings down to it."""
        found: list[tuple[int, int, Headings]] = []
        path: list[tuple[int, str]] = []
        for block in find_blocks(self._text):
            if block.kind is BlockKind.HEADING:
                name = _NUMBERING.sub("", fold(heading_words(self._text, block)), count=1)
                path = [*(one for one in path if one[0] < block.level), (block.level, name)]
                names = tuple(each for _, each in path)
                found.append((block.span.start, block.span.end, names))
        return tuple(found)

    @cached_property
    def _endings(self) -> frozenset[Headings]:
        return frozenset(names[at:] for _, _, names in self._sections for at in range(len(names)))

    @cached_property
    def _cells(self) -> tuple[Cell, ...]:
        return tuple(cell for _, cells in find_tables(self._text) for cell in cells)

    def _find_headings(self, span: Span) -> Headings:
        at = bisect_right(self._sections, span.start, key=lambda one: one[0]) - 1
        if at < 0:
            return ()
        _, end, names = self._sections[at]
        return names[:-1] if span.start < end else names

    def _find_cells(self, span: Span) -> Iterator[tuple[str, ...]]:
        first = bisect_right(self._cells, span.start, key=lambda one: one.span.end)
        last = bisect_left(self._cells, span.end, key=lambda one: one.span.start)
        for cell in self._cells[first:last]:
            heads = cell.row_head, cell.column_head, cell.section, _end_of(cell.caption)
            is_whole = span.start <= cell.span.start and cell.span.end <= span.end
            yield *map(fold, heads), "whole" if is_whole else ""


def _find_label(text: str, start: int) -> str:
    """Return the folded words that a colon parts from the place, if no other word stands between them."""
    begin = max(text.rfind("\n", 0, start) + 1, start - _LONGEST_LABEL)
    before = fold(text[begin:start]).strip(_DRESSING)
    if not before.endswith(":"):
        return ""
    label = _SENTENCE.split(_NUMBERING.sub("", before, count=1))[-1]
    return " ".join(_WORD.findall(label))


def _is_under(headings: Headings, own: Headings) -> bool:
    return any(headings[at : at + len(own)] == own for at in range(len(headings)))


def _end_of(caption: str) -> str:
    """Return the last sentence of the line above a table; a heading is none of the table's."""
    return "" if caption.startswith("#") else _SENTENCE.split(caption.strip())[-1]
