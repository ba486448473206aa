"""Semantic search over chunks of approved sources, as they are now or were on either time axis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, LiteralString, Unpack

from verifier.core.documents import SearchPlan, SearchResult
from verifier.core.search_options import SearchMode, SearchOptions, SearchTerms
from verifier.errors import InputError
from verifier.store.basis import basis_at
from verifier.store.explanations import Stopwatch, observe_search
from verifier.store.extracts import list_extracts
from verifier.store.hits import HIT_COLUMNS, HIT_JOINS, read_hit
from verifier.store.pool import tenant_transaction
from verifier.store.reordering import Reordering
from verifier.store.scope import SCOPE, get_basis, resolve_scope
from verifier.store.spaces import active_space, check_same_space, space_search
from verifier.store.storable import is_storable
from verifier.store.vectors import encode_vector, naming_the_space
from verifier.store.words import search_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from verifier.core.documents import SearchHit
    from verifier.core.ports import Embedder, Reranker
    from verifier.store.pool import Connection, Pool
    from verifier.store.spaces import SpaceId
    from verifier.store.vectors import QueryVector

EXACT_LIMIT: Final = 3_000
"""Up to how many candidates every vector is compared; beyond, the approximate index is asked first."""

LONGEST_WORDS: Final = 100_000
"""Characters of a query by words: Postgres holds a megabyte of different words at most."""

_FIRST_REACH: Final = 4
_FURTHER_REACH: Final = 8
_FARTHEST: Final = 2**30


def search_statement(space_id: SpaceId) -> LiteralString:
    """Return the one statement of a search: vector, reach, scope, exact limit, k and hits a source."""
    return f"""
    WITH found AS MATERIALIZED (
           SELECT source_id, version_id, ordinal, distance, plan
             FROM {space_search(space_id)}($1::text::halfvec, $2, {SCOPE}, $7)
         ),
         k AS (
           SELECT source_id, version_id, ordinal, distance, plan, count(*) OVER () AS reached,
                  row_number() OVER (PARTITION BY source_id ORDER BY distance, ordinal) AS nth
             FROM found
         )
    SELECT k.plan, k.distance, k.reached, {HIT_COLUMNS}
      FROM k
      {HIT_JOINS}
     WHERE $9::integer IS NULL OR k.nth <= $9
     ORDER BY k.distance, k.source_id, k.ordinal
     LIMIT $8
    """  # noqa: S608 — the only thing put in is a number


async def semantic_search(
    pool: Pool,
    query: str,
    *,
    tenant: str,
    embedder: Embedder,
    reranker: Reranker | None = None,
    **terms: Unpack[SearchTerms],
) -> SearchResult:
    """Return the k chunks of approved sources whose meaning is nearest to `query`.

    `terms` are the fields of `SearchOptions`. Before anything was ingested the result is empty. In mode
    `words` without `min_similarity` the embedder is not asked, and hits have no similarity. Raises
    InputError on a blank query, an option out of range, or `rerank` without a reranker, UnknownThing on an
    unknown source, WrongEmbeddingSpace where the store was made with another model, TenantRequired,
    ModelError and StoreErrors.
    """
    options = SearchOptions(**terms)
    _check_query(query, SearchMode(options.mode))
    _ = options.filter_path
    watch = Stopwatch()
    find = Search(query=query, options=options, embedder=embedder, watch=watch)
    if options.rerank is None:
        return await find.run(pool, tenant)
    order = Reordering(query=query, options=options, reranker=reranker, watch=watch)
    wide = replace(find, options=order.wide_options())
    return await order.run(pool, tenant, wide.run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One search with its options, by a model."""

    query: str
    options: SearchOptions
    embedder: Embedder
    watch: Stopwatch

    async def run(self, pool: Pool, tenant: str) -> SearchResult:
        """Return what is found in one transaction."""
        vector = await self._embed()
        async with tenant_transaction(pool, tenant, read_only=True) as connection:
            options = await _state_basis(connection, self.options)
            active = await active_space(connection)
            if active is None:
                await resolve_scope(connection, options)
                basis = await get_basis(connection)
                return SearchResult(query=self.query, hits=(), plan=SearchPlan.EXACT, basis=basis)
            if vector is not None:
                check_same_space(active[1], self.embedder.space)
            if not options.explain:
                return await self._find(connection, active[0], vector, options)
            observation = await observe_search(
                connection, active, options, self.watch, exact_limit=EXACT_LIMIT
            )
            result = await self._find(connection, active[0], vector, options)
            return replace(result, explanation=await observation.explain(result))

    async def _embed(self) -> NDArray[np.float32] | None:
        if self.options.by_words_alone:
            return None
        with self.watch.timing("embedding the query"):
            return await self.embedder.embed_query(self.query)

    async def _find(
        self,
        connection: Connection,
        space_id: SpaceId,
        vector: QueryVector | None,
        options: SearchOptions,
    ) -> SearchResult:
        with self.watch.timing("searching"):
            if vector is None or options.mode != SearchMode.VECTOR:
                result = await search_words(connection, space_id, vector, options, query=self.query)
            else:
                result = await search_space(connection, space_id, vector, options, query=self.query)
        if not options.neighbours:
            return result
        with self.watch.timing("reading neighbours"):
            extracts = await list_extracts(connection, result.hits, options.neighbours)
        return replace(result, extracts=extracts)


