"""Why a search went as it did: its candidates, the indexes that were read, and the time of each part."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.documents import SearchExplanation, SearchPlan
from verifier.core.filters import list_keys
from verifier.core.search_options import SearchMode
from verifier.store.scope import resolve_scope
from verifier.store.spaces import space_table
from verifier.store.words import MOST_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verifier.core.documents import SearchResult
    from verifier.core.search_options import SearchOptions
    from verifier.core.spaces import EmbeddingSpace
    from verifier.store.pool import Connection
    from verifier.store.spaces import SpaceId


@dataclass(slots=True)
class Stopwatch:
    """Milliseconds by part."""

    milliseconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timing(self, part: str) -> Iterator[None]:
        """Count the time of what is done inside towards `part`."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            spent = (time.perf_counter() - begun) * 1e3
            self.milliseconds[part] = round(self.milliseconds.get(part, 0.0) + spent, 3)


# The counts of a session, those of earlier transactions that are not yet told included.
COUNT_SCANS: Final[LiteralString] = """
    SELECT i.indexrelid::regclass::text AS index, pg_stat_get_xact_numscans(i.indexrelid) AS scans
      FROM pg_index i
     WHERE i.indrelid = ANY (ARRAY[to_regclass($1), to_regclass('source'), to_regclass('passage')])
       AND NOT i.indisprimary
"""


async def count_scans(connection: Connection, space_id: SpaceId) -> Mapping[str, int]:
    """Return how often this session read each index of vectors, words and metadata."""
    rows = await connection.fetch(COUNT_SCANS, space_table(space_id))
    return {row["index"]: row["scans"] or 0 for row in rows}


COUNT_CANDIDATES: Final[LiteralString] = """
    SELECT count_candidates($1, $2::text::jsonpath, $3::bigint[], $4::timestamptz, $5::bigint)
"""


async def count_candidates(
    connection: Connection, options: SearchOptions, exact_limit: int
) -> int | None:
    """Return how many chunks are in the scope of a search, None where more than `exact_limit`."""
    scope = await resolve_scope(connection, options)
    counted: int = await connection.fetchval(COUNT_CANDIDATES, exact_limit + 1, *scope.parameters)
    return None if counted > exact_limit else counted


FIND_UNKNOWN_KEYS: Final[LiteralString] = """
    SELECT wanted.key
      FROM unnest($1::text[]) WITH ORDINALITY AS wanted (key, place)
     WHERE NOT EXISTS (SELECT
                         FROM source s
                        WHERE s.tenant_id = current_tenant() AND s.metadata ? wanted.key)
     ORDER BY wanted.place
"""


COUNT_WORDS: Final[LiteralString] = """
    SELECT coalesce(max(length(words_of(l.language, $1))), 0)
      FROM (SELECT DISTINCT s.language FROM source s WHERE s.tenant_id = current_tenant()) AS l
"""


async def count_unread_words(connection: Connection, query: str) -> int:
    """Return how many words of a query a search by words leaves out, in the language of most words."""
    words: int = await connection.fetchval(COUNT_WORDS, query)
    return max(0, words - MOST_WORDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What was noted before a search, so that it can be explained afterwards, in the same transaction."""

    connection: Connection
    space_id: SpaceId
    space: EmbeddingSpace
    options: SearchOptions
    exact_limit: int
    before: Mapping[str, int]
    watch: Stopwatch

    async def explain(self, result: SearchResult) -> SearchExplanation:
        """Return the explanation of the search that gave `result`."""
        after = await count_scans(self.connection, self.space_id)
        with self.watch.timing("counting candidates"):
            candidates = await count_candidates(self.connection, self.options, self.exact_limit)
        read = [name for name, scans in after.items() if scans > self.before.get(name, 0)]
        return SearchExplanation(
            reason=_reason(self.options, result.plan, candidates, self.exact_limit),
            candidates=candidates,
            exact_limit=self.exact_limit,
            indexes=tuple(sorted(read)),
            space=str(self.space),
            unknown_keys=await self._find_unknown_keys(),
            milliseconds=dict(self.watch.milliseconds),
            unread_words=await self._count_unread_words(result.query),
        )

    async def _count_unread_words(self, query: str) -> int:
        if self.options.mode == SearchMode.VECTOR:
            return 0
        return await count_unread_words(self.connection, query)

    async def _find_unknown_keys(self) -> tuple[str, ...]:
        condition = self.options.condition
        if condition is None:
            return ()
        rows = await self.connection.fetch(FIND_UNKNOWN_KEYS, list_keys(condition))
        return tuple(row["key"] for row in rows)


async def observe_search(
    connection: Connection,
    active: tuple[SpaceId, EmbeddingSpace],
    options: SearchOptions,
    watch: Stopwatch,
    *,
    exact_limit: int,
) -> Observation:
    """Note which indexes were read before a search."""
    return Observation(
        connection=connection,
        space_id=active[0],
        space=active[1],
        options=options,
        exact_limit=exact_limit,
        before=await count_scans(connection, active[0]),
        watch=watch,
    )


def _reason(
    options: SearchOptions, plan: SearchPlan, candidates: int | None, exact_limit: int
) -> str:
    number = f"more than {exact_limit:,}" if candidates is None else f"{candidates:,}"
    if options.mode == SearchMode.WORDS:
        return f"{number} candidates, ranked by the words that they share with the query"
    if plan is SearchPlan.ANN:
        return f"{number} candidates: the approximate index was asked"
    if plan is SearchPlan.EXACT and candidates is None:
        return (
            f"{number} candidates: the approximate index was asked and found fewer than {options.k},"
            " so every vector was compared"
        )
    if plan is SearchPlan.EXACT:
        return f"{number} candidates, no more than {exact_limit:,}: every vector was compared"
    return f"{number} candidates, of which those with the query's rarer words were ranked"
