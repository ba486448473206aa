from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING

import asyncpg
import pytest

from tests.integration.conftest import Database, execute
from verifier.embedded import start_embedded
from verifier.errors import (
    DatabaseReadOnly,
    DatabaseTimeout,
    DatabaseUnavailable,
    InputError,
    SchemaMismatch,
    SettingsError,
    StoreError,
    TenantRequired,
)
from verifier.store.driver_errors import describe_address
from verifier.store.pool import open_pool, retrying, tenant_transaction, translate_errors
from verifier.store.schema import upgrade_schema

if TYPE_CHECKING:
    from pathlib import Path

    from verifier.store.pool import Pool

COUNT_STUCK = """
    SELECT count(*) FROM pg_stat_activity
     WHERE datname = $1 AND state LIKE 'idle in transaction%'
"""


async def run(pool: Pool, *statements: str) -> None:
    async with tenant_transaction(pool, "a") as connection:
        for statement in statements:
            await connection.execute(statement)


async def add_tenant(pool: Pool, tenant: str) -> None:
    async with tenant_transaction(pool, tenant) as connection:
        await connection.execute("INSERT INTO tenant (tenant_id) VALUES (current_tenant())")


@pytest.mark.parametrize("statement_cache_size", [100, 0])
async def test_a_transaction_acts_as_the_app_for_one_tenant(
    fresh_database: Database, statement_cache_size: int
) -> None:
    for dsn in (fresh_database.owner_dsn, fresh_database.app_dsn):
        async with await open_pool(
            dsn, max_size=1, statement_cache_size=statement_cache_size
        ) as pool:
            async with tenant_transaction(pool, "a") as connection:
                row = await connection.fetchrow(
                    "SELECT current_user::text, current_tenant(), current_setting('search_path')"
                )
                assert tuple(row) == ("verifier_app", "a", "verifier, public, extensions")
            async with pool.acquire() as connection:
                row = await connection.fetchrow(
                    "SELECT current_user = session_user, current_setting('verifier.tenant', true)"
                )
                assert row[0] is True
                assert not row[1]


@pytest.mark.parametrize("tenant", ["", " ", "\n\t"])
async def test_no_tenant_is_refused_before_anything_is_sent(
    fresh_database: Database, tenant: str
) -> None:
    async with await open_pool(fresh_database.app_dsn) as pool:
        await pool.close()
        with pytest.raises(TenantRequired):
            async with tenant_transaction(pool, tenant):
                pass


@pytest.mark.parametrize("tenant", ["a\x00b", "a\ud800", "\udcff"])
async def test_a_tenant_that_is_no_text_is_refused(fresh_database: Database, tenant: str) -> None:
    async with await open_pool(fresh_database.app_dsn) as pool:
        with pytest.raises(InputError, match="NUL"):
            async with tenant_transaction(pool, tenant):
                pass


async def change_and_fail(pool: Pool) -> None:
    async with tenant_transaction(pool, "a") as connection:
        await connection.execute("UPDATE tenant SET basis = 9")
        raise FileNotFoundError("not the database's")


async def test_the_transaction_commits_and_rolls_back(fresh_database: Database) -> None:
    async with await open_pool(fresh_database.app_dsn) as pool:
        await add_tenant(pool, "a")
        with pytest.raises(FileNotFoundError):
            await change_and_fail(pool)
        async with tenant_transaction(pool, "a") as connection:
            assert await connection.fetchval("SELECT basis FROM tenant") == 0


async def test_a_read_only_transaction_refuses_writes(fresh_database: Database) -> None:
    async with await open_pool(fresh_database.app_dsn) as pool:
        with pytest.raises(DatabaseReadOnly):
            async with tenant_transaction(pool, "a", read_only=True) as connection:
                await connection.execute("INSERT INTO tenant (tenant_id) VALUES ('a')")


