"""The embedding spaces of a tenant, and the names of their tables and search functions."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Final, LiteralString, NewType

from verifier.core.spaces import EmbeddingSpace
from verifier.errors import InputError, WrongEmbeddingSpace

if TYPE_CHECKING:
    from verifier.store.pool import Connection

SpaceId = NewType("SpaceId", int)

_DIMENSION_LIMIT: Final = 16_000

ENSURE_SPACE: Final[LiteralString] = """
    SELECT ensure_embedding_space($1, $2, $3, $4, $5, $6, $7)
"""

GET_ACTIVE_SPACE: Final[LiteralString] = """
    SELECT space_id, provider, model, revision, dimension, metric, query_prefix, document_prefix
      FROM embedding_space
     WHERE tenant_id = current_tenant()
       AND state = 'active'
"""


def space_table(space_id: SpaceId) -> LiteralString:
    """Return the name of the table that holds the vectors of a space, safe inside a statement."""
    return f"embedding_{int(space_id)}"


def space_search(space_id: SpaceId) -> LiteralString:
    """Return the name of the function that searches a space, safe inside a statement."""
    return f"search_embedding_{int(space_id)}"


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
    number = await connection.fetchval(
        ENSURE_SPACE,
        space.provider,
        space.model,
        space.revision,
        space.dimension,
        space.metric,
        space.query_prefix,
        space.document_prefix,
    )
    # Another transaction of this tenant may have made a first space since.
    active = await active_space(connection)
    if active is not None:
        check_same_space(active[1], space)
    return SpaceId(number)


async def active_space(connection: Connection) -> tuple[SpaceId, EmbeddingSpace] | None:
    """Return the space that the transaction's tenant searches, None before its first ingest."""
    row = await connection.fetchrow(GET_ACTIVE_SPACE)
    if row is None:
        return None
    definition = dict(row)
    return SpaceId(definition.pop("space_id")), EmbeddingSpace(**definition)


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
        f"{' and '.join(differing)}; use the model that the store was made with"
    )


def _check_supported(space: EmbeddingSpace) -> None:
    if space.metric != "cosine":
        raise InputError(f"{space}: the metric must be cosine")
    if not 1 <= space.dimension <= _DIMENSION_LIMIT:
        raise InputError(f"{space}: the dimension must be in 1 to {_DIMENSION_LIMIT}")
