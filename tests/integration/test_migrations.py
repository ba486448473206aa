from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import asyncpg
import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from tests.integration.conftest import drop_database, execute, make_database
from verifier.embedded import start_embedded
from verifier.errors import (
    DatabaseReadOnly,
    DatabaseUnavailable,
    MissingExtension,
    SchemaMismatch,
    SettingsError,
    StoreError,
)
from verifier.store import schema
from verifier.store.pool import open_pool
from verifier.store.schema import (
    HEAD,
    SchemaState,
    check_schema,
    migrations_dir,
    parse_version,
    schema_state,
    upgrade_schema,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Database
    from verifier.embedded import EmbeddedPostgres

UPGRADE = "import asyncio, sys; from verifier.store.schema import upgrade_schema; " + (
    "asyncio.run(upgrade_schema(sys.argv[1]))"
)


async def check(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await check_schema(connection)
    finally:
        await connection.close()


async def state_of(dsn: str) -> SchemaState:
    connection = await asyncpg.connect(dsn)
    try:
        return await schema_state(connection)
    finally:
        await connection.close()


def test_the_newest_migration_is_the_one_this_package_works_with() -> None:
    config = Config()
    config.set_main_option("script_location", str(migrations_dir()))
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_current_head() == HEAD
    revisions = [script.revision for script in scripts.walk_revisions()]
    assert revisions == sorted(revisions, reverse=True)
    assert {len(revision) for revision in revisions} == {len(HEAD)}


def test_migrations_are_found_in_an_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "verifier"
    (installed / "migrations").mkdir(parents=True)
    monkeypatch.setattr(schema, "__file__", str(installed / "store" / "schema.py"))
    assert migrations_dir() == installed / "migrations"


async def test_an_empty_database_is_brought_to_head(empty_database: Database) -> None:
    assert await state_of(empty_database.owner_dsn) is SchemaState.ABSENT
    with pytest.raises(SchemaMismatch, match=r"no schema.*verifier db upgrade"):
        await check(empty_database.owner_dsn)
    await upgrade_schema(empty_database.owner_dsn)
    await check(empty_database.app_dsn)
    await upgrade_schema(empty_database.owner_dsn)
    await check(empty_database.app_dsn)


async def upgrade_in_processes(*dsns: str) -> None:
    processes = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", UPGRADE, dsn),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for dsn in dsns
    ]
    printed = await asyncio.gather(*(process.communicate() for process in processes))
    assert [text[0] for text in printed] == [b""] * len(dsns)
    assert [process.returncode for process in processes] == [0] * len(dsns)


async def test_b488_eight_processes_upgrade_one_empty_database_at_once(
    empty_database: Database,
) -> None:
    await upgrade_in_processes(*[empty_database.owner_dsn] * 8)
    assert await state_of(empty_database.app_dsn) is SchemaState.CURRENT


async def test_databases_of_one_server_upgrade_at_once(embedded: EmbeddedPostgres) -> None:
    databases = [make_database(embedded, template="template1") for _ in range(4)]
    await upgrade_in_processes(*(database.owner_dsn for database in databases))
    for database in databases:
        assert await state_of(database.app_dsn) is SchemaState.CURRENT
        drop_database(embedded, database)


async def test_one_process_upgrades_several_databases_at_once(embedded: EmbeddedPostgres) -> None:
    databases = [make_database(embedded, template="template1") for _ in range(3)]
    await asyncio.gather(*(upgrade_schema(database.owner_dsn) for database in databases))
    for database in databases:
        assert await state_of(database.app_dsn) is SchemaState.CURRENT
        drop_database(embedded, database)


async def test_the_roles_are_made_once_on_a_server_without_them(tmp_path: Path) -> None:
    with start_embedded(tmp_path / "s") as server:
        dsn = server.owner_dsn.replace("@/verifier?", "@/postgres?")
        await execute(
            dsn,
            "DROP DATABASE verifier",
            "DROP ROLE verifier_owner",
            "DROP ROLE verifier_app",
            "DROP ROLE verifier_reader",
            *(f"CREATE DATABASE d{number}" for number in range(4)),
        )
        await upgrade_in_processes(
            *(dsn.replace("@/postgres?", f"@/d{number}?") for number in range(4))
        )
        for number in range(4):
            state = await state_of(dsn.replace("@/postgres?", f"@/d{number}?"))
            assert state is SchemaState.CURRENT


@pytest.mark.parametrize(
    ("version", "state", "advice"),
    [
        ("0001", SchemaState.OLDER, "verifier db upgrade"),
        ("9999", SchemaState.NEWER, "pip install --upgrade"),
        ("someone's", SchemaState.NEWER, "pip install --upgrade"),
    ],
)
async def test_another_schema_is_refused_with_what_to_run(
    fresh_database: Database, version: str, state: SchemaState, advice: str
) -> None:
    quoted = version.replace("'", "''")
    await fresh_database.execute(f"UPDATE verifier.alembic_version SET version_num = '{quoted}'")  # noqa: S608
    assert await state_of(fresh_database.app_dsn) is state
    with pytest.raises(SchemaMismatch, match=advice):
        await check(fresh_database.app_dsn)


async def test_a_newer_schema_is_left_alone(fresh_database: Database) -> None:
    await fresh_database.execute("UPDATE verifier.alembic_version SET version_num = '9999'")
    with pytest.raises(SchemaMismatch, match="upgrade the package"):
        await upgrade_schema(fresh_database.owner_dsn)


def upgrade_to(revision: str, dsn: str) -> None:
    config = Config(stdout=io.StringIO(), attributes={"dsn": dsn})
    config.set_main_option("script_location", str(migrations_dir()))
    command.upgrade(config, revision)


@pytest.mark.parametrize("revision", ["0002", "0004"])
async def test_an_older_schema_is_brought_forward_and_keeps_its_rows(
    empty_database: Database, revision: str
) -> None:
    await asyncio.to_thread(upgrade_to, revision, empty_database.owner_dsn)
    assert await state_of(empty_database.owner_dsn) is SchemaState.OLDER
    await empty_database.execute("INSERT INTO verifier.tenant (tenant_id) VALUES ('kept')")
    await upgrade_schema(empty_database.owner_dsn)
    await check(empty_database.app_dsn)
    connection = await asyncpg.connect(empty_database.owner_dsn)
    assert await connection.fetchval("SELECT tenant_id FROM verifier.tenant") == "kept"
    await connection.close()


OLD_PASSAGES = """
    SET search_path = verifier, public;
    INSERT INTO tenant (tenant_id) VALUES ('a'), ('b');
    SET verifier.tenant = 'a';
    SELECT ensure_embedding_space('tests', 'stems', '1', 4, 'cosine', '', '');
    INSERT INTO source (tenant_id, key, metadata)
    VALUES ('a', 'en', '{}'), ('a', 'de', '{"language": "de-AT"}'), ('a', 'tlh', '{"language": "tlh"}'),
           ('b', 'en', '{}');
    INSERT INTO document_version (tenant_id, source_id, seq, text, content_hash)
    SELECT tenant_id, source_id, 1, 'Häuser houses', sha256('x') FROM source;
    INSERT INTO passage (tenant_id, input_hash, input)
    SELECT tenant_id, sha256(key::bytea), 'Häuser houses' FROM source;
    INSERT INTO chunk (tenant_id, version_id, ordinal, start_at, end_at, input_hash)
    SELECT v.tenant_id, v.version_id, 0, 0, 13, sha256(s.key::bytea)
      FROM document_version v JOIN source s USING (tenant_id, source_id);
"""


async def test_passages_of_an_older_store_get_the_words_of_their_language(
    empty_database: Database,
) -> None:
    await asyncio.to_thread(upgrade_to, "0005", empty_database.owner_dsn)
    await empty_database.execute(OLD_PASSAGES)
    await upgrade_schema(empty_database.owner_dsn)
    connection = await asyncpg.connect(empty_database.owner_dsn)
    rows = await connection.fetch(
        """SELECT s.tenant_id || ' ' || s.key, tsvector_to_array(p.search)
             FROM verifier.source s
                  JOIN verifier.passage p
                    ON p.tenant_id = s.tenant_id AND p.input_hash = sha256(s.key::bytea)"""
    )
    assert {name: set(words) for name, words in rows} == {
        "a en": {"häuser", "hous"},
        "a de": {"haus", "hous"},
        "a tlh": {"häuser", "houses"},
        "b en": {"häuser", "hous"},
    }
    await connection.close()


OLD_HISTORY = """
    SET search_path = verifier;
    INSERT INTO tenant (tenant_id, basis) VALUES ('a', 9), ('b', 9);
    INSERT INTO source (tenant_id, key)
    SELECT t.tenant_id, k.key FROM tenant t, unnest(ARRAY['past', 'coming', 'gone', 'clock']) AS k (key);
    INSERT INTO document_version (tenant_id, source_id, seq, text, content_hash, state, valid_from)
    SELECT s.tenant_id, s.source_id, v.seq, 'Text.', sha256('Text.'), v.state, v.valid_from
      FROM source s
           JOIN (VALUES ('past', 1, 'superseded', '2020-01-01'::timestamptz),
                        ('past', 2, 'current', '2021-01-01'),
                        ('coming', 1, 'superseded', '2020-01-01'),
                        ('coming', 2, 'current', '2999-01-01'),
                        ('gone', 1, 'withdrawn', '2020-01-01'),
                        ('clock', 1, 'current', NULL))
                AS v (key, seq, state, valid_from) ON v.key = s.key
     WHERE s.tenant_id = 'a' OR s.key <> 'coming';
    INSERT INTO publication
           (tenant_id, source_id, version_id, valid_from, valid_to, basis_from, basis_to)
    SELECT v.tenant_id, v.source_id, v.version_id, p.valid_from, p.valid_to, p.seq, p.basis_to
      FROM document_version v
           JOIN source s USING (tenant_id, source_id)
           JOIN (VALUES ('past', 1, '2020-01-01'::timestamptz, NULL::timestamptz, 2),
                        ('past', 1, '2020-01-01', '2021-01-01', NULL),
                        ('past', 2, '2021-01-01', NULL, NULL),
                        ('coming', 1, '2020-01-01', '2999-01-01', NULL),
                        ('coming', 2, '2999-01-01', NULL, NULL),
                        ('gone', 1, '2020-01-01', '2022-01-01', NULL),
                        ('clock', 1, '2024-01-01', NULL, NULL))
                AS p (key, seq, valid_from, valid_to, basis_to)
             ON p.key = s.key AND p.seq = v.seq;
"""


async def test_what_was_published_before_its_time_is_due_to_wait(empty_database: Database) -> None:
    """Before 0005 a version answered as soon as it was published, whatever time was stated for it."""
    await asyncio.to_thread(upgrade_to, "0004", empty_database.owner_dsn)
    await empty_database.execute(OLD_HISTORY)
    await upgrade_schema(empty_database.owner_dsn)
    connection = await asyncpg.connect(empty_database.owner_dsn)
    await connection.execute("SET search_path = verifier")
    due = await connection.fetch(
        "SELECT tenant_id, key FROM source WHERE next_validity <= now() ORDER BY 1, 2"
    )
    tenants = await connection.fetch(
        "SELECT tenant_id, next_validity <= now() AS due FROM tenant ORDER BY 1"
    )
    stated = await connection.fetch(
        """SELECT s.key, v.seq, p.from_stated, p.to_stated
             FROM publication p
                  JOIN source s USING (tenant_id, source_id)
                  JOIN document_version v USING (tenant_id, version_id)
            WHERE tenant_id = 'a' AND basis_to IS NULL
            ORDER BY s.key, v.seq"""
    )
    await connection.close()
    assert [tuple(row) for row in due] == [("a", "coming")]
    assert [tuple(row) for row in tenants] == [("a", True), ("b", None)]
    assert [tuple(row) for row in stated] == [
        ("clock", 1, False, False),
        ("coming", 1, True, False),
        ("coming", 2, True, False),
        ("gone", 1, True, True),
        ("past", 1, True, False),
        ("past", 2, True, False),
    ]


async def test_a_failed_upgrade_leaves_nothing(empty_database: Database) -> None:
    await empty_database.execute(
        "CREATE SCHEMA sample",
        "CREATE TABLE sample.orders ()",
        "ALTER SCHEMA sample OWNER TO verifier_owner",
    )
    with pytest.raises(SchemaMismatch, match=r'changed nothing: relation "orders" already exists'):
        await upgrade_schema(empty_database.owner_dsn)
    assert await state_of(empty_database.owner_dsn) is SchemaState.ABSENT
    connection = await asyncpg.connect(empty_database.owner_dsn)
    assert await connection.fetchval("SELECT to_regclass('verifier.source')") is None
    await connection.close()


@pytest.mark.parametrize(
    "forged",
    [
        "UPDATE verifier.alembic_version SET version_num = '0001'",
        "UPDATE verifier.alembic_version SET version_num = '0002x'",
        "DELETE FROM verifier.alembic_version",
        "DROP TABLE verifier.alembic_version",
    ],
)
async def test_a_schema_that_migrations_did_not_leave_so_is_refused(
    fresh_database: Database, forged: str
) -> None:
    await fresh_database.execute(forged)
    with pytest.raises(SchemaMismatch, match="failed and changed nothing"):
        await upgrade_schema(fresh_database.owner_dsn)


UNREADABLE = [
    "postgresql://[::1/d",
    "postgresql://u@h:port/d",
    "postgresql://u@127.0.0.1:99999/d",
    "postgresql://me:4secret/word@127.0.0.1/d",
    "postgresql://u@127.0.0.1/d?sslmode=maybe",
    "postgresql://u@a..b/d",
]


@pytest.mark.parametrize("dsn", UNREADABLE)
async def test_a_string_that_is_no_address_is_a_setting_to_mend(dsn: str) -> None:
    with pytest.raises(SettingsError, match="connection string") as upgraded:
        await upgrade_schema(dsn)
    with pytest.raises(SettingsError, match="connection string") as opened:
        await open_pool(dsn)
    assert "4secret" not in f"{upgraded.value} {opened.value}"


async def test_a_read_only_database_is_named_so(empty_database: Database) -> None:
    await empty_database.execute(
        f"ALTER DATABASE {empty_database.name} SET default_transaction_read_only = on"
    )
    with pytest.raises(DatabaseReadOnly, match="primary"):
        await upgrade_schema(empty_database.owner_dsn)


async def test_a_server_without_pgvector_is_named_so(
    empty_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = schema.READ_SERVER.replace("name = 'vector'", "name = 'not installed'")
    monkeypatch.setattr(schema, "READ_SERVER", elsewhere)
    for work in (upgrade_schema, check):
        with pytest.raises(MissingExtension, match="pgvector"):
            await work(empty_database.owner_dsn)


async def test_a_database_that_is_not_utf8_is_refused(embedded: EmbeddedPostgres) -> None:
    name = "latin"
    connection = await asyncpg.connect(embedded.owner_dsn)
    await connection.execute(
        f"CREATE DATABASE {name} ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0"
    )
    with pytest.raises(StoreError, match="LATIN1"):
        await upgrade_schema(embedded.owner_dsn.replace("@/verifier?", f"@/{name}?"))
    await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await connection.close()


async def test_a_login_without_rights_is_told_so(empty_database: Database) -> None:
    with pytest.raises(StoreError, match=r"test_\d+: the upgrade is refused: .*owner"):
        await upgrade_schema(empty_database.app_dsn)


async def test_a_login_that_is_no_superuser_can_migrate_and_serve(
    empty_database: Database, embedded: EmbeddedPostgres
) -> None:
    name = empty_database.name
    await empty_database.execute(
        "DROP ROLE IF EXISTS deployer",
        "CREATE ROLE deployer LOGIN NOSUPERUSER CREATEROLE",
        f"ALTER DATABASE {name} OWNER TO deployer",
        "CREATE EXTENSION vector",
        "GRANT verifier_owner, verifier_app, verifier_reader TO deployer",
    )
    await upgrade_schema(empty_database.owner_dsn.replace("//postgres@", "//deployer@"))
    await check(empty_database.app_dsn)

    assert await state_of(empty_database.app_dsn) is SchemaState.CURRENT


async def test_vectors_in_another_schema_are_used_from_there(empty_database: Database) -> None:
    await empty_database.execute(
        "CREATE SCHEMA extensions",
        "GRANT USAGE ON SCHEMA extensions TO PUBLIC",
        "CREATE EXTENSION vector SCHEMA extensions",
    )
    await upgrade_schema(empty_database.owner_dsn)
    connection = await asyncpg.connect(empty_database.app_dsn)
    await connection.execute(
        """SET search_path = verifier; SET verifier.tenant = 'a';
           SELECT ensure_embedding_space('test', 'model', '1', 3, 'cosine', '', '')"""
    )
    found = await connection.fetch(
        "SELECT * FROM search_embedding_1('[1,2,3]'::extensions.halfvec, 1, NULL, NULL, NULL, NULL, 0)"
    )
    schema = await connection.fetchval(
        """SELECT n.nspname
             FROM pg_type AS t
             JOIN pg_namespace AS n ON n.oid = t.typnamespace
            WHERE t.typname = 'halfvec'"""
    )
    await connection.close()

    assert found == []
    assert schema == "extensions"


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
        await upgrade_schema(dsn)
    assert str(caught.value).startswith(named)
    assert "secret" not in str(caught.value)


async def test_a_missing_database_is_named(embedded: EmbeddedPostgres) -> None:
    with pytest.raises(DatabaseUnavailable, match=r"/nowhere: .*does not exist"):
        await upgrade_schema(embedded.owner_dsn.replace("@/verifier?", "@/nowhere?"))


def test_the_alembic_command_works_as_well(empty_database: Database) -> None:
    alembic = ("-m", "alembic", "-x", f"dsn={empty_database.owner_dsn}", "upgrade", "head")
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        (sys.executable, *alembic),
        cwd=migrations_dir().parent,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for arguments in (("downgrade", "-1"), ("downgrade", "base")):
        refused = subprocess.run(
            (sys.executable, *alembic[:4], *arguments),
            cwd=migrations_dir().parent,
            check=False,
            capture_output=True,
            text=True,
        )
        assert refused.returncode != 0
        assert "only go forward" in refused.stderr


@pytest.mark.parametrize(
    ("text", "version"),
    [("0.8.5", (0, 8, 5)), ("0.8", (0, 8)), ("0.10.0", (0, 10, 0)), ("0.9.0-dev", (0, 9, 0))],
)
def test_versions_are_compared_by_their_numbers(text: str, version: tuple[int, ...]) -> None:
    assert parse_version(text) == version


OLD_VECTORS = """
    INSERT INTO embedding_1 (tenant_id, input_hash, live, vec)
    SELECT 'a', input_hash, true, '[1,2,3,4]' FROM passage WHERE tenant_id = 'a';
    UPDATE document_version SET state = 'current';
    INSERT INTO current_chunk (tenant_id, source_id, ordinal, version_id, input_hash, permission, metadata)
    SELECT v.tenant_id, v.source_id, c.ordinal, v.version_id, c.input_hash, 'approved', s.metadata
      FROM document_version v
           JOIN chunk c USING (tenant_id, version_id)
           JOIN source s USING (tenant_id, source_id)
"""
LIST_REFERENCES = """
    SELECT conrelid::regclass::text AS space, array_agg(confrelid::regclass::text) AS referred
      FROM pg_constraint
     WHERE contype = 'f' AND conrelid::regclass::text LIKE 'embedding\\__'
     GROUP BY 1 ORDER BY 1
"""


async def test_what_no_search_reads_goes_from_a_full_store_and_from_new_spaces(
    empty_database: Database,
) -> None:
    await asyncio.to_thread(upgrade_to, "0013", empty_database.owner_dsn)
    await empty_database.execute(OLD_PASSAGES + OLD_VECTORS)
    await upgrade_schema(empty_database.owner_dsn)
    connection = await asyncpg.connect(empty_database.owner_dsn)
    await connection.execute("SET search_path = verifier, public; SET verifier.tenant = 'a'")
    await connection.execute(
        "SELECT ensure_embedding_space('tests', 'other', '1', 4, 'cosine', '', '')"
    )
    references = await connection.fetch(LIST_REFERENCES)
    found = await connection.fetch(
        """SELECT s.key
             FROM search_embedding_1('[1,2,3,4]', 9, '$.value.language == "tlh"', NULL, NULL, NULL) AS f
                  JOIN source s USING (source_id)"""
    )
    columns = await connection.fetch(
        "SELECT attname FROM pg_attribute WHERE attrelid = 'current_chunk'::regclass AND NOT attisdropped"
    )
    kept = await connection.fetchval("SELECT count(*) FROM current_chunk")
    await connection.close()
    assert {row["space"]: row["referred"] for row in references} == {
        "embedding_1": ["passage"],
        "embedding_2": ["passage"],
    }
    assert [row["key"] for row in found] == ["tlh"]
    assert "metadata" not in {row["attname"] for row in columns}
    assert kept == 4
