"""A real Postgres for the tests: one embedded server a session, one migrated database a test."""

from __future__ import annotations

import asyncio
import itertools
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import asyncpg
import pytest

from verifier.embedded import EmbeddedPostgres, start_embedded
from verifier.store.schema import upgrade_schema

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

T = TypeVar("T")

NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """One database of the session's server: as superuser, as verifier_app, as verifier_reader."""

    name: str
    owner_dsn: str
    app_dsn: str
    reader_dsn: str

    async def execute(self, *statements: str) -> None:
        """Run statements as the superuser."""
        await execute(self.owner_dsn, *statements)


def run(work: Coroutine[object, object, T]) -> T:
    """Run `work` to its end in a thread, so that no loop of a test is touched."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def execute(dsn: str, *statements: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


def name_database(dsn: str, name: str) -> str:
    return dsn.replace("@/verifier?", f"@/{name}?")


def make_database(embedded: EmbeddedPostgres, *, template: str) -> Database:
    name = f"test_{next(NUMBERS)}"
    run(execute(embedded.owner_dsn, f"CREATE DATABASE {name} TEMPLATE {template}"))
    return Database(
        name=name,
        owner_dsn=name_database(embedded.owner_dsn, name),
        app_dsn=name_database(embedded.app_dsn, name),
        reader_dsn=name_database(embedded.reader_dsn, name),
    )


def drop_database(embedded: EmbeddedPostgres, database: Database) -> None:
    run(execute(embedded.owner_dsn, f"DROP DATABASE {database.name} WITH (FORCE)"))


@pytest.fixture(scope="session")
def embedded() -> Iterator[EmbeddedPostgres]:
    """The session's server; its writes need not survive a power cut."""
    with (
        tempfile.TemporaryDirectory(prefix="verifier-") as folder,
        start_embedded(Path(folder) / "server") as server,
    ):
        run(
            execute(
                server.owner_dsn,
                "ALTER SYSTEM SET fsync = off",
                "ALTER SYSTEM SET synchronous_commit = off",
                "SELECT pg_reload_conf()",
            )
        )
        yield server


@pytest.fixture(scope="session")
def migrated_template(embedded: EmbeddedPostgres) -> str:
    """The name of a database that was migrated once and is only copied."""
    database = make_database(embedded, template="template1")
    run(upgrade_schema(database.owner_dsn))
    return database.name


@pytest.fixture(scope="session")
def postgres_dsn(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[str]:
    """The superuser's connection string of a migrated database that the whole session shares."""
    database = make_database(embedded, template=migrated_template)
    yield database.owner_dsn
    drop_database(embedded, database)


@pytest.fixture
def fresh_database(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[Database]:
    """A migrated database without rows, for one test."""
    database = make_database(embedded, template=migrated_template)
    yield database
    drop_database(embedded, database)


@pytest.fixture
def empty_database(embedded: EmbeddedPostgres) -> Iterator[Database]:
    """A database in which nothing was made yet, for one test."""
    database = make_database(embedded, template="template1")
    yield database
    drop_database(embedded, database)
