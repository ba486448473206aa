from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import asyncpg
import pytest

from tests.integration.conftest import drop_database, execute, make_database, run
from verifier.store.pool import open_pool, tenant_transaction

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from tests.integration.conftest import Database
    from verifier.embedded import EmbeddedPostgres

TABLES = (
    "api_key",
    "basis_change",
    "chunk",
    "conflict",
    "current_chunk",
    "document_version",
    "embedding_1",
    "embedding_space",
    "idempotency_key",
    "passage",
    "publication",
    "report",
    "report_citation",
    "report_recheck",
    "report_row",
    "review",
    "review_decision",
    "review_evidence",
    "review_reopening",
    "review_request",
    "served_turn",
    "served_turn_event",
    "source",
    "tenant",
    "tombstone",
    "tombstone_chunk",
    "tombstone_report",
    "web_session",
)
OWNERS = ("erasure_key",)
"""Of tenants too, and guarded, but the app may not even read it."""
# These hold no rows of tenants. The app reads the first, to know the schema; the second is the owner's.
WITHOUT_TENANT = ("alembic_version", "space_definition")

# What the app may call: as the owner, and as itself.
FOR_TRIGGERS = {"give_chunks_language", "give_source_language"}
DEFINERS = {
    *FOR_TRIGGERS,
    "analyze_store",
    "count_candidates",
    "drop_embedding_space",
    "ensure_embedding_space",
    "erase_versions",
    "find_api_key",
    "find_tombstones",
    "find_web_session",
    "index_embedding_space",
    "mend_passage_search",
    "redact_reports",
    "search_embedding_1",
    "search_words",
    "sweep_reports",
    "suspend_space_indexes",
    "sweep_passages",
    "sweep_served_turns",
}
PLAIN_FUNCTIONS = {
    "current_tenant",
    "filterable",
    "language_named",
    "text_configuration",
    "words_of",
}

