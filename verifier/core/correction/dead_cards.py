"""What goes out with cards of ids that do not exist: the whole block, or records of a list."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def spans_of_dead(
    answer: str, block: Span, records: Sequence[Span], dead: Sequence[bool]
) -> Iterator[Span]:
    """Yield, for each record of a block, the span that goes with it where it is dead; they never overlap.

    `records` are all of the block, in order. A block of nothing else goes with its fences and lines,
    shared out among its records; of a list a record goes with the comma that divides it.
    """
    if all(dead):
        whole = _lines_of(answer, block)
        starts = [whole.start, *(one.start for one in records[1:]), whole.end]
        yield from (Span(*ends) for ends in pairwise(starts))
        return
    last_alive = max(at for at, is_dead in enumerate(dead) if not is_dead)
    for at, record in enumerate(records):
        if at < last_alive:
            yield Span(record.start, records[at + 1].start)
        else:
            yield Span(records[at - 1].end, record.end) if at else record


def _lines_of(answer: str, block: Span) -> Span:
    """Return a block with the space before it on its line and the end of its last line."""
    start, end = block.start, block.end
    before = answer[answer.rfind("\n", 0, start) + 1 : start]
    if not before.strip():
        start -= len(before)
    for line_end in ("\r\n", "\n"):
        if answer.startswith(line_end, end):
            return Span(start, end + len(line_end))
    return Span(start, end)
