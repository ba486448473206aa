"""Logged answers verified again: what flips, why, and what never does."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import asyncpg
import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from verifier import open_verifier
from verifier.core.rechecks import Cause, Standing
from verifier.core.verdicts import VerdictCode
from verifier.errors import InputError, UnknownThing
from verifier.settings import load_settings
from verifier.store import canonical
from verifier.store.canonical import fetch_rows

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier.core.rechecks import Recheck
    from verifier.service import Verifier

TABLES = (
    "CREATE SCHEMA shop",
    "CREATE TABLE shop.good (id integer PRIMARY KEY, name text, price numeric, note text)",
    "CREATE TABLE shop.orders (id integer PRIMARY KEY, customer text, status text)",
    "INSERT INTO shop.good VALUES (1, 'Tea Kettle', 40.50, 'a'), (2, 'Oak Chair', 99.00, 'b')",
    "INSERT INTO shop.orders VALUES (5512, 'mira', 'shipped'), (5513, 'jon', 'open')",
    "GRANT USAGE ON SCHEMA shop TO verifier_app, verifier_reader",
    "GRANT SELECT ON ALL TABLES IN SCHEMA shop TO verifier_app, verifier_reader",
)
CATALOG: dict[str, object] = {
    "good": {
        "table": "shop.good",
        "names": ["name"],
        "key": {"column": "id", "type": "integer"},
        "attributes": {"price": {"kind": "money", "currency": "USD", "labels": ["price", "costs"]}},
    },
    "order": {
        "table": "shop.orders",
        "scope": {"customer": "principal"},
        "key": {"column": "id", "type": "integer"},
        "attributes": {"status": {"kind": "state", "states": {"shipped": [], "open": []}}},
    },
}
KETTLE = "The Tea Kettle costs $40.50."
TERMS = (
    "# Terms\n\nGoods may be returned within 30 days. Refunds are paid within 5 business days.\n"
)


@asynccontextmanager
async def serving(database: Database, **settings: object) -> AsyncIterator[Verifier]:
    given: dict[str, object] = {"catalog": CATALOG} | settings
    chosen = load_settings(None, dsn=database.app_dsn, **given)
    async with open_verifier(settings=chosen, embedder=HashingEmbedder()) as verifier:
        yield verifier


async def count(database: Database, statement: str) -> int:
    connection = await asyncpg.connect(database.owner_dsn)
    try:
        return int(await connection.fetchval(statement))
    finally:
        await connection.close()


async def dump_reports(database: Database) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(database.owner_dsn)
    try:
        return list(await connection.fetch("SELECT * FROM verifier.report ORDER BY report_id"))
    finally:
        await connection.close()


async def cite(verifier: Verifier, answer: str, query: str = "returned refunds") -> str:
    """Log an answer that was given the chunks found, and return its report's id."""
    turn = verifier.turn(question="How long?")
    turn.retrieved(await verifier.semantic_search(query))
    report = await verifier.verify(answer, turn)
    assert [one.verdict.code for one in report.judged] == [VerdictCode.SUPPORTED]
    return report.report_id


def causes(recheck: Recheck) -> list[Cause]:
    return [change.cause for claim in recheck.flips for change in claim.changes]


async def test_a_changed_row_flips_the_answer_and_tells_both_values(
    fresh_database: Database,
) -> None:
    await fresh_database.execute(*TABLES)
    async with serving(fresh_database) as verifier:
        logged = (await verifier.verify(KETTLE)).report_id
        before = await dump_reports(fresh_database)
        assert (await verifier.answers.recheck(logged)).standing is Standing.HOLDS
        await fresh_database.execute("UPDATE shop.good SET price = 42.00 WHERE id = 1")
        found = await verifier.answers.recheck(logged[:12])
    (claim,) = found.flips
    assert (claim.before, claim.now) == (VerdictCode.VERIFIED, VerdictCode.PRICE_MISMATCH)
    (change,) = claim.changes
    assert (change.cause, change.place, change.column) == (
        Cause.ROW_CHANGED,
        "shop.good:1",
        "price",
    )
    assert (change.old, change.new) == ("40.50", "42.00")
    assert found.standing is Standing.WRONG
    assert await dump_reports(fresh_database) == before


