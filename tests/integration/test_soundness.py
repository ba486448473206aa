"""What `doctor` finds in a store that somebody broke, and that its remedy mends it."""

from __future__ import annotations

import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import asyncpg
import numpy as np
import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.store_reading import (
    TENANT,
    fetch_value,
    ingest_one,
    opened,
    paragraphs,
    search,
)
from verifier.core.checks import Check, CheckState
from verifier.service import open_verifier
from verifier.settings import load_settings
from verifier.store import recall
from verifier.store.content_checks import check_content
from verifier.store.pool import tenant_transaction
from verifier.store.publication import withdraw

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier.service import Verifier
    from verifier.store.pool import Connection, Pool
    from verifier.store.spaces import SpaceId

NAMES = [
    "tenants apart",
    "other indexes",
    "statistics",
    "text search",
    "passages",
    "chunks",
    "current chunks",
    "publications",
    "periods",
    "vectors",
    "recall",
    "orphans",
    "dead weight",
]


@asynccontextmanager
async def filled(database: Database) -> AsyncIterator[tuple[Pool, Verifier]]:
    """A store with a current, a superseded, a withdrawn and a shared text."""
    settings = load_settings(None, dsn=database.app_dsn, tenant=TENANT)
    async with (
        opened(database) as pool,
        open_verifier(settings=settings, embedder=HashingEmbedder()) as verifier,
    ):
        await ingest_one(pool, "d", paragraphs("Old rule one", "Old rule two"))
        await ingest_one(pool, "d", paragraphs("New rule one", "New rule two"))
        await ingest_one(pool, "e", "# Fees\n\nA parcel costs 5 €.", media_type="text/markdown")
        await ingest_one(pool, "f", "Taken back.")
        async with tenant_transaction(pool, TENANT) as conn:
            await withdraw(conn, "f", "ada")
        yield pool, verifier


async def look(pool: Pool, tenant: str = TENANT) -> dict[str, Check]:
    return {check.name: check for check in await check_content(pool, tenant)}


async def only_wrong(pool: Pool) -> Check:
    """The one check that is not well."""
    wrong = [check for check in (await look(pool)).values() if check.state is not CheckState.OK]
    assert len(wrong) == 1, wrong
    return wrong[0]


async def all_well(pool: Pool) -> None:
    assert [each for each in (await look(pool)).values() if each.state is not CheckState.OK] == []


async def alter(database: Database, statements: str) -> None:
    """Change the store by hand."""
    await database.execute("SET search_path = verifier, public; " + statements)


async def apply(database: Database, check: Check) -> None:
    """Run the statements of a remedy as it says to."""
    remedy = str(check.remedy)
    role = "postgres" if remedy.startswith("as a superuser: ") else "verifier_owner"
    assert remedy.startswith(("as verifier_owner: ", "as a superuser: "))
    await database.execute(f"SET ROLE {role}; {remedy.partition(': ')[2]}")


async def test_a_sound_store_is_well_throughout(fresh_database: Database) -> None:
    async with filled(fresh_database) as (pool, verifier):
        checks = await look(pool)
        assert list(checks) == NAMES
        await all_well(pool)
        assert "50% of the past" in checks["dead weight"].detail
        mended = await verifier.upkeep.mend()
        assert (mended.live_marks, mended.sources, mended.search_columns) == (0, (), 0)
        assert (await verifier.upkeep.sweep()).removed == 0
        assert {check.name for check in await verifier.doctor()} > set(NAMES)


