"""What differs between two document versions: lines, chunks, numbers."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.diff_alignment import align
from verifier.core.diff_numbers import compare_numbers
from verifier.core.diff_pairing import Piece, pair_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.diff_alignment import Pair
    from verifier.core.diff_numbers import Number
    from verifier.core.spans import Span

CONTEXT_LINES: Final = 3
"""How many unchanged lines stand around a change, as in every unified diff."""

_WORD: Final = re.compile(r"[^\W\d_]+")  # "refund"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkPlace:
    """A chunk of a version: `text[span.start:span.end]` is what it holds."""

    ordinal: int
    span: Span
    heading_path: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionText:
    """A version with its text and its chunks in order."""

    key: str
    seq: int
    state: str
    text: str
    chunks: tuple[ChunkPlace, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkChange:
    """A chunk that differs: `change` is changed, added, removed or moved; a side that is missing is None."""

    change: str
    old: ChunkPlace | None
    new: ChunkPlace | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberPlace:
    """A number as written, what kind it is, and where: its span, its sentence's, the headings above it."""

    text: str
    kind: str
    span: Span
    sentence: Span
    heading_path: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberChange:
    """A number that differs: `change` is changed, added or removed; a side that is missing is None."""

    change: str
    old: NumberPlace | None
    new: NumberPlace | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HunkLine:
    """A line of a hunk: `mark` is a space (both have it), `-` (the old one) or `+` (the new one)."""

    mark: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """Lines that differ, with those around them; starts count from 1, 0 where a side has no line."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[HunkLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionDiff:
    """What differs between version `old` and version `new` of the source `key`.

    Of chunks and numbers that are in both only the count is told. A difference in the last line feed
    alone is no line; `ends_differ` tells it.
    """

    key: str
    old: int
    new: int
    old_state: str
    new_state: str
    numbers: tuple[NumberChange, ...]
    unchanged_numbers: int
    chunks: tuple[ChunkChange, ...]
    unchanged_chunks: int
    hunks: tuple[Hunk, ...]
    ends_differ: bool


def compare_versions(old: VersionText, new: VersionText) -> VersionDiff:
    """Return the differences of two versions; near linear in their lengths, whatever they hold."""
    numbers = compare_numbers(old.text, new.text)
    chunks, unchanged_chunks = _compare_chunks(old, new)
    old_headings, new_headings = _Headings(old), _Headings(new)
    return VersionDiff(
        key=new.key,
        old=old.seq,
        new=new.seq,
        old_state=old.state,
        new_state=new.state,
        numbers=tuple(
            NumberChange(
                change=_name_change(pair.old, pair.new),
                old=old_headings.place(pair.old),
                new=new_headings.place(pair.new),
            )
            for pair in numbers.pairs
        ),
        unchanged_numbers=numbers.unchanged,
        chunks=chunks,
        unchanged_chunks=unchanged_chunks,
        hunks=tuple(compare_lines(old.text, new.text)),
        ends_differ=old.text.endswith("\n") != new.text.endswith("\n"),
    )


def _name_change(old: object | None, new: object | None) -> str:
    if old is None:
        return "added"
    return "removed" if new is None else "changed"


class _Headings:
    """Finds the headings above a place of a version's text by the chunk that holds it."""

    def __init__(self, version: VersionText) -> None:
        self._version = version
        self._starts = [chunk.span.start for chunk in version.chunks]

    def place(self, number: Number | None) -> NumberPlace | None:
        if number is None:
            return None
        at = bisect_right(self._starts, number.span.start) - 1
        return NumberPlace(
            text=number.span.of(self._version.text),
            kind=number.value.kind.value,
            span=number.span,
            sentence=number.sentence,
            heading_path=self._version.chunks[at].heading_path if at >= 0 else (),
        )


def _compare_chunks(old: VersionText, new: VersionText) -> tuple[tuple[ChunkChange, ...], int]:
    pairing = pair_pieces(_chunk_pieces(old), _chunk_pieces(new))
    changes = [
        ChunkChange(change=change, old=old.chunks[i], new=new.chunks[j])
        for change, pairs in (("changed", pairing.changed), ("moved", pairing.moved))
        for i, j in pairs
    ]
    changes += [ChunkChange(change="added", old=None, new=new.chunks[j]) for j in pairing.added]
    changes.sort(key=lambda one: -1 if one.new is None else one.new.ordinal)
    removed = [ChunkChange(change="removed", old=old.chunks[i], new=None) for i in pairing.removed]
    return (*changes, *removed), len(pairing.same)


def _chunk_pieces(version: VersionText) -> list[Piece]:
    texts = [chunk.span.of(version.text) for chunk in version.chunks]
    words = [tuple(_WORD.findall(text.casefold())) for text in texts]
    return [
        Piece(exact=text, masked=found, words=frozenset(found))
        for text, found in zip(texts, words, strict=True)
    ]


def compare_lines(old: str, new: str, *, context: int = CONTEXT_LINES) -> Iterator[Hunk]:
    """Yield the hunks of a unified diff by line; lines end at line feeds alone."""
    before, after = _split_lines(old), _split_lines(new)
    pairs = align(before, after)
    edits = list(_edits(pairs, len(before), len(after)))
    start = 0
    for at in range(1, len(edits) + 1):
        if at == len(edits) or edits[at][0] - edits[at - 1][1] > 2 * context:
            yield _make_hunk(before, after, edits[start:at], context)
            start = at


def _split_lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _edits(
    pairs: Sequence[Pair], old_length: int, new_length: int
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the stretches between paired lines that are not empty on both sides."""
    place, other = 0, 0
    for i, j in (*pairs, (old_length, new_length)):
        if i > place or j > other:
            yield place, i, other, j
        place, other = i + 1, j + 1


def _make_hunk(
    before: list[str], after: list[str], edits: list[tuple[int, int, int, int]], context: int
) -> Hunk:
    first, last = edits[0], edits[-1]
    lead = min(context, first[0])
    tail = min(context, len(before) - last[1])
    lines: list[HunkLine] = []
    place = first[0] - lead
    for start, end, new_start, new_end in edits:
        lines += [HunkLine(mark=" ", text=line) for line in before[place:start]]
        lines += [HunkLine(mark="-", text=line) for line in before[start:end]]
        lines += [HunkLine(mark="+", text=line) for line in after[new_start:new_end]]
        place = end
    lines += [HunkLine(mark=" ", text=line) for line in before[place : place + tail]]
    old_lines = sum(line.mark != "+" for line in lines)
    new_lines = sum(line.mark != "-" for line in lines)
    return Hunk(
        old_start=first[0] - lead + bool(old_lines),
        old_lines=old_lines,
        new_start=first[2] - lead + bool(new_lines),
        new_lines=new_lines,
        lines=tuple(lines),
    )
