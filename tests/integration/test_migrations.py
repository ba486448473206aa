from __future__ import annotations

from typing import TYPE_CHECKING

import asyncpg

from verifier.store.schema import SchemaState, check_schema, schema_state, upgrade_schema

if TYPE_CHECKING:
    from tests.integration.conftest import Database


async def test_an_empty_database_is_brought_to_head(empty_database: Database) -> None:
    await upgrade_schema(empty_database.owner_dsn)
    connection = await asyncpg.connect(empty_database.app_dsn)
    assert await schema_state(connection) is SchemaState.CURRENT
    await check_schema(connection)
    await connection.close()
