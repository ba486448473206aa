"""What rechecks tell of answers whose canonical rows are others: none is missed, and the cause is true."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import asyncpg
import pytest

from tests.integration.test_rechecking import serving
from verifier.core.rechecks import Cause, Standing

if TYPE_CHECKING:
    from tests.integration.conftest import Database
    from verifier.core.rechecks import Change, Recheck

TABLES = (
    "CREATE SCHEMA shop",
    "CREATE TABLE shop.good (id integer PRIMARY KEY, name text, price numeric, cur text, stock integer,"
    " note text)",
    "INSERT INTO shop.good VALUES (1, 'Tea Kettle', 40.50, 'USD', 5, 'a'),"
    " (2, 'Oak Chair', 99.00, 'USD', 7, 'b')",
    "GRANT USAGE ON SCHEMA shop TO verifier_app, verifier_reader",
    "GRANT SELECT ON ALL TABLES IN SCHEMA shop TO verifier_app, verifier_reader",
)
CATALOG: dict[str, object] = {
    "good": {
        "table": "shop.good",
        "names": ["name"],
        "key": {"column": "id", "type": "integer"},
        "attributes": {
            "price": {"kind": "money", "currency_column": "cur", "labels": ["price", "costs"]},
            "stock": {"kind": "quantity", "labels": ["in stock", "stock", "left"]},
        },
    }
}
SINCE = datetime(2020, 1, 1, tzinfo=UTC)
KETTLE = "The Tea Kettle costs $40.50."
STOCK = "There are 5 Tea Kettles in stock."
TOTAL = "The Tea Kettle and the Oak Chair cost $139.50 in total."
MORE = "The Oak Chair costs $58.50 more than the Tea Kettle."
SWAP = "UPDATE shop.good SET name = CASE id WHEN 1 THEN 'Oak Chair' ELSE 'Tea Kettle' END"


def list_changes(recheck: Recheck) -> list[Change]:
    return [change for claim in recheck.flips for change in claim.changes]


@pytest.mark.parametrize(
    ("answer", "change", "standing", "told"),
    [
        (KETTLE, "UPDATE shop.good SET cur = 'EUR'", "wrong", "price 40.50 USD 40.50 EUR"),
        (KETTLE, "UPDATE shop.good SET price = NULL", "doubtful", "price 40.50 USD "),
        (TOTAL, "UPDATE shop.good SET price = 41 WHERE id = 1", "wrong", "price 40.50 41"),
        (MORE, "UPDATE shop.good SET price = 98 WHERE id = 2", "wrong", "price 99.00 98"),
        (STOCK, "UPDATE shop.good SET stock = 4 WHERE id = 1", "wrong", "stock 5 4"),
        (KETTLE, SWAP, "wrong", "None None None"),
        (KETTLE, "UPDATE shop.good SET name = 'Pot' WHERE id = 1", "doubtful", "None None None"),
        (KETTLE, "UPDATE shop.good SET note = 'z', price = 40.5000, stock = 1", "holds", ""),
    ],
)
async def test_the_change_is_told_that_turned_the_answer(
    fresh_database: Database, answer: str, change: str, standing: str, told: str
) -> None:
    await fresh_database.execute(*TABLES)
    async with serving(fresh_database, catalog=CATALOG) as verifier:
        logged = (await verifier.verify(answer)).report_id
        await fresh_database.execute(change)
        run = await verifier.answers.recheck_all(since=SINCE)
        found = await verifier.answers.recheck(logged)
    assert found.standing.value == standing
    assert [one.standing.value for one in run.rechecks] == [standing] * (standing != "holds")
    for recheck in (found, *run.rechecks):
        changes = list_changes(recheck)
        assert {one.cause for one in changes} <= {Cause.ROW_CHANGED}
        texts = [f"{one.column} {one.old} {one.new}" for one in changes]
        assert texts == ([told] if told else [])


async def test_a_row_that_came_to_bear_the_same_name_makes_the_answer_doubtful(
    fresh_database: Database,
) -> None:
    await fresh_database.execute(*TABLES)
    async with serving(fresh_database, catalog=CATALOG) as verifier:
        await verifier.verify(KETTLE)
        await verifier.verify("The Oak Chair costs $99.00.")
        await fresh_database.execute("INSERT INTO shop.good VALUES (9, 'Tea kettle', 60, 'USD')")
        run = await verifier.answers.recheck_all(since=SINCE)
    assert (run.reports, run.verified) == (2, 1)
    (found,) = run.rechecks
    assert found.standing is Standing.DOUBTFUL
    assert {(one.cause, one.place) for one in list_changes(found)} == {
        (Cause.ROW_ADDED, "shop.good:9")
    }


async def test_a_report_that_is_swept_while_its_recheck_is_recorded_is_left_out(
    fresh_database: Database,
) -> None:
    await fresh_database.execute(*TABLES)
    async with serving(fresh_database, catalog=CATALOG) as verifier:
        await verifier.verify(KETTLE)
        kept = (await verifier.verify("The Oak Chair costs $99.00.")).report_id
        await fresh_database.execute("UPDATE shop.good SET price = 1")
        sweeper = await asyncpg.connect(fresh_database.owner_dsn)
        try:
            await sweeper.execute("BEGIN")
            await sweeper.execute("DELETE FROM verifier.report WHERE report_id <> $1", kept)
            recheck = asyncio.create_task(verifier.answers.recheck_all(since=SINCE))
            await wait_until_one_waits(sweeper)
            await sweeper.execute("COMMIT")
            run = await recheck
            recorded = await sweeper.fetch("SELECT report_id FROM verifier.report_recheck")
        finally:
            await sweeper.close()
    assert run.verified == 2
    assert [one["report_id"] for one in recorded] == [kept]


async def wait_until_one_waits(watcher: asyncpg.Connection) -> None:
    for _ in range(200):
        if await watcher.fetchval(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()"
        ):
            return
        await asyncio.sleep(0.05)
    raise AssertionError("nobody waits for the sweep")