async def test_another_column_of_the_row_flips_nothing(fresh_database: Database) -> None:
    await fresh_database.execute(*TABLES)
    async with serving(fresh_database) as verifier:
        logged = (await verifier.verify(KETTLE)).report_id
        await fresh_database.execute("UPDATE shop.good SET note = 'z' WHERE id = 1")
        await fresh_database.execute("UPDATE shop.good SET name = 'Tea kettle' WHERE id = 1")
        assert (await verifier.answers.recheck(logged)).standing is Standing.HOLDS


async def test_a_row_that_is_gone_proves_nothing_any_more(fresh_database: Database) -> None:
    await fresh_database.execute(*TABLES)
    async with serving(fresh_database) as verifier:
        turn = verifier.turn(principal="mira")
        logged = (await verifier.verify("Order 5512 is shipped.", turn)).report_id
        await fresh_database.execute("DELETE FROM shop.orders WHERE id = 5512")
        found = await verifier.answers.recheck(logged)
    assert (found.flips[0].now, found.standing) == (VerdictCode.NOT_FOUND, Standing.WRONG)
    assert causes(found) == [Cause.ROW_GONE]


async def test_the_reports_principal_sees_its_own_rows_and_no_others(
    fresh_database: Database,
) -> None:
    await fresh_database.execute(*TABLES)
    async with serving(fresh_database) as verifier:
        mine = await verifier.verify("Order 5512 is shipped.", verifier.turn(principal="mira"))
        other = await verifier.verify("Order 5513 is open.", verifier.turn(principal="mira"))
        assert other.judged[0].verdict.code is VerdictCode.NOT_FOUND
        for logged in (mine, other):
            assert (await verifier.answers.recheck(logged.report_id)).standing is Standing.HOLDS
        run = await verifier.answers.recheck_all(since=datetime(2020, 1, 1, tzinfo=UTC))
    assert (run.reports, run.rechecks) == (2, ())


async def test_what_a_tool_result_proved_is_held_against_the_table(
    fresh_database: Database,
) -> None:
    await fresh_database.execute(*TABLES)
    async with serving(fresh_database) as verifier:
        turn = verifier.turn()
        turn.record(
            "get_good", {}, {"id": 1, "name": "Tea Kettle", "price": "40.50", "currency": "USD"}
        )
        logged = await verifier.verify('```good\n{"id": 1, "price": 40.50}\n```', turn)
        assert logged.judged[0].verdict.tier == "ledger"
        assert (await verifier.answers.recheck(logged.report_id)).standing is Standing.HOLDS
        await fresh_database.execute("UPDATE shop.good SET price = 42.00 WHERE id = 1")
        run = await verifier.answers.recheck_all(since=datetime(2020, 1, 1, tzinfo=UTC))
    (found,) = run.rechecks
    assert (found.report_id, found.standing) == (logged.report_id, Standing.WRONG)
    assert causes(found) == [Cause.ROW_CHANGED]


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        (TERMS.replace("# Terms", "# Our terms\n\nA new word before it."), Standing.HOLDS),
        (TERMS.replace("5 business", "7 business"), Standing.HOLDS),
        (TERMS.replace("30 days", "14 days"), Standing.DOUBTFUL),
        ("# Terms\n\nNothing of it is left.\n", Standing.DOUBTFUL),
    ],
    ids=["moved", "elsewhere", "changed", "taken out"],
)
async def test_a_new_version_flips_the_answers_whose_cited_words_changed(
    fresh_database: Database, text: str, standing: Standing
) -> None:
    async with serving(fresh_database, catalog={}) as verifier:
        await verifier.ingest_text("terms", TERMS)
        logged = await cite(verifier, "Goods may be returned within 30 days [terms@1#0].")
        await verifier.ingest_text("terms", text)
        found = await verifier.answers.recheck(logged)
        run = await verifier.answers.recheck_all(source="terms")
        assert found.standing is standing
        assert run.rechecks == (
            () if standing is Standing.HOLDS else (found_again(run.rechecks, logged),)
        )
        then = datetime.now(UTC) - timedelta(days=1)
        assert (await verifier.answers.recheck(logged, as_of=then)).flips
    if standing is Standing.DOUBTFUL:
        assert found.flips[0].now is VerdictCode.SUPERSEDED_VERSION
        (change,) = found.flips[0].changes
        assert (change.cause, change.place) == (Cause.SPAN_CHANGED, "terms@1")
        assert "30 days" in (change.old or "")
        assert "14 days" in (change.new or "14 days")


