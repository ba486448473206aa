"""Semantic search over the current chunks of approved sources."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final, LiteralString

from asyncpg import exceptions as driver

from verifier.core.documents import SearchHit, SearchPlan, SearchResult, format_chunk_id
from verifier.core.spans import Span
from verifier.errors import InputError, WrongEmbeddingSpace
from verifier.store.chunks import read_rows
from verifier.store.pool import tenant_transaction
from verifier.store.spaces import active_space, check_same_space, space_search

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    from verifier.core.ports import Embedder
    from verifier.store.pool import Connection, Pool
    from verifier.store.spaces import SpaceId

    Filters: TypeAlias = Mapping[str, str | int | float | bool | None]
    QueryVector: TypeAlias = NDArray[np.float32] | Sequence[float]

MOST_HITS: Final = 1_000
EXACT_LIMIT: Final = 3_000
"""Up to how many candidates every vector is compared; beyond, the approximate index is asked first."""

GET_BASIS: Final[LiteralString] = """
    SELECT basis FROM tenant WHERE tenant_id = current_tenant()
"""


def search_statement(space_id: SpaceId) -> LiteralString:
    """Return the one statement of a search: vector, k, filter and exact limit are its parameters.

    Where the index fell short of k, the function returns the exact rows after its own; those are kept.
    """
    return f"""
    WITH found AS MATERIALIZED (
           SELECT source_id, version_id, ordinal, distance, plan
             FROM {space_search(space_id)}($1::text::halfvec, $2, $3::text::jsonb, $4)
         ),
         kept AS (
           SELECT source_id, version_id, ordinal, distance, plan
             FROM found
            WHERE plan = 'exact' OR NOT EXISTS (SELECT FROM found WHERE plan = 'exact')
         )
    SELECT t.basis, k.plan, k.distance, k.ordinal, s.key, s.title, s.url, v.seq, v.review_until,
           c.start_at, c.end_at, c.heading_path, c.page, c.table_number, c.first_row, c.last_row,
           substring(v.text, c.start_at + 1, c.end_at - c.start_at) AS text
      FROM kept k
      JOIN source s ON s.source_id = k.source_id
      JOIN document_version v ON v.version_id = k.version_id
      JOIN chunk c ON c.version_id = k.version_id AND c.ordinal = k.ordinal
     CROSS JOIN tenant t
     ORDER BY k.distance, k.source_id, k.ordinal
    """  # noqa: S608 — the only thing put in is a number


async def semantic_search(
    pool: Pool,
    query: str,
    *,
    tenant: str,
    embedder: Embedder,
    k: int = 5,
    filters: Filters | None = None,
) -> SearchResult:
    """Return the k chunks of current, approved versions whose meaning is nearest to `query`.

    `filters` are compared with the metadata of the source: each key must have exactly that value (None:
    a JSON null). Before anything was ingested the result is empty. Raises InputError on a blank query,
    k outside 1 to 1000 or a filter that is not plain, WrongEmbeddingSpace where the store was made with
    another model, TenantRequired, ModelError and StoreErrors.
    """
    _check_query(query)
    _check_k(k)
    filter_text = encode_filters(filters)
    vector = await embedder.embed_query(query)
    async with tenant_transaction(pool, tenant, read_only=True) as connection:
        active = await active_space(connection)
        if active is None:
            basis = await connection.fetchval(GET_BASIS)
            return SearchResult(query=query, hits=(), plan=SearchPlan.EXACT, basis=basis or 0)
        space_id, space = active
        check_same_space(space, embedder.space)
        parameters = (encode_vector(vector), k, filter_text, EXACT_LIMIT)
        return await _search(connection, space_id, parameters, query)


async def search_current(
    connection: Connection,
    space_id: SpaceId,
    vector: QueryVector,
    *,
    k: int,
    query: str = "",
    filters: Filters | None = None,
    exact_limit: int = EXACT_LIMIT,
) -> SearchResult:
    """Return the k nearest current chunks to a vector of that space, in a tenant's transaction.

    Up to `exact_limit` candidates, which pass filter and permission, every vector is compared; beyond, the
    approximate index answers, unless it finds fewer than k. Equal similarities are ordered by source and
    ordinal. Raises InputError on a vector that has no direction, WrongEmbeddingSpace on its length.
    """
    _check_k(k)
    parameters = (encode_vector(vector), k, encode_filters(filters), exact_limit)
    return await _search(connection, space_id, parameters, query)


async def _search(
    connection: Connection, space_id: SpaceId, parameters: tuple[str, int, str, int], query: str
) -> SearchResult:
    try:
        rows = await connection.fetch(search_statement(space_id), *parameters)
    except driver.DataError as error:
        if "dimensions" not in str(error):
            raise
        raise WrongEmbeddingSpace(f"the vector does not fit the store's space: {error}") from error
    if rows:
        plan, basis = SearchPlan(rows[0]["plan"]), rows[0]["basis"]
    else:
        plan, basis = SearchPlan.EXACT, await connection.fetchval(GET_BASIS) or 0
    return SearchResult(query=query, hits=tuple(map(_read_hit, rows)), plan=plan, basis=basis)


def _read_hit(row: Mapping[str, Any]) -> SearchHit:
    return SearchHit(
        chunk_id=format_chunk_id(row["key"], row["seq"], row["ordinal"]),
        source=row["key"],
        seq=row["seq"],
        ordinal=row["ordinal"],
        span=Span(row["start_at"], row["end_at"]),
        text=row["text"],
        heading_path=tuple(row["heading_path"]),
        similarity=max(-1.0, min(1.0, 1.0 - row["distance"])),
        title=row["title"],
        url=row["url"],
        review_until=row["review_until"],
        page=row["page"],
        rows=read_rows(row),
    )


def encode_vector(vector: QueryVector) -> str:
    """Return a vector of length one in pgvector's text form. Raises InputError where it has no direction."""
    import numpy as np

    direction = np.asarray(vector, dtype=np.float64)
    if direction.ndim != 1 or direction.size == 0:
        raise InputError("the query's vector must be a flat row of numbers")
    length = float(np.linalg.norm(direction))
    if not math.isfinite(length) or length == 0.0:
        raise InputError("the query's vector is zero or holds a value that is no number")
    return "[" + ",".join(map(repr, (direction / length).astype(np.float32).tolist())) + "]"


def encode_filters(filters: Filters | None) -> str:
    """Return filters as a JSON object. Raises InputError naming the filter that can't be compared."""
    wanted = dict(filters or {})
    for key, value in wanted.items():
        _check_filter(key, value)
    return json.dumps(wanted)


def _check_filter(key: object, value: object) -> None:
    if not isinstance(key, str) or _unfit(key):
        raise InputError(f"filter {key!r}: a key must be a text without NUL or lone surrogates")
    if not isinstance(value, str | int | float | None):
        raise InputError(
            f"filter {key!r}: allowed are text, number, true, false and null, not {type(value).__name__}"
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"filter {key!r}: {value} is no number")
    if isinstance(value, str) and _unfit(value):
        raise InputError(f"filter {key!r}: a text can't hold NUL or lone surrogates")


def _unfit(text: str) -> bool:
    return "\x00" in text or any("\ud800" <= char <= "\udfff" for char in text)


def _check_query(query: str) -> None:
    if not query.strip():
        raise InputError("the query is empty; say what to look for")
    if _unfit(query):
        raise InputError("the query holds NUL or lone surrogates, which are no text")


def _check_k(k: object) -> None:
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MOST_HITS:
        raise InputError(f"k must be a whole number in 1 to {MOST_HITS}, not {k!r}")