# One row in every table, as the app itself writes it.
FILL = """
    SELECT ensure_embedding_space('test', 'model', '1', 3, 'cosine', '', '');
    WITH s AS (INSERT INTO source (tenant_id, key) VALUES (current_tenant(), 'k') RETURNING *),
         v AS (INSERT INTO document_version (tenant_id, source_id, seq, text, content_hash)
               SELECT tenant_id, source_id, 1, 'text', sha256('text') FROM s RETURNING *)
    INSERT INTO publication (tenant_id, source_id, version_id, valid_from, basis_from)
    SELECT tenant_id, source_id, version_id, now(), 1 FROM v;
    INSERT INTO passage (tenant_id, input_hash, input) VALUES (current_tenant(), sha256('text'), 'text');
    INSERT INTO embedding_1 (tenant_id, input_hash, live, vec)
    VALUES (current_tenant(), sha256('text'), true, '[1,2,3]');
    WITH c AS (INSERT INTO chunk (tenant_id, version_id, ordinal, start_at, end_at, input_hash)
               SELECT tenant_id, version_id, 0, 0, 4, sha256('text') FROM document_version RETURNING *)
    INSERT INTO current_chunk (tenant_id, source_id, version_id, ordinal, input_hash, permission)
    SELECT c.tenant_id, p.source_id, c.version_id, 0, c.input_hash, 'approved'
      FROM c JOIN publication p USING (version_id);
    INSERT INTO basis_change (tenant_id, basis, action, source_id)
    SELECT tenant_id, 1, 'publish', source_id FROM source;
    INSERT INTO report (tenant_id, report_id, answer, turn, report, accepted, claims, verifier_version)
    VALUES (current_tenant(), 'r', '', '{}', '{}', true, 0, '1');
    INSERT INTO report_citation (tenant_id, report_id, claim_id, position, source_id, version_id,
                                 start_at, end_at, text_hash, code)
    SELECT tenant_id, 'r', 'c', 0, source_id, version_id, 0, 4, '', 'supported' FROM publication;
    INSERT INTO report_row (tenant_id, report_id, claim_id, position, database, table_name, row_key,
                            fingerprint, code)
    VALUES (current_tenant(), 'r', 'c', 0, 'd', 't', 'k', '', 'verified');
    INSERT INTO report_recheck (tenant_id, report_id, basis, standing, flips, content_hash, verifier_version)
    VALUES (current_tenant(), 'r', 1, 'holds', '[]', sha256(''), '1');
    WITH r AS (INSERT INTO review (tenant_id, claim_hash, evidence_hash, code)
               VALUES (current_tenant(), '', '', 'ambiguous') RETURNING *),
         q AS (INSERT INTO review_request (tenant_id, review_id, report_id, claim_id, code, start_at, end_at)
               SELECT tenant_id, review_id, 'r', 'c', code, 0, 0 FROM r),
         e AS (INSERT INTO review_evidence (tenant_id, review_id, position, database, table_name, row_key,
                                            fingerprint)
               SELECT tenant_id, review_id, 0, 'd', 't', 'k', '' FROM r),
         o AS (INSERT INTO review_reopening (tenant_id, review_id, round, by, reason)
               SELECT tenant_id, review_id, 2, 'ann', 'because' FROM r)
    INSERT INTO review_decision (tenant_id, review_id, reviewer, decision, reason)
    SELECT tenant_id, review_id, 'ann', 'supported', 'because' FROM r;
    INSERT INTO conflict (tenant_id, source_id, version_id, subject, attribute, value, other_value,
                          other_place)
    SELECT tenant_id, source_id, version_id, 's', 'a', '1', '2', 'there' FROM publication;
    WITH k AS (INSERT INTO api_key (tenant_id, name, key_hash, scopes)
               VALUES (current_tenant(), 'key', sha256(convert_to(current_tenant(), 'UTF8')), '{}')
               RETURNING *),
         s AS (INSERT INTO web_session (tenant_id, token_hash, key_id, expires_at)
               SELECT tenant_id, key_hash, key_id, now() + interval '1 hour' FROM k)
    INSERT INTO idempotency_key (tenant_id, key_id, name, request_hash, run, deadline, expires_at)
    SELECT tenant_id, key_id, 'once', sha256(''), gen_random_uuid(), now(), now() FROM k;
    WITH t AS (INSERT INTO served_turn (tenant_id, turn_id, vouched, turn, size, expires_at)
               VALUES (current_tenant(), repeat('t', 32), true, '{}', 2, clock_timestamp() + '1 day')
               RETURNING *)
    INSERT INTO served_turn_event (tenant_id, turn_id, position, kind, event)
    SELECT tenant_id, turn_id, 1, 'call', '{}' FROM t;
"""

# What only an erasure writes, as the owner does for it.
FILL_ERASED = """
    INSERT INTO erasure_key (tenant_id, inner_pad, outer_pad)
    VALUES (current_tenant(), decode(repeat('00', 64), 'hex'), decode(repeat('00', 64), 'hex'));
    WITH t AS (INSERT INTO tombstone (tenant_id, source_id, version_id, text_hash, folded_hash, chunks,
                                      erased_by, reason)
               SELECT tenant_id, source_id, version_id, sha256(''), sha256(''), 1, 'ann', 'because'
                 FROM document_version WHERE tenant_id = current_tenant() RETURNING *),
         c AS (INSERT INTO tombstone_chunk (tenant_id, tombstone_id, ordinal, input_hash)
               SELECT tenant_id, tombstone_id, 0, sha256('') FROM t)
    INSERT INTO tombstone_report (tenant_id, tombstone_id, report_id)
    SELECT tenant_id, tombstone_id, 'r' FROM t;
"""

