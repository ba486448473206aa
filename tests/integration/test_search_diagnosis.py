from __future__ import annotations

from typing import TYPE_CHECKING

import asyncpg
import pytest

from verifier.core.checks import Check, CheckState
from verifier.store import diagnosis
from verifier.store.diagnosis import diagnose

if TYPE_CHECKING:
    from tests.integration.conftest import Database

MAKE_SPACE = """
    SET ROLE verifier_app; SET search_path = verifier, public; SET verifier.tenant = 'a';
    SELECT ensure_embedding_space('test', 'model', '1', {}, 'cosine', '', '')
"""


async def look(dsn: str) -> dict[str, Check]:
    connection = await asyncpg.connect(dsn)
    try:
        return {check.name: check for check in await diagnose(connection)}
    finally:
        await connection.close()


async def test_a_sound_database_is_ok_throughout(fresh_database: Database) -> None:
    await fresh_database.execute(MAKE_SPACE.format(3))
    checks = await look(fresh_database.app_dsn)
    assert list(checks) == [
        "server",
        "write access",
        "pgvector",
        "schema",
        "login",
        "index of embedding_1",
    ]
    assert {check.state for check in checks.values()} == {CheckState.OK}


async def test_an_empty_database_says_what_to_run(empty_database: Database) -> None:
    checks = await look(empty_database.owner_dsn)
    for name in ("pgvector", "schema"):
        assert checks[name].state is CheckState.FAILED
        assert "verifier db upgrade" in str(checks[name].remedy)


async def test_a_newer_schema_says_to_upgrade_the_package(fresh_database: Database) -> None:
    await fresh_database.execute("UPDATE verifier.alembic_version SET version_num = '9999'")
    checks = await look(fresh_database.app_dsn)
    assert checks["schema"].state is CheckState.FAILED
    assert "pip install --upgrade" in str(checks["schema"].remedy)


async def test_a_superuser_is_warned_of(fresh_database: Database) -> None:
    checks = await look(fresh_database.owner_dsn)
    assert checks["login"].state is CheckState.WARNING
    assert "postgres evades" in checks["login"].detail


async def test_a_login_that_is_not_the_app_fails(fresh_database: Database) -> None:
    checks = await look(fresh_database.reader_dsn)
    assert checks["login"].state is CheckState.FAILED
    assert "GRANT verifier_app" in str(checks["login"].remedy)


async def test_a_read_only_database_fails(fresh_database: Database) -> None:
    await fresh_database.execute(
        f"ALTER DATABASE {fresh_database.name} SET default_transaction_read_only = on"
    )
    checks = await look(fresh_database.app_dsn)
    assert checks["write access"].state is CheckState.FAILED


@pytest.mark.parametrize("index", ["embedding_1_live", "embedding_1_all"])
async def test_a_missing_or_invalid_index_fails(fresh_database: Database, index: str) -> None:
    await fresh_database.execute(
        MAKE_SPACE.format(3) + "; RESET ROLE",
        f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'verifier.{index}'::regclass",  # noqa: S608
    )
    checks = await look(fresh_database.app_dsn)
    assert checks["index of embedding_1"].state is CheckState.FAILED
    await fresh_database.execute(f"DROP INDEX verifier.{index}")
    failed = (await look(fresh_database.app_dsn))["index of embedding_1"]
    assert failed.state is CheckState.FAILED
    remedy = str(failed.remedy).removeprefix("as verifier_owner: ")
    await fresh_database.execute(f"SET ROLE verifier_owner; SET search_path = public; {remedy}")
    checks = await look(fresh_database.app_dsn)
    assert checks["index of embedding_1"].state is CheckState.OK


async def test_a_space_too_wide_for_an_index_is_warned_of(fresh_database: Database) -> None:
    await fresh_database.execute(MAKE_SPACE.format(4_001))
    checks = await look(fresh_database.app_dsn)
    assert checks["index of embedding_1"].state is CheckState.WARNING


@pytest.mark.parametrize(
    ("version", "state"),
    [
        ("0.7.4", CheckState.FAILED),
        ("0.8.0", CheckState.WARNING),
        ("0.8.3", CheckState.WARNING),
        ("0.8.4", CheckState.OK),
        ("0.10.0", CheckState.OK),
    ],
)
async def test_old_pgvector_is_told(
    fresh_database: Database, version: str, state: CheckState
) -> None:
    await fresh_database.execute(
        f"UPDATE pg_extension SET extversion = '{version}' WHERE extname = 'vector'"  # noqa: S608
    )
    checks = await look(fresh_database.app_dsn)
    assert checks["pgvector"].state is state


def test_an_old_server_is_told() -> None:
    check = diagnosis._check_version({"number": 130_020, "version": "13.20"})
    assert check.state is CheckState.FAILED
    assert "PostgreSQL 14" in str(check.remedy)
