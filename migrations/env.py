"""Runs the migrations: one transaction, one process at a time, everything owned by verifier_owner.

Called by `verifier db upgrade` (which puts the connection string into the configuration's attributes), or
by the alembic command with `-x dsn=postgresql://…`.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import asyncpg
from alembic import context
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

if TYPE_CHECKING:
    from sqlalchemy import Connection

SQL: Final = Path(__file__).parent / "sql"
# A number that no other program is likely to lock: "verify" in ASCII.
MIGRATION_LOCK: Final = int.from_bytes(b"verify", "big")
PREPARE: Final = (
    "SET LOCAL client_min_messages = warning",
    "SET LOCAL statement_timeout = '30min'",
    "SET LOCAL lock_timeout = '120s'",  # other processes that migrate
    f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})",
    "SET LOCAL lock_timeout = '10s'",  # queries that hold a table
)
BECOME_OWNER: Final = (
    "SET LOCAL ROLE verifier_owner",
    "SET LOCAL search_path = verifier, public, extensions",
)


def migrate(connection: Connection) -> None:
    for statement in PREPARE:
        connection.exec_driver_sql(statement)
    run_script(connection, "0000_roles_and_schemas.sql")
    for statement in BECOME_OWNER:
        connection.exec_driver_sql(statement)
    context.configure(
        connection=connection,
        version_table_schema="verifier",
        run_script=partial(run_script, connection),
    )
    context.run_migrations()
    connection.exec_driver_sql("GRANT SELECT ON verifier.alembic_version TO verifier_app")


def run_script(connection: Connection, name: str) -> None:
    """Send a file of statements as it stands: nothing in it is a parameter."""
    script = (SQL / name).read_text(encoding="utf-8")
    connection.connection.dbapi_connection.run_async(lambda driver: driver.execute(script))


async def connect_and_migrate(dsn: str) -> None:
    async def connect() -> asyncpg.Connection:
        return await asyncpg.connect(dsn, statement_cache_size=0, timeout=30)

    engine = create_async_engine(
        "postgresql+asyncpg://",
        async_creator=connect,
        connect_args={"prepared_statement_cache_size": 0},
        poolclass=NullPool,
    )
    async with engine.begin() as connection:
        await connection.run_sync(migrate)


def find_dsn() -> str:
    dsn = context.config.attributes.get("dsn") or context.get_x_argument(as_dictionary=True).get(
        "dsn"
    )
    if not isinstance(dsn, str):
        raise SystemExit("name the database: alembic -x dsn=postgresql://… upgrade head")
    return dsn


if context.is_offline_mode():
    raise SystemExit("the migrations look at the database; run them without --sql")
asyncio.run(connect_and_migrate(find_dsn()))