def found_again(rechecks: tuple[Recheck, ...], report_id: str) -> Recheck:
    return next(one for one in rechecks if one.report_id == report_id)


async def test_withdrawing_denying_and_lapsing_are_told_apart(fresh_database: Database) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    async with serving(fresh_database, catalog={}) as verifier:
        await verifier.ingest_text("terms", TERMS, review_until=soon)
        logged = await cite(verifier, "Goods may be returned within 30 days [terms@1#0].")
        assert (await verifier.answers.recheck(logged)).standing is Standing.HOLDS
        lapsed = await verifier.answers.recheck(logged, as_of=soon + timedelta(seconds=1))
        assert lapsed.flips[0].now is VerdictCode.STALE_REVIEW
        assert causes(lapsed) == [Cause.REVIEW_LAPSED]
        await verifier.sources.deny("terms", by="anna")
        denied = await verifier.answers.recheck(logged)
        assert denied.flips[0].now is VerdictCode.UNAPPROVED_SOURCE
        assert causes(denied) == [Cause.UNAPPROVED]
        await verifier.ingest_text("terms", TERMS.replace("30 days", "14 days"))
        both = await verifier.answers.recheck(logged)
        assert causes(both) == [Cause.SPAN_CHANGED, Cause.UNAPPROVED]
        await verifier.ingest_text("terms", TERMS)
        await verifier.sources.approve("terms", by="anna")
        assert (await verifier.answers.recheck(logged)).standing is Standing.HOLDS
        await verifier.sources.withdraw("terms", by="anna", reason="wrong")
        gone = await verifier.answers.recheck(logged)
    assert gone.standing is Standing.DOUBTFUL
    assert causes(gone) == [Cause.WITHDRAWN]


async def test_an_erased_version_says_so_and_no_text_of_it_comes_back(
    fresh_database: Database,
) -> None:
    from verifier.store.erasure import ErasureOrder

    async with serving(fresh_database, catalog={}) as verifier:
        await verifier.ingest_text("terms", TERMS)
        logged = await cite(verifier, "Goods may be returned within 30 days [terms@1#0].")
        await verifier.ingest_text("terms", TERMS.replace("30 days", "14 days"))
        await verifier.answers.recheck(logged)
        await verifier.sources.erase(ErasureOrder(key="terms", by="anna", reason="asked"))
        found = await verifier.answers.recheck(logged)
    assert (found.standing, causes(found)) == (Standing.DOUBTFUL, [Cause.ERASED])
    assert found.flips[0].changes[0].place == "terms@1"
    kept = await count(
        fresh_database,
        "SELECT count(*) FROM verifier.report_recheck WHERE flips::text LIKE '%days%'",
    )
    assert kept == 0


async def test_a_database_that_is_down_leaves_it_open_and_never_right(
    fresh_database: Database,
) -> None:
    await fresh_database.execute(*TABLES)
    async with serving(fresh_database) as verifier:
        logged = (await verifier.verify(KETTLE)).report_id
    await fresh_database.execute("REVOKE ALL ON shop.good FROM verifier_app")
    await fresh_database.execute("ALTER TABLE shop.good RENAME TO gone")
    async with serving(fresh_database) as verifier:
        found = await verifier.answers.recheck(logged)
        run = await verifier.answers.recheck_all(since=datetime(2020, 1, 1, tzinfo=UTC))
    assert found.standing is Standing.OPEN
    assert causes(found) == [Cause.UNREACHABLE]
    assert run.counts == {"open": 1}


async def test_the_same_again_at_the_same_basis_is_recorded_once(
    fresh_database: Database,
) -> None:
    await fresh_database.execute(*TABLES)
    rows = "SELECT count(*) FROM verifier.report_recheck"
    async with serving(fresh_database) as verifier:
        logged = (await verifier.verify(KETTLE)).report_id
        for _ in range(3):
            await verifier.answers.recheck(logged)
        assert await count(fresh_database, rows) == 1
        await fresh_database.execute("UPDATE shop.good SET price = 42.00 WHERE id = 1")
        for _ in range(2):
            await verifier.answers.recheck_all(since=datetime(2020, 1, 1, tzinfo=UTC))
        assert await count(fresh_database, rows) == 2
        await fresh_database.execute("UPDATE shop.good SET price = 40.50 WHERE id = 1")
        await verifier.answers.recheck(logged)
        assert await count(fresh_database, rows) == 3


