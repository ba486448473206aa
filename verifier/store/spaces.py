"""The embedding spaces of a tenant: which one answers, which are written, and how that changes."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Final, LiteralString, NewType

from asyncpg import exceptions as driver

from verifier.core.spaces import EmbeddingSpace
from verifier.errors import InputError, UnknownThing, WrongEmbeddingSpace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import datetime

    from asyncpg import Record

    from verifier.store.pool import Connection

SpaceId = NewType("SpaceId", int)

LONGEST_WAIT_S: Final = 86_400.0
"""How long the driver waits for work on a whole space, such as its index."""

_DIMENSION_LIMIT: Final = 16_000


class SpaceState(StrEnum):
    """Searches read the active space; ingests write it and those being built; a retired one rests."""

    BUILDING = "building"
    ACTIVE = "active"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSpace:
    """A space of the tenant. `retired_at` says since when another one answers in its place."""

    space_id: SpaceId
    space: EmbeddingSpace
    state: SpaceState
    created_at: datetime
    retired_at: datetime | None


def space_table(space_id: SpaceId) -> LiteralString:
    """Return the name of the table that holds the vectors of a space, safe inside a statement."""
    return f"embedding_{int(space_id)}"


def space_search(space_id: SpaceId) -> LiteralString:
    """Return the name of the function that searches a space, safe inside a statement."""
    return f"search_embedding_{int(space_id)}"


LIST_SPACES: Final[LiteralString] = """
    SELECT space_id, provider, model, revision, dimension, metric, query_prefix, document_prefix, state,
           created_at, retired_at
      FROM embedding_space
     WHERE tenant_id = current_tenant()
"""


async def list_spaces(conn: Connection) -> tuple[StoredSpace, ...]:
    """Return the spaces of the transaction's tenant, the oldest first."""
    return tuple(_stored(row) for row in await conn.fetch(f"{LIST_SPACES} ORDER BY space_id"))


async def get_space(conn: Connection, space_id: int) -> StoredSpace:
    """Return the tenant's space of that number. Raises UnknownThing."""
    row = None
    if 0 < space_id < 2**31:
        row = await conn.fetchrow(f"{LIST_SPACES} AND space_id = $1", space_id)
    if row is None:
        raise UnknownThing(
            f"there is no embedding space {space_id}; `verifier spaces` lists those that there are"
        )
    return _stored(row)


async def active_space(connection: Connection) -> tuple[SpaceId, EmbeddingSpace] | None:
    """Return the space that the transaction's tenant searches, None before its first ingest."""
    row = await connection.fetchrow(f"{LIST_SPACES} AND state = 'active'")
    if row is None:
        return None
    stored = _stored(row)
    return stored.space_id, stored.space


LIST_BUILDING_SPACES: Final[LiteralString] = """
    SELECT space_id
      FROM embedding_space
     WHERE tenant_id = current_tenant() AND state = 'building'
     ORDER BY space_id
"""


async def list_building_spaces(conn: Connection) -> tuple[SpaceId, ...]:
    """Return the spaces that are being built; what is published is marked in them too."""
    return tuple(SpaceId(row["space_id"]) for row in await conn.fetch(LIST_BUILDING_SPACES))


@asynccontextmanager
async def unless_busy(conn: Connection) -> AsyncIterator[None]:
    """Undo what is done inside, and go on, where others hold its tables for longer than a moment.

    For marks in a space being built, whose index is made at times: the switch to it mends them.
    """
    try:
        async with conn.transaction():
            await conn.execute("SET LOCAL lock_timeout = '100ms'")
            yield
            await conn.execute("SET LOCAL lock_timeout TO DEFAULT")
    except driver.LockNotAvailableError:
        return


ENSURE_SPACE: Final[LiteralString] = """
    SELECT ensure_embedding_space($1, $2, $3, $4, $5, $6, $7)
"""


async def ensure_space(connection: Connection, space: EmbeddingSpace) -> SpaceId:
    """Return the number of `space` for the transaction's tenant; its first one becomes active.

    Makes the space's table where no tenant has used it yet. Raises WrongEmbeddingSpace where the tenant's
    active space is another one.
    """
    _check_supported(space)
    active = await active_space(connection)
    if active is not None:
        check_same_space(active[1], space)
        return active[0]
    number = await _ensure(connection, space)
    # Another transaction of this tenant may have made a first space since.
    active = await active_space(connection)
    if active is not None:
        check_same_space(active[1], space)
    return number


REOPEN_SPACE: Final[LiteralString] = """
    UPDATE embedding_space
       SET state = 'building'
     WHERE tenant_id = current_tenant() AND space_id = $1 AND state = 'retired'
"""


async def open_space(conn: Connection, space: EmbeddingSpace) -> StoredSpace:
    """Return `space` as one that ingests write, made beside the active one where it is new.

    A retired one is built again. The first space of a tenant is active at once.
    """
    _check_supported(space)
    number = await _ensure(conn, space)
    await conn.execute(REOPEN_SPACE, number)
    return await get_space(conn, number)


