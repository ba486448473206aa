"""The audit of drift: canonical rows that read otherwise than the answers which rest on them."""

from __future__ import annotations

import json
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from verifier import open_verifier
from verifier.core.drift import Drift
from verifier.core.verdicts import VerdictCode
from verifier.errors import InputError
from verifier.interfaces.audit_page import render_audit_page
from verifier.interfaces.wire import to_wire
from verifier.settings import load_settings
from verifier.store import canonical
from verifier.store.canonical import fetch_rows

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Any

    from tests.integration.conftest import Database
    from verifier.audit.drift import DriftAudit
    from verifier.service import Verifier

TABLES = (
    "CREATE SCHEMA shop",
    "CREATE TABLE shop.good (id integer PRIMARY KEY, name text, price numeric, currency text,"
    " stock integer, weight_g integer)",
    "CREATE TABLE shop.orders (id integer PRIMARY KEY, customer text, status text)",
    "CREATE TABLE shop.rate (name text, share numeric, valid_from timestamptz, valid_to timestamptz)",
    "INSERT INTO shop.good VALUES (1, 'Tea Kettle', 40.50, 'USD', 7, 900),"
    " (2, 'Oak Chair', 99.00, 'USD', 3, 8000)",
    "INSERT INTO shop.orders VALUES (5512, 'mira', 'shipped'), (5513, 'jon', 'open')",
    "GRANT USAGE ON SCHEMA shop TO verifier_app, verifier_reader",
    "GRANT SELECT ON ALL TABLES IN SCHEMA shop TO verifier_app, verifier_reader",
)
GOOD: dict[str, object] = {
    "table": "shop.good",
    "names": ["name"],
    "key": {"column": "id", "type": "integer"},
    "attributes": {
        "price": {"kind": "money", "currency_column": "currency", "labels": ["price", "costs"]},
        "stock": {"kind": "quantity", "labels": ["stock", "in stock"]},
    },
}
ORDER: dict[str, object] = {
    "table": "shop.orders",
    "scope": {"customer": "principal"},
    "key": {"column": "id", "type": "integer"},
    "attributes": {"status": {"kind": "state", "states": {"shipped": [], "open": []}}},
}
CATALOG: dict[str, object] = {"good": GOOD, "order": ORDER}
KETTLE = "The Tea Kettle costs $40.50."
CARD = '```good\n{"id": 1, "price": 40.50, "stock": 7}\n```'


@asynccontextmanager
async def serving(database: Database, **settings: object) -> AsyncIterator[Verifier]:
    given: dict[str, object] = {"catalog": CATALOG} | settings
    chosen = load_settings(None, dsn=database.app_dsn, **given)
    async with open_verifier(settings=chosen, embedder=HashingEmbedder()) as verifier:
        yield verifier


@pytest.fixture
async def shop(fresh_database: Database) -> Database:
    await fresh_database.execute(*TABLES)
    return fresh_database


async def log(verifier: Verifier, answer: str, **turn: object) -> str:
    report = await verifier.verify(answer, verifier.turn(**turn))
    assert [one.verdict.code for one in report.judged] == [VerdictCode.VERIFIED]
    return report.report_id


def tell(audit: DriftAudit) -> list[tuple[str, int, dict[str, int], list[str]]]:
    return [
        (
            one.table,
            one.answers,
            {drift.value: number for drift, number in one.drifts.items() if number},
            list(one.columns),
        )
        for one in audit.tables
    ]


@pytest.mark.parametrize("answer", [KETTLE, '```good\n{"id": 1, "price": 40.50}\n```'])
async def test_only_what_an_answer_rests_on_counts(shop: Database, answer: str) -> None:
    async with serving(shop) as verifier:
        logged = await log(verifier, answer)
        assert (await verifier.audits.drift()).found == 0
        for other in ("stock = 1", "weight_g = 1", "price = 40.500", "id = 1"):
            await shop.execute(f"UPDATE shop.good SET {other} WHERE id = 1")  # noqa: S608 -- constants
            audit = await verifier.audits.drift()
            assert (audit.found, audit.looked, other) == (0, 1, other)
        await shop.execute("UPDATE shop.good SET price = 87654.321 WHERE id = 1")
        audit = await verifier.audits.drift()
    assert tell(audit) == [("shop.good", 1, {"changed": 1}, ["price"])]
    (newest,) = audit.tables[0].newest
    assert (newest.report_id, newest.drift, audit.tables[0].rows) == (logged, Drift.CHANGED, 1)
    assert not re.search(r"40\.5|87654\.321", json.dumps(to_wire(audit.tables)))


