"""The database tier on a real server: one SELECT, scope and visibility inside, failures as verdicts."""

from __future__ import annotations

import asyncio
import json
import uuid
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import asyncpg
import pytest

from verifier.core.catalog import parse_catalog
from verifier.core.turns import Turn
from verifier.errors import CatalogError
from verifier.store.canonical_check import check_catalog
from verifier.store.canonical_pool import open_canonical_pool
from verifier.verify.verifier import Backing, verify_answer, verify_claims

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier.core.catalog import Catalog
    from verifier.core.report import GroundingReport
    from verifier.store.canonical_pool import CanonicalPool

PRODUCT = "0fd372fa-ecb2-4db0-bb71-8628a784ced9"
DELETED = "33333333-3333-4333-8333-333333333333"
UNPRICED = "44444444-4444-4444-8444-444444444444"
OWN, OTHERS = "W-1001", "W-2002"
DECLARED: dict[str, object] = {
    "product": {
        "table": 'shop.the "Products" shelf',
        "names": ["name"],
        "visible": {"column": "deleted_at", "is": "null"},
        "key": {"column": "product id", "type": "uuid", "aliases": ["product_id"]},
        "attributes": {
            "price": {
                "kind": "money",
                "currency_column": "currency",
                "labels": ["price", "costs"],
            },
            "cost": {
                "kind": "money",
                "column": "cost_cents",
                "currency": "EUR",
                "minor_units": True,
                "labels": ["purchase cost"],
            },
            "stock": {"kind": "quantity", "labels": ["in stock", "stock"]},
            "weight": {"kind": "quantity", "column": "weight_kg", "unit": "kg"},
            "listed": {"kind": "boolean"},
            "added": {"kind": "date", "column": "added_at"},
        },
    },
    "order": {
        "table": "shop.orders",
        "key": {"column": "id", "type": "text", "pattern": "W-[0-9]{4}", "case": "upper"},
        "scope": {"customer": "principal"},
        "attributes": {"status": {"kind": "state", "states": {"shipped": [], "delivered": []}}},
    },
    "invoice": {
        "table": "shop.invoice",
        "key": {"column": "id", "type": "integer"},
        "visible": [{"column": "state", "differs": "draft"}, {"column": "open", "equals": True}],
        "attributes": {"total": {"kind": "money", "currency": "JPY"}},
    },
}
TABLES = (
    "CREATE SCHEMA shop",
    """CREATE TABLE shop."the ""Products"" shelf" (
           "product id" uuid PRIMARY KEY, name text, price numeric(12, 4), currency text, cost_cents bigint,
           stock integer, weight_kg numeric, listed boolean, added_at timestamptz, deleted_at timestamptz)""",
    f"""INSERT INTO shop."the ""Products"" shelf" VALUES
           ('{PRODUCT}', 'Wool throw', 49.9000, 'USD', 2150, 7, 1.25, true, '2026-10-31T23:30:00Z', NULL),
           ('{DELETED}', 'Old throw', 9, 'USD', 1, 1, 1, true, NULL, now()),
           ('{UNPRICED}', 'New throw', NULL, 'USD', NULL, 0, NULL, NULL, NULL, NULL)""",  # noqa: S608 -- our own constants
    "CREATE TABLE shop.orders (id text PRIMARY KEY, customer text, status text)",
    "INSERT INTO shop.orders VALUES ('W-1001', 'u1', 'shipped'), ('W-2002', 'u2', 'shipped')",
    "CREATE TABLE shop.invoice (id integer PRIMARY KEY, state text, open boolean, total numeric)",
    "INSERT INTO shop.invoice VALUES (1, 'sent', true, 1500), (2, 'draft', true, 1), (3, 'sent', false, 1)",
)
CATALOG = parse_catalog(DECLARED)


def card(kind: str, **fields: object) -> str:
    return f"```{kind}\n{json.dumps(fields)}\n```\n"


@asynccontextmanager
async def shop(database: Database, *, timeout_s: float = 5.0) -> AsyncIterator[CanonicalPool]:
    await database.execute(*TABLES)
    async with await open_canonical_pool(database.owner_dsn, timeout_s=timeout_s) as pool:
        yield pool


async def verify(pool: CanonicalPool, answer: str, **told: object) -> GroundingReport:
    turn = Turn(principal="u1", **told)  # type: ignore[arg-type]  # named in the test
    return await verify_claims(answer, None, pool, catalog=CATALOG, turn=turn)


