"""The migration of audits on a database whose log holds citations."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import asyncpg

from verifier.store.schema import migrations_dir

if TYPE_CHECKING:
    from tests.integration.conftest import Database

FILES = sorted((migrations_dir() / "sql").glob("*.sql"))
OWN = next(path for path in FILES if path.name.endswith("_audits.sql"))
TOLD = datetime(2025, 3, 1, 9, 30, tzinfo=UTC)


async def test_citations_that_stand_already_take_the_moment_of_their_report(
    empty_database: Database,
) -> None:
    connection = await asyncpg.connect(empty_database.owner_dsn)
    try:
        await connection.execute(FILES[0].read_text("utf-8"))
        await connection.execute(
            "SET ROLE verifier_owner; SET search_path = verifier, public, extensions"
        )
        for path in FILES[1 : FILES.index(OWN)]:
            await connection.execute(path.read_text("utf-8"))
        for tenant in ("acme", "other"):
            await connection.execute("INSERT INTO tenant (tenant_id) VALUES ($1)", tenant)
            await connection.execute(
                """INSERT INTO report (tenant_id, report_id, created_at, answer, turn, report, accepted,
                                       claims, verifier_version)
                   VALUES ($1, 'r', $2, '', '{}', '{}', true, 1, '0')""",
                tenant,
                TOLD.replace(year=2024 if tenant == "other" else 2025),
            )
            await connection.execute(
                """WITH s AS (INSERT INTO source (tenant_id, key) VALUES ($1, 'k') RETURNING *),
                        v AS (INSERT INTO document_version (tenant_id, source_id, seq, text, content_hash)
                              SELECT tenant_id, source_id, 1, 'text', sha256('text') FROM s RETURNING *)
                   INSERT INTO report_citation (tenant_id, report_id, claim_id, position, source_id,
                                                version_id, start_at, end_at, text_hash, code)
                   SELECT tenant_id, 'r', 'c', 0, source_id, version_id, 0, 4, '', 'supported' FROM v""",
                tenant,
            )
        await connection.execute(OWN.read_text("utf-8"))
        rows = await connection.fetch(
            "SELECT tenant_id, created_at FROM report_citation ORDER BY tenant_id"
        )
        assert [tuple(row) for row in rows] == [
            ("acme", TOLD),
            ("other", TOLD.replace(year=2024)),
        ]
    finally:
        await connection.close()