async def test_a_text_is_another_though_it_is_the_same_number(shop: Database) -> None:
    program: dict[str, object] = {
        "table": "shop.program",
        "key": {"column": "id", "type": "text", "pattern": "P-[0-9]+"},
        "attributes": {"release": {"kind": "text", "labels": ["release"]}},
    }
    await shop.execute(
        "CREATE TABLE shop.program (id text PRIMARY KEY, release text)",
        "INSERT INTO shop.program VALUES ('P-1', '3.2')",
        "GRANT SELECT ON shop.program TO verifier_app, verifier_reader",
    )
    async with serving(shop, catalog={"program": program}) as verifier:
        await log(verifier, '```program\n{"id": "P-1", "release": "3.2"}\n```')
        await shop.execute("UPDATE shop.program SET release = '3.20'")
        assert tell(await verifier.audits.drift()) == [
            ("shop.program", 1, {"changed": 1}, ["release"])
        ]


async def test_each_column_that_an_answer_rests_on_is_told(shop: Database) -> None:
    async with serving(shop) as verifier:
        await log(verifier, CARD)
        await shop.execute("UPDATE shop.good SET stock = 6, price = 1 WHERE id = 1")
        audit = await verifier.audits.drift()
        await shop.execute("UPDATE shop.good SET price = 40.50, currency = 'EUR' WHERE id = 1")
        other_currency = await verifier.audits.drift()
    assert tell(audit) == [("shop.good", 1, {"changed": 1}, ["price", "stock"])]
    assert tell(other_currency) == [("shop.good", 1, {"changed": 1}, ["price", "stock"])]


async def test_a_row_that_is_gone_outranks_one_that_changed(shop: Database) -> None:
    async with serving(shop) as verifier:
        await log(verifier, KETTLE)
        await log(verifier, "The Oak Chair costs $99.00.")
        report = await verifier.verify(f"{KETTLE} The Oak Chair costs $99.00.")
        await shop.execute(
            "DELETE FROM shop.good WHERE id = 2", "UPDATE shop.good SET price = 1 WHERE id = 1"
        )
        audit = await verifier.audits.drift(answers=1)
    assert tell(audit) == [("shop.good", 3, {"gone": 2, "changed": 1}, ["price"])]
    (newest,) = audit.tables[0].newest
    assert (newest.report_id, newest.drift) == (report.report_id, Drift.GONE)
    assert (audit.tables[0].rows, len(newest.claim_ids)) == (2, 2)


async def test_tables_are_ordered_by_the_answers_on_them_and_chosen_by_name(shop: Database) -> None:
    async with serving(shop) as verifier:
        await log(verifier, KETTLE)
        for number in range(2):
            await log(
                verifier, "Order 5512 has shipped.", principal="mira", question="Why? " * number
            )
        await shop.execute(
            "UPDATE shop.good SET price = 1", "UPDATE shop.orders SET status = 'open'"
        )
        every = await verifier.audits.drift()
        assert [(one.table, one.answers) for one in every.tables] == [
            ("shop.orders", 2),
            ("shop.good", 1),
        ]
        for name in ("shop.good", "good"):
            assert tell(await verifier.audits.drift(name))[0][:2] == ("shop.good", 1)
        assert (await verifier.audits.drift(limit=1)).found == 2
        assert len((await verifier.audits.drift(limit=1)).tables) == 1
        assert (await verifier.audits.drift("shop.none")).found == 0
        assert (await verifier.audits.drift(since=every.now)).looked == 0


async def test_a_row_is_read_on_behalf_of_whom_the_answer_was_for(
    shop: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Any, Any]] = []

    async def fetch(*arguments: Any, **named: Any) -> object:
        asked.append((arguments[3], dict(arguments[4])))
        return await fetch_rows(*arguments, **named)

    async with serving(shop) as verifier:
        await log(verifier, "Order 5512 has shipped.", principal="mira")
        await log(verifier, "Order 5513 is open.", principal="jon")
        await log(verifier, KETTLE, principal="mira")
        monkeypatch.setattr(canonical, "fetch_rows", fetch)
        assert (await verifier.audits.drift()).found == 0
        assert sorted(asked, key=str) == [
            ({"good": ("1",)}, {}),
            ({"order": ("5512",)}, {"principal": "mira"}),
            ({"order": ("5513",)}, {"principal": "jon"}),
        ]
        await shop.execute("UPDATE shop.orders SET customer = 'jon' WHERE id = 5512")
        audit = await verifier.audits.drift()
    assert tell(audit) == [("shop.orders", 1, {"gone": 1}, ["status"])]
    assert "jon" not in json.dumps(to_wire(audit))


