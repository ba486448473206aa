"""The migration of conflicts on a database that holds some."""

from __future__ import annotations

from typing import TYPE_CHECKING

import asyncpg

from verifier.store.schema import migrations_dir

if TYPE_CHECKING:
    from tests.integration.conftest import Database

FILES = sorted((migrations_dir() / "sql").glob("*.sql"))
OWN = next(path for path in FILES if path.name.endswith("_conflicts.sql"))
FILL = """
    INSERT INTO tenant (tenant_id) VALUES ('acme');
    INSERT INTO source (tenant_id, key) VALUES ('acme', 'a'), ('acme', 'b');
    INSERT INTO document_version (tenant_id, source_id, seq, text, content_hash)
    SELECT tenant_id, source_id, 1, 'text', sha256('text') FROM source;
    INSERT INTO conflict (tenant_id, source_id, version_id, other_source_id, other_version_id, other_place,
                          subject, attribute, value, other_value, state, reason, resolved_at)
    SELECT 'acme', a.source_id, a.version_id, told.other, told.other, told.place, 's', 'a', '1', '2',
           told.state, told.reason, told.at
      FROM (VALUES (NULL::bigint, 'there', 'open', NULL, NULL::timestamptz),
                   (2, NULL, 'resolved', 'settled', now())) AS told (other, place, state, reason, at)
           JOIN document_version a ON a.source_id = 1
"""


async def test_conflicts_that_stand_already_are_about_whole_sources(
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
        await connection.execute(FILL)
        await connection.execute(OWN.read_text("utf-8"))
        rows = await connection.fetch(
            """SELECT state, origin, every_version, other_every_version, start_at, reason
                 FROM conflict ORDER BY state"""
        )
        assert [tuple(row) for row in rows] == [
            ("open", "declared", True, False, None, None),
            ("resolved", "declared", True, True, None, "settled"),
        ]
    finally:
        await connection.close()