async def test_errors_of_a_wrong_statement_pass_as_they_are(fresh_database: Database) -> None:
    async with await open_pool(fresh_database.app_dsn) as pool:
        await add_tenant(pool, "a")
        with pytest.raises(asyncpg.UniqueViolationError):
            await add_tenant(pool, "a")
        with pytest.raises(asyncpg.PostgresSyntaxError):
            async with tenant_transaction(pool, "a") as connection:
                await connection.execute("SELEKT 1")


async def test_a_database_without_the_schema_says_what_to_run(empty_database: Database) -> None:
    async with await open_pool(empty_database.app_dsn) as pool:
        with pytest.raises(SchemaMismatch, match="verifier db upgrade"):
            async with tenant_transaction(pool, "a") as connection:
                await connection.fetch("SELECT * FROM source")


async def test_a_login_that_can_not_act_as_the_app_is_told(fresh_database: Database) -> None:
    async with await open_pool(fresh_database.reader_dsn) as pool:
        with pytest.raises(SchemaMismatch, match="can't act as verifier_app"):
            async with tenant_transaction(pool, "a"):
                pass


async def test_a_slow_statement_ends_in_time(fresh_database: Database) -> None:
    async with await open_pool(fresh_database.app_dsn, max_size=1, command_timeout_s=0.2) as pool:
        for _ in range(2):
            with pytest.raises(DatabaseTimeout):
                async with tenant_transaction(pool, "a") as connection:
                    await connection.execute("SELECT pg_sleep(30)")
        async with tenant_transaction(pool, "a") as connection:
            assert await connection.fetchval("SELECT 1") == 1


async def test_a_statement_that_the_server_ends_is_a_timeout(fresh_database: Database) -> None:
    async with await open_pool(fresh_database.app_dsn) as pool:
        for setting, statement in (
            ("statement_timeout", "SELECT pg_sleep(30)"),
            ("lock_timeout", "UPDATE tenant SET basis = 1"),
        ):
            with contextlib.suppress(asyncpg.UniqueViolationError):
                await add_tenant(pool, "a")
            async with tenant_transaction(pool, "a") as holder:
                await holder.execute("UPDATE tenant SET basis = 2")
                with pytest.raises(DatabaseTimeout):
                    await run(pool, f"SET LOCAL {setting} = '50ms'", statement)


async def test_vectors_are_read_and_sent_also_by_connections_older_than_the_extension(
    empty_database: Database,
) -> None:
    from pgvector import HalfVector, Vector

    async with await open_pool(empty_database.owner_dsn, max_size=1) as pool:
        await pool.fetchval("SELECT 1")
        await upgrade_schema(empty_database.owner_dsn)
        async with tenant_transaction(pool, "a") as connection:
            half = await connection.fetchval("SELECT $1::halfvec", HalfVector([1.0, 2.0]))
            whole = await connection.fetchval("SELECT $1::vector", [0.5, 1.5])
    assert (half, whole) == (HalfVector([1.0, 2.0]), Vector([0.5, 1.5]))


async def test_twenty_tasks_share_a_pool(fresh_database: Database) -> None:
    async def check(pool: Pool, number: int) -> tuple[str, int]:
        async with tenant_transaction(pool, f"t{number}", read_only=True) as connection:
            return await connection.fetchval("SELECT current_tenant()"), number

    async with await open_pool(fresh_database.app_dsn, max_size=4) as pool:
        answers = await asyncio.gather(*(check(pool, number) for number in range(20)))
    assert answers == [(f"t{number}", number) for number in range(20)]