def outcomes(report: GroundingReport) -> list[tuple[str, str | None]]:
    return [
        (
            str(one.verdict.code),
            str(one.verdict.reason) if one.verdict.reason else one.verdict.corrected_value,
        )
        for one in report.judged
    ]


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"price": 49.9}, ("verified", None)),
        ({"price": "49.90", "currency": "USD"}, ("verified", None)),
        ({"price": "$49.90"}, ("verified", None)),
        ({"price": "49,90 €"}, ("price_mismatch", "49.90")),
        ({"price": {"amount": 49.9, "currency": "EUR"}}, ("price_mismatch", "49.90")),
        ({"currency": "EUR"}, ("attribute_mismatch", "USD")),
        ({"price": 49.9001}, ("price_mismatch", "49.90")),
        ({"price": -49.9}, ("price_mismatch", "49.90")),
        ({"cost": 21.5}, ("verified", None)),
        ({"cost": 2150}, ("price_mismatch", "21.50")),
        ({"stock": 7}, ("verified", None)),
        ({"stock": 8}, ("attribute_mismatch", "7")),
        ({"weight": 1.25}, ("verified", None)),
        ({"weight": "1250 g"}, ("verified", None)),
        ({"weight": 1250}, ("attribute_mismatch", "1.25")),
        ({"listed": True}, ("verified", None)),
        ({"listed": False}, ("attribute_mismatch", "true")),
        ({"added": "2026-10-31"}, ("verified", None)),
        ({"added": "2026-11-01"}, ("attribute_mismatch", "2026-10-31T23:30:00+00:00")),
        ({"name": "wool  THROW"}, ("verified", None)),
        ({"name": "Cotton throw", "price": 1}, ("price_mismatch", "49.90")),
        ({"colour": "red"}, ("unverifiable", "no_evidence")),
        ({"price": None}, ("verified", None)),
    ],
)
async def test_attributes(
    fresh_database: Database, fields: dict[str, object], outcome: tuple[str, str | None]
) -> None:
    async with shop(fresh_database) as pool:
        report = await verify(pool, card("product", id=PRODUCT, **fields))
    assert outcomes(report) == [outcome]


async def test_keys_scope_and_visibility(fresh_database: Database) -> None:
    answer = "".join(
        [
            card("product", product_id="{" + PRODUCT.upper() + "}", price=49.9),
            card("product", id=f"urn:uuid:{PRODUCT}"),
            card("product", id=DELETED),
            card("product", id=UNPRICED, price=0),
            card("product", id="'; DROP TABLE shop.orders; --"),
            card("order", id="w-1001", status="shipped"),
            card("order", id=OTHERS, status="shipped"),
            card("order", id="W-9999", status="shipped"),
            card("order", id="W-10001"),
            card("invoice", id=1, total=1500),
            card("invoice", id="#1", total="¥1,500"),
            card("invoice", id=2),
            card("invoice", id=3),
            card("invoice", id=2**63),
            card("invoice", id=-1),
        ]
    )
    async with shop(fresh_database) as pool:
        report = await verify(pool, answer)
    assert [code for code, _ in outcomes(report)] == [
        *("verified", "verified", "not_found", "unverifiable", "not_found"),
        *("verified", "not_found", "not_found", "not_found"),
        *("verified", "verified", "not_found", "not_found", "not_found", "not_found"),
    ]
    assert report.database_round_trips == 1
    _, stranger, absent = (judged.verdict for judged in report.judged[5:8])
    assert (stranger.detail, stranger.tier, stranger.evidence) == (
        absent.detail,
        absent.tier,
        absent.evidence,
    )


async def test_without_a_principal_an_owned_thing_can_not_be_checked(
    fresh_database: Database,
) -> None:
    async with shop(fresh_database) as pool:
        report = await verify_claims(card("order", id=OWN), None, pool, catalog=CATALOG)
    assert outcomes(report) == [("unverifiable", "no_principal")]
    assert report.database_round_trips == 0


async def test_any_mix_is_one_select_as_the_driver_counts(fresh_database: Database) -> None:
    await fresh_database.execute(*TABLES)
    sent: list[str] = []

    async def listen(connection: asyncpg.Connection) -> None:
        connection.add_query_logger(lambda record: sent.append(record.query.lstrip()))

    absent = [str(uuid.uuid4()) for _ in range(2_000)]
    answer = "".join(
        [
            *(card("product", id=PRODUCT, price=49.9) for _ in range(3)),
            card("order", id=OWN, status="delivered"),
            card("invoice", id=1, total=1499),
            card("products", id=absent[0]),
            "```products\n" + json.dumps([{"id": key} for key in absent]) + "\n```\n",
        ]
    )
    async with asyncpg.create_pool(fresh_database.owner_dsn, min_size=0, init=listen) as pool:
        report = await verify(pool, answer)
    assert sum("shop" in query for query in sent) == 1
    assert report.database_round_trips == 1
    assert report.claims == 2_006
    assert outcomes(report)[:5] == [
        *[("verified", None)] * 3,
        ("attribute_mismatch", "shipped"),
        ("price_mismatch", "1500"),
    ]
    assert {code for code, _ in outcomes(report)[5:]} == {"not_found"}