async def test_rows_that_apply_now_count(shop: Database) -> None:
    rate: dict[str, object] = {
        "table": "shop.rate",
        "key": {"column": "name", "type": "text"},
        "applies": {"valid_from": "valid_from", "valid_to": "valid_to"},
        "attributes": {"share": {"kind": "quantity", "unit": "%", "labels": ["rate", "share"]}},
    }
    await shop.execute("INSERT INTO shop.rate VALUES ('R-1', 19, '2020-01-01Z', NULL)")
    async with serving(shop, catalog={"rate": rate}) as verifier:
        await log(verifier, '```rate\n{"id": "R-1", "share": "19%"}\n```')
        await shop.execute(
            "UPDATE shop.rate SET valid_to = now() + interval '1 hour'",
            "INSERT INTO shop.rate VALUES ('R-1', 21, now() + interval '1 hour', NULL)",
        )
        assert (await verifier.audits.drift()).found == 0
        await shop.execute(
            "UPDATE shop.rate SET valid_to = now() WHERE share = 19",
            "UPDATE shop.rate SET valid_from = now() WHERE share = 21",
        )
        assert tell(await verifier.audits.drift()) == [("shop.rate", 1, {"changed": 1}, ["share"])]
        await shop.execute("DELETE FROM shop.rate WHERE share = 21")
        assert tell(await verifier.audits.drift()) == [
            ("shop.rate", 1, {"gone": 1}, ["name", "share"])
        ]


async def test_another_catalog_is_told_apart_where_the_text_is_another(shop: Database) -> None:
    async with serving(shop) as verifier:
        await log(verifier, KETTLE)
        await log(verifier, "Order 5512 has shipped.", principal="mira")
    less: dict[str, object] = {"good": GOOD | {"names": []}}
    async with serving(shop, catalog=less) as verifier:
        audit = await verifier.audits.drift()
        assert tell(audit) == [("shop.orders", 1, {"undeclared": 1}, ["status"])]
        await shop.execute("UPDATE shop.good SET price = 1")
        assert [one[:3] for one in tell(await verifier.audits.drift())] == [
            ("shop.good", 1, {"other_catalog": 1}),
            ("shop.orders", 1, {"undeclared": 1}),
        ]


async def test_what_cannot_be_read_is_not_said_to_stand(shop: Database) -> None:
    async with serving(shop) as verifier:
        await log(verifier, KETTLE)
    await shop.execute("DROP TABLE shop.good")
    async with serving(shop) as verifier:
        audit = await verifier.audits.drift()
        page = render_audit_page(await verifier.audits.all(), tenant="default")
    assert (audit.found, audit.looked, audit.tables) == (1, 1, ())
    (unread,) = audit.unread
    assert (unread.table, unread.answers) == ("shop.good", 1)
    assert "shop.good" in unread.reason
    assert "can&#x27;t be told" in page or "can't be told" in page
    nobody = {"default": {"dsn": "postgresql://127.0.0.1:1/none"}}
    async with serving(shop, databases=nobody) as verifier:
        assert [one.table for one in (await verifier.audits.drift()).unread] == ["shop.good"]


async def test_answers_without_texts_count_by_the_whole_row(shop: Database) -> None:
    async with serving(shop, answer_log="redacted") as verifier:
        await log(verifier, KETTLE)
        assert (await verifier.audits.drift()).found == 0
        await shop.execute("UPDATE shop.good SET stock = 1 WHERE id = 1")
        assert tell(await verifier.audits.drift()) == [("shop.good", 1, {"changed": 1}, ["price"])]


async def test_a_tenant_audits_its_own_answers(shop: Database) -> None:
    async with serving(shop, tenant="one") as one, serving(shop, tenant="two") as two:
        await log(one, KETTLE)
        await log(two, "The Oak Chair costs $99.00.")
        await shop.execute("UPDATE shop.good SET price = 1 WHERE id = 1")
        mine, theirs = await one.audits.drift(), await two.audits.drift()
    assert (mine.found, mine.looked) == (1, 1)
    assert (theirs.found, theirs.looked) == (0, 1)


async def test_more_answers_than_a_page_are_each_counted_once(
    shop: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifier.audit.drift._ANSWERS_AT_ONCE", 3)
    async with serving(shop) as verifier:
        for number in range(7):
            await log(verifier, KETTLE, question="Why? " * number)
        await shop.execute("UPDATE shop.good SET price = 1")
        told: list[int] = []
        audit = await verifier.audits.drift(on_progress=told.append)
    assert (audit.tables[0].answers, audit.looked, told) == (7, 7, [3, 6, 7])
    moments = [one.created_at for one in audit.tables[0].newest]
    assert moments == sorted(moments, reverse=True)
    assert len(moments) == 7


async def test_a_source_and_an_empty_table_are_refused(shop: Database) -> None:
    async with serving(shop) as verifier:
        for terms in ({"source": "terms"}, {"table": " "}, {"table": "a\x00b"}):
            with pytest.raises(InputError):
                await verifier.audits.drift(**terms)  # type: ignore[arg-type]
        assert (await verifier.audits.all(source=None)).drift is not None
