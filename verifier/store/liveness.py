"""Which vectors searches walk, kept right in the space that answers and in those being built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.store.passages import LOCK_LIVENESS, mark_live, sweep_embeddings
from verifier.store.spaces import active_space, list_building_spaces, share_spaces, unless_busy

if TYPE_CHECKING:
    from verifier.store.pool import Connection


async def lock_liveness(conn: Connection) -> None:
    """Keep out sweeps and who adds chunks till the transaction ends: for one that does both itself."""
    await conn.execute(LOCK_LIVENESS)


async def mark_version_live(conn: Connection, version_id: int) -> None:
    """Put the version's vectors into the live indexes; none is switched to till the transaction ends."""
    await share_spaces(conn)
    active = await active_space(conn)
    if active is not None:
        await mark_live(conn, active[0], version_id)
    for building in await list_building_spaces(conn):
        async with unless_busy(conn):
            await mark_live(conn, building, version_id)


async def sweep_version(conn: Connection, version_id: int) -> None:
    """Take those vectors of an ended version out of the live indexes that nothing else needs."""
    active = await active_space(conn)
    if active is not None:
        await sweep_embeddings(conn, active[0], version_id)
    for building in await list_building_spaces(conn):
        async with unless_busy(conn):
            await sweep_embeddings(conn, building, version_id)