LIST_TABLES = """
    SELECT c.relname, c.relrowsecurity,
           (SELECT count(*) FROM pg_policy p WHERE p.polrelid = c.oid)
      FROM pg_class c
     WHERE c.relnamespace = 'verifier'::regnamespace
       AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
     ORDER BY c.relname
"""
LIST_COLUMNS = """
    SELECT a.attname, has_column_privilege('verifier_app', a.attrelid, a.attnum, 'UPDATE')
      FROM pg_attribute a
     WHERE a.attrelid = ('verifier.' || $1)::regclass
       AND a.attnum > 0
       AND a.attgenerated = ''
       AND NOT a.attisdropped
     ORDER BY a.attnum
"""
LIST_FUNCTIONS = """
    SELECT p.proname, p.prosecdef, p.proconfig,
           p.proacl IS NULL OR EXISTS (SELECT FROM aclexplode(p.proacl) a WHERE a.grantee = 0) AS public,
           has_function_privilege('verifier_app', p.oid, 'EXECUTE') AS app
      FROM pg_proc p
     WHERE p.pronamespace = 'verifier'::regnamespace
"""


@pytest.fixture(scope="module")
def filled_database(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[Database]:
    """Tenants a and b with one row in each table; the tests leave it as it is."""
    database = make_database(embedded, template=migrated_template)
    for tenant in ("a", "b"):
        enter = f"SET verifier.tenant = '{tenant}'; SET search_path = verifier, public;"
        run(execute(database.app_dsn, enter + FILL))
        run(execute(database.owner_dsn, enter + FILL_ERASED))
    yield database
    drop_database(embedded, database)


@asynccontextmanager
async def connect_as_app(
    database: Database, tenant: str | None
) -> AsyncIterator[asyncpg.Connection]:
    """A connection as verifier_app in a transaction that is undone, with or without a tenant."""
    connection = await asyncpg.connect(database.app_dsn)
    try:
        transaction = connection.transaction()
        await transaction.start()
        await connection.execute("SET search_path = verifier, public")
        if tenant is not None:
            await connection.execute("SELECT set_config('verifier.tenant', $1, true)", tenant)
        yield connection
        await transaction.rollback()
    finally:
        await connection.close()


async def test_every_table_is_known_here_and_guarded(filled_database: Database) -> None:
    connection = await asyncpg.connect(filled_database.owner_dsn)
    tables = {row[0]: (row[1], row[2]) for row in await connection.fetch(LIST_TABLES)}
    await connection.close()
    assert set(tables) == {*TABLES, *OWNERS, *WITHOUT_TENANT}
    assert {table for table in (*TABLES, *OWNERS) if tables[table] != (True, 1)} == set()


@pytest.mark.parametrize("tenant", [None, ""])
@pytest.mark.parametrize("table", TABLES)
async def test_without_a_tenant_a_table_refuses(
    filled_database: Database, table: str, tenant: str | None
) -> None:
    async with connect_as_app(filled_database, tenant) as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="no tenant is set"):
            await connection.fetch(f"SELECT * FROM {table}")  # noqa: S608 — a name from the list above


@pytest.mark.parametrize("table", [table for table in TABLES if table != "embedding_1"])
async def test_without_a_tenant_an_empty_table_refuses_too(
    fresh_database: Database, table: str
) -> None:
    for query in ("SELECT count(*) FROM {}", "SELECT 1 FROM {} WHERE tenant_id = 'a' LIMIT 1"):
        async with connect_as_app(fresh_database, None) as connection:
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match="no tenant is set"):
                await connection.fetch(query.format(table))


@pytest.mark.parametrize("table", TABLES)
async def test_a_tenant_sees_its_rows_alone(filled_database: Database, table: str) -> None:
    for tenant in ("a", "b"):
        async with connect_as_app(filled_database, tenant) as connection:
            rows = await connection.fetch(f"SELECT tenant_id FROM {table}")  # noqa: S608
            assert [row["tenant_id"] for row in rows] == [tenant]
    async with connect_as_app(filled_database, "c") as connection:
        assert await connection.fetch(f"SELECT tenant_id FROM {table}") == []  # noqa: S608


@pytest.mark.parametrize("table", TABLES)
async def test_a_row_of_another_tenant_can_not_be_added(
    filled_database: Database, table: str
) -> None:
    async with connect_as_app(filled_database, "a") as connection:
        names = [row[0] for row in await connection.fetch(LIST_COLUMNS, table)]
        columns = ", ".join(names)
        copied = ", ".join("'b'" if name == "tenant_id" else name for name in names)
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(
                f"INSERT INTO {table} ({columns}) OVERRIDING SYSTEM VALUE "  # noqa: S608
                f"SELECT {copied} FROM {table}"
            )


