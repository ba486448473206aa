"""Ingest: documents become versions with chunks and vectors, and are published one by one.

Each document is staged and published in transactions of its own, in the order given; in between, the
inputs that no vector stands for are embedded together for a window of documents. Whatever ends the
run, the versions that were current before answer on, and the next run takes up what was staged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence, Sized
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

from verifier.errors import InputError
from verifier.ingest.embedding import EMBED_BATCH
from verifier.ingest.requests import IngestRequest, IngestSummary
from verifier.ingest.space_building import embed_beside
from verifier.ingest.window import IngestRun
from verifier.store.timeline import promote_all_due

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable, Iterator

    from verifier.core.ports import Embedder
    from verifier.ingest.requests import Incoming, Progress
    from verifier.store.pool import Pool

WINDOW_DOCUMENTS: Final = 64
WINDOW_CHARACTERS: Final = 4_000_000
"""Documents are embedded together up to either of these, so that a folder of any size fits memory."""


async def ingest_documents(
    pool: Pool,
    tenant: str,
    embedder: Embedder,
    requests: Iterable[Incoming],
    *,
    beside: Sequence[Embedder] = (),
    on_progress: Callable[[Progress], None] | None = None,
    embed_batch: int = EMBED_BATCH,
) -> IngestSummary:
    """Ingest the documents and return what became of each; one that fails costs no other.

    The requests are taken in a thread, some at a time and the next ones ahead, so that they may be read from
    files as they are needed. An outcome among them (a file that could not be read) is passed on as it is.
    Versions of one source are published in the order given; vectors are committed `embed_batch` at a time.
    What was ingested is embedded with the models `beside` too whose spaces are being built.
    Raises InputError, before anything is written, where a sequence names one key twice for the same time;
    a StoreError where the database does not serve at all; ModelError where the model can't be loaded;
    WrongEmbeddingSpace where the store was embedded by another model.
    """
    if isinstance(requests, Sequence):
        _refuse_twice(requests)
    run = IngestRun(
        pool=pool,
        tenant=tenant,
        embedder=embedder,
        total=len(requests) if isinstance(requests, Sized) else None,
        on_progress=on_progress,
        embed_batch=embed_batch,
    )
    async with aclosing(_read_ahead(_windows(requests))) as windows:
        async for window in windows:
            await promote_all_due(pool, tenant)
            begun = len(run.outcomes)
            await run.ingest(window)
            keys = {outcome.key for outcome in run.outcomes[begun:]}
            for other in beside:
                await embed_beside(pool, tenant, other, keys)
    return IngestSummary(outcomes=tuple(run.outcomes))


async def _read_ahead(
    windows: Iterator[Sequence[Incoming]],
) -> AsyncGenerator[Sequence[Incoming], None]:
    """Yield the windows, each read while the one before is at work."""
    reading = asyncio.create_task(asyncio.to_thread(next, windows, None))
    try:
        while (window := await reading) is not None:
            reading = asyncio.create_task(asyncio.to_thread(next, windows, None))
            yield window
    finally:
        await asyncio.gather(reading, return_exceptions=True)  # it must not outlive its files


def _refuse_twice(requests: Sequence[Incoming]) -> None:
    seen = set()
    for request in requests:
        if not isinstance(request, IngestRequest):
            continue
        identity = (request.document.key, request.valid_from)
        if identity in seen:
            raise InputError(
                f"the key {request.document.key!r} stands twice; give each document a key of its own,"
                " or each version of one its valid_from"
            )
        seen.add(identity)


def _windows(requests: Iterable[Incoming]) -> Iterator[Sequence[Incoming]]:
    window: list[Incoming] = []
    characters = 0
    for request in requests:
        window.append(request)
        if isinstance(request, IngestRequest):
            characters += len(request.document.text)
        if len(window) >= WINDOW_DOCUMENTS or characters >= WINDOW_CHARACTERS:
            yield window
            window, characters = [], 0
    if window:
        yield window