async def _state_basis(connection: Connection, options: SearchOptions) -> SearchOptions:
    if options.known_at is None:
        return options
    basis = await basis_at(connection, options.known_at)
    return replace(options, basis=basis, known_at=None)


async def search_space(
    connection: Connection,
    space_id: SpaceId,
    vector: QueryVector,
    options: SearchOptions,
    *,
    query: str = "",
    exact_limit: int = EXACT_LIMIT,
) -> SearchResult:
    """Return the nearest chunks to a vector of that space, in a tenant's transaction.

    Up to `exact_limit` candidates, which pass filter and permission, every vector is compared; beyond, the
    approximate index answers, unless it finds fewer than k. Equal similarities are ordered by source and
    ordinal. Raises InputError on a vector that has no direction, WrongEmbeddingSpace on its length.
    """
    direction = encode_vector(vector)
    scope = await resolve_scope(connection, options)
    parameters = (*scope.parameters, exact_limit, options.k, options.per_source)
    rows = await _find_rows(connection, search_statement(space_id), direction, parameters, options)
    plan = SearchPlan(rows[0]["plan"]) if rows else SearchPlan.EXACT
    present = rows[0]["basis"] if rows else await get_basis(connection)
    return SearchResult(
        query=query,
        hits=_read_hits(rows, options.min_similarity),
        plan=plan,
        basis=present if options.basis is None else options.basis,
        as_of=options.as_of,
    )


async def _find_rows(
    connection: Connection,
    statement: LiteralString,
    direction: str,
    parameters: Sequence[object],
    options: SearchOptions,
) -> Sequence[Mapping[str, Any]]:
    """Reach farther until k hits are allowed, or nothing more is found."""
    reach = options.k if options.per_source is None else options.k * _FIRST_REACH
    while True:
        with naming_the_space():
            rows: Sequence[Mapping[str, Any]] = await connection.fetch(
                statement, direction, reach, *parameters
            )
        exhausted = not rows or rows[0]["reached"] < reach or reach >= _FARTHEST
        if len(rows) >= options.k or exhausted:
            return rows
        reach *= _FURTHER_REACH


def _read_hits(
    rows: Sequence[Mapping[str, Any]], min_similarity: float | None
) -> tuple[SearchHit, ...]:
    pairs = ((row, max(-1.0, min(1.0, 1.0 - row["distance"]))) for row in rows)
    return tuple(
        read_hit(row, similarity=similarity)
        for row, similarity in pairs
        if min_similarity is None or similarity >= min_similarity
    )


def _check_query(query: str, mode: SearchMode) -> None:
    if not query.strip():
        raise InputError("the query is empty; say what to look for")
    if mode is not SearchMode.VECTOR and len(query) > LONGEST_WORDS:
        raise InputError(
            f"the query has {len(query):,} characters; by words at most {LONGEST_WORDS:,} can be looked for"
        )
    if not is_storable(query):
        raise InputError("the query holds NUL or lone surrogates, which are no text")
