"""Retrieved chunks with their neighbours of the same document, as one text to seek quotations in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.spans import Span
from verifier.verify.cited_texts import is_allowed, show_span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.evidence import Evidence
    from verifier.core.turns import RetrievedChunk, Turn

_MOST_NEIGHBOURS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A chunk, or the rest of one that the chunk before overlaps, at `span` of a passage's text."""

    chunk: RetrievedChunk
    span: Span
    skipped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Chunks that follow each other in one document version, joined."""

    text: str
    parts: tuple[Part, ...]

    def show(self, spans: Sequence[Span], *, note: str | None = None) -> Iterator[Evidence]:
        """Yield the spans as evidence, each cut at the edges of the chunks that it runs over."""
        for span in spans:
            for part in self.parts:
                start, end = max(span.start, part.span.start), min(span.end, part.span.end)
                if start < end:
                    offset = part.skipped - part.span.start
                    yield show_span(part.chunk, Span(start + offset, end + offset), note=note)

    def holds(self, chunk: RetrievedChunk) -> bool:
        """Return whether the chunk is one of those joined."""
        return any(part.chunk is chunk for part in self.parts)


class PassageReader:
    """Joins the chunks of one turn that its task may use."""

    def __init__(self, turn: Turn) -> None:
        self._chunks = [chunk for chunk in turn.retrieved if is_allowed(chunk, turn)]
        self._placed = {
            (chunk.source, chunk.seq, chunk.ordinal): chunk
            for chunk in self._chunks
            if chunk.ordinal is not None
        }

    def around(self, chunk: RetrievedChunk) -> Passage:
        """Return the chunk with those that stand next to it and were given to the turn too."""
        before = list(self._walk(chunk, -1))
        return _join([*reversed(before), chunk, *self._walk(chunk, 1)])

    def all(self) -> Iterator[Passage]:
        """Yield the passages of all chunks, each chunk in one of them."""
        seen: set[int] = set()
        for chunk in self._chunks:
            if id(chunk) not in seen:
                passage = self.around(chunk)
                seen |= {id(part.chunk) for part in passage.parts}
                yield passage

    def _walk(self, chunk: RetrievedChunk, step: int) -> Iterator[RetrievedChunk]:
        if chunk.ordinal is None:
            return
        for distance in range(1, _MOST_NEIGHBOURS + 1):
            place = chunk.source, chunk.seq, chunk.ordinal + step * distance
            neighbour = self._placed.get(place)
            if neighbour is None:
                return
            yield neighbour


def _join(chunks: Sequence[RetrievedChunk]) -> Passage:
    texts: list[str] = []
    parts: list[Part] = []
    length, before = 0, None
    for chunk in chunks:
        joint, skipped = _joint(before, chunk)
        texts += [joint, chunk.text[skipped:]]
        start = length + len(joint)
        length = start + len(chunk.text) - skipped
        parts.append(Part(chunk=chunk, span=Span(start, length), skipped=skipped))
        before = chunk
    return Passage(text="".join(texts), parts=tuple(parts))


def _joint(before: RetrievedChunk | None, chunk: RetrievedChunk) -> tuple[str, int]:
    """Return what stands between two neighbours, and how much of the second the first has already."""
    if before is None:
        return "", 0
    if before.span is None or chunk.span is None:
        return "\n", 0
    gap = chunk.span.start - before.span.end
    return ("\n", 0) if gap > 0 else ("", min(-gap, len(chunk.text)))