async def test_cancelled_work_gives_its_connections_back_rolled_back(
    fresh_database: Database,
) -> None:
    async def work(pool: Pool, seconds: float) -> int:
        async with tenant_transaction(pool, "a") as connection:
            await connection.execute("UPDATE tenant SET basis = basis + 1")
            await connection.execute("SELECT pg_sleep($1)", seconds)
            return int(await connection.fetchval("SELECT basis FROM tenant"))

    async with await open_pool(fresh_database.app_dsn, max_size=2) as pool:
        await add_tenant(pool, "a")
        tasks = [asyncio.create_task(work(pool, 30.0)) for _ in range(20)]
        await asyncio.sleep(0.3)
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ends)
        assert [await work(pool, 0.0) for _ in range(5)] == [1, 2, 3, 4, 5]
        async with asyncio.timeout(10), pool.acquire() as connection:
            assert await connection.fetchval(COUNT_STUCK, fresh_database.name) == 0
        assert pool.get_size() <= 2


async def test_an_outer_time_limit_cancels_in_the_same_way(fresh_database: Database) -> None:
    async with await open_pool(fresh_database.app_dsn, max_size=1) as pool:
        for _ in range(3):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1), tenant_transaction(pool, "a") as connection:
                    await connection.execute("SELECT pg_sleep(30)")
        async with tenant_transaction(pool, "a") as connection:
            assert await connection.fetchval("SELECT 1") == 1


async def test_a_restart_of_the_server_is_survived(tmp_path: Path) -> None:
    with start_embedded(tmp_path / "s") as server:
        await upgrade_schema(server.owner_dsn)
        async with await open_pool(server.app_dsn, min_size=2, max_size=2) as pool:
            await add_tenant(pool, "a")
            await asyncio.to_thread(server._cluster.stop)
            for _ in range(3):
                with pytest.raises(DatabaseUnavailable):
                    await run(pool, "SELECT 1")
            with pytest.raises(DatabaseUnavailable, match="pgdata:5432/verifier"):
                await run(pool, "SELECT 1")
            await asyncio.to_thread(server._cluster.ensure_running)
            for _ in range(4):
                async with tenant_transaction(pool, "a") as connection:
                    assert await connection.fetchval("SELECT count(*) FROM tenant") == 1


async def test_a_connection_that_dies_in_the_middle_is_replaced(fresh_database: Database) -> None:
    async with await open_pool(fresh_database.app_dsn, max_size=1) as pool:
        with pytest.raises(DatabaseUnavailable):
            await run(pool, "SELECT pg_terminate_backend(pg_backend_pid())", "SELECT 1")
        async with tenant_transaction(pool, "a") as connection:
            assert await connection.fetchval("SELECT 1") == 1


async def test_the_victim_of_a_deadlock_is_run_again(fresh_database: Database) -> None:
    met = asyncio.Barrier(2)
    runs = []

    async def work(pool: Pool, order: tuple[str, str]) -> None:
        runs.append(order)
        async with tenant_transaction(pool, "a") as connection:
            await connection.execute("SET LOCAL deadlock_timeout = '50ms'")
            for position, key in enumerate(order):
                await connection.execute("UPDATE source SET title = 'x' WHERE key = $1", key)
                if position == 0 and len(runs) == 2:
                    await met.wait()

    await execute(
        fresh_database.owner_dsn, "GRANT SET ON PARAMETER deadlock_timeout TO verifier_app"
    )
    async with await open_pool(fresh_database.app_dsn, max_size=2) as pool:
        await add_tenant(pool, "a")
        async with tenant_transaction(pool, "a") as connection:
            for key in ("k", "l"):
                await connection.execute(
                    "INSERT INTO source (tenant_id, key) VALUES ('a', $1)", key
                )
        await asyncio.gather(
            retrying(lambda: work(pool, ("k", "l"))), retrying(lambda: work(pool, ("l", "k")))
        )
    assert len(runs) == 3


async def test_what_the_database_can_not_hold_is_a_store_error(fresh_database: Database) -> None:
    async with await open_pool(fresh_database.app_dsn, max_size=1) as pool:
        with pytest.raises(StoreError, match="can't hold"):
            async with tenant_transaction(pool, "a") as connection:
                await connection.fetchval("SELECT $1::integer", 2**40)


