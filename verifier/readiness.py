"""Whether a server can answer now: the database, its schema, the model."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from verifier.errors import ModelError, SchemaMismatch, VerifierError

if TYPE_CHECKING:
    from verifier.connections import Connections
    from verifier.embedders import Embedders

DATABASE_WITHIN_S: Final = 1.0
_LOGGER: Final = logging.getLogger(__name__)


async def find_unready(connections: Connections, embedders: Embedders | None) -> tuple[str, ...]:
    """Return which of `database`, `schema` and `model` can't serve now; none where all is well.

    The database has a second to answer. Without `embedders` no model is asked. Reasons are logged alone.
    """
    failed = await _find_unready_store(connections)
    if embedders is not None and not await asyncio.to_thread(_has_model, embedders):
        return (*failed, "model")
    return failed


async def _find_unready_store(connections: Connections) -> tuple[str, ...]:
    from verifier.store.schema import check_schema

    try:
        async with asyncio.timeout(DATABASE_WITHIN_S):
            pool = await connections.store_as_it_is()
            async with pool.acquire() as conn:
                await check_schema(conn)
    except SchemaMismatch as error:
        _LOGGER.warning("the schema does not fit: %s", error)
        return ("schema",)
    except (VerifierError, TimeoutError) as error:
        _LOGGER.warning("the database does not answer: %s", str(error) or "no answer in time")
        return ("database",)
    return ()


def _has_model(embedders: Embedders) -> bool:
    try:
        return bool(str(embedders.load().space))
    except ModelError as error:
        _LOGGER.warning("the model does not serve: %s", error)
        return False
