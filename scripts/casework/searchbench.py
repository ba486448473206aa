"""Searches of a large store, each beside the same statement run by hand on a bare connection."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, LiteralString

import asyncpg
import numpy as np

from casework import searchrows
from verifier.core.filters import field
from verifier.core.search_options import SearchOptions
from verifier.store.pool import open_pool, tenant_transaction
from verifier.store.search import search_space, semantic_search
from verifier.store.spaces import space_table
from verifier.store.vectors import encode_vector

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from casework.searchstore import SearchStore
    from casework.searchtexts import Matrix
    from verifier.core.documents import SearchResult
    from verifier.core.search_options import SearchTerms
    from verifier.core.spaces import EmbeddingSpace
    from verifier.store.pool import Pool

K: Final = 10
_TIMED: Final = 80
_ROUNDS: Final = 4
BARE_SETTINGS: Final = """
    SET search_path = verifier, public;
    SET hnsw.ef_search = 200;
    SET jit = off;
    SET max_parallel_workers_per_gather = 0;
    SET plan_cache_mode = force_custom_plan
"""
DETAILS: Final[LiteralString] = """
    SELECT k.distance, s.key, s.title, s.url, v.seq, v.review_until, c.ordinal, c.start_at, c.end_at,
           c.heading_path, c.page, substring(v.text, c.start_at + 1, c.end_at - c.start_at) AS text
      FROM k
      JOIN source s ON s.tenant_id = $2 AND s.source_id = k.source_id
      JOIN document_version v ON v.tenant_id = $2 AND v.version_id = k.version_id
      JOIN chunk c ON c.tenant_id = $2 AND c.version_id = k.version_id AND c.ordinal = k.ordinal
     ORDER BY k.distance, k.source_id, k.ordinal
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A kind of search: its options, the statement that does the same by hand, which chunks may come."""

    name: str
    terms: SearchTerms
    by_hand: str
    allowed: Callable[[SearchStore], NDArray[np.bool_]]


class FixedEmbedder:
    """Gives one vector out for any query: what is measured is the search, not the model."""

    token_limit = 256

    def __init__(self, space: EmbeddingSpace, vector: NDArray[np.float32]) -> None:
        self.space = space
        self._vector = vector

    def count_tokens(self, text: str) -> int:
        """Return a number of tokens."""
        return len(text.split())

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector for each text."""
        return np.stack([self._vector for _ in texts])

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector."""
        del text
        return self._vector


NOW: Final = """
    WITH k AS (
           SELECT c.source_id, c.version_id, c.ordinal, e.vec <=> $1::text::halfvec AS distance
             FROM {table} e
             JOIN current_chunk c ON c.tenant_id = $2 AND c.input_hash = e.input_hash
            WHERE e.tenant_id = $2 AND e.live AND c.permission = 'approved' AND {condition}
            ORDER BY e.vec <=> $1::text::halfvec
            LIMIT $3
         )
"""
FEW: Final = """
    WITH k AS (
           SELECT c.source_id, c.version_id, c.ordinal,
                  (e.vec <=> $1::text::halfvec) + 0 AS distance
             FROM source s
             JOIN current_chunk c ON c.tenant_id = $2 AND c.source_id = s.source_id
             JOIN {table} e ON e.tenant_id = $2 AND e.input_hash = c.input_hash
            WHERE s.tenant_id = $2 AND c.permission = 'approved' AND {condition}
            ORDER BY 4
            LIMIT $3
         )
"""
PAST: Final = """
    WITH k AS (
           SELECT p.source_id, p.version_id, c.ordinal, e.vec <=> $1::text::halfvec AS distance
             FROM {table} e
             JOIN chunk c ON c.tenant_id = $2 AND c.input_hash = e.input_hash
             JOIN publication p ON p.tenant_id = $2 AND p.version_id = c.version_id
             JOIN source s ON s.tenant_id = $2 AND s.source_id = p.source_id
            WHERE e.tenant_id = $2 AND p.basis_to IS NULL AND p.valid_from <= '2024-07-01T00:00Z'
              AND (p.valid_to IS NULL OR p.valid_to > '2024-07-01T00:00Z')
              AND s.permission = 'approved'
            ORDER BY (l2_normalize(e.vec)::halfvec({dimension})) <=> $1::text::halfvec
            LIMIT $3
         )
"""
PAGES: Final = """
    EXISTS (SELECT
              FROM source s
             WHERE s.tenant_id = $2 AND s.source_id = c.source_id
               AND (s.metadata ->> 'pages')::integer >= 500)
