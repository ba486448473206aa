"""Searching the current, approved sources."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request

from verifier.core.keys import Caller, Scope
from verifier.core.search_options import SearchTerms
from verifier.interfaces.web.access import require, verifier_of
from verifier.interfaces.web.json_bodies import JsonRoute, WireResponse
from verifier.interfaces.web.schemas import SearchBody

router = APIRouter(prefix="/v1", tags=["search"], route_class=JsonRoute)

Searcher = Annotated[Caller, Depends(require(Scope.SEARCH))]


@router.post("/search", operation_id="semantic_search")
async def semantic_search(request: Request, body: SearchBody, caller: Searcher) -> WireResponse:
    """Show the passages nearest to a query: only of approved sources, and of now unless told."""
    terms = SearchTerms(k=body.k, filters=body.filters, sources=body.sources)
    terms |= SearchTerms(as_of=body.as_of, basis=body.basis, known_at=body.known_at)
    terms |= SearchTerms(mode=body.mode, min_similarity=body.min_similarity)
    terms |= SearchTerms(per_source=body.per_source, neighbours=body.neighbours)
    terms |= SearchTerms(rerank=body.rerank, explain=body.explain)
    found = await verifier_of(request, caller).semantic_search(body.query, **terms)
    return WireResponse(found)
