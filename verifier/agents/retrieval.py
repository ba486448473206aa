"""What the retrievers of all frameworks share: asking a verifier, and telling where a hit stands."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeAlias

from verifier.errors import InputError
from verifier.service import Verifier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.blocking import BlockingVerifier
    from verifier.core.documents import SearchHit, SearchResult

AnyVerifier: TypeAlias = "Verifier | BlockingVerifier"


def search_blocking(verifier: AnyVerifier, query: str, options: Mapping[str, Any]) -> SearchResult:
    """Return what `semantic_search` finds. Raises InputError for a verifier that has to be awaited."""
    if isinstance(verifier, Verifier):
        raise InputError(
            "this verifier is asked by await alone; await the retriever (ainvoke, aretrieve), or give it"
            " one of open_blocking_verifier"
        )
    return verifier.semantic_search(query, **options)


async def search_awaiting(
    verifier: AnyVerifier, query: str, options: Mapping[str, Any]
) -> SearchResult:
    """Return what `semantic_search` finds; a verifier that blocks is asked in a thread."""
    if isinstance(verifier, Verifier):
        return await verifier.semantic_search(query, **options)
    return await asyncio.to_thread(search_blocking, verifier, query, options)


def describe_hit(hit: SearchHit, basis: int) -> dict[str, Any]:
    """Return where a hit stands, as plain JSON values; what is not known of it is left out.

    `source` is the key of the source and `version` counts its versions, `start` and `end` are characters
    of that version's text, `basis` is the state of knowledge that the search saw. Figures are those of
    `SearchHit`.
    """
    rows = None if hit.rows is None else [hit.rows.table, hit.rows.first, hit.rows.last]
    told = {
        "chunk_id": hit.chunk_id,
        "source": hit.source,
        "version": hit.seq,
        "ordinal": hit.ordinal,
        "start": hit.span.start,
        "end": hit.span.end,
        "similarity": hit.similarity,
        "vector_rank": hit.vector_rank,
        "words_rank": hit.words_rank,
        "coverage": hit.coverage,
        "fused": hit.fused,
        "relevance": hit.relevance,
        "title": hit.title,
        "url": hit.url,
        "heading_path": list(hit.heading_path) or None,
        "page": hit.page,
        "table_rows": rows,
        "review_until": None if hit.review_until is None else hit.review_until.isoformat(),
        "basis": basis,
    }
    return {name: value for name, value in told.items() if value is not None}
