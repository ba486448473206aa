"""Entries of the review queue expire when their evidence changes, and only then."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from tests.integration.queued_reviews import answering, asking, cite, log, verifier_on
from tests.integration.store_reading import TENANT, ingest_one, opened
from verifier.audit import reviewing
from verifier.core.catalog import parse_catalog
from verifier.core.evidence import RowLocator
from verifier.core.reviews import Expiry
from verifier.core.turns import Turn
from verifier.core.verdicts import VerdictCode
from verifier.errors import InputError
from verifier.ingest.requests import Actor
from verifier.store.canonical import fetch_rows
from verifier.store.canonical_pool import open_canonical_pool
from verifier.store.pool import tenant_transaction
from verifier.store.publication import approve, withdraw

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from tests.integration.conftest import Database
    from verifier.reviews import Reviews
    from verifier.store.pool import Pool

TEXT = """Delivery takes 6 days.

Returns are taken for 30 days after delivery.

Opened goods are not taken back.
"""
RULE = "Returns are taken for 30 days"


@asynccontextmanager
async def queue(
    database: Database, text: str = TEXT, words: str = RULE
) -> AsyncIterator[tuple[Pool, Reviews]]:
    """A store with one source, and one entry of the queue that cites words of it."""
    verifier = verifier_on(database)
    try:
        async with opened(database) as pool:
            await ingest_one(pool, "terms", text)
            claim = asking(1, "You can return it for a month.", cite("terms", 1, text, words))
            await log(pool, answering("r1", claim))
            yield pool, verifier.reviews
    finally:
        await verifier.close()


async def only(reviews: Reviews) -> tuple[int, str, str | None]:
    (entry,) = (await reviews.list(state=None)).entries
    why = entry.expired_why
    return entry.review_id, entry.state.value, None if why is None else why.value


@pytest.mark.parametrize(
    ("newer", "expired"),
    [
        (TEXT.replace("30 days", "14 days"), True),
        (TEXT.replace(RULE, "Returns are not taken"), True),
        ("Another text altogether.", True),
        (TEXT.replace(RULE, "Returns are taken for 30 days, but not in summer"), False),
        (TEXT.replace("6 days", "9 days"), False),
        (TEXT.replace("Opened goods", "Openned goods"), False),
        ("# Terms\n\nA line before.\n\n" + TEXT, False),
        (TEXT.replace(RULE, "Returns are  taken\nfor 30\u00a0days"), False),
        (TEXT.replace(RULE, "*Returns* are taken for **30** days"), False),
        (TEXT.replace(RULE, "Returns are taken for 300 days"), True),
        (TEXT.replace(RULE, "Returns are taken for 1,30 days"), True),
    ],
)
async def test_a_newer_version_expires_what_it_no_longer_says(
    fresh_database: Database, newer: str, *, expired: bool
) -> None:
    async with queue(fresh_database) as (pool, reviews):
        review_id, _, _ = await only(reviews)
        await reviews.decide(review_id, "supported", by="ada", reason="a month is 30 days")
        await ingest_one(pool, "terms", newer)
        assert await only(reviews) == (
            (review_id, "expired", "superseded") if expired else (review_id, "decided", None)
        )
        decisions = (await reviews.show(review_id)).decisions
        assert [one.stands for one in decisions] == [not expired]


@pytest.mark.parametrize(
    ("text", "words", "newer", "expired"),
    [
        ("It takes 60 seconds.", "60", "It takes 160 seconds.", True),
        ("It takes 60 seconds.", "60", "It takes 60.5 seconds.", True),
        ("It takes 60 seconds.", "60", "It takes 1.60 seconds.", True),
        ("It takes 60 seconds.", "60", "It takes 60, not more.", False),
        ("It takes 60 seconds.", "60 seconds", "Wait for 60 seconds.", False),
        ("Press the key.", "key", "Press the keys.", True),
        ("Zahle 5 €.", "5 €", "Zahle 15 €.", True),
        ("日本語の説明です。", "説明", "日本語の説明です。今すぐ。", False),
    ],
)
async def test_a_short_span_is_not_found_inside_another_word_or_number(
    fresh_database: Database, text: str, words: str, newer: str, *, expired: bool
) -> None:
    async with queue(fresh_database, text, words) as (pool, reviews):
        await ingest_one(pool, "terms", newer)
        assert (await only(reviews))[1] == ("expired" if expired else "open")


async def test_each_later_version_is_looked_at(fresh_database: Database) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await ingest_one(pool, "terms", TEXT.replace("6 days", "9 days"))
        assert (await only(reviews))[1] == "open"
        await ingest_one(pool, "terms", TEXT.replace("30 days", "14 days"))
        await ingest_one(pool, "terms", TEXT.replace("30 days", "15 days"))
        assert (await only(reviews))[1:] == ("expired", "superseded")


async def test_words_that_went_and_came_back_between_two_looks_do_not_expire(
    fresh_database: Database,
) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await ingest_one(pool, "terms", TEXT.replace("30 days", "14 days"))
        await ingest_one(pool, "terms", TEXT)
        assert (await only(reviews))[1] == "open"


async def test_a_version_whose_time_comes_later_expires_entries_then(
    fresh_database: Database,
) -> None:
    async with queue(fresh_database) as (pool, reviews):
        later = datetime.now(UTC) + timedelta(seconds=2)
        await ingest_one(pool, "terms", TEXT.replace("30 days", "14 days"), valid_from=later)
        assert (await only(reviews))[1] == "open"
        await asyncio.sleep(max(0.0, (later - datetime.now(UTC)).total_seconds()) + 0.2)
        assert (await only(reviews))[1:] == ("expired", "superseded")


async def test_a_withdrawn_source_expires_its_entries(fresh_database: Database) -> None:
    async with queue(fresh_database) as (pool, reviews):
        async with tenant_transaction(pool, TENANT) as conn:
            await withdraw(conn, "terms", "ada")
        review_id, state, why = await only(reviews)
        assert (state, why) == ("expired", "withdrawn")
        with pytest.raises(InputError, match=r"has expired \(withdrawn\); reopen it"):
            await reviews.decide(review_id, "supported", by="ada", reason="so")
        shown = await reviews.show(review_id)
        assert (shown.cited[0].current_seq, shown.cited[0].stands) == (None, False)
        assert await reviews.reopen(review_id, by="ada", reason="the answers still stand") == 2
        assert (await only(reviews))[1] == "open"


async def test_erased_evidence_expires_and_never_opens_again(fresh_database: Database) -> None:
    async with queue(fresh_database) as (pool, reviews):
        await ingest_one(pool, "terms", TEXT.replace("6 days", "9 days"))
        assert (await only(reviews))[1] == "open"
        await fresh_database.execute(
            "ALTER TABLE verifier.document_version DROP CONSTRAINT IF EXISTS document_version_state_check",
            "UPDATE verifier.document_version SET state = 'erased', text = '' WHERE seq = 1",
        )
        review_id, state, why = await only(reviews)
        assert (state, why) == ("expired", "erased")
        with pytest.raises(InputError, match="was erased; nothing is left"):
            await reviews.reopen(review_id, by="ada", reason="so")
        await log(
            pool,
            answering(
                "r2", asking(1, "You can return it for a month.", cite("terms", 1, TEXT, RULE))
            ),
        )
        assert await only(reviews) == (review_id, "expired", "erased")
        shown = await reviews.show(review_id)
        assert shown.cited[0].cited.text == ""


async def test_what_was_asked_of_an_old_version_does_not_expire_at_once(
    fresh_database: Database,
) -> None:
    async with queue(fresh_database) as (pool, reviews):
        newer = TEXT.replace("30 days", "14 days")
        await ingest_one(pool, "terms", newer)
        await reviews.refresh()
        old = asking(
            1,
            "Returns: a month.",
            cite("terms", 1, TEXT, RULE),
            code=VerdictCode.SUPERSEDED_VERSION,
        )
        await log(pool, answering("r2", old))
        (entry,) = (await reviews.list()).entries
        assert entry.claim == "Returns: a month."
        await ingest_one(pool, "terms", newer.replace("6 days", "9 days"))
        assert [one.review_id for one in (await reviews.list()).entries] == [entry.review_id]


async def test_an_entry_that_expired_opens_when_it_is_asked_again(
    fresh_database: Database,
) -> None:
    async with queue(fresh_database) as (pool, reviews):
        review_id, _, _ = await only(reviews)
        await reviews.decide(review_id, "supported", by="ada", reason="so")
        await ingest_one(pool, "terms", TEXT.replace("30 days", "14 days"))
        assert (await only(reviews))[1] == "expired"
        claim = asking(1, "You can return it for a month.", cite("terms", 1, TEXT, RULE))
        await log(pool, answering("r2", claim))
        (entry,) = (await reviews.list()).entries
        assert (entry.review_id, entry.round, entry.answers) == (review_id, 2, 2)
        assert [one.stands for one in (await reviews.show(review_id)).decisions] == [False]


async def test_a_pending_text_that_becomes_current_expires_nothing(
    fresh_database: Database,
) -> None:
    verifier = verifier_on(fresh_database)
    async with opened(fresh_database) as pool:
        await ingest_one(pool, "terms", TEXT, actor=Actor.AGENT)
        claim = asking(1, "You can return it for a month.", cite("terms", 1, TEXT, RULE))
        await log(pool, answering("r1", claim))
        assert (await only(verifier.reviews))[1] == "open"
        async with tenant_transaction(pool, TENANT) as conn:
            await approve(conn, "terms", "ada")
        assert (await only(verifier.reviews))[1] == "open"
        await ingest_one(pool, "terms", "Another text.")
        assert (await only(verifier.reviews))[1:] == ("expired", "superseded")
    await verifier.close()


async def test_what_stands_in_the_place_of_the_span_is_shown_beside_it(
    fresh_database: Database,
) -> None:
    async with queue(fresh_database) as (pool, reviews):
        review_id, _, _ = await only(reviews)
        newer = "New first line.\n\n" + TEXT.replace("30 days after", "14 days behind")
        await ingest_one(pool, "terms", newer)
        (cited,) = (await reviews.show(review_id)).cited
        assert (cited.seq, cited.current_seq, cited.stands) == (1, 2, False)
        assert cited.state == "superseded"
        assert cited.current is not None
        shown = cited.current.span.of(cited.current.text)
        assert shown == "Returns are taken for 14 days behind delivery.\n"
        assert newer[cited.current.start :].startswith(cited.current.text)


async def test_many_entries_of_one_source_expire_in_steps(
    fresh_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviewing, "_SPANS_AT_ONCE", 7)
    async with queue(fresh_database) as (pool, reviews):
        kept = cite("terms", 1, TEXT, "Delivery takes 6 days")
        gone = cite("terms", 1, TEXT, RULE)
        claims = [asking(n, f"It is {n}.", kept if n % 3 else gone) for n in range(50)]
        await log(pool, answering("r2", *claims))
        await ingest_one(pool, "terms", TEXT.replace("30 days", "14 days"))
        looked: list[int] = []
        await asyncio.gather(
            reviewing.expire_reviews(pool, TENANT, looked.append),
            reviewing.expire_reviews(pool, TENANT),
        )
        assert looked
        expired = await reviews.list(state="expired", limit=100)
        assert len(expired.entries) == 18
        assert len((await reviews.list(limit=100)).entries) == 33
        assert await reviewing.expire_reviews(pool, TENANT) == 0


CATALOG: Mapping[str, object] = {
    "product": {
        "table": "sample.product",
        "key": {"column": "id", "type": "uuid"},
        "attributes": {"price": {"kind": "money", "currency_column": "currency"}},
    },
    "order": {
        "table": "sample.orders",
        "key": {"column": "id", "type": "uuid"},
        "scope": {"customer_id": "principal"},
        "attributes": {"status": {"kind": "state", "states": {"paid": [], "shipped": []}}},
    },
}
LAMP = "0fd372fa-ecb2-4db0-bb71-8628a784ced9"
ORDER = "7f2c1d7e-0a3b-4c56-9a43-2f6f3f0f7a11"
ROWS = (
    f"INSERT INTO sample.product VALUES ('{LAMP}', 'Lamp', 49.90, 'EUR', 3)",  # noqa: S608 -- constants
    "INSERT INTO sample.customer VALUES ('u1', 'Ada', 'a@example.org')",
    f"INSERT INTO sample.orders VALUES ('{ORDER}', 'u1', 'paid', 9, 'EUR', NULL, now())",  # noqa: S608
)


@asynccontextmanager
async def row_queue(database: Database) -> AsyncIterator[tuple[Pool, Reviews]]:
    """A queue with an entry that rests on a product, and one on an order of u1."""
    await database.execute(*ROWS)
    catalog = parse_catalog(CATALOG)
    canonical = await open_canonical_pool(database.reader_dsn)
    wanted = {"product": (LAMP,), "order": (ORDER,)}
    rows = await fetch_rows(canonical, catalog, "default", wanted, {"principal": "u1"})
    await canonical.close()
    verifier = verifier_on(database, catalog=CATALOG)
    try:
        async with opened(database) as pool:
            for number, (typed, (row,)) in enumerate(sorted(rows.items())):
                locator = RowLocator(
                    database="default",
                    table=row.entity.qualified_table,
                    key=typed[1],
                    column=None,
                    fingerprint=row.fingerprint,
                )
                claim = asking(1, f"It is a {typed[0]}.", locator, code=VerdictCode.AMBIGUOUS)
                made = answering(f"r{number}", claim, turn=Turn(question="?", principal="u1"))
                told = replace(made.provenance, catalog_hash=catalog.digest)
                await log(pool, replace(made, provenance=told))
            yield pool, verifier.reviews
    finally:
        await verifier.close()


async def test_rows_that_did_not_change_expire_nothing(fresh_database: Database) -> None:
    async with row_queue(fresh_database) as (_, reviews):
        await fresh_database.execute("UPDATE sample.product SET stock = 2")
        refreshed = await reviews.refresh()
        assert refreshed.rows.open_reason is None
        assert (refreshed.expired, refreshed.rows.checked, refreshed.rows.left_open) == (0, 2, 0)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE sample.product SET price = 39.90",
        "DELETE FROM sample.product",
    ],
)
async def test_a_row_that_changed_expires_its_entry_alone(
    fresh_database: Database, change: str
) -> None:
    async with row_queue(fresh_database) as (_, reviews):
        await fresh_database.execute(change)
        assert len((await reviews.list()).entries) == 2
        refreshed = await reviews.refresh()
        assert (refreshed.expired, refreshed.rows.checked) == (1, 2)
        (entry,) = (await reviews.list(state="expired")).entries
        assert (entry.claim, entry.expired_why) == ("It is a product.", Expiry.ROW_CHANGED)


async def test_deciding_reads_the_rows_first(fresh_database: Database) -> None:
    async with row_queue(fresh_database) as (_, reviews):
        (order, product) = sorted((await reviews.list()).entries, key=lambda one: one.claim or "")
        await reviews.decide(order.review_id, "supported", by="ada", reason="so")
        await fresh_database.execute("UPDATE sample.orders SET status = 'shipped'")
        with pytest.raises(InputError, match=r"has expired \(row_changed\)"):
            await reviews.decide(order.review_id, "supported", by="ben", reason="so")
        await reviews.decide(product.review_id, "supported", by="ben", reason="so")


async def test_rows_that_cannot_be_read_expire_nothing_and_it_is_told(
    fresh_database: Database,
) -> None:
    async with row_queue(fresh_database) as (_, reviews):
        await fresh_database.execute("ALTER TABLE sample.product RENAME TO gone")
        refreshed = await reviews.refresh()
        assert (refreshed.expired, refreshed.rows.left_open) == (0, 2)
        assert refreshed.rows.open_reason


async def test_another_catalog_than_when_they_were_read_expires_nothing(
    fresh_database: Database,
) -> None:
    async with row_queue(fresh_database):
        product = CATALOG["product"]
        assert isinstance(product, dict)
        verifier = verifier_on(fresh_database, catalog={"product": product})
        refreshed = await verifier.reviews.refresh()
        await verifier.close()
        assert (refreshed.expired, refreshed.rows.left_open) == (0, 2)
        assert "catalog is another" in (refreshed.rows.open_reason or "")
