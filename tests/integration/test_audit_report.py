"""What leads nowhere, conflicts on record, and the page of all audits."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from tests.integration.logged_answers import judged, report, row_of
from tests.integration.queued_reviews import answering, asking, cite, log, verifier_on
from tests.integration.store_reading import TENANT, ingest_one, opened
from verifier.audit.overview import audit_all
from verifier.core.verdicts import VerdictCode
from verifier.errors import InputError
from verifier.interfaces.audit_page import render_audit_page
from verifier.interfaces.bar_chart import Bar, Series, draw_columns, draw_rows
from verifier.interfaces.wire import dump_line, to_wire
from verifier.store.audit_scope import AuditOrder
from verifier.store.erasure import ErasureOrder
from verifier.store.pool import tenant_transaction
from verifier.store.publication import deny, withdraw
from verifier.verify.verifier import Backing

if TYPE_CHECKING:
    from tests.integration.conftest import Database
    from verifier.core.report import GroundingReport
    from verifier.store.pool import Pool

TEXT = "Goods may be returned within 14 days.\nCall us before noon.\n"
LATER = TEXT.replace("14", "30")
HOSTILE = '<script>alert("x")</script>&"\'\u202e'
SERIES = (Series(name="changed", colour="--review"), Series(name="gone", colour="--rejected"))


def told(report_id: str, source: str, words: str = "within 14 days") -> GroundingReport:
    cited = cite(source, 1, TEXT, words)
    return answering(report_id, asking(0, words, cited, code=VerdictCode.SUPPORTED))


def at(given: GroundingReport, moment: datetime) -> GroundingReport:
    return replace(given, provenance=replace(given.provenance, created_at=moment))


async def declare(pool: Pool, key: str, other: str | None, state: str = "open") -> None:
    async with tenant_transaction(pool, TENANT) as conn:
        await conn.execute(
            """INSERT INTO conflict (tenant_id, source_id, version_id, other_source_id, other_version_id,
                                     subject, attribute, value, other_value, other_place)
               SELECT v.tenant_id, v.source_id, v.version_id, w.source_id, w.version_id, $3, 'days', '14',
                      '30', CASE WHEN w.source_id IS NULL THEN 'shop.terms 1 days' END
                 FROM source s
                      JOIN document_version v USING (tenant_id, source_id)
                      LEFT JOIN (source o JOIN document_version w USING (tenant_id, source_id))
                        ON o.key = $2
                WHERE s.key = $1""",
            key,
            other,
            HOSTILE,
        )
        if state != "open":
            await conn.execute(
                """UPDATE conflict SET state = $1, resolved_at = CASE $1 WHEN 'resolved' THEN now() END,
                          reason = CASE $1 WHEN 'resolved' THEN 'the newer one' END
                    WHERE conflict_id = (SELECT max(conflict_id) FROM conflict)""",
                state,
            )


async def test_what_leads_nowhere_is_told_apart(fresh_database: Database) -> None:
    ahead = datetime.now(UTC) + timedelta(days=400)
    verifier = verifier_on(fresh_database)
    try:
        async with opened(fresh_database) as pool:
            for key in ("fine", "erased", "silent"):
                await ingest_one(pool, key, TEXT if key != "erased" else f"{TEXT}Only here.\n")
            await log(
                pool,
                told("r1", "fine"),
                told("r2", "erased"),
                told("r3", "silent"),
                at(told("r4", "fine"), ahead),
                report("rows", judged(0, row_of("7"))),
                report("turn", judged(0, code=VerdictCode.GENERAL_KNOWLEDGE)),
            )
            async with tenant_transaction(pool, TENANT) as conn:
                await conn.execute(
                    """INSERT INTO report (tenant_id, report_id, answer, turn, report, accepted, claims,
                                           outcome, verifier_version)
                       VALUES (current_tenant(), 'ledger', '', '{}', '{}', true, 1, 'accepted', '1'),
                              (current_tenant(), 'bad', '', '{}', '{}', false, 1, 'rejected', '1'),
                              (current_tenant(), 'greeting', '', '{}', '{}', true, 0, NULL, '1')"""
                )
                await withdraw(conn, "silent", "ada")
            await verifier.sources.erase(ErasureOrder(key="erased", by="ada", reason="asked"))
        audit = await verifier.audits.orphans()
        assert [(one.key, one.seq, one.answers) for one in audit.erased] == [("erased", 1, 1)]
        assert (audit.erased[0].erased_by, audit.erased[0].reason) == ("ada", "asked")
        silent = {one.key: (one.states, one.answers) for one in audit.silent}
        assert silent == {"silent": (("withdrawn",), 1), "erased": (("erased",), 1)}
        assert (audit.ahead.found, audit.ahead.newest[0].report_id) == (1, "r4")
        assert [one.report_id for one in audit.unanchored.newest] == ["ledger"]
        assert audit.found == 4
        one = await verifier.audits.orphans(source="silent")
        assert (one.found, one.ahead.found, one.unanchored.found) == (1, 0, 0)
        short = await verifier.audits.orphans(limit=1)
        assert (short.found, len(short.silent)) == (4, 1)
        assert (await verifier.audits.superseded(source="erased")).found == 0
        with pytest.raises(InputError, match="no time zone"):
            await verifier.audits.orphans(datetime(2026, 1, 1))  # noqa: DTZ001 - that is the case
    finally:
        await verifier.close()


async def test_conflicts_count_the_answers_on_either_side(fresh_database: Database) -> None:
    verifier = verifier_on(fresh_database)
    try:
        async with opened(fresh_database) as pool:
            for key in ("a", "b", "c"):
                await ingest_one(pool, key, TEXT)
            both = answering(
                "both",
                asking(0, "within 14 days", cite("a", 1, TEXT, "within 14 days")),
                asking(1, "before noon", cite("b", 1, TEXT, "before noon"), at=20),
            )
            await log(pool, told("r1", "a"), told("r2", "b"), both, told("r3", "c"))
            await declare(pool, "c", None, "assigned")
            await declare(pool, "a", "b")
            await declare(pool, "a", "c", "resolved")
        found = await verifier.audits.conflicts()
        shown = [(one.key, one.other_key, one.state, one.answers) for one in found.listed]
        assert shown == [("a", "b", "open", 3), ("c", None, "assigned", 1)]
        assert found.listed[1].other_place == "shop.terms 1 days"
        assert (await verifier.audits.conflicts(source="b")).found == 1
        assert (await verifier.audits.conflicts(("resolved",))).found == 1
        assert (await verifier.audits.conflicts(limit=1)).found == 2
        with pytest.raises(InputError, match="at least one state"):
            await verifier.audits.conflicts(())
    finally:
        await verifier.close()


class Structure(HTMLParser):
    """Collects what a page loads or runs, and whether its elements close."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.loaded += [value or "" for name, value in attrs if name in {"src", "href"}]
        if tag not in {"meta", "br", "rect", "line", "circle"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()


def read_page(page: str) -> Structure:
    structure = Structure()
    structure.feed(page)
    return structure


async def test_the_page_tells_every_audit_and_escapes_every_text(fresh_database: Database) -> None:
    hostile = f"{HOSTILE}/terms"
    async with opened(fresh_database) as pool:
        past = datetime.now(UTC) - timedelta(days=1)
        await ingest_one(pool, hostile, TEXT)
        await ingest_one(pool, "stale", TEXT, review_until=past, verified_by=HOSTILE)
        await ingest_one(pool, "denied", TEXT)
        await log(pool, told("r1", hostile), told("r2", "stale"), told("r3", "denied"))
        await log(pool, at(told("r4", "stale"), datetime.now(UTC) + timedelta(days=999)))
        await ingest_one(pool, hostile, LATER)
        await declare(pool, "denied", None)
        async with tenant_transaction(pool, TENANT) as conn:
            await deny(conn, "denied", HOSTILE, reason=HOSTILE)
        overview = await audit_all(pool, TENANT, Backing())
        narrow = await audit_all(pool, TENANT, Backing(), AuditOrder(source="stale", since=past))
    assert overview.found == 5  # one of each
    assert [(one.answers, one.moved, one.stale, one.barred) for one in overview.months] == [
        (3, 1, 1, 1),
        (1, 0, 1, 0),
    ]
    assert [(one.code, one.citations) for one in overview.codes] == [("supported", 4)]
    assert (overview.log.reports, overview.log.ahead) == (4, 1)
    assert (narrow.stale.found, narrow.superseded.found, narrow.unapproved.found) == (1, 0, 0)
    page = render_audit_page(overview, tenant=HOSTILE)
    structure = read_page(page)
    assert structure.open == []
    assert structure.loaded == ["#main"]
    assert "script" not in structure.tags
    assert page.count("&lt;script&gt;") > 5
    for word in ("1 source", "14 (denied@1)", "dated later", "not resolved", "stale", "r2"):
        assert word in page
    assert json.loads(dump_line(to_wire(overview)))["superseded"]["found"] == 1


async def test_the_page_of_an_empty_store_says_so(fresh_database: Database) -> None:
    async with opened(fresh_database) as pool:
        overview = await audit_all(pool, TENANT, Backing())
    page = render_audit_page(overview, tenant=TENANT)
    assert overview.found == 0
    assert read_page(page).open == []
    assert "Nothing is past its review." in page
    assert "0 answers are logged" in page


@pytest.mark.parametrize("bars", [(), (("a", (0, 0)),), (("a", (3, 1)), ("b", (10**9, 7)))])
def test_bars_stay_inside_their_picture(bars: tuple[tuple[str, tuple[int, int]], ...]) -> None:
    drawn = [Bar(label=label, counts=counts) for label, counts in bars]
    for figure in (draw_rows("Rows", SERIES, drawn), draw_columns("Columns", SERIES, drawn)):
        _, _, width, height = map(
            float, re.findall(r'viewBox="(\S+) (\S+) (\S+) (\S+)"', figure)[0]
        )
        picture = figure.partition("viewBox")[2]
        for x, y, wide, tall in re.findall(
            r'<rect x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"', picture
        ):
            assert float(x) >= 0
            assert float(y) >= 0
            assert float(x) + float(wide) <= width
            assert float(y) + float(tall) <= height


def test_a_picture_says_its_counts_in_words_too() -> None:
    figure = draw_rows("Rows", SERIES, [Bar(label="a<b", counts=(3, 1))])
    assert 'aria-label="Rows. a&lt;b: 3 changed, 1 gone"' in figure
