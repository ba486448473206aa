"""Whether the vectors of a tenant are what its passages need, and how much of them the present uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.checks import Check, CheckState, all_well
from verifier.store.spaces import space_table

if TYPE_CHECKING:
    from verifier.store.pool import Connection
    from verifier.store.spaces import SpaceId

FIX: Final = "verifier doctor --fix"
SWEEP: Final = "verifier db sweep"


def _find_unsearchable(space_id: SpaceId) -> str:
    return f"""
    SELECT count(*) FILTER (WHERE e.input_hash IS NULL) AS missing,
           count(*) FILTER (WHERE NOT e.live) AS dormant
      FROM current_chunk c
      LEFT JOIN {space_table(space_id)} e ON e.tenant_id = c.tenant_id AND e.input_hash = c.input_hash
     WHERE c.tenant_id = current_tenant() AND e.live IS NOT TRUE
"""  # noqa: S608 - the identifier comes from space_table


async def check_vectors(conn: Connection, *, space_id: SpaceId) -> Check:
    """Check that every current chunk has a vector in the live index: without it, searches never find it."""
    name = "vectors"
    row = await conn.fetchrow(_find_unsearchable(space_id))
    missing, dormant = row["missing"], row["dormant"]
    if not missing and not dormant:
        return all_well(name, "every current chunk has its vector in the live index")
    return Check(
        name=name,
        state=CheckState.FAILED,
        detail=f"current chunks that searches miss: {missing:,} without a vector, {dormant:,} not live",
        remedy=f"{FIX}; then verifier spaces build" if missing else FIX,
        found=missing + dormant,
    )


def _count_weight(space_id: SpaceId) -> str:
    return f"""
    WITH used AS (
           SELECT DISTINCT c.input_hash
             FROM chunk c
                  JOIN document_version v USING (tenant_id, version_id)
            WHERE c.tenant_id = current_tenant() AND v.state IN ('draft', 'current'))
    SELECT count(*) AS vectors,
           count(*) FILTER (WHERE NOT e.live) AS dormant,
           count(*) FILTER (WHERE e.live AND u.input_hash IS NULL) AS idle,
           pg_table_size('{space_table(space_id)}') / 1000000.0 AS table_mb,
           pg_indexes_size('{space_table(space_id)}') / 1000000.0 AS indexes_mb
      FROM {space_table(space_id)} e
      LEFT JOIN used u ON u.input_hash = e.input_hash
     WHERE e.tenant_id = current_tenant()
"""  # noqa: S608 - the identifier comes from space_table


async def check_weight(conn: Connection, *, space_id: SpaceId) -> Check:
    """Say how many vectors are of the past, and check that no others stand in searches' way."""
    name = "dead weight"
    row = await conn.fetchrow(_count_weight(space_id))
    past = row["dormant"] / row["vectors"] if row["vectors"] else 0.0
    detail = (
        f"{row['vectors']:,} vectors, {past:.0%} of the past; {space_table(space_id)} takes "
        f"{row['table_mb']:.1f} MB and {row['indexes_mb']:.1f} MB of indexes, all tenants together"
    )
    if not row["idle"]:
        return all_well(name, detail)
    return Check(
        name=name,
        state=CheckState.WARNING,
        detail=f"{row['idle']:,} vectors are live that no draft or current version uses; {detail}",
        remedy=FIX,
        found=row["idle"],
    )


COUNT_ORPHANS: Final[LiteralString] = """
    SELECT count(*) AS passages, coalesce(sum(length(p.input)), 0) / 1000000.0 AS megabytes
      FROM passage p
     WHERE p.tenant_id = current_tenant()
       AND NOT EXISTS (SELECT
                         FROM chunk c
                        WHERE c.tenant_id = p.tenant_id AND c.input_hash = p.input_hash)
"""
COUNT_FAILED: Final[LiteralString] = """
    SELECT count(DISTINCT v.version_id) AS versions, count(c.ordinal) AS chunks
      FROM document_version v
      LEFT JOIN chunk c USING (tenant_id, version_id)
     WHERE v.tenant_id = current_tenant() AND v.state = 'failed'
"""


def _count_loose(space_id: SpaceId) -> str:
    return f"""
    SELECT count(*)
      FROM {space_table(space_id)} e
     WHERE e.tenant_id = current_tenant()
       AND NOT EXISTS (SELECT
                         FROM passage p
                        WHERE p.tenant_id = e.tenant_id AND p.input_hash = e.input_hash)
"""  # noqa: S608 - the identifier comes from space_table


async def check_orphans(conn: Connection, *, space_id: SpaceId) -> Check:
    """Check that every passage is one of a chunk, and every vector one of a passage."""
    name = "orphans"
    failed = await conn.fetchrow(COUNT_FAILED)
    kept = (
        f"{failed['versions']:,} failed versions keep {failed['chunks']:,} chunks for another attempt"
        if failed["versions"]
        else "no failed versions"
    )
    passages = await conn.fetchrow(COUNT_ORPHANS)
    loose = await conn.fetchval(_count_loose(space_id))
    if not passages["passages"] and not loose:
        return all_well(name, f"none; {kept}")
    return Check(
        name=name,
        state=CheckState.WARNING,
        detail=(
            f"{passages['passages']:,} passages of no chunk ({passages['megabytes']:.1f} MB of text), "
            f"{loose:,} vectors of no passage; {kept}"
        ),
        remedy=SWEEP,
        found=passages["passages"] + loose,
    )
