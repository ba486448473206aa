"""The migration of reviews on a database that holds some."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import asyncpg

from verifier.store.schema import migrations_dir

if TYPE_CHECKING:
    from tests.integration.conftest import Database

FILES = sorted((migrations_dir() / "sql").glob("*.sql"))
OWN = next(path for path in FILES if path.name.endswith("_reviews.sql"))
REPORT = {"verdicts": [{"claim": "c1", "span": [4, 9]}, {"claim": "c2", "span": [10, 15]}]}


async def test_entries_that_stand_already_keep_the_report_that_asks_them(
    empty_database: Database,
) -> None:
    connection = await asyncpg.connect(empty_database.owner_dsn)
    try:
        await connection.execute(FILES[0].read_text("utf-8"))
        await connection.execute(
            "SET ROLE verifier_owner; SET search_path = verifier, public, extensions"
        )
        for path in FILES[1:]:
            if path == OWN:
                break
            await connection.execute(path.read_text("utf-8"))
        await connection.execute("INSERT INTO tenant (tenant_id) VALUES ('acme'), ('other')")
        for report_id, report in (("r1", REPORT), ("r2", {}), ("r3", {"verdicts": 3})):
            await connection.execute(
                """INSERT INTO report (tenant_id, report_id, answer, turn, report, accepted, claims,
                                       verifier_version)
                   VALUES ('acme', $1, 'The first claim.', '{}', $2, true, 1, '0')""",
                report_id,
                json.dumps(report),
            )
        await connection.executemany(
            """INSERT INTO review (tenant_id, report_id, claim_id, claim_hash, evidence_hash, code, state)
               VALUES ('acme', $1, $2, $3, '', 'ambiguous', $4)""",
            [("r1", "c2", b"1", "open"), ("r2", "c1", b"2", "expired"), ("r3", "c1", b"3", "open")],
        )
        await connection.execute(OWN.read_text("utf-8"))
        rows = await connection.fetch(
            """SELECT q.report_id, q.claim_id, q.start_at, q.end_at, w.answers, w.state, w.expired_why
                 FROM review w JOIN review_request q USING (tenant_id, review_id) ORDER BY 1"""
        )
        assert [tuple(row) for row in rows] == [
            ("r1", "c2", 10, 15, 1, "open", None),
            ("r2", "c1", 0, 0, 1, "expired", "superseded"),
            ("r3", "c1", 0, 0, 1, "open", None),
        ]
    finally:
        await connection.close()