async def test_a_tenant_without_anything_is_well(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        checks = await look(pool, "nobody")
        assert {check.state for check in checks.values()} == {CheckState.OK}
        assert "recall" not in checks


CURRENT = "(SELECT input_hash FROM current_chunk ORDER BY input_hash LIMIT 1)"
REMOVE_VECTOR = f"DELETE FROM embedding_1 WHERE input_hash = {CURRENT}"  # noqa: S608
BREAKS = {
    "vectors": (
        f"UPDATE embedding_1 SET live = false WHERE input_hash = {CURRENT}",  # noqa: S608
        CheckState.FAILED,
        "1 not live",
    ),
    "dead weight": (
        "UPDATE embedding_1 SET live = true WHERE NOT live",
        CheckState.WARNING,
        "3 vectors are live that no draft",
    ),
    "current chunks": (
        "DELETE FROM current_chunk WHERE ordinal = 1",
        CheckState.FAILED,
        "of d",
    ),
    "periods": (
        "INSERT INTO publication (tenant_id, source_id, version_id, valid_from, basis_from)"
        " SELECT tenant_id, source_id, version_id, valid_from, basis_from FROM publication"
        " WHERE version_id = 3",
        CheckState.FAILED,
        "of e",
    ),
    "current chunks permitted": (
        "UPDATE current_chunk SET permission = 'denied' WHERE ordinal = 0",
        CheckState.FAILED,
        "of d, e",
    ),
    "text search": (
        "ALTER TEXT SEARCH CONFIGURATION pg_catalog.english ALTER MAPPING FOR asciiword WITH simple",
        CheckState.FAILED,
        "in a sample of 6",
    ),
}


@pytest.mark.parametrize("name", BREAKS)
async def test_what_follows_from_the_rest_is_mended(fresh_database: Database, name: str) -> None:
    statement, state, said = BREAKS[name]
    async with filled(fresh_database) as (pool, verifier):
        before = await search(pool, "new rule", k=9)
        await alter(fresh_database, statement)
        wrong = await only_wrong(pool)
        assert (wrong.state, wrong.remedy) == (state, "verifier doctor --fix")
        assert name.startswith(wrong.name)
        assert said in wrong.detail
        assert wrong.found
        await verifier.upkeep.mend()
        await all_well(pool)
        assert await search(pool, "new rule", k=9) == before


async def test_a_missing_vector_is_embedded_again(fresh_database: Database) -> None:
    async with filled(fresh_database) as (pool, verifier):
        await alter(fresh_database, REMOVE_VECTOR)
        wrong = await only_wrong(pool)
        assert (wrong.name, wrong.state, wrong.found) == ("vectors", CheckState.FAILED, 1)
        assert "verifier spaces build" in str(wrong.remedy)
        await verifier.upkeep.mend()
        assert (await verifier.spaces.build()).embedded == 1
        await all_well(pool)


async def test_orphans_are_swept_and_nothing_else(fresh_database: Database) -> None:
    async with filled(fresh_database) as (pool, verifier):
        before = await search(pool, "new rule", k=9)
        await alter(
            fresh_database,
            "INSERT INTO passage (tenant_id, input_hash, input)"
            " SELECT tenant_id, sha256(convert_to('orphan ' || n, 'UTF8')), 'orphan ' || n"
            " FROM generate_series(1, 4500) n, tenant;"
            "INSERT INTO embedding_1 (tenant_id, input_hash, vec)"
            " SELECT tenant_id, input_hash, array_fill(1, ARRAY[64])::vector::halfvec"
            " FROM passage WHERE input LIKE 'orphan %1'",
        )
        wrong = await only_wrong(pool)
        assert (wrong.name, wrong.found, wrong.remedy) == ("orphans", 4500, "verifier db sweep")
        assert (await verifier.upkeep.sweep()).removed == 4500
        await all_well(pool)
        assert await search(pool, "new rule", k=9) == before


async def test_vectors_of_no_passage_are_swept(fresh_database: Database) -> None:
    async with filled(fresh_database) as (pool, verifier):
        await alter(
            fresh_database,
            "SET session_replication_role = replica;"  # as where the foreign key was dropped
            + "INSERT INTO embedding_1 (tenant_id, input_hash, vec) VALUES"
            + f" ('{TENANT}', sha256('gone'), array_fill(1, ARRAY[64])::vector::halfvec)",
        )
        wrong = await only_wrong(pool)
        assert (wrong.name, wrong.found) == ("orphans", 1)
        assert (await verifier.upkeep.sweep()).removed == 1
        await all_well(pool)


async def test_failed_versions_are_told_and_are_no_fault(fresh_database: Database) -> None:
    async with filled(fresh_database) as (pool, _):
        refusing = HashingEmbedder(skips=lambda text: "Nope" in text)
        await ingest_one(pool, "g", paragraphs("Nope", "Yes"), embedder=refusing)
        checks = await look(pool)
        assert "1 failed versions keep 2 chunks" in checks["orphans"].detail
        assert checks["orphans"].state is CheckState.OK


async def test_altered_texts_are_found(fresh_database: Database) -> None:
    async with filled(fresh_database) as (pool, _):
        await alter(fresh_database, "UPDATE passage SET input = replace(input, '5 €', '6 €')")
        checks = await look(pool)
        assert (checks["passages"].state, checks["passages"].found) == (CheckState.FAILED, 1)
        assert checks["chunks"].found == 1
        assert "e@1" in checks["chunks"].detail
        await alter(fresh_database, "UPDATE passage SET input = replace(input, '6 €', '5 €')")
        await all_well(pool)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE chunk SET start_at = 1 WHERE version_id = 3",
        "UPDATE chunk SET end_at = 1000000 WHERE version_id = 3",
        "UPDATE document_version SET text = 'Another text altogether.' WHERE version_id = 3",
    ],
)
async def test_chunks_that_are_not_their_text_are_found_and_made_anew(
    fresh_database: Database, statement: str
) -> None:
    async with filled(fresh_database) as (pool, _):
        await alter(fresh_database, statement)
        wrong = await only_wrong(pool)
        assert (wrong.name, wrong.state) == ("chunks", CheckState.FAILED)
        assert "e@1" in wrong.detail
        assert "ingest their texts again" in str(wrong.remedy)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM publication WHERE version_id = 3",
        "UPDATE publication SET valid_to = clock_timestamp() WHERE version_id = 3",
    ],
)
async def test_publications_that_do_not_fit_are_found_and_made_anew(
    fresh_database: Database, statement: str
) -> None:
    async with filled(fresh_database) as (pool, _):
        await alter(fresh_database, statement)
        wrong = await only_wrong(pool)
        assert (wrong.name, wrong.state, wrong.found) == ("publications", CheckState.FAILED, 1)
        assert "of e" in wrong.detail
        async with tenant_transaction(pool, TENANT) as conn:
            await withdraw(conn, "e", "ada")
        text = "# Fees\n\nA parcel costs 5 €."
        again = await ingest_one(pool, "e", text, media_type="text/markdown")
        assert (again.seq, again.embedded) == (2, 0)
        await all_well(pool)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("ALTER TABLE chunk DISABLE ROW LEVEL SECURITY", "verifier.chunk"),
        ("DROP POLICY tenant_only ON embedding_1", "verifier.embedding_1"),
        ("CREATE POLICY all_of_it ON source TO verifier_app USING (true)", "verifier.source"),
        ("ALTER POLICY tenant_only ON passage USING (true)", "verifier.passage"),
        (
            "DROP POLICY tenant_only ON publication;"
            " CREATE POLICY tenant_only ON publication FOR SELECT TO verifier_app USING (true)",
            "verifier.publication",
        ),
    ],
)
async def test_a_table_that_is_open_to_other_tenants_is_closed(
    fresh_database: Database, statement: str, said: str
) -> None:
    async with filled(fresh_database) as (pool, _):
        await alter(fresh_database, statement)
        wrong = (await look(pool))["tenants apart"]
        assert (wrong.state, wrong.found) == (CheckState.FAILED, 1)
        assert said in wrong.detail
        await apply(fresh_database, wrong)
        await all_well(pool)
        async with tenant_transaction(pool, "other", read_only=True) as conn:
            table = said.removeprefix("verifier.")
            assert await conn.fetchval(f"SELECT count(*) FROM {table}") == 0  # noqa: S608


