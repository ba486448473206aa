"""One run of searches over a large store: its server, its goals, and its figures as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from casework.engine import run as run_async
from casework.searchbench import measure_searches
from casework.searchstore import fill_store
from verifier.embedded import start_embedded
from verifier.store.schema import upgrade_schema

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verifier.embedded import EmbeddedPostgres

LEAST_RECALL: Final = 0.99
MOST_RATIO: Final = 1.2
MOST_BEYOND_MS: Final = 2.0


def search_large_store(
    folder: Path, chunks: int, *, seed: int, say: Callable[[str], None]
) -> dict[str, Any]:
    """Return the figures of a store of so many chunks, made in `folder`."""
    with start_embedded(folder / "server") as server:
        return run_async(_measure(server, chunks, seed, say))


async def _measure(
    server: EmbeddedPostgres, chunks: int, seed: int, say: Callable[[str], None]
) -> dict[str, Any]:
    await upgrade_schema(server.owner_dsn)
    store = await fill_store(server.owner_dsn, chunks, seed=seed, say=say)
    searches = await measure_searches((server.owner_dsn, server.app_dsn), store, say=say)
    return {
        "chunks": store.rows.current,
        "vectors": len(store.rows.vectors),
        "seconds": {name: round(spent, 1) for name, spent in store.seconds.items()},
        "megabytes": store.megabytes,
        "likeness": store.likeness,
        "searches": searches,
        "met": all(is_met(figures) for figures in searches),
    }


def is_met(figures: dict[str, Any]) -> bool:
    """Return whether a search holds the goals: ten rows, recall, and the time beside that by hand."""
    beyond = figures["search ms"] - figures["by hand ms"]
    quick = (
        figures["statement ratio"] <= MOST_RATIO
        if figures["search"] == "current"
        else beyond <= MOST_BEYOND_MS
    )
    return figures["fewest hits"] == 10 and figures["recall"] >= LEAST_RECALL and quick


def print_figures(figures: dict[str, Any]) -> None:
    """Print what was built and each search on a line."""
    print(f"{figures['chunks']:,} current chunks, {figures['vectors']:,} vectors")
    for name, spent in figures["seconds"].items():
        print(f"  {name}: {spent} s")
    for name, size in figures["megabytes"].items():
        print(f"  {name}: {size} MB")
    for name, likeness in figures["likeness"].items():
        print(f"  {name}: " + ", ".join(f"{what} {value}" for what, value in likeness.items()))
    for search in figures["searches"]:
        print(", ".join(f"{name} {value}" for name, value in search.items()))
    print("every goal is met" if figures["met"] else "a goal is missed")