@pytest.mark.parametrize("table", TABLES)
async def test_rows_of_another_tenant_can_not_be_changed(
    filled_database: Database, table: str
) -> None:
    async with connect_as_app(filled_database, "a") as connection:
        columns = await connection.fetch(LIST_COLUMNS, table)
        for name in [row[0] for row in columns if row[1]]:
            done = await connection.execute(
                f"UPDATE {table} SET {name} = {name} WHERE tenant_id = 'b'"  # noqa: S608
            )
            assert done == "UPDATE 0"
            assert name not in {"tenant_id", "text", "input", "content_hash", "vec", "seq"} or (
                table == "current_chunk"
            )
    async with connect_as_app(filled_database, "a") as connection:
        if await connection.fetchval(
            "SELECT has_table_privilege('verifier_app', $1, 'DELETE')", table
        ):
            assert await connection.execute(f"DELETE FROM {table} WHERE tenant_id = 'b'") == (  # noqa: S608
                "DELETE 0"
            )
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(f"TRUNCATE {table}")


@pytest.mark.parametrize("table", TABLES)
async def test_a_row_can_not_be_moved_to_another_tenant(
    filled_database: Database, table: str
) -> None:
    async with connect_as_app(filled_database, "a") as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(f"UPDATE {table} SET tenant_id = 'b'")  # noqa: S608


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE document_version SET text = 'other'",
        "UPDATE document_version SET content_hash = sha256('other')",
        "UPDATE document_version SET seq = 2",
        "UPDATE passage SET input = 'other'",
        "UPDATE chunk SET end_at = 3",
        "UPDATE publication SET valid_from = now()",
        "UPDATE report SET report = '{}'",
        "UPDATE review_decision SET decision = 'unsupported'",
        "UPDATE basis_change SET recorded_at = now()",
        "UPDATE api_key SET scopes = '{admin}'",
        "UPDATE api_key SET key_hash = sha256('guess')",
        "UPDATE api_key SET may_supply_calls = true",
        "DELETE FROM api_key",
        "UPDATE web_session SET expires_at = 'infinity'",
        "UPDATE web_session SET key_id = 1",
        "DELETE FROM document_version",
        "DELETE FROM publication",
        "DELETE FROM report",
        "UPDATE report_recheck SET standing = 'holds'",
        "DELETE FROM report_recheck",
        "DELETE FROM review_decision",
        "UPDATE served_turn SET expires_at = 'infinity'",
        "DELETE FROM served_turn",
        "UPDATE served_turn_event SET event = '[]'",
        "DELETE FROM served_turn_event",
        "SELECT * FROM space_definition",
        "SELECT * FROM erasure_key",
        "SELECT ensure_erasure_key()",
        "SELECT keyed_hash(sha256('guess'))",
        "UPDATE tombstone SET erased_by = 'nobody'",
        "DELETE FROM tombstone",
        "DELETE FROM tombstone_report",
        "SELECT redact_reports(ARRAY[1], ARRAY['r'], ARRAY[''], ARRAY['{}'], ARRAY['{}'])",
        "INSERT INTO alembic_version VALUES ('9999')",
        "UPDATE alembic_version SET version_num = '0000'",
        "SELECT last_value FROM source_source_id_seq",
        "SELECT nextval('source_source_id_seq')",
        "SELECT create_space_table(2, 3)",
        "SELECT create_space_search(2)",
        "CREATE TABLE verifier.mine ()",
        "SET ROLE verifier_owner",
        "SET ROLE postgres",
        "SET row_security = off; SELECT * FROM source",
        "ALTER TABLE source DISABLE ROW LEVEL SECURITY",
    ],
)
async def test_the_app_may_not(filled_database: Database, statement: str) -> None:
    async with connect_as_app(filled_database, "a") as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(statement)


