"""What a space holds and what it lacks: counting, filling and marking its vectors.

Wanted are the vectors of every passage that a draft, current, superseded or withdrawn version consists of;
those of drafts and current versions are live.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, LiteralString

from asyncpg import exceptions as driver

from verifier.core.documents import InputHash
from verifier.store.passages import LOCK_LIVENESS, share_liveness
from verifier.store.spaces import LONGEST_WAIT_S, space_table

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from verifier.store.pool import Connection
    from verifier.store.spaces import SpaceId

FLAGS_A_STEP: Final = 2_000
"""Marks changed in one transaction, each up to a millisecond: a step keeps writers waiting that long."""


class Era(StrEnum):
    """Passages that drafts and current versions use, and those that only ended versions do."""

    CURRENT = "current"
    PAST = "past"


_STATES: Final = {Era.CURRENT: ["draft", "current"], Era.PAST: ["superseded", "withdrawn"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceCounts:
    """Vectors of the tenant in a space, and how many passages of each era lack theirs."""

    vectors: int
    missing_current: int
    missing_past: int


def _count_vectors(space_id: SpaceId) -> str:
    return f"""
    WITH used AS (
           SELECT c.input_hash, bool_or(v.state IN ('draft', 'current')) AS is_current
             FROM chunk c
                  JOIN document_version v USING (tenant_id, version_id)
            WHERE c.tenant_id = current_tenant()
              AND v.state IN ('draft', 'current', 'superseded', 'withdrawn')
            GROUP BY c.input_hash)
    SELECT (SELECT count(*) FROM {space_table(space_id)} WHERE tenant_id = current_tenant()) AS vectors,
           count(*) FILTER (WHERE used.is_current) AS missing_current,
           count(*) FILTER (WHERE NOT used.is_current) AS missing_past
      FROM used
     WHERE NOT EXISTS (SELECT
                         FROM {space_table(space_id)} e
                        WHERE e.tenant_id = current_tenant() AND e.input_hash = used.input_hash)
"""  # noqa: S608 - the identifier comes from space_table


async def count_vectors(conn: Connection, space_id: SpaceId) -> SpaceCounts:
    """Return what the space holds and lacks: reads every chunk, about a second for a million."""
    row = await conn.fetchrow(_count_vectors(space_id), timeout=LONGEST_WAIT_S)
    return SpaceCounts(
        vectors=row["vectors"],
        missing_current=row["missing_current"],
        missing_past=row["missing_past"],
    )


FIND_PAGE_END: Final[LiteralString] = """
    SELECT input_hash
      FROM passage
     WHERE tenant_id = current_tenant() AND input_hash > $1
     ORDER BY input_hash
    OFFSET $2 - 1
     LIMIT 1
"""


async def find_page_end(conn: Connection, after: bytes, passages: int) -> bytes | None:
    """Return the hash of the last of so many passages behind `after`, None where fewer are left."""
    end: bytes | None = await conn.fetchval(FIND_PAGE_END, after, passages)
    return end


def _list_missing(space_id: SpaceId) -> str:
    return f"""
    SELECT p.input_hash, p.input
      FROM passage p
     WHERE p.tenant_id = current_tenant()
       AND p.input_hash > $1
       AND ($2::bytea IS NULL OR p.input_hash <= $2)
       AND EXISTS (SELECT
                     FROM chunk c
                          JOIN document_version v USING (tenant_id, version_id)
                    WHERE c.tenant_id = p.tenant_id AND c.input_hash = p.input_hash
                      AND v.state = ANY ($3::text[]))
       AND NOT EXISTS (SELECT
                         FROM {space_table(space_id)} e
                        WHERE e.tenant_id = p.tenant_id AND e.input_hash = p.input_hash)
"""  # noqa: S608 - the identifier comes from space_table


async def list_missing(
    conn: Connection, space_id: SpaceId, era: Era, *, after: bytes, upto: bytes | None
) -> Mapping[InputHash, str]:
    """Return, by hash, the inputs of an era without a vector in the space, between two hashes."""
    rows = await conn.fetch(_list_missing(space_id), after, upto, _STATES[era])
    return {InputHash(row["input_hash"]): row["input"] for row in rows}


def _list_missing_of_sources(space_id: SpaceId) -> str:
    return f"""
    SELECT p.input_hash, p.input
      FROM passage p
     WHERE p.tenant_id = current_tenant()
       AND p.input_hash IN (SELECT c.input_hash
                              FROM source s
                                   JOIN document_version v USING (tenant_id, source_id)
                                   JOIN chunk c USING (tenant_id, version_id)
                             WHERE s.tenant_id = current_tenant()
                               AND s.key = ANY ($1::text[])
                               AND v.state IN ('draft', 'current'))
       AND NOT EXISTS (SELECT
                         FROM {space_table(space_id)} e
                        WHERE e.tenant_id = p.tenant_id AND e.input_hash = p.input_hash)
