"""Columns that count cents: what prose, cards, tool results and proposals make of their names."""

from __future__ import annotations

import json
import tomllib
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from tests.integration.conftest import run as run_async
from tests.integration.test_parts_and_swaps import TABLES
from verifier.core.catalog import parse_catalog
from verifier.core.policy import Mode, Policy
from verifier.core.turns import ToolCall, Turn
from verifier.interfaces.cli.app import run
from verifier.store.canonical_pool import open_canonical_pool
from verifier.verify.known_names import CanonicalNames
from verifier.verify.ledger_check import Standing, check_ledger
from verifier.verify.policy import verify_under
from verifier.verify.verifier import Backing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.integration.conftest import Database
    from verifier.core.catalog import Catalog
    from verifier.store.canonical_pool import CanonicalPool

MONEY = {"kind": "money", "currency": "EUR", "minor_units": True}
AS_PROPOSED_BEFORE = {"total_cents": MONEY}
AS_SPOKEN = {"total": {**MONEY, "column": "total_cents", "labels": ["total", "comes to"]}}
TRUE = (
    "You have paid €148.50 for ORD-1042.",
    "ORD-1042: €148.50",
    "The total of ORD-1042 is €148.50.",
    "Order ORD-1042 has a total of €148.50.",
    "- Order ORD-1042: €148.50",
    "| Order | Total |\n|---|---|\n| ORD-1042 | €148.50 |",
    '```order\n{"order_number": "ORD-1042", "total_cents": 14850}\n```',
    '```order\n{"order_number": "ORD-1042", "total_cents": "14850"}\n```',
)
FALSE = {
    "The total of ORD-1042 is €14850.00.": "The total of ORD-1042 is €148.50.",
    "The total of order ORD-1042 is €148.05.": "The total of order ORD-1042 is €148.50.",
    '```order\n{"order_number": "ORD-1042", "total_cents": 14950}\n```': (
        '```order\n{"order_number": "ORD-1042", "total_cents": 14850}\n```'
    ),
}
REJECTED = (
    "ORD-1042: €149.50",
    "ORD-1042: €14850.00",
    '```order\n{"order_number": "ORD-1042", "total_cents": 148.50}\n```',
    '```order\n{"order_number": "ORD-1042", "total_cents": 149}\n```',
)


def declare(attributes: dict[str, object]) -> Catalog:
    order = {
        "table": "shop.orders",
        "scope": {"customer_id": "principal"},
        "key": {"column": "order_number", "type": "text", "pattern": "ORD-[0-9]+"},
        "attributes": attributes,
    }
    return parse_catalog({"order": order})


@asynccontextmanager
async def lend_shop(database: Database, catalog: Catalog) -> AsyncIterator[Backing]:
    await database.execute(*TABLES)
    async with await open_canonical_pool(database.owner_dsn) as pool:

        async def lend(_database: str) -> CanonicalPool:
            return pool

        yield Backing(catalog=catalog, lend_pool=lend, names=CanonicalNames(catalog, lend))


@pytest.mark.parametrize("attributes", [AS_PROPOSED_BEFORE, AS_SPOKEN])
async def test_the_cents_of_a_name_are_no_unit_of_its_amount(
    fresh_database: Database, attributes: dict[str, object]
) -> None:
    correct, turn = Policy(mode=Mode.CORRECT), Turn(principal="c-1")
    async with lend_shop(fresh_database, declare(attributes)) as backing:
        for answer in TRUE:
            report = await verify_under(correct, answer, turn, backing=backing)
            told = [one.verdict.detail for one in report.judged]
            assert {one.verdict.code for one in report.judged} == {"verified"}, (answer, told)
        for answer, right in FALSE.items():
            report = await verify_under(correct, answer, turn, backing=backing)
            assert {one.verdict.code for one in report.judged} == {"price_mismatch"}, answer
            assert report.release is not None
            assert report.release.text == right
        for answer in REJECTED:
            report = await verify_under(correct, answer, turn, backing=backing)
            assert {one.verdict.disposition for one in report.judged} == {"rejected"}, answer


