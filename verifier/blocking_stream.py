"""Streaming an answer without an event loop of one's own."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator

    from verifier.core.streaming_events import StreamEvent
    from verifier.verbs import RunVerb

_END: Final = object()


def run_stream(events: AsyncGenerator[StreamEvent, None], run: RunVerb) -> Iterator[StreamEvent]:
    """Yield the events, each once it is there; closed early, the stream is closed."""
    try:
        while (event := run(_take(events))) is not None:
            yield event
    finally:
        run(events.aclose())


async def read_pieces(pieces: Iterable[str]) -> AsyncIterator[str]:
    """Yield the pieces of an iterator that may block; it runs in a thread, one piece at a time."""
    coming = iter(pieces)
    while (piece := await asyncio.to_thread(next, coming, _END)) is not _END:
        yield piece  # type: ignore[misc]  # what is no text is refused by who reads


async def _take(events: AsyncGenerator[StreamEvent, None]) -> StreamEvent | None:
    return await anext(events, None)
