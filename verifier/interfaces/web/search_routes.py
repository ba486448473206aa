"""Searching the current, approved sources."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request

from verifier.core.keys import Caller, Scope
from verifier.core.search_options import SearchMode, SearchTerms
from verifier.errors import InputError
from verifier.interfaces.turn_use import search_in_turn
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
    terms |= SearchTerms(mode=_choose_mode(request, body), min_similarity=body.min_similarity)
    terms |= SearchTerms(per_source=body.per_source, neighbours=body.neighbours)
    terms |= SearchTerms(rerank=body.rerank, explain=body.explain)
    found = await search_in_turn(
        verifier_of(request, caller), body.query, terms, turn_id=body.turn_id, caller=caller
    )
    return WireResponse(found)


def _choose_mode(request: Request, body: SearchBody) -> SearchMode:
    """Return the mode of a search; without a model, by words. Raises InputError for what needs one then."""
    if request.app.state.has_model:
        return body.mode
    told = body.model_fields_set
    if ("mode" in told and body.mode is not SearchMode.WORDS) or body.min_similarity is not None:
        raise InputError(
            "this server has no model: search with mode `words`, and no min_similarity"
        )
    return SearchMode.WORDS
