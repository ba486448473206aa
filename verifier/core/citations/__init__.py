"""Citations: an answer's own pointers to chunks or sources."""

from __future__ import annotations

from verifier.core.citations.finding import CitationFinder, find_citations
from verifier.core.citations.model import Citation, drop_marks
from verifier.core.citations.pointers import drop_pointers, read_stated
from verifier.core.citations.resolving import ChunkIndex, find_cited_chunk, name_chunk

__all__ = [
    "ChunkIndex",
    "Citation",
    "CitationFinder",
    "drop_marks",
    "drop_pointers",
    "find_citations",
    "find_cited_chunk",
    "name_chunk",
    "read_stated",
]