async def test_a_serving_role_that_evades_is_found(fresh_database: Database) -> None:
    async with filled(fresh_database) as (pool, _):
        await fresh_database.execute("ALTER ROLE verifier_app BYPASSRLS")
        try:
            wrong = (await look(pool))["tenants apart"]
            assert wrong.state is CheckState.FAILED
            await apply(fresh_database, wrong)
        finally:
            await fresh_database.execute("ALTER ROLE verifier_app NOBYPASSRLS")
        await all_well(pool)


async def test_an_index_made_by_hand_is_warned_of(fresh_database: Database) -> None:
    async with filled(fresh_database) as (pool, _):
        await alter(
            fresh_database,
            'CREATE INDEX "by hand" ON embedding_1 USING ivfflat (vec halfvec_cosine_ops)',
        )
        wrong = await only_wrong(pool)
        assert (wrong.name, wrong.state, wrong.found) == ("other indexes", CheckState.WARNING, 1)
        assert "ivfflat on embedding_1" in wrong.detail
        await apply(fresh_database, wrong)
        await all_well(pool)


async def add_vectors(database: Database, count: int) -> None:
    """Add passages of one more current version with random vectors."""
    rng = np.random.default_rng(7)
    connection = await asyncpg.connect(database.owner_dsn)
    await connection.execute(
        f"SET search_path = verifier, public; SET verifier.tenant = '{TENANT}'"
    )
    vectors = rng.normal(size=(count, 64)).round(3).tolist()
    await connection.execute("CREATE TABLE public.made (n integer, vec text)")
    await connection.copy_records_to_table(
        "made", schema_name="public", records=[(n, str(v)) for n, v in enumerate(vectors)]
    )
    await connection.execute(
        f"""INSERT INTO passage (tenant_id, input_hash, input)
            SELECT '{TENANT}', sha256(convert_to('made ' || n, 'UTF8')), 'made ' || n FROM public.made;
            INSERT INTO chunk (tenant_id, version_id, ordinal, start_at, end_at, input_hash)
            SELECT '{TENANT}', 3, n + 1, 0, 1, sha256(convert_to('made ' || n, 'UTF8')) FROM public.made;
            INSERT INTO current_chunk (tenant_id, source_id, version_id, ordinal, input_hash, permission)
            SELECT c.tenant_id, v.source_id, c.version_id, c.ordinal, c.input_hash, 'approved'
              FROM chunk c JOIN document_version v USING (tenant_id, version_id)
             WHERE c.version_id = 3 AND c.ordinal > 0;
            INSERT INTO embedding_1 (tenant_id, input_hash, live, vec)
            SELECT '{TENANT}', sha256(convert_to('made ' || n, 'UTF8')), true, vec::halfvec
              FROM public.made"""  # noqa: S608
    )
    await connection.close()


