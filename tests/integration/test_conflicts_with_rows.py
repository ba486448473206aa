"""Conflicts of sources with canonical rows: found by the catalog, closed when the row is changed."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from tests.integration.queued_reviews import verifier_on
from tests.integration.store_reading import ingest_one, opened

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from tests.integration.conftest import Database
    from verifier.service import Verifier
    from verifier.store.pool import Pool

LAMP = "0fd372fa-ecb2-4db0-bb71-8628a784ced9"
CATALOG: Mapping[str, Any] = {
    "product": {
        "table": "sample.product",
        "names": ["name"],
        "key": {"column": "id", "type": "uuid"},
        "attributes": {"price": {"kind": "money", "currency_column": "currency"}},
    },
}
SAID = "The Harbour lamp costs 59.90 EUR. It is made of oak."


@asynccontextmanager
async def store(database: Database) -> AsyncIterator[tuple[Pool, Verifier]]:
    """A product, and a page that tells another price of it."""
    row = f"INSERT INTO sample.product VALUES ('{LAMP}', 'Harbour lamp', 49.90, 'EUR', 3)"  # noqa: S608
    await database.execute(row)
    verifier = verifier_on(database, catalog=CATALOG)
    try:
        async with opened(database) as pool:
            await ingest_one(pool, "page", SAID)
            yield pool, verifier
    finally:
        await verifier.close()


async def test_another_price_than_the_rows_is_found_once(fresh_database: Database) -> None:
    async with store(fresh_database) as (_, verifier):
        done = await verifier.conflicts.find()
        (made,) = done.added
        assert (made.other, made.other_row) == (None, f"default/sample.product/{LAMP}/price")
        assert "59.90 EUR" in (made.side.words or "")
        assert (made.topic.value, made.topic.other_value[:5]) == ("59.90 EUR", "49.90")
        again = await verifier.conflicts.find()
        assert (again.added, again.known, again.closed) == ((), 1, 0)


async def test_it_closes_itself_when_the_row_or_the_page_changes(fresh_database: Database) -> None:
    async with store(fresh_database) as (pool, verifier):
        await verifier.conflicts.find()
        await fresh_database.execute("UPDATE sample.product SET price = 59.90")
        assert (await verifier.conflicts.find()).closed == 1
        (closed,) = (await verifier.conflicts.list(state="obsolete")).conflicts
        assert (closed.reason or "").endswith("says otherwise by now")
        await fresh_database.execute("UPDATE sample.product SET price = 49.90")
        assert len((await verifier.conflicts.find()).added) == 1
        await ingest_one(pool, "page", SAID.replace("59", "49"))
        done = await verifier.conflicts.find()
        assert (done.found, done.closed) == (0, 1)


async def test_a_database_that_does_not_answer_closes_nothing(fresh_database: Database) -> None:
    async with store(fresh_database) as (_, verifier):
        await verifier.conflicts.find()
        await fresh_database.execute("ALTER TABLE sample.product RENAME TO gone")
        done = await verifier.conflicts.find()
        assert (done.tables_complete, done.closed) == (False, 0)
        assert len((await verifier.conflicts.list()).conflicts) == 1


async def test_without_a_catalog_no_row_is_asked_for(fresh_database: Database) -> None:
    async with store(fresh_database) as (_, _verifier):
        plain = verifier_on(fresh_database)
        try:
            done = await plain.conflicts.find()
            assert (done.found, done.tables_complete) == (0, True)
        finally:
            await plain.close()
