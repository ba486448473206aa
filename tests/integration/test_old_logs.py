"""Answers of an older log, of a clock that jumped, and on what was erased: rechecks and audits bear them."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import asyncpg

from tests.integration.test_migrations import upgrade_to
from tests.integration.test_rechecking import KETTLE, TABLES, TERMS, causes, cite, serving
from verifier.core.drift import Drift
from verifier.core.rechecks import Cause, Standing
from verifier.store.erasure import ErasureOrder
from verifier.store.schema import upgrade_schema

if TYPE_CHECKING:
    from tests.integration.conftest import Database

BEFORE_REVIEWS = "0009"
LOGGED = (
    "report_id, created_at, answer, turn, report, accepted, claims, catalog_hash, verifier_version"
)


async def copy_log(source: Database, target: Database) -> None:
    """Copy what was logged in the columns that the first logs had."""
    reading = await asyncpg.connect(source.owner_dsn)
    writing = await asyncpg.connect(target.owner_dsn)
    try:
        await writing.execute("SET search_path = verifier, public")
        await writing.execute("INSERT INTO tenant (tenant_id) VALUES ('default')")
        for table, columns in (
            ("report", LOGGED),
            (
                "report_row",
                "report_id, claim_id, position, database, table_name, row_key, column_name,"
                " fingerprint, code",
            ),
        ):
            rows = await reading.fetch(f"SELECT {columns} FROM verifier.{table}")  # noqa: S608 -- constants
            places = ", ".join(f"${number + 1}" for number in range(len(columns.split(","))))
            await writing.executemany(
                f"INSERT INTO {table} (tenant_id, {columns}) VALUES ('default', {places})",  # noqa: S608 -- constants
                [tuple(row) for row in rows],
            )
        for report_id, report in (("odd", {"verdicts": 3}), ("bare", {})):
            await writing.execute(
                """INSERT INTO report (tenant_id, report_id, answer, turn, report, accepted, claims,
                                       verifier_version)
                   VALUES ('default', $1, 'Hello.', '{}', $2, true, 0, '0')""",
                report_id,
                json.dumps(report),
            )
            await writing.execute(
                """INSERT INTO report_row
                   VALUES ('default', $1, 'c1', 0, 'default', 'shop.good', '1', 'price', '\\x00',
                           'verified')""",
                report_id,
            )
    finally:
        await reading.close()
        await writing.close()


async def test_what_was_logged_before_there_were_reviews_is_rechecked_and_audited(
    empty_database: Database, fresh_database: Database
) -> None:
    await fresh_database.execute(*TABLES)
    async with serving(fresh_database) as verifier:
        logged = (await verifier.verify(KETTLE)).report_id
    await asyncio.to_thread(upgrade_to, BEFORE_REVIEWS, empty_database.owner_dsn)
    await copy_log(fresh_database, empty_database)
    await upgrade_schema(empty_database.owner_dsn)
    await empty_database.execute(*TABLES)
    async with serving(empty_database) as verifier:
        held = await verifier.answers.recheck(logged)
        quiet = await verifier.audits.drift()
        await empty_database.execute("UPDATE shop.good SET price = 42.00 WHERE id = 1")
        run = await verifier.answers.recheck_all()
        audit = await verifier.audits.drift()
        overview = await verifier.audits.all()
    assert held.standing is Standing.HOLDS
    assert (quiet.found, quiet.looked) == (0, 3)
    standings = {one.report_id: one.standing for one in run.rechecks}
    assert standings == {
        logged: Standing.WRONG,
        "odd": Standing.OPEN,
        "bare": Standing.OPEN,
    }
    assert all(one.reason for one in run.rechecks if one.report_id != logged)
    assert [(one.table, one.answers) for one in audit.tables] == [("shop.good", 1)]
    assert overview.log.reports == 3


async def test_an_erased_version_is_told_by_a_recheck_of_all_and_costs_no_other(
    fresh_database: Database,
) -> None:
    async with serving(fresh_database, catalog={}) as verifier:
        await verifier.ingest_text("terms", TERMS)
        await verifier.ingest_text("other", TERMS.replace("Goods", "Gifts"))
        erased = await cite(verifier, "Goods may be returned within 30 days [terms@1#0].")
        await cite(verifier, "Gifts may be returned within 30 days [other@1#0].")
        await verifier.sources.erase(ErasureOrder(key="terms", by="anna", reason="asked"))
        run = await verifier.answers.recheck_all()
        of_source = await verifier.answers.recheck_all(source="terms")
        orphans = await verifier.audits.orphans()
    (found,) = run.rechecks
    assert (found.report_id, found.standing, causes(found)) == (
        erased,
        Standing.DOUBTFUL,
        [Cause.ERASED],
    )
    assert found.flips[0].detail == "terms@1 was erased"
    assert (run.reports, run.verified, of_source.reports) == (2, 1, 1)
    assert [one.key for one in orphans.erased] == ["terms"]


async def test_a_clock_that_jumped_back_loses_no_answer_and_calls_none_wrong(
    fresh_database: Database,
) -> None:
    await fresh_database.execute(*TABLES)
    async with serving(fresh_database) as verifier:
        await verifier.ingest_text("terms", TERMS)
        on_row = (await verifier.verify(KETTLE)).report_id
        on_text = await cite(verifier, "Goods may be returned within 30 days [terms@1#0].")
        await fresh_database.execute(
            "UPDATE verifier.report SET created_at = created_at + interval '3000 days'",
            "UPDATE verifier.report_citation SET created_at = created_at + interval '3000 days'",
        )
        ahead = datetime.now(UTC) + timedelta(days=2_999)
        held = await verifier.answers.recheck_all(since=ahead)
        quiet = await verifier.audits.drift(since=ahead)
        await fresh_database.execute("UPDATE shop.good SET price = 42.00 WHERE id = 1")
        await verifier.ingest_text("terms", TERMS.replace("30 days", "14 days"))
        fallen = await verifier.answers.recheck_all()
        drift = await verifier.audits.drift()
    assert (held.reports, held.rechecks, quiet.found, quiet.looked) == (2, (), 0, 1)
    assert {one.report_id for one in fallen.rechecks} == {on_row, on_text}
    assert all(one.moment == one.created_at for one in fallen.rechecks)
    assert [(one.report_id, one.drift) for one in drift.tables[0].newest] == [
        (on_row, Drift.CHANGED)
    ]
