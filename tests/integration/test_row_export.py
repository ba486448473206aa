"""Rows of a table or a query become sources; nothing is written where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.hashing_embedder import HashingEmbedder
from verifier import open_verifier
from verifier.core.documents import TableRows
from verifier.errors import (
    CatalogError,
    DatabaseTimeout,
    DatabaseUnavailable,
    InputError,
    UnreadableDocument,
)
from verifier.ingest.requests import Outcome
from verifier.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier import Verifier

TABLE = (
    "CREATE SCHEMA shop",
    """CREATE TABLE shop.fee (
           "Name" text, id integer PRIMARY KEY, price numeric(8, 2), since timestamptz, tags text[],
           rule jsonb, is_open boolean, note text)""",
    """INSERT INTO shop.fee VALUES
       ('Desk', 10, 9.50, '2026-01-02 03:04:05+00', '{a,b}', '{"days": [30, 1.50]}', true, NULL),
       ('Lamp', 9, 4.00, NULL, '{}', NULL, false, E'two\\nlines')""",
    "GRANT USAGE ON SCHEMA shop TO PUBLIC",
    "GRANT SELECT ON ALL TABLES IN SCHEMA shop TO PUBLIC",
)
LAMP = "Name: Lamp\nid: 9\nprice: 4.00\ntags: none\nis_open: false\nnote: two\nlines"
DESK = (
    "Name: Desk\nid: 10\nprice: 9.50\nsince: 2026-01-02T03:04:05+00:00\ntags: a\ntags: b\n"
    "rule.days: 30\nrule.days: 1.50\nis_open: true"
)


@pytest.fixture
async def verifier(fresh_database: Database) -> AsyncIterator[Verifier]:
    await fresh_database.execute(*TABLE)
    settings = load_settings(
        None,
        dsn=fresh_database.app_dsn,
        databases={"shop": {"dsn": fresh_database.reader_dsn, "timeout_s": 2}},
    )
    async with open_verifier(settings=settings, embedder=HashingEmbedder()) as opened:
        yield opened


async def texts(verifier: Verifier, query: str = "price of a lamp") -> dict[str, str]:
    return {hit.source: hit.text for hit in (await verifier.semantic_search(query, k=50)).hits}


@pytest.mark.parametrize("rows", ["shop.fee", ' "shop"."fee" ; ', "SHOP.fee"])
async def test_a_table_comes_in_the_order_of_its_key(verifier: Verifier, rows: str) -> None:
    summary = await verifier.ingest_rows(rows, key="fees", database="shop")
    assert [(one.key, one.outcome) for one in summary.outcomes] == [("fees", Outcome.NEW)]
    (hit,) = (await verifier.semantic_search("price of a lamp")).hits
    assert hit.text == f"{LAMP}\n\n{DESK}"
    assert hit.rows == TableRows(table=1, first=1, last=2)
    again = await verifier.ingest_rows(rows, key="fees", database="shop")
    assert [one.outcome for one in again.outcomes] == [Outcome.UNCHANGED]


async def test_each_row_of_a_query_can_be_a_source(verifier: Verifier) -> None:
    await verifier.ingest_rows(
        'SELECT id, "Name" AS name, price FROM shop.fee -- all of them',
        key="fees",
        database="shop",
        key_column="id",
    )
    assert await texts(verifier) == {
        "fees/9": "id: 9\nname: Lamp\nprice: 4.00",
        "fees/10": "id: 10\nname: Desk\nprice: 9.50",
    }


async def test_many_rows_are_streamed(verifier: Verifier) -> None:
    rows = "SELECT n AS id, 'Lamp ' || n AS name FROM generate_series(1, 2500) AS n ORDER BY n"
    summary = await verifier.ingest_rows(rows, key="lamps", database="shop")
    assert [one.key for one in summary.outcomes] == [
        *("lamps", "lamps/rows-1001", "lamps/rows-2001")
    ]
    fewer = await verifier.ingest_rows(f"{rows} LIMIT 1000", key="lamps", database="shop")
    assert [one.outcome for one in fewer.outcomes] == [
        *(Outcome.UNCHANGED, Outcome.WITHDRAWN, Outcome.WITHDRAWN)
    ]


MISTAKES = {
    "": "no rows are named",
    "shop.nothing": "there is no table shop.nothing",
    "SELECT 1 AS a; SELECT 2": "can't be read",
    "SELECT nothing FROM shop.fee": 'column "nothing" does not exist',
    "SELECT 1 / 0 AS a": "division by zero",
    "DELETE FROM shop.fee": "can't be read",
    "WITH gone AS (DELETE FROM shop.fee RETURNING id) SELECT * FROM gone": "can't be read",
    "SELECT setval('verifier.source_source_id_seq', 1)": "can't be read",
    "SELECT 1 AS a) AS b; DROP TABLE shop.fee; --": "can't be read",
}


@pytest.mark.parametrize("rows", MISTAKES)
async def test_what_is_no_query_is_named_and_changes_nothing(verifier: Verifier, rows: str) -> None:
    with pytest.raises(InputError, match=MISTAKES[rows]):
        await verifier.ingest_rows(rows, key="fees", database="shop")
    assert await verifier.sources.list() == ()
    await verifier.ingest_rows("shop.fee", key="fees", database="shop")
    assert "Desk" in (await texts(verifier))["fees"]


@pytest.mark.parametrize(
    ("rows", "key_column", "hint"),
    [
        ("SELECT 1 AS a WHERE false", None, "fees: holds no rows"),
        ("SELECT 1 AS a, 2 AS a", None, "fees row 1: the name 'a' stands twice"),
        ("SELECT 1 AS a FROM generate_series(1, 2)", "a", "fees row 2: the key '1' stands twice"),
        ("SELECT NULL AS a", "a", "fees row 1: 'a' is blank"),
        ("SELECT 1 AS a", "b", "fees row 1: has no 'b'"),
    ],
)
async def test_rows_that_make_no_sources_are_named(
    verifier: Verifier, rows: str, key_column: str | None, hint: str
) -> None:
    with pytest.raises((InputError, UnreadableDocument), match=hint):
        await verifier.ingest_rows(rows, key="fees", database="shop", key_column=key_column)
    assert await verifier.sources.list() == ()


async def test_a_query_that_takes_too_long_is_ended(verifier: Verifier) -> None:
    with pytest.raises(DatabaseTimeout, match=r"within 2 seconds; .*, or raise timeout_s"):
        await verifier.ingest_rows("SELECT pg_sleep(60) AS a", key="fees", database="shop")


async def test_a_database_must_be_declared_and_answer(verifier: Verifier) -> None:
    with pytest.raises(CatalogError, match="'nowhere' is not declared"):
        await verifier.ingest_rows("shop.fee", key="fees", database="nowhere")


async def test_a_database_that_is_down_is_told(fresh_database: Database) -> None:
    settings = load_settings(
        None,
        dsn=fresh_database.app_dsn,
        databases={"shop": {"dsn": "postgresql://u@127.0.0.1:1/d", "timeout_s": 2}},
    )
    async with open_verifier(settings=settings, embedder=HashingEmbedder()) as opened:
        with pytest.raises(DatabaseUnavailable):
            await opened.ingest_rows("shop.fee", key="fees", database="shop")
