"""Chunks as the texts that a statement is held against, and as evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.cited_statement import read_cited
from verifier.core.documents import hash_text
from verifier.core.evidence import Evidence, SpanLocator
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.statement_comparison import CitedClause, CitedText
    from verifier.core.statements import ReadingTerms
    from verifier.core.turns import RetrievedChunk, Turn


def read_cited_text(chunks: Sequence[RetrievedChunk], terms: ReadingTerms) -> CitedText:
    """Return the clauses and table cells of the chunks."""
    return read_cited([chunk.text for chunk in chunks], terms)


def is_allowed(chunk: RetrievedChunk, turn: Turn) -> bool:
    """Return whether the turn's task may use the chunk's source."""
    if not chunk.approved:
        return False
    return turn.allowed_sources is None or chunk.source in turn.allowed_sources


def show_clause(
    cited: CitedClause, chunks: Sequence[RetrievedChunk], *, note: str | None = None
) -> Evidence:
    """Return a clause of one of the chunks as evidence."""
    return show_span(chunks[cited.text_number], cited.clause.span, note=note)


def show_span(
    chunk: RetrievedChunk, span: Span | None = None, *, note: str | None = None
) -> Evidence:
    """Return a span of the chunk's text, or all of it, as evidence in its document version."""
    inside = Span(0, len(chunk.text)) if span is None else span
    text = inside.of(chunk.text)
    place = inside if chunk.span is None else inside.shift(chunk.span.start)
    locator = SpanLocator(
        source=chunk.source,
        seq=chunk.seq,
        ordinal=chunk.ordinal,
        span=place,
        text_hash=hash_text(text),
    )
    return Evidence(locator=locator, text=text, note=note)