async def test_only_answers_whose_evidence_changed_are_verified_again(
    fresh_database: Database,
) -> None:
    await fresh_database.execute(*TABLES)
    async with serving(fresh_database) as verifier:
        kettle = await verifier.verify(KETTLE)
        await verifier.verify("The Oak Chair costs $99.00.")
        await fresh_database.execute("UPDATE shop.good SET price = 42.00 WHERE id = 1")
        run = await verifier.answers.recheck_all(since=datetime(2020, 1, 1, tzinfo=UTC))
        assert (run.reports, run.verified) == (2, 1)
        assert [one.report_id for one in run.rechecks] == [kettle.report_id]
        assert run.counts == {"wrong": 1, "holds": 1}
        by_row = await verifier.answers.recheck_all(entity="shop.good:2")
        assert (by_row.reports, by_row.rechecks) == (1, ())
        by_short = await verifier.answers.recheck_all(entity="good:1")
        assert [one.report_id for one in by_short.rechecks] == [kettle.report_id]
        late = await verifier.answers.recheck_all(since=datetime.now(UTC) + timedelta(days=1))
        assert (late.reports, late.rechecks) == (0, ())


async def test_a_report_of_a_newer_schema_is_open_with_the_reason(
    fresh_database: Database,
) -> None:
    async with serving(fresh_database, catalog={}) as verifier:
        logged = (await verifier.verify("It is 5.", evidence={"count": 5})).report_id
        await fresh_database.execute(
            """UPDATE verifier.report SET report = jsonb_set(report, '{schema}', '"report.v9"')"""
        )
        found = await verifier.answers.recheck(logged)
    assert found.standing is Standing.OPEN
    assert "report.v9" in (found.reason or "")


async def test_a_redacted_log_holds_no_text_and_says_that_it_cannot_be_checked(
    fresh_database: Database,
) -> None:
    await fresh_database.execute(*TABLES)
    async with serving(fresh_database, answer_log="redacted") as verifier:
        turn = verifier.turn(question="Was kostet der Kessel?", model="m-1", prompt_hash="ab")
        turn.record("get_good", {"q": "secret-argument"}, {"id": 1, "note": "secret-result"})
        logged = await verifier.verify(KETTLE, turn)
        found = await verifier.answers.recheck(logged.report_id)
    (row,) = await dump_reports(fresh_database)
    kept = json.dumps([row["answer"], row["report"], row["turn"]])
    for text in ("Kettle", "Kessel", "secret", "40.50"):
        assert text not in kept
    told = json.loads(row["report"])
    assert [one["code"] for one in told["verdicts"]] == ["verified"]
    assert told["verdicts"][0]["evidence"][0]["locator"]["fingerprint"]
    assert (told["provenance"]["model"], told["provenance"]["prompt_hash"]) == ("m-1", "ab")
    assert found.standing is Standing.OPEN
    assert "redacted" in (found.reason or "")


async def test_words_relative_to_their_day_are_left_open_instead_of_called_wrong(
    fresh_database: Database,
) -> None:
    given = datetime(2026, 3, 1, 12, tzinfo=UTC)
    async with serving(fresh_database, catalog={}) as verifier:
        turn = verifier.turn(now=given)
        turn.record("get_order", {}, {"order": "A-1", "arrives": "2026-03-02"})
        report = await verifier.verify("Order A-1 arrives tomorrow.", turn)
        found = await verifier.answers.recheck(report.report_id)
        then = await verifier.answers.recheck(report.report_id, as_of=given)
    assert then.standing is Standing.HOLDS
    assert found.standing in {Standing.OPEN, Standing.HOLDS}


async def test_what_there_is_not_is_named(fresh_database: Database) -> None:
    async with serving(fresh_database, catalog={}) as verifier:
        for unknown in ("nothing", "", "\x00", "\ud800"):
            with pytest.raises(UnknownThing):
                await verifier.answers.recheck(unknown)
        logged = (await verifier.verify("It is 5.", evidence={"count": 5})).report_id
        with pytest.raises(InputError, match="more of the id"):
            await verifier.answers.recheck(logged[:3])
        with pytest.raises(UnknownThing):
            await verifier.answers.recheck_all(source="nothing")
        with pytest.raises(InputError, match="TABLE:KEY"):
            await verifier.answers.recheck_all(entity="good")
        with pytest.raises(InputError, match="time zone"):
            await verifier.answers.recheck(logged, as_of=datetime(2026, 1, 1))  # noqa: DTZ001
    async with serving(fresh_database, catalog={}, tenant="other") as verifier:
        with pytest.raises(UnknownThing):
            await verifier.answers.recheck(logged)