async def test_a_retry_ends(fresh_database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []

    async def conflict() -> None:
        runs.append(1)
        with translate_errors():
            raise asyncpg.SerializationError("could not serialize access")

    monkeypatch.setattr("verifier.store.driver_errors._FIRST_PAUSE_S", 0.0)
    with pytest.raises(StoreError, match="other writers"):
        await retrying(conflict)
    assert len(runs) == 6

    async def outage() -> None:
        runs.append(1)
        raise DatabaseUnavailable("gone")

    with pytest.raises(DatabaseUnavailable):
        await retrying(outage)
    assert len(runs) == 7


@pytest.mark.parametrize(
    ("dsn", "named"),
    [
        ("postgresql://me:secret@127.0.0.1:1/shop", "127.0.0.1:1/shop: connection refused"),
        ("postgresql://me:secret@no.such.host.invalid/shop", "no.such.host.invalid:5432/shop: "),
        ("postgresql://me:secret@/shop?host=/no/such/folder", "/no/such/folder:5432/shop: "),
    ],
)
async def test_an_unreachable_database_is_named_without_its_password(dsn: str, named: str) -> None:
    with pytest.raises(DatabaseUnavailable) as caught:
        await open_pool(dsn, connect_timeout_s=5)
    assert str(caught.value).startswith(named)
    assert "secret" not in str(caught.value)


async def test_a_server_that_never_answers_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(DatabaseUnavailable, match="no answer in time"):
            await open_pool(f"postgresql://u@127.0.0.1:{port}/d", connect_timeout_s=0.3)


async def test_a_missing_database_and_a_missing_role_are_told(fresh_database: Database) -> None:
    missing = fresh_database.app_dsn.replace(f"/{fresh_database.name}?", "/nowhere?")
    with pytest.raises(DatabaseUnavailable, match=r"nowhere: .*does not exist"):
        await open_pool(missing)
    with pytest.raises(DatabaseUnavailable, match='role "nobody_here" does not exist'):
        await open_pool(fresh_database.app_dsn.replace("verifier_app", "nobody_here"))


async def test_a_wrong_password_is_told_and_not_repeated(tmp_path: Path) -> None:
    with start_embedded(tmp_path / "s") as server:
        await execute(server.owner_dsn, "ALTER ROLE verifier_app PASSWORD 'right'")
        rules = server.data_dir / "pgdata" / "pg_hba.conf"
        rules.write_text("local all postgres trust\nlocal all all scram-sha-256\n")
        await execute(server.owner_dsn, "SELECT pg_reload_conf()")
        await asyncio.sleep(0.3)
        right = server.app_dsn.replace("verifier_app@", "verifier_app:right@")
        async with await open_pool(right) as pool:
            assert await pool.fetchval("SELECT 1") == 1
        with pytest.raises(DatabaseUnavailable, match="password authentication failed") as caught:
            await open_pool(right.replace(":right@", ":wr0ng@"))
        assert "wr0ng" not in str(caught.value)


@pytest.mark.parametrize(
    "dsn", ["mysql://here/db", "postgresql://u@h:port/db", "postgresql://u@/db?host=a&port=x"]
)
async def test_a_string_that_is_no_address_is_a_setting_to_mend(dsn: str) -> None:
    with pytest.raises(SettingsError, match="connection string"):
        await open_pool(dsn)


@pytest.mark.parametrize(
    ("dsn", "address"),
    [
        ("postgresql://u:p@h/d", "h:5432/d"),
        ("postgresql://u:p@h:6543/d%20e", "h:6543/d e"),
        ("postgres://u@/d?host=/run/pg&port=5433", "/run/pg:5433/d"),
        ("postgresql://[::1]:5432/d", "::1:5432/d"),
        ("postgresql://", "localhost:5432/(default)"),
        ("postgresql://u:p@h:x/d", "the database"),
        ("postgresql://u:p@ss@h/d", "h:5432/d"),
    ],
)
def test_an_address_holds_no_password(dsn: str, address: str) -> None:
    assert describe_address(dsn) == address
