"""Which past answers rest on words that changed, or on sources that may not be used; and the blast radius."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from tests.integration.queued_reviews import LEFT, answering, asking, cite, log, verifier_on
from tests.integration.store_reading import TENANT, fetch_value, ingest_one, opened, request
from verifier.audit.impact import measure_impact
from verifier.audit.superseded import audit_superseded
from verifier.audit.unapproved import audit_unapproved
from verifier.core.kept_spans import LaterText, Standing, judge_span
from verifier.core.spans import Span
from verifier.core.verdicts import VerdictCode
from verifier.errors import InputError, UnknownThing
from verifier.ingest.pipeline import ingest_documents
from verifier.ingest.requests import Actor
from verifier.store.audit_scope import AuditOrder
from verifier.store.pool import tenant_transaction
from verifier.store.publication import approve, deny, withdraw

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.integration.conftest import Database
    from verifier.core.report import GroundingReport
    from verifier.store.pool import Pool

FIRST = "Goods may be returned within 14 days.\nA return costs 5 euros.\nCall us before noon.\n"
TYPO = FIRST.replace("Call us", "Please call us")
SECOND = FIRST.replace("14 days", "30 days").replace("A return costs 5 euros.\n", "")
SUPPORTED = VerdictCode.SUPPORTED


def told(report_id: str, source: str, text: str, *words: str, seq: int = 1) -> GroundingReport:
    """A report whose claims rest on these words of a version."""
    claims = [
        asking(number, one, cite(source, seq, text, one), code=SUPPORTED)
        for number, one in enumerate(words)
    ]
    return answering(report_id, *claims)


def at(given: GroundingReport, moment: datetime) -> GroundingReport:
    """The report as if it were made at another moment."""
    return replace(given, provenance=replace(given.provenance, created_at=moment))


async def change(pool: Pool, key: str, *texts: str) -> None:
    for text in texts:
        await ingest_one(pool, key, text)


async def test_only_answers_whose_cited_words_changed_are_named(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await change(pool, "terms", FIRST)
        await log(
            pool,
            told("days", "terms", FIRST, "returned within 14 days"),
            told("cost", "terms", FIRST, "A return costs 5 euros."),
            told(
                "both", "terms", FIRST, "A return costs 5 euros.", "within 14 days", "before noon"
            ),
            told("noon", "terms", FIRST, "before noon"),
        )
        nothing = await audit_superseded(pool, TENANT)
        assert (nothing.found, nothing.standing, nothing.versions) == (0, 0, ())
        await change(pool, "terms", TYPO)
        typo = await audit_superseded(pool, TENANT)
        assert (typo.found, typo.standing, typo.versions) == (0, 1, ())
        await change(pool, "terms", SECOND)
        audit = await audit_superseded(pool, TENANT)
        [found] = audit.versions
        assert (found.version.key, found.version.seq, found.version.current_seq) == ("terms", 1, 3)
        assert (found.version.state, found.version.answers) == ("superseded", 4)
        assert (found.changed, found.gone, found.affected) == (1, 2, 3)
        assert found.spans == {Standing.STANDS: 1, Standing.CHANGED: 2, Standing.GONE: 1}
        named = {one.report_id: (one.standing, one.claim_ids) for one in found.answers}
        assert named == {
            "days": (Standing.CHANGED, ("c0",)),
            "cost": (Standing.GONE, ("c0",)),
            "both": (Standing.GONE, ("c0", "c1")),
        }


async def test_a_text_that_comes_back_makes_its_answers_stand_again(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        await change(pool, "terms", FIRST)
        await log(pool, told("days", "terms", FIRST, "within 14 days"))
        await change(pool, "terms", SECOND)
        await log(pool, told("later", "terms", SECOND, "within 30 days", seq=2))
        assert (await audit_superseded(pool, TENANT)).found == 1
        await change(pool, "terms", FIRST)
        audit = await audit_superseded(pool, TENANT)
        [found] = audit.versions
        assert (found.version.seq, [one.report_id for one in found.answers]) == (2, ["later"])


async def test_without_a_current_version_all_is_gone(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await change(pool, "terms", FIRST)
        await log(pool, told("days", "terms", FIRST, "within 14 days"))
        async with tenant_transaction(pool, TENANT) as conn:
            await withdraw(conn, "terms", "ada", reason="wrong price")
        [found] = (await audit_superseded(pool, TENANT)).versions
        assert (found.version.state, found.version.current_seq) == ("withdrawn", None)
        assert (found.changed, found.gone) == (0, 1)
        [barred] = (await audit_unapproved(pool, TENANT)).sources
        source = barred.source
        assert (source.why, source.by, source.reason) == ("withdrawn", "ada", "wrong price")
        assert [one.report_id for one in barred.answers] == ["days"]


async def test_the_most_affected_version_comes_first_and_limits_only_list(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        for key, answers in (("a", 1), ("b", 3), ("c", 2)):
            await change(pool, key, FIRST)
            await log(
                pool, *(told(f"{key}{n}", key, FIRST, "within 14 days") for n in range(answers))
            )
            await log(pool, *(told(f"{key}s{n}", key, FIRST, "before noon") for n in range(5)))
            await change(pool, key, SECOND)
        audit = await audit_superseded(pool, TENANT, AuditOrder(limit=2, answers=2))
        assert (audit.found, [one.version.key for one in audit.versions]) == (3, ["b", "c"])
        assert [(one.changed, len(one.answers)) for one in audit.versions] == [(3, 2), (2, 2)]
        [only] = (await audit_superseded(pool, TENANT, AuditOrder(source="a"))).versions
        assert only.version.key == "a"
        names = [one.report_id for one in audit.versions[0].answers]
        assert names == ["b2", "b1"]  # newest first; of one moment by id, the greatest first


async def test_since_includes_its_moment_and_a_clock_that_jumped_hides_nothing(
    fresh_database: Database,
) -> None:
    ahead = datetime.now(UTC) + timedelta(days=4000)
    async with opened(fresh_database) as pool:
        await change(pool, "terms", FIRST)
        given = told("days", "terms", FIRST, "within 14 days")
        moment = given.provenance.created_at
        await log(pool, given, at(told("ahead", "terms", FIRST, "within 14 days"), ahead))
        await change(pool, "terms", SECOND)
        for since, expected in (
            (moment, {"days", "ahead"}),
            (moment + timedelta(microseconds=1), {"ahead"}),
            (ahead + timedelta(days=1), set()),
        ):
            audit = await audit_superseded(pool, TENANT, AuditOrder(since=since))
            named = {one.report_id for each in audit.versions for one in each.answers}
            assert named == expected
            assert audit.found == (1 if expected else 0)
        impact = await measure_impact(pool, TENANT, "terms")
        assert [month.month for month in impact.months] == ["2026-06", f"{ahead:%Y-%m}"]


async def test_sources_that_may_not_be_used_name_their_answers(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        for key in ("fine", "denied", "unused"):
            await change(pool, key, FIRST)
        await ingest_one(pool, "waits", FIRST, actor=Actor.AGENT)
        await log(
            pool,
            told("r1", "fine", FIRST, "before noon"),
            told("r2", "denied", FIRST, "before noon", "within 14 days"),
            told("r3", "denied", FIRST, "before noon"),
            told("r4", "waits", FIRST, "before noon"),
        )
        before = await audit_unapproved(pool, TENANT)
        assert [(one.source.key, one.source.why) for one in before.sources] == [
            ("waits", "pending")
        ]
        async with tenant_transaction(pool, TENANT) as conn:
            for key in ("denied", "unused"):
                await deny(conn, key, "ben", reason="not ours")
        audit = await audit_unapproved(pool, TENANT)
        found = [(one.source.key, one.source.why, one.source.answers) for one in audit.sources]
        assert found == [("denied", "denied", 2), ("waits", "pending", 1)]
        source = audit.sources[0].source
        assert (source.by, source.reason, source.versions) == ("ben", "not ours", (1,))
        assert source.at is not None
        assert (audit.sources[1].source.by, audit.sources[1].source.at) == (None, None)
        named = {one.report_id: one.claim_ids for one in audit.sources[0].answers}
        assert named == {"r2": ("c0", "c1"), "r3": ("c0",)}
        limited = await audit_unapproved(pool, TENANT, AuditOrder(limit=1, answers=1))
        assert (limited.found, len(limited.sources), len(limited.sources[0].answers)) == (2, 1, 1)
        async with tenant_transaction(pool, TENANT) as conn:
            await approve(conn, "denied", "ada")
            await approve(conn, "waits", "ada")
        assert (await audit_unapproved(pool, TENANT)).found == 0


async def test_the_blast_radius_of_a_source_and_of_a_version(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await change(pool, "terms", FIRST, SECOND)
        await change(pool, "copy", FIRST)
        await log(
            pool,
            told("old", "terms", FIRST, "before noon", "within 14 days"),
            told("new", "terms", SECOND, "before noon", seq=2),
            answering(
                "asks", asking(0, "Noon it is.", cite("terms", 2, SECOND, "before noon"), code=LEFT)
            ),
            told("other", "copy", FIRST, "before noon"),
        )
        async with tenant_transaction(pool, TENANT) as conn:
            await conn.execute(
                """INSERT INTO conflict (tenant_id, source_id, version_id, subject, attribute, value,
                                         other_value, other_place)
                   SELECT tenant_id, source_id, version_id, 's', 'a', '1', '2', 'there'
                     FROM document_version WHERE state = 'current' AND seq = 2"""
            )
        whole = await measure_impact(pool, TENANT, "terms")
        counts = whole.counts
        assert (counts.answers, counts.open_reviews, counts.open_conflicts) == (3, 1, 1)
        assert (counts.chunks, counts.answering, counts.passages) == (2, 1, 1)
        assert [(one.seq, one.state, one.answers) for one in whole.versions] == [
            (1, "superseded", 1),
            (2, "current", 2),
        ]
        assert [(month.month, month.answers) for month in whole.months] == [("2026-06", 3)]
        old = await measure_impact(pool, TENANT, "terms", 1)
        assert (old.counts.answers, old.counts.answering, old.counts.open_reviews) == (1, 0, 0)
        assert old.counts.passages == 0  # the other source has the same text
        with pytest.raises(UnknownThing, match="no version 3"):
            await measure_impact(pool, TENANT, "terms", 3)
        with pytest.raises(UnknownThing):
            await measure_impact(pool, TENANT, "nothing")


@pytest.mark.parametrize(
    "terms",
    [
        {"since": datetime(2026, 1, 1)},  # noqa: DTZ001 - that is the case
        {"limit": 0},
        {"limit": 10_001},
        {"answers": -1},
        {"source": "nothing"},
        {"source": "no\x00thing"},
    ],
    ids=["no zone", "none", "too many", "negative", "unknown", "unstorable"],
)
async def test_what_can_not_be_asked_is_refused(
    fresh_database: Database, terms: dict[str, object]
) -> None:
    verifier = verifier_on(fresh_database)
    try:
        for audit in (
            verifier.audits.stale,
            verifier.audits.superseded,
            verifier.audits.unapproved,
        ):
            with pytest.raises(InputError):
                await audit(**terms)  # type: ignore[arg-type]
    finally:
        await verifier.close()


async def test_an_empty_store_has_nothing_to_find(fresh_database: Database) -> None:
    verifier = verifier_on(fresh_database, tenant="nobody")
    try:
        assert (await verifier.audits.stale()).found == 0
        assert (await verifier.audits.superseded()).found == 0
        assert (await verifier.audits.unapproved()).found == 0
    finally:
        await verifier.close()


async def test_no_tenant_sees_the_answers_of_another(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        await change(pool, "terms", FIRST)
        await log(pool, told("days", "terms", FIRST, "within 14 days"))
        await change(pool, "terms", SECOND)
        await ingest_documents(pool, "other", HashingEmbedder(), [request("terms", FIRST)])
        async with tenant_transaction(pool, TENANT) as conn:
            await deny(conn, "terms", "ada")
        assert (await audit_superseded(pool, "other")).found == 0
        assert (await audit_unapproved(pool, "other")).found == 0
        impact = await measure_impact(pool, "other", "terms")
        assert (impact.counts.answers, len(impact.versions)) == (0, 1)
        assert (await audit_superseded(pool, TENANT)).found == 1


async def test_versions_that_come_while_an_audit_runs_do_it_no_harm(
    fresh_database: Database,
) -> None:
    async with opened(fresh_database) as pool:
        await change(pool, "terms", FIRST)
        await log(pool, *(told(f"r{n}", "terms", FIRST, "within 14 days") for n in range(20)))

        async def publish() -> None:
            for number in range(8):
                await change(pool, "terms", FIRST.replace("14", str(20 + number)))

        async def audit() -> list[int]:
            return [
                sum(one.affected for one in (await audit_superseded(pool, TENANT)).versions)
                for _ in range(8)
            ]

        _, seen = await asyncio.gather(publish(), audit())
        assert set(seen) <= {0, 20}
        assert (await audit_superseded(pool, TENANT)).versions[0].changed == 20


async def test_citations_tell_when_their_report_was_made(fresh_database: Database) -> None:
    moment = datetime(2024, 2, 29, 12, tzinfo=UTC)
    async with opened(fresh_database) as pool:
        await change(pool, "terms", FIRST)
        await log(pool, at(told("r", "terms", FIRST, "before noon"), moment))
        assert await fetch_value(pool, "SELECT created_at FROM report_citation") == moment


TEXTS: Sequence[tuple[str, str, str | None, Standing]] = (
    ("14 days", "It is 14 days.", "It is 14 days. Now too.", Standing.STANDS),
    ("14 days", "It is 14 days.", "It is 14 days for members.", Standing.CHANGED),
    ("14 days", "It is 14 days.", "It is 114 days.", Standing.CHANGED),
    ("14 days", "It is 14 days.", "Ask us.", Standing.GONE),
    ("14 days", "It is 14 days.", None, Standing.GONE),
    ("14 days", "It is 14 days.", "It is 14\u00a0days.", Standing.STANDS),
    ("14 days", "It is 14 days.", "", Standing.GONE),
)


@pytest.mark.parametrize(("words", "text", "later", "standing"), TEXTS)
def test_what_becomes_of_words(
    words: str, text: str, later: str | None, standing: Standing
) -> None:
    start = text.index(words)
    span = Span(start, start + len(words))
    assert judge_span(text, span, None if later is None else LaterText(later)) is standing
