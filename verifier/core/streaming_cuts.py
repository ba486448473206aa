"""How much of an answer that is still being written can be judged: up to where nothing will change any more.

A sentence of a paragraph is certain once the next one has begun, a table once another block has, a fence
once it is closed. What may still be joined by the next line, or stands within an open quotation, waits.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from verifier.core.blocks import Block, BlockKind, find_blocks
from verifier.core.quoted_ranges import find_open_range
from verifier.core.sentences import find_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

_FENCED: Final = frozenset({BlockKind.CODE, BlockKind.CARD})
_PROSE: Final = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})
_BEGUN: Final = re.compile(r"\s+\S+\s+\S")  # behind an end: " It costs"
_OPEN_MARK: Final = re.compile(r"[\[【<{(][^\]】>})\n]{0,120}\Z")  # "… [1, "
_BREAK: Final = re.compile(r"\n[ \t\r]*\n|\r\n[ \t]*\r\n|\r\r")
_LINE_ENDS: Final = "\n\r\f\v\x1c\x1d\x1e\x85\u2028\u2029"
_FENCE_MARKS: Final = re.compile(r"[ \t]*(`{3,}|~{3,})")
_TOLD: Final = re.compile(r"[^\W_][^\n]")  # enough of a line to tell that it begins another block
_LONGEST_NOTES: Final = 20_000
_NOTE: Final = re.compile(r"\[\^([^\]\s]{1,80})\](?!:)")  # [^1]


def find_certain_end(text: str, start: int, *, waits: bool = True) -> int:
    """Return how far `text` can be judged, from `start` on, which is where its last judged sentence ended.

    What is before `start` in the same block tells what the rest is. Where nothing `waits`, tables are cut
    between whole rows and paragraphs within open quotations.
    """
    blocks = find_blocks(text)
    certain = start
    for at, block in enumerate(blocks):
        if block.span.end <= start:
            continue
        following = blocks[at + 1] if at + 1 < len(blocks) else None
        if not _is_closed(text, block, following):
            return max(certain, _end_within(text, block, waits=waits))
        if waits and block.kind is BlockKind.TABLE_ROW and _table_goes_on(text, blocks[at:]):
            return certain
        certain = block.span.end
        if block.kind in _FENCED:  # with the end of its line, which goes where the fence goes
            certain = _end_line(text, certain)
    return certain


def _end_line(text: str, at: int) -> int:
    return next((at + len(end) for end in ("\r\n", "\n") if text.startswith(end, at)), at)


def is_within_fence(text: str) -> bool:
    """Return whether `text` ends within a fence that is not closed."""
    blocks = find_blocks(text)
    return bool(blocks) and blocks[-1].kind in _FENCED and not _is_fence_closed(text, blocks[-1])


def has_open_notes(text: str, answer: str) -> bool:
    """Return whether `text` has footnote marks whose notes do not stand in the last of `answer`."""
    if "[^" not in text:
        return False
    defined = answer[-_LONGEST_NOTES:]
    return any(f"[^{match[1]}]:" not in defined for match in _NOTE.finditer(text))


def _is_closed(text: str, block: Block, following: Block | None) -> bool:
    """Return whether no further text can change a block."""
    if block.kind in _FENCED:
        return following is not None or _is_fence_closed(text, block)
    if following is not None and _is_told(text, following):
        return True
    behind = text[block.span.end : None if following is None else following.span.start]
    if block.kind in {BlockKind.HEADING, BlockKind.RULE}:
        return bool(behind) and any(sign in _LINE_ENDS for sign in behind)
    return _BREAK.search(behind) is not None


def _is_told(text: str, block: Block) -> bool:
    """Return whether enough of a block has come to tell that it is one of its own."""
    line = text[block.span.start :]
    whole = any(sign in line for sign in _LINE_ENDS)
    return whole or (_TOLD.search(line) is not None and "|" not in line)


def _is_fence_closed(text: str, block: Block) -> bool:
    lines = block.span.of(text).splitlines()
    marks = _FENCE_MARKS.match(lines[0])
    if marks is None:
        return True
    closing = lines[-1].strip()
    closes = closing.startswith(marks[1]) and set(closing) == {marks[1][0]} and len(lines) > 1
    behind = text[block.span.end :]
    return closes and behind != "\r" and behind[:1] in {*_LINE_ENDS}


def _table_goes_on(text: str, rows: Sequence[Block]) -> bool:
    """Return whether the table that `rows` begin with may get more rows."""
    for row, other in pairwise(rows):
        if other.kind is not BlockKind.TABLE_ROW or _BREAK.search(
            text[row.span.end : other.span.start]
        ):
            return False
    return _BREAK.search(text[rows[-1].span.end :]) is None


def _end_within(text: str, block: Block, *, waits: bool) -> int:
    """Return how far an open block is certain; 0 where nothing of it is."""
    if block.kind is BlockKind.TABLE_ROW and not waits:
        return 0
    if block.kind not in _PROSE or _may_be_head(text, block):
        return 0
    found = 0
    spans = [one.span for one in find_sentences(text, block)]
    opening = find_open_range(text[block.span.start : block.span.end]) if waits else None
    for span in spans[:-1]:
        rest = text[span.end :]
        if opening is not None and block.span.start + opening < span.end:
            break
        if not _BEGUN.match(rest) or _OPEN_MARK.search(rest[-130:]):
            break
        found = span.end
    return found


def _may_be_head(text: str, block: Block) -> bool:
    """Return whether the last line of a paragraph may yet become the head of a table."""
    return "|" in text[text.rfind("\n", block.span.start, block.span.end) + 1 : block.span.end]
