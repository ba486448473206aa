"""The schema of the store: what this package needs, what a database has, and how it gets there."""

from __future__ import annotations

import asyncio
import io
import re
import threading
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, LiteralString

import asyncpg

from verifier.errors import (
    DatabaseReadOnly,
    MissingExtension,
    SchemaMismatch,
    StoreError,
)
from verifier.store.driver_errors import UPGRADE, connecting_to, describe_address, translate_errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verifier.store.pool import Connection

HEAD: Final = "0021"
"""The migration that this package works with. Numbers are of equal length: order is their text's."""

OLDEST_SERVER: Final = 140_000
OLDEST_VECTOR: Final = (0, 8)
NEWER: Final = (
    "the database's schema is newer than this package; upgrade the package: "
    "pip install --upgrade grounding-verifier"
)
_ATTEMPTS: Final = 8
_IN_THE_WAY: Final = (asyncpg.SyntaxOrAccessError, asyncpg.IntegrityConstraintViolationError)
"""What a migration meets where the schema was changed by something else than migrations."""
# Alembic has one context a process.
_ONE_AT_A_TIME: Final = threading.Lock()

READ_SERVER: Final[LiteralString] = """
    SELECT current_setting('server_version_num')::integer AS server,
           current_setting('server_encoding') AS encoding,
           current_setting('transaction_read_only')::boolean AS read_only,
           (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector,
           (SELECT default_version FROM pg_available_extensions WHERE name = 'vector')
               AS available_vector
"""

FIND_VERSION_TABLE: Final[LiteralString] = """
    SELECT EXISTS (SELECT
                     FROM pg_class c
                     JOIN pg_namespace n ON n.oid = c.relnamespace
                    WHERE n.nspname = 'verifier' AND c.relname = 'alembic_version')
"""

READ_VERSION: Final[LiteralString] = """
    SELECT version_num FROM verifier.alembic_version
"""


class SchemaState(StrEnum):
    """How a database's schema compares to the one of this package."""

    ABSENT = "absent"
    OLDER = "older"
    CURRENT = "current"
    NEWER = "newer"


async def schema_state(connection: Connection) -> SchemaState:
    """Return how the schema of the database compares to `HEAD`."""
    version = await _read_version(connection)
    if version is None:
        return SchemaState.ABSENT
    if version == HEAD:
        return SchemaState.CURRENT
    return SchemaState.OLDER if version < HEAD else SchemaState.NEWER


async def check_schema(connection: Connection) -> None:
    """Raise SchemaMismatch, MissingExtension or StoreError unless the database fits this package."""
    with translate_errors():
        async with connection.transaction():
            _check_server(await connection.fetchrow(READ_SERVER))
            state = await schema_state(connection)
    if state is SchemaState.NEWER:
        raise SchemaMismatch(NEWER)
    if state is SchemaState.OLDER:
        raise SchemaMismatch(f"the database's schema is older than this package; {UPGRADE}")
    if state is SchemaState.ABSENT:
        raise SchemaMismatch(f"the database has no schema of this package; {UPGRADE}")


async def upgrade_schema(dsn: str) -> None:
    """Bring the database of `dsn` to `HEAD`; many processes may do so at once, one does the work.

    The login needs the right to create the roles, schemas and extension that are still missing. Raises
    DatabaseUnavailable, DatabaseReadOnly, MissingExtension, SchemaMismatch where the schema is newer, or
    StoreError where the login may not do it. The migration is all or nothing.
    """
    address = describe_address(dsn)
    with connecting_to(address):
        connection = await asyncpg.connect(dsn, timeout=30, statement_cache_size=0)
    try:
        with translate_errors():
            await _check_upgradable(connection)
    finally:
        await connection.close()
    with translate_errors():
        await _upgrade_retrying(dsn, address)


def migrations_dir() -> Path:
    """Return the folder of the migrations: inside the installed package, else beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "migrations"
    return installed if installed.is_dir() else package.parent / "migrations"


async def _upgrade_retrying(dsn: str, address: str) -> None:
    for attempt in range(1, _ATTEMPTS + 1):
        error = await asyncio.to_thread(_upgrade, dsn)
        if error is None:
            return
        # Roles belong to the whole server: the upgrade of another database changed the same grants.
        if not isinstance(error, asyncpg.InternalServerError) or attempt == _ATTEMPTS:
            raise _explain(error, address) from error
        await asyncio.sleep(0.1 * attempt)


def _upgrade(dsn: str) -> Exception | None:
    with _ONE_AT_A_TIME:
        return _run_migrations(dsn)


def _run_migrations(dsn: str) -> Exception | None:
    from alembic import command
    from alembic.config import Config

    config = Config(stdout=io.StringIO(), attributes={"dsn": dsn})
    config.set_main_option("script_location", str(migrations_dir()).replace("%", "%%"))
    try:
        command.upgrade(config, "head")
    except Exception as error:
        return next((e for e in _causes(error) if isinstance(e, asyncpg.PostgresError)), error)
    return None


def _causes(error: BaseException | None) -> Iterator[Exception]:
    while isinstance(error, Exception):
        yield error
        error = error.__cause__ or error.__context__


def _explain(error: Exception, address: str) -> Exception:
    from alembic.util import CommandError

    first_line = str(error).split("\n", 1)[0]
    if isinstance(error, asyncpg.InsufficientPrivilegeError | asyncpg.InvalidGrantOperationError):
        remedy = getattr(error, "hint", None) or "run it as the database's owner, with CREATEROLE"
        return StoreError(f"{address}: the upgrade is refused: {first_line}; {remedy}")
    if isinstance(error, (*_IN_THE_WAY, CommandError)):
        return SchemaMismatch(
            f"{address}: the upgrade failed and changed nothing: {first_line}; what stands in the schemas "
            "verifier and sample is not what an upgrade left; restore a backup, or name an empty database"
        )
    return error


async def _check_upgradable(connection: Connection) -> None:
    server = await connection.fetchrow(READ_SERVER)
    _check_server(server)
    if server["read_only"]:
        raise DatabaseReadOnly("the database only reads; connect to the primary server")
    if await schema_state(connection) is SchemaState.NEWER:
        raise SchemaMismatch(NEWER)


def _check_server(server: Mapping[str, Any]) -> None:
    if server["server"] < OLDEST_SERVER:
        raise StoreError(
            f"PostgreSQL {server['server'] // 10_000} is too old; 14 or newer is needed"
        )
    if server["encoding"] != "UTF8":
        raise StoreError(
            f"the database's encoding is {server['encoding']}; spans need UTF8: "
            "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
        )
    vector = server["vector"] or server["available_vector"]
    if vector is None:
        raise MissingExtension(
            "the database's server has no pgvector; install it there (package postgresql-NN-pgvector, "
            f"or the image pgvector/pgvector), then {UPGRADE}"
        )
    if parse_version(vector) < OLDEST_VECTOR:
        raise MissingExtension(
            f"pgvector {vector} is too old; install 0.8.4 or newer on the server, then "
            "ALTER EXTENSION vector UPDATE"
        )


def parse_version(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version, `(0, 8, 4)` of `0.8.4-dev`."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


async def _read_version(connection: Connection) -> str | None:
    if not await connection.fetchval(FIND_VERSION_TABLE):
        return None
    try:
        version = await connection.fetchval(READ_VERSION)
    except asyncpg.InsufficientPrivilegeError as error:
        raise StoreError(
            f"the login may not read the schema; {UPGRADE} with it, or GRANT verifier_app to it"
        ) from error
    return None if version is None else str(version)
