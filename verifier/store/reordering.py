"""Search whose first hits a reranker puts in order, outside the transaction that found them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.reranking import reorder
from verifier.errors import InputError
from verifier.store.extracts import list_extracts
from verifier.store.pool import tenant_transaction

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from verifier.core.documents import SearchHit, SearchResult
    from verifier.core.ports import Reranker
    from verifier.core.search_options import SearchOptions
    from verifier.store.explanations import Stopwatch
    from verifier.store.pool import Connection, Pool

    Find = Callable[[Pool, str], Awaitable[SearchResult]]

LIST_INPUTS: Final[LiteralString] = """
    SELECT p.input
      FROM unnest($1::text[], $2::integer[], $3::integer[])
           WITH ORDINALITY AS w (key, seq, ordinal, place)
      LEFT JOIN source s ON s.tenant_id = current_tenant() AND s.key = w.key
      LEFT JOIN document_version v
        ON v.tenant_id = current_tenant() AND v.source_id = s.source_id AND v.seq = w.seq
      LEFT JOIN chunk c
        ON c.tenant_id = current_tenant() AND c.version_id = v.version_id AND c.ordinal = w.ordinal
      LEFT JOIN passage p ON p.tenant_id = current_tenant() AND p.input_hash = c.input_hash
     ORDER BY w.place
"""


async def list_inputs(connection: Connection, hits: Sequence[SearchHit]) -> tuple[str, ...]:
    """Return what was embedded for each hit: title, headings, table head and text.

    What was erased since the hit was found is its text alone, as the caller has it.
    """
    rows = await connection.fetch(
        LIST_INPUTS,
        [hit.source for hit in hits],
        [hit.seq for hit in hits],
        [hit.ordinal for hit in hits],
    )
    return tuple(row["input"] or hit.text for row, hit in zip(rows, hits, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reordering:
    """The reranker's part of a search. No connection is held while the model is at work."""

    query: str
    options: SearchOptions
    reranker: Reranker | None
    watch: Stopwatch

    def wide_options(self) -> SearchOptions:
        """Return the options of the search whose hits are put in order."""
        return replace(
            self.options, k=self.options.rerank or self.options.k, neighbours=0, rerank=None
        )

    async def run(self, pool: Pool, tenant: str, find: Find) -> SearchResult:
        """Return the k most relevant of what `find` returns.

        Raises InputError without a reranker, ModelError before anything is searched where its model is
        missing.
        """
        if self.reranker is None:
            raise InputError(
                "rerank needs a reranker: name the folder of a cross-encoder in the setting `reranker`"
            )
        name = await asyncio.to_thread(_name, self.reranker)  # may read the weights
        found = replace(await find(pool, tenant), reranked_by=name)
        if not found.hits:
            return found
        async with tenant_transaction(pool, tenant, read_only=True) as connection:
            texts = await list_inputs(connection, found.hits)
        with self.watch.timing("reranking"):
            judged = await self.reranker.rerank(self.query, texts)
        hits = reorder(found.hits, judged, self.options.k)
        found = await self._read_neighbours(pool, tenant, replace(found, hits=hits))
        if found.explanation is None:
            return found
        told = replace(found.explanation, milliseconds=dict(self.watch.milliseconds))
        return replace(found, explanation=told)

    async def _read_neighbours(self, pool: Pool, tenant: str, found: SearchResult) -> SearchResult:
        if not self.options.neighbours:
            return found
        async with tenant_transaction(pool, tenant, read_only=True) as connection:
            with self.watch.timing("reading neighbours"):
                extracts = await list_extracts(connection, found.hits, self.options.neighbours)
        return replace(found, extracts=extracts)


def _name(reranker: Reranker) -> str:
    return reranker.name
