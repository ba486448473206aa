"""Chunks that a turn names by id alone are filled in from the store."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from verifier.core.documents import Permission, VersionState
from verifier.core.spans import Span
from verifier.core.turns import RetrievedChunk, Turn
from verifier.retrieved import fill_retrieved
from verifier.store.chunks import StoredChunk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REVIEW = datetime(2026, 1, 1, tzinfo=UTC)


def bare(source: str, seq: int = 1) -> RetrievedChunk:
    return RetrievedChunk(label=f"{source}@{seq}#0", source=source, text="", seq=seq, ordinal=0)


def stored(source: str, *, state: VersionState, permission: Permission) -> StoredChunk:
    return StoredChunk(
        chunk_id=f"{source}@1#0",
        source=source,
        seq=1,
        ordinal=0,
        span=Span(3, 8),
        text="hello",
        heading_path=(),
        title=None,
        url=None,
        state=state,
        permission=permission,
        review_until=REVIEW,
        current_seq=1 if state is VersionState.CURRENT else 2,
    )


class Store:
    """Answers from a mapping and remembers what it was asked."""

    def __init__(self, *chunks: StoredChunk) -> None:
        self.chunks = {chunk.chunk_id: chunk for chunk in chunks}
        self.asked: list[tuple[str, ...]] = []

    async def find(self, chunk_ids: Sequence[str]) -> Mapping[str, StoredChunk]:
        self.asked.append(tuple(chunk_ids))
        return {each: self.chunks[each] for each in chunk_ids if each in self.chunks}


async def test_a_bare_id_gets_text_state_and_review() -> None:
    store = Store(
        stored("old", state=VersionState.SUPERSEDED, permission=Permission.APPROVED),
        stored("denied", state=VersionState.CURRENT, permission=Permission.DENIED),
    )
    turn = await fill_retrieved(Turn(retrieved=(bare("old"), bare("denied"))), store.find)
    old, denied = turn.retrieved
    assert (old.text, old.span, old.review_until) == ("hello", Span(3, 8), REVIEW)
    assert (old.current, old.approved) == (False, True)
    assert (denied.current, denied.approved) == (True, False)
    assert (denied.text, denied.span) == ("", None)
    assert store.asked == [("old@1#0", "denied@1#0")]


async def test_an_id_that_the_store_lacks_was_not_retrieved() -> None:
    given = RetrievedChunk(label="d", source="d", text="")
    turn = await fill_retrieved(Turn(retrieved=(bare("gone"), given)), Store().find)
    assert turn.retrieved == (given,)


async def test_the_store_is_not_asked_for_what_is_there() -> None:
    with_text = RetrievedChunk(label="a@1#0", source="a", text="x", seq=1, ordinal=0)
    turn = Turn(retrieved=(with_text,))
    store = Store()
    assert await fill_retrieved(turn, store.find) is turn
    assert store.asked == []
