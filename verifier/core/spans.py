"""Half-open spans of code points."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Code points `[start, end)` of a named text; `text[start:end]` is what it covers."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"no span runs from {self.start} to {self.end}")

    def of(self, text: str) -> str:
        """Return the characters that the span covers in `text`."""
        return text[self.start : self.end]

    def shift(self, offset: int) -> Span:
        """Return the span moved right by `offset` code points."""
        return Span(self.start + offset, self.end + offset)

    def contains(self, other: Span) -> bool:
        """Return whether `other` lies wholly inside."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Return whether the two share a code point."""
        return self.start < other.end and other.start < self.end