SHARE_SPACES: Final[LiteralString] = """
    SELECT pg_advisory_xact_lock_shared(hashtextextended('verifier.spaces/' || current_tenant(), 0))
"""


async def share_spaces(conn: Connection) -> None:
    """Keep others from switching till the transaction ends."""
    await conn.execute(SHARE_SPACES)


async def hold_active_space(conn: Connection, space_id: SpaceId) -> None:
    """Keep the space active till the transaction ends; whoever publishes must, after locking the source.

    Raises WrongEmbeddingSpace where another one has become active.
    """
    await share_spaces(conn)
    active = await active_space(conn)
    if active is not None and active[0] != space_id:
        raise WrongEmbeddingSpace(
            f"the store was switched to {active[1]} meanwhile; run it again with that model"
        )


LOCK_SPACES: Final[LiteralString] = """
    SELECT pg_advisory_xact_lock(hashtextextended('verifier.spaces/' || current_tenant(), 0))
"""


async def lock_spaces(conn: Connection) -> None:
    """Keep others from publishing and switching till the transaction ends."""
    await conn.execute(LOCK_SPACES)


RETIRE_ACTIVE_SPACE: Final[LiteralString] = """
    UPDATE embedding_space
       SET state = 'retired', retired_at = clock_timestamp()
     WHERE tenant_id = current_tenant() AND state = 'active'
"""
ACTIVATE_SPACE: Final[LiteralString] = """
    WITH activated AS (
           UPDATE embedding_space
              SET state = 'active', retired_at = NULL
            WHERE tenant_id = current_tenant() AND space_id = $1
           RETURNING space_id)
    UPDATE tenant
       SET active_space = activated.space_id
      FROM activated
     WHERE tenant_id = current_tenant()
"""


async def activate_space(conn: Connection, space_id: SpaceId) -> None:
    """Let searches read this space from the commit on; the one that they read till then is retired."""
    await conn.execute(RETIRE_ACTIVE_SPACE)
    await conn.execute(ACTIVATE_SPACE, space_id)


INDEX_SPACE: Final[LiteralString] = """
    SELECT index_embedding_space($1)
"""


async def index_space(conn: Connection, space_id: SpaceId) -> None:
    """Make the indexes that the space lacks: minutes for 100,000 vectors, in which its writers wait."""
    await conn.execute("SET LOCAL statement_timeout = 0")
    await conn.execute(INDEX_SPACE, space_id, timeout=LONGEST_WAIT_S)


DROP_SPACE: Final[LiteralString] = """
    SELECT drop_embedding_space($1)
"""


async def drop_space(conn: Connection, space_id: SpaceId) -> bool:
    """Remove the space with its vectors; return whether its table went too: no other tenant has it.

    Raises UnknownThing, InputError for the active one, DatabaseTimeout where others are in the way for
    more than three seconds.
    """
    dropped: bool | None = await conn.fetchval(DROP_SPACE, space_id, timeout=LONGEST_WAIT_S)
    if dropped is None:
        stored = await get_space(conn, space_id)
        raise InputError(
            f"embedding space {space_id} ({stored.space}) is the one that answers; switch to another first"
        )
    return dropped


def check_same_space(active: EmbeddingSpace, given: EmbeddingSpace) -> None:
    """Raise WrongEmbeddingSpace, naming both, unless vectors of `given` belong into `active`."""
    if active == given:
        return
    differing = [
        field.name
        for field in fields(EmbeddingSpace)
        if getattr(active, field.name) != getattr(given, field.name)
    ]
    raise WrongEmbeddingSpace(
        f"the store's vectors are of {active}, the model's of {given}: another "
        f"{' and '.join(differing)}; use the model that the store was made with, or go over to this one "
        "with `verifier spaces build` and `verifier spaces switch`"
    )


def _check_supported(space: EmbeddingSpace) -> None:
    if space.metric != "cosine":
        raise InputError(f"{space}: the metric must be cosine")
    if not 1 <= space.dimension <= _DIMENSION_LIMIT:
        raise InputError(f"{space}: the dimension must be in 1 to {_DIMENSION_LIMIT}")


async def _ensure(conn: Connection, space: EmbeddingSpace) -> SpaceId:
    number = await conn.fetchval(
        ENSURE_SPACE,
        space.provider,
        space.model,
        space.revision,
        space.dimension,
        space.metric,
        space.query_prefix,
        space.document_prefix,
    )
    return SpaceId(number)


def _stored(row: Record) -> StoredSpace:
    definition = dict(row)
    return StoredSpace(
        space_id=SpaceId(definition.pop("space_id")),
        state=SpaceState(definition.pop("state")),
        created_at=definition.pop("created_at"),
        retired_at=definition.pop("retired_at"),
        space=EmbeddingSpace(**definition),
    )