"""  # noqa: S608 - the identifier comes from space_table


async def list_missing_of_sources(
    conn: Connection, space_id: SpaceId, keys: Collection[str]
) -> Mapping[InputHash, str]:
    """Return, by hash, the inputs that drafts and current versions of the sources lack vectors for."""
    rows = await conn.fetch(_list_missing_of_sources(space_id), list(keys))
    return {InputHash(row["input_hash"]): row["input"] for row in rows}


def _list_embedded(space_id: SpaceId) -> str:
    return f"""
    SELECT input_hash
      FROM {space_table(space_id)}
     WHERE tenant_id = current_tenant() AND input_hash = ANY ($1::bytea[])
"""  # noqa: S608 - the identifier comes from space_table


async def list_embedded(
    conn: Connection, space_id: SpaceId, hashes: Collection[InputHash]
) -> frozenset[InputHash]:
    """Return those of the hashes that have a vector in the space."""
    rows = await conn.fetch(_list_embedded(space_id), list(hashes))
    return frozenset(InputHash(row["input_hash"]) for row in rows)


def _fill_space(space_id: SpaceId) -> str:
    return f"""
    INSERT INTO {space_table(space_id)} (tenant_id, input_hash, live, vec)
    SELECT current_tenant(), added.input_hash,
           EXISTS (SELECT
                     FROM chunk c
                          JOIN document_version v USING (tenant_id, version_id)
                    WHERE c.tenant_id = current_tenant() AND c.input_hash = added.input_hash
                      AND v.state IN ('draft', 'current')),
           added.vec
      FROM unnest($1::bytea[], $2::halfvec[]) AS added (input_hash, vec)
     ORDER BY added.input_hash
        ON CONFLICT DO NOTHING
"""  # noqa: S608 - the identifier comes from space_table


async def fill_space(
    conn: Connection, space_id: SpaceId, hashes: Sequence[InputHash], vectors: NDArray[np.float32]
) -> bool:
    """Record vectors, a row for each of `hashes`, live where they are used; one that stands is kept.

    Returns False, having written none, where one of the passages was erased meanwhile. Waits while the
    space is indexed.
    """
    from pgvector import HalfVector

    await share_liveness(conn)
    try:
        async with conn.transaction():
            await conn.execute(
                _fill_space(space_id),
                list(hashes),
                [HalfVector(vector) for vector in vectors],
                timeout=LONGEST_WAIT_S,
            )
    except driver.ForeignKeyViolationError:
        return False
    return True


def _mark_step(space_id: SpaceId) -> str:
    return f"""
    WITH used AS MATERIALIZED (
           SELECT DISTINCT c.input_hash
             FROM chunk c
                  JOIN document_version v USING (tenant_id, version_id)
            WHERE c.tenant_id = current_tenant() AND v.state IN ('draft', 'current')),
         wrong AS (
           SELECT e.input_hash
             FROM {space_table(space_id)} e
            WHERE e.tenant_id = current_tenant()
              AND e.live <> (e.input_hash IN (SELECT used.input_hash FROM used))
            ORDER BY e.input_hash
            LIMIT $1
              FOR NO KEY UPDATE)
    UPDATE {space_table(space_id)} e
       SET live = NOT e.live
      FROM wrong
     WHERE e.tenant_id = current_tenant() AND e.input_hash = wrong.input_hash
"""  # noqa: S608 - the identifier comes from space_table


async def mark_used(
    conn: Connection, space_id: SpaceId, *, at_most: int | None = FLAGS_A_STEP
) -> int:
    """Make live what drafts and current versions use, and nothing else; return how many were not so.

    Waits for every transaction that is adding chunks.
    """
    await conn.execute(LOCK_LIVENESS)
    done = await conn.execute(_mark_step(space_id), at_most, timeout=LONGEST_WAIT_S)
    return int(done.split()[-1])
