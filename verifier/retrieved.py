"""Chunks that a turn names by id alone get their text, and what the store knows of their version."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from verifier.core.documents import Permission

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from verifier.core.turns import RetrievedChunk, Turn
    from verifier.store.chunks import StoredChunk


async def fill_retrieved(
    turn: Turn, find: Callable[[Sequence[str]], Awaitable[Mapping[str, StoredChunk]]]
) -> Turn:
    """Return the turn with the text of every chunk that it names by id; `find` is asked once, or never.

    An id that the store does not have is taken out: nobody can have retrieved it. Of a source that is not
    approved the text stays out: whoever names its id would read it in the report.
    """
    wanted = [chunk.label for chunk in turn.retrieved if _is_bare(chunk)]
    if not wanted:
        return turn
    stored = await find(wanted)
    known = (chunk for chunk in turn.retrieved if not _is_bare(chunk) or chunk.label in stored)
    return replace(
        turn,
        retrieved=tuple(
            _fill(chunk, stored[chunk.label]) if _is_bare(chunk) else chunk for chunk in known
        ),
    )


def _is_bare(chunk: RetrievedChunk) -> bool:
    return not chunk.text and chunk.seq is not None and chunk.ordinal is not None


def _fill(chunk: RetrievedChunk, stored: StoredChunk) -> RetrievedChunk:
    approved = stored.permission is Permission.APPROVED
    return replace(
        chunk,
        text=stored.text if approved else "",
        span=stored.span if approved else None,
        approved=approved,
        current=stored.current,
        review_until=stored.review_until,
    )