async def test_a_sweep_removes_what_is_old_of_this_tenant_alone(fresh_database: Database) -> None:
    await fresh_database.execute(*TABLES)
    for tenant in ("default", "other"):
        async with serving(fresh_database, tenant=tenant) as verifier:
            for number in range(3):
                report = await verifier.verify(f"{KETTLE} It is {number}.")
            await verifier.answers.recheck(report.report_id)
    await fresh_database.execute(
        "UPDATE verifier.report SET created_at = created_at - interval '100 days'"
    )
    async with serving(fresh_database, answer_log_days=90) as verifier:
        than = verifier.answers.retention_ends()
        assert await verifier.answers.count_older(than) == 3
        assert await verifier.answers.sweep(than) == 3
        assert await verifier.answers.sweep(than) == 0
    left = "SELECT count(*) FROM verifier.{} WHERE tenant_id = '{}'"
    for table, kept in (("report", 3), ("report_row", 3), ("report_recheck", 1)):
        assert await count(fresh_database, left.format(table, "default")) == 0
        assert await count(fresh_database, left.format(table, "other")) >= kept
    async with serving(fresh_database) as verifier:
        with pytest.raises(InputError, match="answer_log_days"):
            verifier.answers.retention_ends()


async def test_the_log_tells_how_the_answer_came_about(fresh_database: Database) -> None:
    async with serving(fresh_database, catalog={}) as verifier:
        await verifier.ingest_text("terms", TERMS)
        turn = verifier.turn(model="m-1", prompt_hash="ab12")
        turn.retrieved(await verifier.semantic_search("returned", k=1))
        told = (await verifier.verify("Goods may be returned [terms@1#0].", turn)).provenance
    assert (told.model, told.prompt_hash, told.basis) == ("m-1", "ab12", 1)
    assert told.retriever == "1 hits, exact, at basis 1"
    (row,) = await dump_reports(fresh_database)
    kept = json.loads(row["report"])["provenance"]
    assert (kept["model"], kept["retriever"]) == ("m-1", told.retriever)


async def test_two_processes_at_once_record_the_same_once(fresh_database: Database) -> None:
    await fresh_database.execute(*TABLES)
    async with serving(fresh_database) as first, serving(fresh_database) as second:
        logged = (await first.verify(KETTLE)).report_id
        await fresh_database.execute("UPDATE shop.good SET price = 42.00 WHERE id = 1")
        await asyncio.gather(*(each.answers.recheck(logged) for each in (first, second) * 5))
    assert await count(fresh_database, "SELECT count(*) FROM verifier.report_recheck") == 1


async def test_an_answer_whose_clock_lies_ahead_is_not_held_to_an_earlier_one(
    fresh_database: Database,
) -> None:
    await fresh_database.execute(*TABLES)
    async with serving(fresh_database) as verifier:
        logged = (await verifier.verify(KETTLE)).report_id
        await fresh_database.execute(
            "UPDATE verifier.report SET created_at = created_at + interval '3 days'"
        )
        found = await verifier.answers.recheck(logged)
    assert found.moment == found.created_at > datetime.now(UTC) + timedelta(days=2)
    assert found.standing is Standing.HOLDS


async def test_a_thing_that_a_catalog_declared_since_does_not_find_is_no_row_that_is_gone(
    fresh_database: Database,
) -> None:
    await fresh_database.execute(*TABLES)
    async with serving(fresh_database, catalog={}) as verifier:
        turn = verifier.turn()
        turn.record("get_good", {}, {"id": "T-1", "name": "Wool throw", "price_usd": 49.9})
        logged = (await verifier.verify("The Wool throw costs $49.90.", turn)).report_id
    async with serving(fresh_database) as verifier:
        found = await verifier.answers.recheck(logged)
    assert found.flips[0].now is VerdictCode.NOT_FOUND
    assert causes(found) == [Cause.CATALOG_CHANGED]


