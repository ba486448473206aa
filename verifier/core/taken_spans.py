"""Which characters of a text already belong to something that was read in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence


class Taken:
    """Which characters of a text already belong to a mention."""

    def __init__(self, length: int, apart: Sequence[Span]) -> None:
        self._marks = bytearray(length)
        for span in apart:
            self.claim(span)

    def is_free(self, span: Span) -> bool:
        """Return whether no character of the span is taken."""
        return not any(self._marks[span.start : span.end])

    def claim_start(self, span: Span) -> Span | None:
        """Take what is free from the span's start on: "two wool" of "two wool throws" runs into a name."""
        end = self._marks.find(1, span.start, span.end)
        free = span if end < 0 else Span(span.start, end)
        return free if free.start < free.end and self.claim(free) else None

    def claim(self, span: Span) -> bool:
        """Take the span, and return whether it was free."""
        if not self.is_free(span):
            return False
        self._marks[span.start : span.end] = b"\1" * (span.end - span.start)
        return True