"""


def list_trials(table: str, dimension: int) -> tuple[Trial, ...]:
    """Return what is measured."""
    return (
        Trial(
            name="current",
            terms={},
            by_hand=NOW.format(table=table, condition="true"),
            allowed=_current,
        ),
        Trial(
            name="1% by equality",
            terms={"filters": {"shelf": 7}},
            by_hand=FEW.format(table=table, condition="s.metadata ->> 'shelf' = '7'"),
            allowed=lambda store: _by_source(store, np.arange(store.rows.sources) % 100 == 7),
        ),
        Trial(
            name="1% by range",
            terms={"filters": field("pages") >= 990},
            by_hand=FEW.format(table=table, condition="(s.metadata ->> 'pages')::integer >= 990"),
            allowed=lambda store: _by_source(store, store.rows.pages >= 990),
        ),
        Trial(
            name="10% by range",
            terms={"filters": field("pages") >= 900},
            by_hand=FEW.format(table=table, condition="(s.metadata ->> 'pages')::integer >= 900"),
            allowed=lambda store: _by_source(store, store.rows.pages >= 900),
        ),
        Trial(
            name="half by range",
            terms={"filters": field("pages") >= 500},
            by_hand=NOW.format(table=table, condition=PAGES),
            allowed=lambda store: _by_source(store, store.rows.pages >= 500),
        ),
        Trial(
            name="as of",
            terms={"as_of": searchrows.MIDDLE},
            by_hand=PAST.format(table=table, dimension=dimension),
            allowed=_past,
        ),
    )


def _current(store: SearchStore) -> NDArray[np.bool_]:
    return np.arange(len(store.rows.vectors)) < store.rows.current


def _by_source(store: SearchStore, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    allowed = np.zeros(len(store.rows.vectors), np.bool_)
    allowed[: store.rows.current] = np.repeat(chosen, searchrows.PER_SOURCE)
    return allowed


def _past(store: SearchStore) -> NDArray[np.bool_]:
    rows = store.rows
    unchanged = np.ones(rows.sources, np.bool_)
    unchanged[rows.versions[rows.sources :]] = False
    allowed = _by_source(store, unchanged)
    allowed[rows.current :] = True
    return allowed


async def measure_searches(
    dsns: tuple[str, str], store: SearchStore, *, say: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Return the figures of each trial; `dsns` are the owner's, for what is done by hand, and the app's."""
    table = space_table(store.space_id)
    bare = await asyncpg.connect(dsns[0])
    try:
        await bare.execute(BARE_SETTINGS)
        async with await open_pool(dsns[1], max_size=1) as pool:
            return [
                await _measure_trial(bare, pool, store, trial, say)
                for trial in list_trials(table, store.space.dimension)
            ]
    finally:
        await bare.close()


async def _measure_trial(
    bare: asyncpg.Connection,
    pool: Pool,
    store: SearchStore,
    trial: Trial,
    say: Callable[[str], None],
) -> dict[str, Any]:
    prepared = await bare.prepare(trial.by_hand + DETAILS)
    options = SearchOptions(k=K, **trial.terms)

    async def by_hand(vector: Matrix) -> None:
        await prepared.fetch(encode_vector(vector), searchrows.TENANT, K)

    async def by_statement(vector: Matrix) -> None:
        await search_space(connection, store.space_id, vector, options)

    async def by_search(vector: Matrix) -> SearchResult:
        embedder = FixedEmbedder(store.space, vector)
        return await semantic_search(
            pool, "any", tenant=searchrows.TENANT, embedder=embedder, k=K, **trial.terms
        )

    found = [await by_search(vector) for vector in store.queries]
    times: dict[str, list[list[float]]] = {"by hand": [], "statement": [], "search": []}
    for vector in store.queries[:: len(store.queries) // _TIMED]:
        spent: dict[str, list[float]] = {name: [] for name in times}
        for _ in range(_ROUNDS):
            spent["by hand"].append(await _time(by_hand(vector)))
            async with tenant_transaction(pool, searchrows.TENANT, read_only=True) as connection:
                spent["statement"].append(await _time(by_statement(vector)))
            spent["search"].append(await _time(by_search(vector)))
        for name, each in spent.items():
            times[name].append(each)
    figures = _sum_up(trial, times, found, store)
    say(f"{trial.name}: {figures}")
    return figures


async def _time(work: Awaitable[object]) -> float:
    begun = time.perf_counter()
    await work
    return (time.perf_counter() - begun) * 1e3


def _sum_up(
    trial: Trial,
    times: dict[str, list[list[float]]],
    found: Sequence[SearchResult],
    store: SearchStore,
) -> dict[str, Any]:
    """Return the figures; of a query's times the least counts, to which other work adds least."""
    medians = {
        name: statistics.median(min(each) for each in spent) for name, spent in times.items()
    }
    shares = _shares(store, trial.allowed(store), found)
    return {
        "search": trial.name,
        "plans": sorted({result.plan.value for result in found}),
        "fewest hits": min(len(result.hits) for result in found),
        "recall": round(statistics.fmean(shares), 4),
        "recall of questions": round(statistics.fmean(shares[: store.questions]), 4),
        "recall of texts": round(statistics.fmean(shares[store.questions :]), 4),
        "fewest of the nearest": round(float(min(shares)), 2),
        **{f"{name} ms": round(spent, 3) for name, spent in medians.items()},
        "p95 ms": round(float(np.percentile([min(each) for each in times["search"]], 95)), 3),
        "statement ratio": round(medians["statement"] / medians["by hand"], 3),
        "search ratio": round(medians["search"] / medians["by hand"], 3),
    }


def _shares(
    store: SearchStore, allowed: NDArray[np.bool_], found: Iterable[SearchResult]
) -> list[float]:
    """Return of each search which share of the k nearest was found; what is as near as the k-th counts."""
    vectors = store.rows.vectors
    queries = store.queries.astype(np.float16).astype(np.float32)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    nearest = np.full((len(store.queries), K), -2.0, np.float32)
    for start in range(0, len(vectors), 50_000):
        part = vectors[start : start + 50_000][allowed[start : start + 50_000]].astype(np.float32)
        part /= np.linalg.norm(part, axis=1, keepdims=True)
        cosines = np.concatenate([nearest, queries @ part.T], axis=1)
        nearest = -np.partition(-cosines, K - 1, axis=1)[:, :K]
    least = nearest.min(axis=1) - 1e-5
    return [
        sum(hit.similarity >= bound for hit in result.hits) / K
        for result, bound in zip(found, least, strict=True)
    ]