async def test_the_statement_can_not_write(fresh_database: Database) -> None:
    await fresh_database.execute(
        *TABLES,
        """CREATE FUNCTION shop.spoil(text) RETURNS text LANGUAGE plpgsql AS
           $$ BEGIN DELETE FROM shop.invoice; RETURN $1; END $$""",
        "CREATE VIEW shop.writing AS SELECT id, shop.spoil(status) AS status, customer FROM shop.orders",
    )
    order = {**DECLARED["order"], "table": "shop.writing"}  # type: ignore[dict-item]  # a table of the above
    catalog = parse_catalog({"order": order})
    async with await open_canonical_pool(fresh_database.owner_dsn) as pool:
        turn = Turn(principal="u1")
        answer = card("order", id=OWN, status="shipped")
        report = await verify_claims(answer, None, pool, catalog=catalog, turn=turn)
        left = await pool.fetchval("SELECT count(*) FROM shop.invoice")
    assert outcomes(report) == [("unverifiable", "database_unavailable")]
    assert left == 3


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("DROP TABLE shop.orders", "database_unavailable"),
        ("ALTER TABLE shop.orders RENAME status TO state", "database_unavailable"),
        ("DROP SCHEMA shop CASCADE", "database_unavailable"),
    ],
)
async def test_a_damaged_table_is_a_verdict_and_the_next_call_works(
    fresh_database: Database, damage: str, reason: str
) -> None:
    answer = card("order", id=OWN, status="shipped")
    async with shop(fresh_database) as pool:
        assert outcomes(await verify(pool, answer)) == [("verified", None)]
        await fresh_database.execute(damage)
        assert outcomes(await verify(pool, answer)) == [("unverifiable", reason)]
        await fresh_database.execute("DROP SCHEMA IF EXISTS shop CASCADE", *TABLES)
        assert outcomes(await verify(pool, answer)) == [("verified", None)]


async def test_a_locked_table_times_out(fresh_database: Database) -> None:
    async with shop(fresh_database) as pool:

        async def lend(database: str) -> CanonicalPool:
            return pool

        backing = Backing(catalog=CATALOG, lend_pool=lend, timeout_s=0.3)
        turn, answer = Turn(principal="u1"), card("order", id=OWN, status="shipped")
        locker = await asyncpg.connect(fresh_database.owner_dsn)
        transaction = locker.transaction()
        await transaction.start()
        await locker.execute("LOCK TABLE shop.orders IN ACCESS EXCLUSIVE MODE")
        report = await verify_answer(answer, turn, backing=backing)
        await transaction.rollback()
        await locker.close()
        again = await verify_answer(answer, turn, backing=backing)
    assert outcomes(report) == [("unverifiable", "timeout")]
    assert outcomes(again) == [("verified", None)]


async def test_broken_connections_lose_no_answer(fresh_database: Database) -> None:
    answer = card("order", id=OWN, status="shipped")
    async with shop(fresh_database) as pool:
        await verify(pool, answer)
        await fresh_database.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid()"
        )
        await asyncio.sleep(0.1)
        first = await verify(pool, answer)
        second = await verify(pool, answer)
    assert outcomes(first) in ([("verified", None)], [("unverifiable", "database_unavailable")])
    assert outcomes(second) == [("verified", None)]


async def test_the_ledger_alone_opens_no_connection() -> None:
    async def lend(database: str) -> CanonicalPool:
        raise AssertionError(f"{database} was asked for")

    turn = Turn(principal="u1")
    report = await verify_answer(
        "Hello! What are you looking for?", turn, backing=Backing(catalog=CATALOG, lend_pool=lend)
    )
    assert report.claims == 0


async def test_prose_by_name_id_and_state(fresh_database: Database) -> None:
    answer = (
        "The wool throw costs $49.90. The wool throw costs $59.90. Order W-1001 has not shipped."
        f" Order {OTHERS} has shipped. The old throw costs $9."
    )
    async with shop(fresh_database) as pool:
        report = await verify(pool, answer)
    assert outcomes(report) == [
        ("verified", None),
        ("price_mismatch", "49.90"),
        ("attribute_mismatch", "shipped"),
        ("not_found", None),
        ("unverifiable", "no_evidence"),
    ]


def changed(**parts: object) -> Catalog:
    product: dict[str, object] = {**DECLARED["product"], **parts}  # type: ignore[dict-item]  # a table
    return parse_catalog({"product": product})


@pytest.mark.parametrize(
    ("catalog", "told"),
    [
        (changed(table="shop.nothing"), "no table shop.nothing"),
        (changed(names=["title"]), "has no column 'title'; it has"),
        (changed(key={"column": "product id", "type": "integer"}), "type is integer, but column"),
        (changed(key={"column": "name", "type": "text"}, names=[]), "no index of"),
        (
            changed(attributes={"name": {"kind": "money", "currency": "EUR"}}, names=[]),
            "needs a number",
        ),
        (changed(visible={"column": "gone", "is": "null"}), "has no column 'gone'"),
        (changed(scope={"owner": "principal"}), "scope.owner"),
    ],
)
async def test_a_catalog_that_does_not_fit_is_told_at_start(
    fresh_database: Database, catalog: Catalog, told: str
) -> None:
    await fresh_database.execute(*TABLES)
    connection = await asyncpg.connect(fresh_database.owner_dsn)
    try:
        await check_catalog(connection, CATALOG)
        with pytest.raises(CatalogError, match=r"catalog\.product") as caught:
            await check_catalog(connection, catalog)
    finally:
        await connection.close()
    assert told in str(caught.value)
