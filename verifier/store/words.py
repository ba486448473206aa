"""Search by words, and by words and meaning together, each in one statement."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, LiteralString

from verifier.core.documents import SearchPlan, SearchResult
from verifier.core.search_options import SearchMode
from verifier.store.hits import HIT_COLUMNS, HIT_JOINS, read_hit
from verifier.store.scope import SCOPE, get_basis, resolve_scope
from verifier.store.spaces import space_search, space_table
from verifier.store.vectors import encode_vector, naming_the_space

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.core.documents import SearchHit
    from verifier.core.search_options import SearchOptions
    from verifier.store.pool import Connection
    from verifier.store.spaces import SpaceId
    from verifier.store.vectors import QueryVector

MOST_WORDS: Final = 64
"""How many words of a query `search_words` reads in a language: the most frequent, then the first."""

_LEAST_REACH: Final = 100
_FURTHER_REACH: Final = 8
_FARTHEST: Final = 2**30


def _by_meaning(space_id: SpaceId) -> LiteralString:
    return f"""
    SELECT source_id, version_id, ordinal, distance, plan
      FROM {space_search(space_id)}($1::text::halfvec, $2, {SCOPE}, $7)
    """  # noqa: S608 — the only thing put in is a number


BY_NOTHING: Final[LiteralString] = """
    SELECT NULL::bigint AS source_id, NULL::bigint AS version_id, NULL::integer AS ordinal,
           NULL::float8 AS distance, NULL::text AS plan
     WHERE false
"""


_BY_WORDS: Final[LiteralString] = f"""
    SELECT w.source_id, w.version_id, w.ordinal, w.coverage, w.plan,
           row_number() OVER (ORDER BY w.bm25 DESC, w.source_id, w.ordinal) AS words_rank
      FROM search_words($10, $2, {SCOPE}, $7) AS w
"""  # noqa: S608 — nothing put in but constants
_SHOWN: Final[LiteralString] = f"""
    SELECT r.*, h.*
      FROM (SELECT (SELECT count(*) FROM vector) AS by_meaning, (SELECT count(*) FROM words) AS by_words,
                   (SELECT min(plan) FROM vector) AS vector_plan,
                   (SELECT min(plan) FROM words) AS words_plan) AS r
      LEFT JOIN (SELECT k.similarity, k.coverage, k.vector_rank, k.words_rank, k.fused, {HIT_COLUMNS}
                   FROM k
                   {HIT_JOINS}) AS h ON true
     ORDER BY h.fused DESC, h.source_id, h.ordinal
"""  # noqa: S608 — nothing put in but constants


def fused_statement(space_id: SpaceId, mode: SearchMode) -> LiteralString:
    """Return the statement of a search by words, or by words and meaning, in that space.

    Parameters: vector, reach, scope, exact limit, k, hits a source, words, least similarity.

    Fused is reciprocal rank with k = 60 (Cormack, Clarke and Büttcher, SIGIR 2009), each reciprocal times how
    well its list matches: `similarity / (60 + rank) + 4 * coverage / (60 + rank)`. Without these factors the
    weaker of two unequal lists pulls the other down. The 4 is measured: `scripts/bench-retrieval` shows both
    halves of each set of questions.
    """
    meaning = _by_meaning(space_id) if mode is SearchMode.HYBRID else BY_NOTHING
    return f"""
    WITH vector AS MATERIALIZED (
           SELECT m.*, row_number() OVER (ORDER BY m.distance, m.source_id, m.ordinal) AS vector_rank
             FROM ({meaning}) AS m
         ),
         words AS MATERIALIZED ({_BY_WORDS}),
         listed AS MATERIALIZED (
           SELECT source_id, version_id, ordinal, coverage, distance, vector_rank, words_rank
             FROM vector
             FULL JOIN words USING (source_id, version_id, ordinal)
         ),
         found AS (
           SELECT l.*, 1 - coalesce(l.distance, apart.distance) AS similarity,
                  coalesce(greatest(1 - l.distance, 0) / (60 + l.vector_rank), 0)
                    + coalesce(4 * l.coverage / (60 + l.words_rank), 0) AS fused
             FROM listed l
            CROSS JOIN LATERAL (
                  SELECT CASE WHEN l.distance IS NULL THEN e.vec <=> $1::text::halfvec END AS distance
                    FROM chunk h
                    JOIN {space_table(space_id)} e ON e.input_hash = h.input_hash
                   WHERE h.version_id = l.version_id AND h.ordinal = l.ordinal
                   LIMIT 1) AS apart
         ),
         allowed AS (
           SELECT f.*, row_number() OVER (PARTITION BY f.source_id ORDER BY f.fused DESC, f.ordinal) AS nth
             FROM found f
            WHERE $11::float8 IS NULL OR f.similarity >= $11
         ),
         k AS MATERIALIZED (
           SELECT *
             FROM allowed
            WHERE $9::integer IS NULL OR nth <= $9
            ORDER BY fused DESC, source_id, ordinal
            LIMIT $8
         )
    {_SHOWN}
    """  # noqa: S608 — nothing put in but constants and a number


async def search_words(
    connection: Connection,
    space_id: SpaceId,
    vector: QueryVector | None,
    options: SearchOptions,
    *,
    query: str,
    exact_limit: int = 3_000,
) -> SearchResult:
    """Return what the words of `query` find, in mode hybrid fused with what is nearest to `vector`.

    Words are those of the languages that sources have, endings and stop words aside; one of them suffices.
    A query without any finds nothing by words. Every hit has its exact similarity, whichever list found it;
    none has one where no vector is given, which mode words alone allows.
    Up to `exact_limit` chunks in scope all are ranked; beyond, those that hold the rarest words: the plan is
    then `capped`, unless the rest could not outrank them. Raises as `search_space`.
    """
    mode = SearchMode(options.mode)
    scope = await resolve_scope(connection, options)
    statement = fused_statement(space_id, mode)
    direction = None if vector is None else encode_vector(vector)
    reach = max(_LEAST_REACH, 2 * options.k)
    further = (options.k, options.per_source, query, options.min_similarity)
    while True:
        with naming_the_space():
            rows: Sequence[Mapping[str, Any]] = await connection.fetch(
                statement, direction, reach, *scope.parameters, exact_limit, *further
            )
        hits = _read_hits(rows)
        exhausted = max(rows[0]["by_meaning"], rows[0]["by_words"]) < reach or reach >= _FARTHEST
        if len(hits) >= options.k or exhausted:
            break
        reach *= _FURTHER_REACH
    return SearchResult(
        query=query,
        hits=hits,
        plan=_choose_plan(rows[0]),
        basis=await get_basis(connection) if options.basis is None else options.basis,
        as_of=options.as_of,
    )


def _read_hits(rows: Sequence[Mapping[str, Any]]) -> tuple[SearchHit, ...]:
    return tuple(
        replace(
            read_hit(row, similarity=_bound(row["similarity"])),
            vector_rank=row["vector_rank"],
            words_rank=row["words_rank"],
            coverage=None if row["coverage"] is None else min(1.0, row["coverage"]),
            fused=row["fused"],
        )
        for row in rows
        if row["fused"] is not None
    )


def _bound(similarity: float | None) -> float | None:
    return None if similarity is None else max(-1.0, min(1.0, similarity))


def _choose_plan(row: Mapping[str, Any]) -> SearchPlan:
    """Return the plan that promises least."""
    plans = {row["vector_plan"], row["words_plan"]}
    return next((p for p in (SearchPlan.CAPPED, SearchPlan.ANN) if p in plans), SearchPlan.EXACT)
