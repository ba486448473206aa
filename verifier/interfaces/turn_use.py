"""Searching in a turn that is kept on the server: only what the turn allows, and it notes what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.search_options import SearchTerms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.documents import SearchResult
    from verifier.core.keys import Caller
    from verifier.service import Verifier


async def search_in_turn(
    verifier: Verifier,
    query: str,
    terms: SearchTerms,
    *,
    turn_id: str | None,
    caller: Caller | None,
) -> SearchResult:
    """Return what is found, of no source that the turn does not allow. Raises UnknownThing, InputError."""
    if turn_id is None:
        return await verifier.semantic_search(query, **terms)
    turn = (await verifier.turns.get(turn_id, by=caller)).freeze()
    narrowed = SearchTerms(sources=_narrow(terms.get("sources"), turn.allowed_sources))
    found = await verifier.semantic_search(query, **(terms | narrowed))
    await verifier.turns.retrieved(turn_id, found, by=caller)
    return found


def _narrow(sources: Sequence[str] | None, allowed: frozenset[str] | None) -> Sequence[str] | None:
    if allowed is None:
        return sources
    return sorted(allowed if sources is None else allowed.intersection(sources))
