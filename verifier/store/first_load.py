"""The first load of a space: its indexes are taken away before, and made when all is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, LiteralString

if TYPE_CHECKING:
    from verifier.store.pool import Connection
    from verifier.store.spaces import SpaceId

SUSPEND_INDEXES: Final[LiteralString] = """
    SELECT suspend_space_indexes($1)
"""


async def suspend_indexes(conn: Connection, space_id: SpaceId) -> bool:
    """Take the indexes of a space of the tenant away and return True, unless any tenant has vectors in it.

    Searches are right without them, and slow once there is much to read; `index_space` makes them again.
    """
    return bool(await conn.fetchval(SUSPEND_INDEXES, space_id))
