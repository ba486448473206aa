"""A store whose answer log holds very many citations: sources of three versions each, made by statements."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

import asyncpg

from verifier.store.schema import upgrade_schema

if TYPE_CHECKING:
    from collections.abc import Callable

TENANT: Final = "bench"
NEIGHBOUR: Final = "neighbour"
VERSIONS: Final = 3
LINES: Final = 40
CITED: Final = 4
"""How many citations each report has."""

SET_UP: Final[LiteralString] = """
    INSERT INTO tenant (tenant_id) VALUES ($1)
"""
ADD_SOURCES: Final[LiteralString] = """
    INSERT INTO source (tenant_id, key, title, permission, permission_by)
    SELECT $1, format('terms/%s', n), format('Terms %s', n),
           CASE WHEN n % 20 = 3 THEN 'denied' WHEN n % 20 = 4 THEN 'pending' ELSE 'approved' END, 'ann'
      FROM generate_series(1, $2::integer) AS n
"""
# A line is a sentence of 46 characters, blanks and a line feed, 60 together. The fee of every tenth line is
# another in each version, and the last line is gone from the second on.
ADD_VERSIONS: Final[LiteralString] = """
    INSERT INTO document_version
           (tenant_id, source_id, seq, text, content_hash, state, review_until)
    SELECT s.tenant_id, s.source_id, v.seq, made.text, sha256(convert_to(made.text, 'UTF8')),
           CASE v.seq WHEN $3 THEN 'current' ELSE 'superseded' END,
           CASE WHEN s.source_id % 100 < $2 THEN timestamptz '2026-01-31' ELSE timestamptz '2036-01-31' END
      FROM source s
           CROSS JOIN generate_series(1, $3::integer) AS v (seq)
           CROSS JOIN LATERAL (
               SELECT string_agg(
                          rpad(format('In case %s of part %s the fee is %s euros.',
                                      to_char(line, 'FM00'), to_char(s.source_id, 'FM00000'),
                                      100 + line + CASE WHEN line % 10 = 5 THEN v.seq ELSE 0 END), 59),
                          E'\\n' ORDER BY line) AS text
                 FROM generate_series(1, $4::integer - CASE v.seq WHEN 1 THEN 0 ELSE 1 END) AS line
           ) AS made
     WHERE s.tenant_id = $1
"""
ADD_REPORTS: Final[LiteralString] = """
    INSERT INTO report
           (tenant_id, report_id, created_at, answer, turn, report, accepted, claims, outcome,
            verifier_version)
    SELECT $1, encode(sha256(convert_to(format('%s/%s', $1::text, n), 'UTF8')), 'hex'),
           timestamptz '2025-12-01' + n * (interval '364 days' / $2::integer),
           'The fee is as told.', '{}', '{}', n % 10 <> 0, 4,
           CASE WHEN n % 10 = 0 THEN 'rejected' ELSE 'accepted' END, '0'
      FROM generate_series(1, $2::integer) AS n
"""
# Answers rest on some sources far more often than on others, on the version that was current then.
ADD_CITATIONS: Final[LiteralString] = """
    WITH told AS (
           SELECT r.report_id, r.created_at, r.accepted, place.at AS position,
                  1 + floor(power(random(), 2) * $2::integer)::integer AS number,
                  1 + floor(random() * ($4::integer - 1))::integer AS line,
                  least($3::integer, 1 + floor($3::integer * extract(epoch FROM
                      r.created_at - timestamptz '2025-12-01') / extract(epoch FROM interval '364 days')
                  )::integer) AS seq
             FROM report r
                  CROSS JOIN generate_series(1, $5::integer) AS place (at)
            WHERE r.tenant_id = $1)
    INSERT INTO report_citation
           (tenant_id, report_id, claim_id, position, source_id, version_id, ordinal, start_at, end_at,
            text_hash, code, created_at)
    SELECT $1, told.report_id, format('c%s', told.position), 0, s.source_id, v.version_id, 0,
           (told.line - 1) * 60, (told.line - 1) * 60 + 46, '\\x00',
           CASE WHEN told.accepted THEN 'supported' ELSE 'unsupported_quantity' END, told.created_at
      FROM told
           JOIN source s ON s.tenant_id = $1 AND s.key = format('terms/%s', told.number)
           JOIN document_version v
             ON v.tenant_id = $1 AND v.source_id = s.source_id AND v.seq = told.seq
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationStore:
    """How much the store holds, for the tenant that is audited; a tenth as much is a neighbour's."""

    citations: int
    sources: int
    stale_percent: int


def fill_store(dsn: str, shape: CitationStore, say: Callable[[str], None]) -> None:
    """Migrate the database of a superuser's `dsn` and fill it."""
    asyncio.run(_fill(dsn, shape, say))


async def _fill(dsn: str, shape: CitationStore, say: Callable[[str], None]) -> None:
    await upgrade_schema(dsn)
    connection = await asyncpg.connect(dsn)
    try:
        # All keys exist: looking each up again would take most of the time.
        await connection.execute("SET session_replication_role = replica")
        await connection.execute("SET search_path = verifier, public; SELECT setseed(0.5)")
        for tenant, share in ((TENANT, 1), (NEIGHBOUR, 10)):
            sources, reports = shape.sources // share, shape.citations // share // CITED
            await connection.execute(SET_UP, tenant)
            await connection.execute(ADD_SOURCES, tenant, sources)
            await connection.execute(ADD_VERSIONS, tenant, shape.stale_percent, VERSIONS, LINES)
            await connection.execute(ADD_REPORTS, tenant, reports)
            await connection.execute("ANALYZE")
            say(f"{tenant}: {sources:,} sources, {reports:,} reports")
            await connection.execute(
                ADD_CITATIONS, tenant, sources, VERSIONS, LINES, CITED, timeout=3600
            )
            say(f"{tenant}: {reports * CITED:,} citations")
        await connection.execute("VACUUM (ANALYZE)", timeout=3600)
        say("vacuumed, as autovacuum does after a while")
    finally:
        await connection.close()
