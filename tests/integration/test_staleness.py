"""What is past its review, and which logged answers rest on it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tests.integration.logged_answers import WRITTEN, judged, report, span_of
from tests.integration.store_reading import TENANT, ingest_one, opened, paragraphs
from verifier.audit.staleness import audit_stale
from verifier.errors import InputError
from verifier.store.answers import add_report
from verifier.store.audit_scope import AuditOrder
from verifier.store.pool import tenant_transaction
from verifier.store.publication import withdraw
from verifier.store.staleness import LIST_STALE_VERSIONS

if TYPE_CHECKING:
    from tests.integration.conftest import Database
    from verifier.core.evidence import SpanLocator
    from verifier.store.pool import Pool

UNTIL = datetime(2026, 3, 31, 23, 59, 59, tzinfo=UTC)
LATER = UNTIL + timedelta(microseconds=1)


async def log(pool: Pool, report_id: str, *spans: SpanLocator) -> None:
    claims = [judged(number, span) for number, span in enumerate(spans)]
    async with tenant_transaction(pool, TENANT) as conn:
        await add_report(conn, report(report_id, *claims), report_json={}, turn_json={})


async def test_a_version_is_usable_through_the_very_instant(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text.", review_until=UNTIL)
        assert (await audit_stale(pool, TENANT, now=UNTIL)).sources == ()
        elsewhere = UNTIL.astimezone(UTC) - timedelta(hours=1)
        assert (await audit_stale(pool, TENANT, now=elsewhere)).sources == ()
        (stale,) = (await audit_stale(pool, TENANT, now=LATER)).sources
        assert (stale.version.key, stale.version.seq, stale.version.review_until) == ("d", 1, UNTIL)


async def test_answers_are_named_with_their_claims_and_the_most_used_come_first(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        for key in ("a", "b", "c"):
            text = paragraphs(f"Left of {key}", f"Right of {key}")
            await ingest_one(pool, key, text, review_until=UNTIL, title=key.upper())
        await ingest_one(pool, "fresh", "Text.", review_until=LATER + timedelta(days=1))
        await ingest_one(pool, "undated", "Text.")
        await log(pool, "r1", span_of("b", 1, "x"), span_of("b", 1, "y", ordinal=1))
        await log(pool, "r2", span_of("b", 1, "x"), span_of("c", 1, "x"))
        await log(pool, "r3", span_of("fresh", 1, "x"), span_of("undated", 1, "x"))
        audit = await audit_stale(pool, TENANT, now=LATER)
        found = [
            (s.version.key, s.version.title, s.version.chunks, s.version.answers)
            for s in audit.sources
        ]
        assert found == [("b", "B", 2, 2), ("c", "C", 2, 1), ("a", "A", 2, 0)]
        resting = {answer.report_id: answer.claim_ids for answer in audit.sources[0].answers}
        assert resting == {"r1": ("c0", "c1"), "r2": ("c0",)}
        limited = await audit_stale(pool, TENANT, AuditOrder(answers=1), now=LATER)
        assert [len(source.answers) for source in limited.sources] == [1, 1, 0]
        assert limited.sources[0].version.answers == 2
        short = await audit_stale(pool, TENANT, AuditOrder(limit=1, answers=0), now=LATER)
        assert (short.found, [s.version.key for s in short.sources]) == (3, ["b"])
        assert short.sources[0].answers == ()
        one = await audit_stale(pool, TENANT, AuditOrder(source="c"), now=LATER)
        assert [(s.version.key, s.version.answers) for s in one.sources] == [("c", 1)]
        since = await audit_stale(
            pool, TENANT, AuditOrder(since=WRITTEN + timedelta(seconds=1)), now=LATER
        )
        assert [(s.version.answers, s.answers) for s in since.sources] == [(0, ())] * 3
        exactly = await audit_stale(pool, TENANT, AuditOrder(since=WRITTEN), now=LATER)
        assert [s.version.answers for s in exactly.sources] == [2, 1, 0]


async def test_what_is_no_longer_current_is_not_stale(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "d", "Text one.", review_until=UNTIL)
        await ingest_one(pool, "d", "Text two.")
        await ingest_one(pool, "e", "Text one.", review_until=UNTIL)
        async with tenant_transaction(pool, TENANT) as conn:
            await withdraw(conn, "e", "ada")
        assert (await audit_stale(pool, TENANT, now=LATER)).sources == ()


async def test_a_clock_without_a_zone_is_refused(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        with pytest.raises(InputError, match="no time zone"):
            await audit_stale(pool, TENANT, now=UNTIL.replace(tzinfo=None))


async def test_the_audit_finds_answers_by_index(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        async with tenant_transaction(pool, TENANT) as conn:
            await conn.execute("SET LOCAL enable_seqscan = off")
            plan = await conn.fetch(f"EXPLAIN {LIST_STALE_VERSIONS}", LATER, None, None, 100)
        text = "\n".join(row[0] for row in plan)
        assert "document_version_by_review" in text
        assert "report_citation_by_version" in text
