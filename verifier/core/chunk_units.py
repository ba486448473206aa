"""The units that chunks are packed from: blocks that fit, else sentences or lines, else slices."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from zlib import crc32

from verifier.core.blocks import Block, BlockKind
from verifier.core.sentences import find_sentences
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CHARACTERS_PER_TOKEN: Final = 8
"""More characters than that a token are cut off a piece: a model reads one endless word as one token."""

_LONGEST_GRAPHEME: Final = 32
_ONE_IN: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A piece of text that is not cut further. `table_head` is the head row of the table it is in.

    `size` is in tokens, or in eighths of its characters where that is more. `opens` says that a chunk
    should begin here: it depends on the unit's own text alone and holds for one unit in three, so that
    boundaries come together again behind an edit.
    """

    span: Span
    size: int
    kind: BlockKind
    opens: bool
    table_head: Span | None = None


class UnitCutter:
    """Cuts blocks of one text into units of at most `budget` tokens; counts each piece once."""

    def __init__(self, text: str, count_tokens: Callable[[str], int], budget: int) -> None:
        self._text = text
        self._count_tokens = count_tokens
        self._special = count_tokens("")
        self.budget = budget
        self._max_characters = budget * CHARACTERS_PER_TOKEN

    def _unit(self, span: Span, kind: BlockKind) -> Unit:
        characters = -(-(span.end - span.start) // CHARACTERS_PER_TOKEN)
        return Unit(
            span=span,
            size=max(self._count(span), characters),
            kind=kind,
            opens=crc32(span.of(self._text).encode("utf-8", "surrogatepass")) % _ONE_IN == 0,
        )

    def _count(self, span: Span) -> int:
        return self._count_tokens(span.of(self._text)) - self._special

    def cut_block(self, block: Block, table_head: Span | None) -> Iterator[Unit]:
        """Yield the units of a block."""
        whole = self._measure(block.span, block.kind)
        units = (whole,) if whole is not None else self._cut_large(block)
        for unit in units:
            yield replace(unit, table_head=table_head)

    def cut_span(self, span: Span, kind: BlockKind) -> Iterator[Unit]:
        """Yield units of a text without sentences or lines: cut at spaces, else between graphemes."""
        start = span.start
        while start < span.end:
            window = Span(start, min(span.end, start + self._max_characters))
            tokens = self._count(window)
            end = window.end
            if tokens > self.budget:
                end = self._shorten(start, end, tokens)
            elif end < span.end:
                end = self._find_cut(start, end)
            piece = _trim(self._text, start, end)
            if piece is not None:
                yield self._unit(piece, kind)
            start = end

    def halve(self, unit: Unit) -> Iterator[Unit]:
        """Yield the two halves of a unit, cut where it hurts least."""
        middle = (unit.span.start + unit.span.end + 1) // 2
        end = self._find_cut(unit.span.start, middle)
        for start, stop in ((unit.span.start, end), (end, unit.span.end)):
            piece = _trim(self._text, start, stop)
            if piece is not None:
                yield replace(self._unit(piece, unit.kind), table_head=unit.table_head)

    def _cut_large(self, block: Block) -> Iterator[Unit]:
        if block.kind in {BlockKind.PARAGRAPH, BlockKind.LIST_ITEM}:
            pieces: Iterator[Span] = (
                sentence.span for sentence in find_sentences(self._text, block)
            )
        else:
            pieces = _find_line_spans(self._text, block.span)
        for piece in pieces:
            unit = self._measure(piece, block.kind)
            if unit is not None:
                yield unit
            else:
                yield from self.cut_span(piece, block.kind)

    def _measure(self, span: Span, kind: BlockKind) -> Unit | None:
        """Return the span as a unit if it fits."""
        if span.end - span.start > self._max_characters:
            return None
        unit = self._unit(span, kind)
        return unit if unit.size <= self.budget else None

    def _shorten(self, start: int, end: int, tokens: int) -> int:
        """Return the end of a shorter slice that fits; each round is at least a fifth shorter."""
        while tokens > self.budget and end - start > 1:
            share = min(0.8, self.budget / tokens)
            end = self._find_cut(start, start + max(1, int((end - start) * share)))
            tokens = self._count(Span(start, end))
        return end

    def _find_cut(self, start: int, end: int) -> int:
        """Return where to cut at or before `end`: behind the last space of the second half, if any."""
        for at in range(end, start + (end - start) // 2, -1):
            if self._text[at - 1].isspace():
                return at
        return find_grapheme_boundary(self._text, start, end)


def find_grapheme_boundary(text: str, start: int, end: int) -> int:
    """Return the last place in `(start, end]` that parts no letter from its marks, no emoji sequence.

    A sequence of more than 32 code points is cut all the same.
    """
    for at in range(end, max(start, end - _LONGEST_GRAPHEME), -1):
        if at >= len(text) or not _continues(text[at - 1], text[at]):
            return at
    return end


def _continues(before: str, sign: str) -> bool:
    """Return whether `sign` belongs to what stands before it; pairs of flag letters are kept whole."""
    if before == "\u200d" or sign == "\u200d" or (before == "\r" and sign == "\n"):
        return True
    if "\U0001f3fb" <= sign <= "\U0001f3ff" or "\U000e0020" <= sign <= "\U000e007f":
        return True
    if "\U0001f1e6" <= sign <= "\U0001f1ff" and "\U0001f1e6" <= before <= "\U0001f1ff":
        return True
    return unicodedata.category(sign).startswith("M") or "\u1160" <= sign <= "\u11ff"


def _find_line_spans(text: str, span: Span) -> Iterator[Span]:
    start = span.start
    for line in span.of(text).splitlines(keepends=True):
        piece = _trim(text, start, start + len(line))
        if piece is not None:
            yield piece
        start += len(line)


def _trim(text: str, start: int, end: int) -> Span | None:
    covered = text[start:end]
    inner = covered.strip()
    if not inner:
        return None
    first = start + len(covered) - len(covered.lstrip())
    return Span(first, first + len(inner))