@pytest.mark.parametrize("attributes", [AS_PROPOSED_BEFORE, AS_SPOKEN])
async def test_a_tool_s_cents_are_held_against_the_column(
    fresh_database: Database, attributes: dict[str, object]
) -> None:
    results = {
        "same": {"order_number": "ORD-1042", "total_cents": 14850},
        "other": {"order_number": "ORD-1042", "total_cents": 14950},
        "text": {"order_number": "ORD-1042", "totalCents": "14850"},
    }
    calls = tuple(
        ToolCall(call_id=name, tool="get_order", arguments={}, result=result)
        for name, result in results.items()
    )
    async with lend_shop(fresh_database, declare(attributes)) as backing:
        check = await check_ledger(Turn(principal="c-1", calls=calls), backing)
    assert {one.locator.call_id: one.standing for one in check.facts} == {
        "same": Standing.CURRENT,
        "other": Standing.STALE,
        "text": Standing.CURRENT,
    }


def test_a_proposal_names_the_amount_and_the_key_that_people_write(
    empty_database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    run_async(empty_database.execute(*TABLES))
    dsn = empty_database.owner_dsn
    assert run(["catalog", "inspect", "--schema", "shop", "--dsn", dsn]) == 0
    printed = capsys.readouterr().out
    order = tomllib.loads(printed)["catalog"]["order"]
    assert order["key"]["column"] == "order_number"
    assert "order_number is unique, and what people write; id counts rows" in printed
    assert order["attributes"]["total"] == {
        "kind": "money",
        "minor_units": True,
        "column": "total_cents",
    }
    assert order["parts"]["lines"]["on"] == {"order_id": "id"}


def test_a_key_that_only_one_column_tells_and_addresses_stay_what_they_are(
    empty_database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = (
        "CREATE SCHEMA shop",
        "CREATE TABLE shop.users (id serial PRIMARY KEY, user_number text UNIQUE, email text UNIQUE)",
        "CREATE TABLE shop.parcels (id serial PRIMARY KEY, code text UNIQUE, reference text UNIQUE)",
        "CREATE TABLE shop.things (sku text PRIMARY KEY, number text UNIQUE, fee int, fee_cents int)",
    )
    run_async(empty_database.execute(*tables))
    dsn = empty_database.owner_dsn
    assert run(["catalog", "inspect", "--schema", "shop", "--dsn", dsn]) == 0
    catalog = tomllib.loads(capsys.readouterr().out)["catalog"]
    keys = {name: one["key"]["column"] for name, one in catalog.items()}
    assert keys == {"user": "id", "parcel": "id", "thing": "sku"}
    assert {"fee", "fee_cents"} <= set(catalog["thing"]["attributes"])


def test_an_id_without_a_row_and_a_missing_catalog_end_otherwise_than_well(
    empty_database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_async(empty_database.execute(*TABLES))
    config = tmp_path / "verifier.toml"
    config.write_text(f'dsn = "{empty_database.owner_dsn}"\n', "utf-8")
    assert run(["catalog", "check", "--config", str(config)]) == 2
    assert "declare no catalog" in capsys.readouterr().err
    declared = """
        [catalog.order]
        table = "shop.orders"
        scope = { customer_id = "principal" }
        key = { column = "order_number", type = "text" }
    """
    config.write_text(f'dsn = "{empty_database.owner_dsn}"\n{declared}', "utf-8")
    explain = ["--json", "catalog", "explain", "--config", str(config), "--principal"]
    seen = {}
    for principal, key in (("c-1", "ORD-1042"), ("c-1", "ORD-9"), ("c-2", "ORD-1042")):
        code = run([*explain, principal, key])
        seen[principal, key] = (code, json.loads(capsys.readouterr().out)[0]["state"])
    absent = (1, "not found, as far as this turn may see")
    assert list(seen.values()) == [(0, "found"), absent, absent]