async def test_rows_that_the_index_lost_show_in_its_recall(fresh_database: Database) -> None:
    async with filled(fresh_database) as (pool, _):
        index = "'verifier.embedding_1_live'::regclass"
        await fresh_database.execute(
            f"UPDATE pg_index SET indisready = false WHERE indexrelid = {index}"  # noqa: S608
        )
        await add_vectors(fresh_database, 300)
        await fresh_database.execute(
            f"UPDATE pg_index SET indisready = true WHERE indexrelid = {index}"  # noqa: S608
        )
        wrong = (await look(pool))["recall"]
        assert (wrong.state, wrong.found) == (CheckState.WARNING, 50)
        assert "nearest to 50 stored vectors" in wrong.detail
        await apply(fresh_database, wrong)
        right = (await look(pool))["recall"]
        assert right.state is CheckState.OK
        assert float(re.findall(r"\d\.\d+", right.detail)[0]) > 0.99


async def test_texts_that_are_almost_equal_are_no_loss_of_the_index(
    fresh_database: Database,
) -> None:
    shared = "filler words here " * 60
    text = "\n\n".join(f"para {number} run 0 {shared}" for number in range(40))
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", text, embedder=HashingEmbedder(dimension=32))
        assert await fetch_value(pool, "SELECT count(*) FROM current_chunk") == 80
        found = (await look(pool))["recall"]
        assert found.state is CheckState.OK, found.detail


async def test_vectors_that_are_removed_while_recall_is_measured_are_no_loss(
    fresh_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with filled(fresh_database) as (pool, _):
        measure = recall._measure

        async def remove_first(conn: Connection, space_id: SpaceId, vector: str) -> float:
            await fresh_database.execute("DELETE FROM verifier.embedding_1")
            return await measure(conn, space_id, vector)

        monkeypatch.setattr(recall, "_measure", remove_first)
        assert (await look(pool))["recall"].state is CheckState.OK


async def test_tables_that_were_never_analyzed_are_told(fresh_database: Database) -> None:
    async with filled(fresh_database) as (pool, verifier):
        await fresh_database.execute(
            "ALTER TABLE verifier.embedding_1 SET (autovacuum_enabled = false)"
        )
        await add_vectors(fresh_database, 9_000)
        wrong = (await look(pool))["statistics"]
        assert wrong.state is CheckState.WARNING
        assert "embedding_1" in wrong.detail
        await verifier.upkeep.mend()
        assert (await look(pool))["statistics"].state is CheckState.OK


async def test_a_lost_index_of_the_active_space_is_made_again(fresh_database: Database) -> None:
    async with filled(fresh_database) as (_, verifier):
        await fresh_database.execute(
            "DROP INDEX verifier.embedding_1_live, verifier.embedding_1_all"
        )
        checks = {check.name: check for check in await verifier.doctor()}
        assert checks["index of embedding_1"].state is CheckState.WARNING
        assert "doctor --fix" in str(checks["index of embedding_1"].remedy)
        await verifier.upkeep.mend()
        checks = {check.name: check for check in await verifier.doctor()}
        assert checks["index of embedding_1"].state is CheckState.OK


async def test_a_check_that_takes_too_long_is_a_warning(
    fresh_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from verifier.store import content_checks

    async with filled(fresh_database) as (pool, _):
        connection = await asyncpg.connect(fresh_database.owner_dsn)
        transaction = connection.transaction()
        await transaction.start()
        await connection.execute("LOCK TABLE verifier.publication IN ACCESS EXCLUSIVE MODE")
        monkeypatch.setattr(content_checks, "LONGEST_S", 0.5)
        checks = await look(pool)
        await transaction.rollback()
        await connection.close()
        assert {check.state for check in checks.values()} == {CheckState.OK, CheckState.WARNING}
        assert "took longer" in checks["publications"].detail


async def test_status_looks_at_the_server_alone(fresh_database: Database) -> None:
    settings = load_settings(None, dsn=fresh_database.app_dsn, model="/no/such/model")
    async with open_verifier(settings=settings) as verifier:
        status = {check.name for check in await verifier.upkeep.check_server()}
        all_of_it = {check.name for check in await verifier.doctor()}
    assert {"server", "pgvector", "schema", "login"} <= status < all_of_it
    assert {"passages", "chunks", "current chunks", "model"} <= all_of_it - status
