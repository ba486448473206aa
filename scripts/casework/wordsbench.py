"""Times searches by words and by both beside those by vector, in a store of many chunks."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Final

from casework.wordstore import FREQUENT, TENANT, fill_store
from verifier.core.search_options import SearchOptions
from verifier.embedded import start_embedded
from verifier.store.pool import open_pool, tenant_transaction
from verifier.store.search import search_space
from verifier.store.spaces import active_space
from verifier.store.words import search_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from verifier.core.documents import SearchResult
    from verifier.store.pool import Pool

QUERIES: Final = {
    "a word in most chunks": FREQUENT,
    "an id": "SKU-777",
    "a question": "How can you create multiple test cases for an evaluation in the tool?",
}
MODES: Final = ("vector", "words", "hybrid")


async def measure(
    folder: Path, chunks: int, *, rounds: int, seed: int, say: Callable[[str], None]
) -> dict[str, object]:
    """Return medians in ms and how often the time of a search by vector, by query and mode.

    The modes take turns, so that whatever else the machine does falls on all of them.
    """
    with start_embedded(folder) as server:
        centres = await fill_store(server.owner_dsn, chunks, seed=seed, say=say)
        pool = await open_pool(server.app_dsn)
        try:
            figures: dict[str, object] = {"chunks": chunks}
            for name, query in QUERIES.items():
                say(f"{name}: {rounds} rounds")
                figures[name] = await _time(pool, query, centres, rounds)
            return figures
        finally:
            await pool.close()


async def _time(
    pool: Pool, query: str, centres: NDArray[np.float32], rounds: int
) -> dict[str, dict[str, object]]:
    taken: dict[str, list[float]] = {mode: [] for mode in MODES}
    found: dict[str, SearchResult] = {}
    for turn in range(rounds + 1):
        for mode in MODES:
            begun = time.perf_counter()
            found[mode] = await _search(pool, query, centres[turn], mode)
            if turn:
                taken[mode].append(1_000 * (time.perf_counter() - begun))
    vector_ms = statistics.median(taken["vector"])
    return {
        mode: {
            "median_ms": round(statistics.median(times), 2),
            "times_vector": round(statistics.median(times) / vector_ms, 1),
            "hits": len(found[mode].hits),
            "plan": found[mode].plan.value,
        }
        for mode, times in taken.items()
    }


async def _search(pool: Pool, query: str, vector: NDArray[np.float32], mode: str) -> SearchResult:
    options = SearchOptions(k=10, mode=mode)
    async with tenant_transaction(pool, TENANT, read_only=True) as conn:
        active = await active_space(conn)
        if active is None:
            raise RuntimeError("the store has no space")
        if mode == "vector":
            return await search_space(conn, active[0], vector, options, query=query)
        return await search_words(conn, active[0], vector, options, query=query)
