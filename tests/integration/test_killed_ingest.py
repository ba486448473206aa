"""An ingest that is killed at random moments while a reader polls; `scripts/kill-ingest` does it 50 times."""

from __future__ import annotations

import asyncio
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.integration.conftest import drop_database, make_database
from tests.integration.policy_pages import find_manifest
from tests.integration.store_reading import TENANT, history, ingest, opened, request
from verifier.store.pool import tenant_transaction

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from tests.integration.conftest import Database
    from verifier.embedded import EmbeddedPostgres

SCRIPTS = Path(__file__).parents[2] / "scripts"
PAGES = ("refund", "sla", "cancellation")


def load(name: str) -> ModuleType:
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module(f"casework.{name}")
    finally:
        sys.path.remove(str(SCRIPTS))


@pytest.fixture
def databases(embedded: EmbeddedPostgres, migrated_template: str) -> Iterator[list[Database]]:
    """The databases that a test makes, dropped at its end."""
    made: list[Database] = []
    yield made
    for database in made:
        drop_database(embedded, database)


@pytest.mark.shared_data
async def test_five_kills_leave_no_trace(
    embedded: EmbeddedPostgres, migrated_template: str, databases: list[Database]
) -> None:
    async def make() -> str:
        databases.append(make_database(embedded, template=migrated_template))
        return databases[-1].app_dsn

    killing = load("ingest_kills")
    kills = polls = 0
    async for told in killing.kill_often(make, find_manifest(), count=5, seed=4, pages=PAGES):
        assert told.faults == []
        kills, polls = kills + len(told.kills), polls + told.polls
    assert kills == 5
    assert polls > kills


@pytest.mark.shared_data
async def test_two_processes_with_the_same_pages_leave_what_one_leaves(
    embedded: EmbeddedPostgres,
    migrated_template: str,
    databases: list[Database],
    tmp_path: Path,
) -> None:
    killing = load("ingest_kills")
    databases += [make_database(embedded, template=migrated_template) for _ in range(2)]
    alone, shared = databases
    reader = killing.begin("casework.ingest_reader", shared.app_dsn, str(tmp_path / "stop"))
    begun = [
        killing.begin_victim(dsn, find_manifest(), tmp_path / name, PAGES)
        for dsn, name in ((shared.app_dsn, "a"), (shared.app_dsn, "b"), (alone.app_dsn, "c"))
    ]
    said = [await asyncio.to_thread(one.communicate) for one in begun]
    assert [told[0] for told in said] == ["ended, 0 failed\n"] * 3
    (tmp_path / "stop").touch()
    seen = (await asyncio.to_thread(reader.communicate))[0]
    assert "FAULT" not in seen
    async with opened(alone) as pool:
        undisturbed = await history(pool)
    async with opened(shared) as pool:
        assert await history(pool) == undisturbed


async def test_the_reader_would_notice(fresh_database: Database) -> None:
    reader = load("ingest_reader")
    async with opened(fresh_database) as pool:
        await ingest(pool, request("a", "One."), request("b", "Other."))
        await ingest(pool, request("a", "Two."))
        seen: dict[str, int] = {}
        assert await reader.poll(pool, seen) == []
        assert seen == {"a": 2, "b": 1}

        async def faults_after(statement: str) -> str:
            async with tenant_transaction(pool, TENANT) as conn:
                await conn.execute(statement)
            return "; ".join(await reader.poll(pool, dict(seen)))

        assert "a is gone" in await faults_after(
            "DELETE FROM current_chunk USING source s WHERE s.key = 'a'"
            " AND s.source_id = current_chunk.source_id"
        )
        offer = """INSERT INTO current_chunk
                          (tenant_id, source_id, ordinal, version_id, input_hash, permission)
                   SELECT tenant_id, source_id, ordinal + {}, version_id, input_hash, 'approved'
                     FROM chunk JOIN document_version v USING (tenant_id, version_id)
                          JOIN source s USING (tenant_id, source_id)
                    WHERE s.key = 'a' AND v.seq = {}"""
        old = await faults_after(offer.format(0, 1))
        assert "a went back from 2 to [1]" in old
        assert "a@1 is offered and superseded" in old
