"""What goes out with a card of an id that does not exist: its whole block, or its record of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence


def span_of_dead(
    answer: str, block: Span, records: Sequence[Span], dead: Sequence[bool], at: int
) -> Span:
    """Return the span that the dead record `at` takes with it; those of one block never overlap.

    `records` are all of the block, in order. A block of nothing else goes with its fences and lines,
    shared out among its records; of a list the record goes with the comma that divides it.
    """
    if all(dead):
        whole = _lines_of(answer, block)
        start = whole.start if at == 0 else records[at].start
        end = whole.end if at + 1 == len(records) else records[at + 1].start
        return Span(start, end)
    if not all(dead[at:]):
        return Span(records[at].start, records[at + 1].start)
    return Span(records[at - 1].end, records[at].end)


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