async def test_functions_are_closed_to_the_public_and_fix_their_path(
    filled_database: Database,
) -> None:
    connection = await asyncpg.connect(filled_database.owner_dsn)
    functions = await connection.fetch(LIST_FUNCTIONS)
    await connection.close()
    assert [row["proname"] for row in functions if row["public"]] == []
    definers = [row for row in functions if row["prosecdef"]]
    assert {row["proname"] for row in definers} == DEFINERS
    for row in definers:
        assert any(setting.startswith("search_path=") for setting in row["proconfig"])
    usable = {row["proname"] for row in functions if row["app"]}
    assert usable == (DEFINERS - FOR_TRIGGERS) | PLAIN_FUNCTIONS


async def test_the_roles_have_no_special_powers(filled_database: Database) -> None:
    connection = await asyncpg.connect(filled_database.owner_dsn)
    rows = await connection.fetch(
        """SELECT rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication
             FROM pg_roles WHERE rolname LIKE 'verifier%' ORDER BY rolname"""
    )
    owners = await connection.fetch(
        """SELECT DISTINCT relowner::regrole::text FROM pg_class
            WHERE relnamespace IN ('verifier'::regnamespace, 'sample'::regnamespace)"""
    )
    await connection.close()
    assert [row["rolname"] for row in rows] == [
        "verifier_app",
        "verifier_owner",
        "verifier_reader",
    ]
    assert not any(any(tuple(row)[1:]) for row in rows)
    assert [row[0] for row in owners] == ["verifier_owner"]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO sample.customer VALUES ('1', 'n', 'e')",
        "UPDATE sample.product SET price = 1",
        "DELETE FROM sample.orders",
        "TRUNCATE sample.orders",
        "CREATE TABLE sample.mine ()",
        "SELECT * FROM verifier.source",
        "SET ROLE verifier_app",
    ],
)
async def test_the_reader_may_not(filled_database: Database, statement: str) -> None:
    connection = await asyncpg.connect(filled_database.reader_dsn)
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute(statement)
    assert await connection.fetch("SELECT * FROM sample.product") == []
    await connection.close()


async def test_a_cached_plan_serves_the_tenant_of_each_transaction(
    filled_database: Database,
) -> None:
    async with await open_pool(filled_database.owner_dsn, max_size=1) as pool:
        for tenant in ("a", "b") * 8:
            async with tenant_transaction(pool, tenant) as connection:
                for table in ("source", "chunk", "report"):
                    rows = await connection.fetch(f"SELECT tenant_id FROM {table}")  # noqa: S608
                    assert [row[0] for row in rows] == [tenant]


@pytest.mark.parametrize("name", ["a'; DROP TABLE source; --", "ü \N{SNOWMAN}", "A", 'x"y', "%"])
async def test_a_tenants_name_is_text(filled_database: Database, name: str) -> None:
    async with (
        await open_pool(filled_database.app_dsn) as pool,
        tenant_transaction(pool, name, read_only=True) as connection,
    ):
        assert await connection.fetchval("SELECT current_tenant()") == name
        assert await connection.fetchval("SELECT count(*) FROM source") == 0


async def test_the_tenant_is_not_looked_up_for_every_row(fresh_database: Database) -> None:
    await fresh_database.execute(
        f"ALTER DATABASE {fresh_database.name} SET track_functions = 'pl'",
        "INSERT INTO verifier.tenant (tenant_id) VALUES ('a')",
        """INSERT INTO verifier.source (tenant_id, key)
           SELECT 'a', i::text FROM generate_series(1, 5000) i""",
        "ANALYZE",
    )
    async with (
        await open_pool(fresh_database.app_dsn, max_size=1) as pool,
        tenant_transaction(pool, "a") as connection,
    ):
        found = await connection.fetchval(
            "SELECT count(*) FROM source JOIN tenant USING (tenant_id) WHERE title IS NULL"
        )
        calls = await connection.fetchval(
            """SELECT calls FROM pg_stat_xact_user_functions
                WHERE schemaname = 'verifier' AND funcname = 'current_tenant'"""
        )
    assert found == 5_000
    assert 0 < calls < 20