async def test_another_catalog_makes_a_candidate_and_is_told_as_the_cause(
    fresh_database: Database,
) -> None:
    await fresh_database.execute(*TABLES)
    other = json.loads(json.dumps(CATALOG))
    other["good"]["attributes"]["price"]["currency"] = "EUR"
    async with serving(fresh_database) as verifier:
        logged = (await verifier.verify(KETTLE)).report_id
    async with serving(fresh_database, catalog=other) as verifier:
        run = await verifier.answers.recheck_all(since=datetime(2020, 1, 1, tzinfo=UTC))
    (found,) = run.rechecks
    assert found.report_id == logged
    assert causes(found) == [Cause.CATALOG_CHANGED]


async def test_a_row_that_applies_only_later_does_not_change_the_answer_before(
    fresh_database: Database,
) -> None:
    await fresh_database.execute(
        *TABLES,
        "CREATE TABLE shop.fee (id text, amount numeric, starts timestamptz, ends timestamptz)",
        "INSERT INTO shop.fee VALUES ('FEE-1', 5, NULL, NULL)",
        "GRANT SELECT ON shop.fee TO verifier_app",
    )
    catalog = {
        "fee": {
            "table": "shop.fee",
            "key": {"column": "id", "type": "text", "pattern": "FEE-[0-9]+"},
            "applies": {"valid_from": "starts", "valid_to": "ends"},
            "attributes": {"amount": {"kind": "money", "currency": "USD", "labels": ["costs"]}},
        }
    }
    soon = datetime.now(UTC) + timedelta(days=10)
    async with serving(fresh_database, catalog=catalog) as verifier:
        logged = (await verifier.verify("FEE-1 costs $5.00.")).report_id
        told = soon.isoformat()
        await fresh_database.execute(
            f"UPDATE shop.fee SET ends = '{told}'",  # noqa: S608 -- a moment of this test
            f"INSERT INTO shop.fee VALUES ('FEE-1', 7, '{told}', NULL)",  # noqa: S608
        )
        since = datetime(2020, 1, 1, tzinfo=UTC)
        assert (await verifier.answers.recheck_all(since=since)).rechecks == ()
        later = await verifier.answers.recheck_all(since=since, as_of=soon + timedelta(hours=1))
    assert [one.report_id for one in later.rechecks] == [logged]
    (change,) = later.rechecks[0].flips[0].changes
    assert (change.cause, change.old, change.new) == (Cause.ROW_CHANGED, "5", "7")


async def test_new_versions_that_keep_the_cited_words_cost_no_verification(
    fresh_database: Database,
) -> None:
    async with serving(fresh_database, catalog={}) as verifier:
        await verifier.ingest_text("terms", TERMS)
        await cite(verifier, "Goods may be returned within 30 days [terms@1#0].")
        longer = "# New terms\n\nWe moved.\n\n" + TERMS
        await verifier.ingest_text("terms", longer)
        kept = await verifier.answers.recheck_all()
        assert (kept.reports, kept.verified, kept.rechecks) == (1, 0, ())
        await verifier.ingest_text("terms", longer.replace("30 days", "30 days after delivery"))
        (fallen,) = (await verifier.answers.recheck_all()).rechecks
        assert causes(fallen) == [Cause.SPAN_CHANGED]
        await verifier.ingest_text("terms", longer)
        assert (await verifier.answers.recheck_all()).rechecks == ()
        await verifier.sources.deny("terms", by="ada")
        (fallen,) = (await verifier.answers.recheck_all()).rechecks
        assert causes(fallen) == [Cause.UNAPPROVED]


async def test_rows_are_read_once_for_all_answers(
    fresh_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    async def fetch(*arguments: Any, **named: Any) -> object:
        asked.append(arguments[3])
        return await fetch_rows(*arguments, **named)

    await fresh_database.execute(*TABLES)
    async with serving(fresh_database) as verifier:
        for number in range(20):
            await verifier.verify(f"{KETTLE} This is answer number {number}.")
        await fresh_database.execute("UPDATE shop.good SET price = 42.00 WHERE id = 1")
        monkeypatch.setattr(canonical, "fetch_rows", fetch)
        run = await verifier.answers.recheck_all()
    assert [one.standing for one in run.rechecks] == [Standing.WRONG] * 20
    assert asked == [{"good": ("1",)}]
