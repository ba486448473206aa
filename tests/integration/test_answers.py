"""The answer log: what it keeps of a report, and what rests on what."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from tests.integration.logged_answers import judged, report, row_of, span_of
from tests.integration.store_reading import TENANT, dump, fetch, ingest_one, opened
from verifier.core.verdicts import Disposition
from verifier.errors import UnknownThing
from verifier.store.answers import add_report, get_report
from verifier.store.pool import tenant_transaction
from verifier.store.report_listing import list_reports

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.integration.conftest import Database
    from verifier.core.report import GroundingReport
    from verifier.store.pool import Pool

WHOLE: Mapping[str, object] = {"schema": "1"}


async def log(
    pool: Pool, logged: GroundingReport, report_json: Mapping[str, object] = WHOLE
) -> bool:
    async with tenant_transaction(pool, TENANT) as conn:
        return await add_report(conn, logged, report_json=report_json, turn_json={"question": "?"})


async def test_a_report_comes_back_as_it_was_logged(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        written = {"answer": "Text.", "price": Decimal("19.90"), "nested": [{"a": (1, None, True)}]}
        assert await log(pool, report("r1", judged(1, span_of("d", None, "Text"))), written)
        async with tenant_transaction(pool, TENANT, read_only=True) as conn:
            logged = await get_report(conn, "r1")
            listed = await list_reports(conn)
        assert logged.report == {
            "answer": "Text.",
            "price": "19.90",
            "nested": [{"a": [1, None, True]}],
        }
        assert logged.turn == {"question": "?"}
        assert [(each.report_id, each.accepted, each.claims) for each in listed] == [
            ("r1", True, 1)
        ]
        assert listed[0].outcome == Disposition.ACCEPTED


async def test_the_same_report_again_changes_nothing(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        same = report("r1", judged(1, row_of("p1")))
        assert await log(pool, same)
        before = await dump(fresh_database, physical=True)
        assert not await log(pool, same)
        assert await dump(fresh_database, physical=True) == before


async def test_what_an_answer_rests_on_is_recorded_once_each(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.")
        await ingest_one(pool, "d", "Text two.")
        first, second = span_of("d", 1, "Text one."), span_of("d", 2, "Text two.", ordinal=None)
        await log(
            pool,
            report(
                "r1",
                judged(1, first, first, row_of("p1"), span_of("d", None, "brought along")),
                judged(2, second, span_of("d", 7, "no such version"), row_of("p2", column=None)),
                judged(3, span_of("e", 1, "no such source")),
            ),
        )
        cited = await fetch(
            pool,
            """SELECT c.claim_id, s.key, v.seq, c.ordinal, c.start_at, c.end_at, c.code
                 FROM report_citation c
                      JOIN document_version v USING (tenant_id, version_id)
                      JOIN source s ON s.source_id = v.source_id
                ORDER BY c.claim_id, c.position""",
        )
        assert [tuple(row) for row in cited] == [
            ("c1", "d", 1, 0, 0, 9, "supported"),
            ("c2", "d", 2, None, 0, 9, "supported"),
        ]
        rows = await fetch(
            pool,
            "SELECT claim_id, row_key, column_name, fingerprint FROM report_row ORDER BY claim_id",
        )
        assert [tuple(row) for row in rows] == [
            ("c1", "p1", "price", bytes.fromhex("ab" * 32)),
            ("c2", "p2", None, bytes.fromhex("ab" * 32)),
        ]


async def test_an_answer_that_postgres_cannot_hold_is_logged_all_the_same(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        answer = "A \x00 and a \ud800."
        unholdable = report("r1", judged(1, row_of("p\x00")), answer=answer)
        assert await log(pool, unholdable, {"answer": answer, "k\x00": ["\udfff"]})
        async with tenant_transaction(pool, TENANT, read_only=True) as conn:
            logged = await get_report(conn, "r1")
        assert logged.report == {"answer": "A \ufffd and a \ufffd.", "k\ufffd": ["\ufffd"]}


async def test_no_claims_is_an_outcome_of_its_own(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await log(pool, report("r1"))
        async with tenant_transaction(pool, TENANT, read_only=True) as conn:
            (listed,) = await list_reports(conn)
        assert (listed.claims, listed.outcome, listed.accepted) == (0, None, True)


async def test_an_unknown_report_is_named(fresh_database: Database) -> None:
    async with (
        opened(fresh_database) as pool,
        tenant_transaction(pool, TENANT, read_only=True) as conn,
    ):
        for report_id in ("r9", "r\x00", "r\ud800"):
            with pytest.raises(UnknownThing):
                await get_report(conn, report_id)


async def test_a_tenant_never_reads_the_reports_of_another(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await log(pool, report("r1"))
        async with tenant_transaction(pool, "other", read_only=True) as conn:
            assert await list_reports(conn) == ()
            with pytest.raises(UnknownThing):
                await get_report(conn, "r1")
