"""The index finds the nearest of what is in scope, also where that is little of what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.integration import large_store
from tests.integration.large_store import PER_SOURCE, random_vectors
from tests.integration.store_reading import TENANT, similarity_of
from verifier.core.documents import SearchPlan
from verifier.core.filters import field
from verifier.core.search_options import SearchOptions
from verifier.store.pool import tenant_transaction
from verifier.store.search import search_space

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from numpy.typing import NDArray

    from tests.integration.conftest import Database
    from verifier.core.documents import SearchHit
    from verifier.store.pool import Pool
    from verifier.store.spaces import SpaceId

CHUNKS = 10_000
DIMENSION = 48
QUERIES = random_vectors(40, DIMENSION, seed=2)


@pytest.fixture
async def filled(
    fresh_database: Database,
) -> AsyncIterator[tuple[Pool, SpaceId, NDArray[np.float32]]]:
    """A store of 10,000 chunks in a hundred sources, numbered from 1."""
    vectors = random_vectors(CHUNKS, DIMENSION, seed=1)
    space_id = await large_store.fill(
        fresh_database, vectors, describe=lambda source: f'{{"number": {source}}}'
    )
    async with large_store.opened(fresh_database) as pool:
        yield pool, space_id, vectors


SCOPES = {
    "a twentieth by a filter": SearchOptions(k=10, filters=field("number") > 95),
    "a twentieth by sources": SearchOptions(
        k=10, sources=[f"s{number}" for number in range(96, 101)]
    ),
    "a tenth by a filter": SearchOptions(k=10, filters=field("number") > 90),
}


@pytest.mark.parametrize("name", SCOPES)
async def test_few_in_scope(filled: tuple[Pool, SpaceId, NDArray[np.float32]], name: str) -> None:
    pool, space_id, vectors = filled
    first = CHUNKS - (CHUNKS // 10 if "tenth" in name.split() else CHUNKS // 20)
    stored = vectors[first:].astype(np.float16).astype(np.float32)
    shares = []
    async with tenant_transaction(pool, TENANT, read_only=True) as connection:
        for query in QUERIES:
            found = await search_space(connection, space_id, query, SCOPES[name], exact_limit=100)
            rows = [_row(hit) - first for hit in found.hits]
            assert found.plan is SearchPlan.ANN
            assert len(rows) == len(set(rows)) == len(found.hits)
            distances = [similarity_of(hit) for hit in found.hits]
            assert distances == sorted(distances, reverse=True)
            nearest = np.argsort(-(stored @ query))[: len(rows)]
            shares.append(len(set(rows) & set(nearest.tolist())) / SCOPES[name].k)
    assert np.mean(shares) >= 0.99


def _row(hit: SearchHit) -> int:
    return (int(hit.source[1:]) - 1) * PER_SOURCE + hit.ordinal
