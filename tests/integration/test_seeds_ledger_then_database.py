"""The system of ledger and canonical tables that this project was created from, line by line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncpg
import pytest

from verifier.core.catalog import parse_catalog
from verifier.core.turns import ToolCall, Turn
from verifier.store.canonical_pool import open_canonical_pool
from verifier.verify.verifier import verify_claims

if TYPE_CHECKING:
    from tests.integration.conftest import Database
    from verifier.core.report import GroundingReport

SEEDS = Path(__file__).parents[1] / "data" / "seeds" / "ledger_then_database.jsonl"
NOBODY_LISTENS = "postgresql://nobody@127.0.0.1:1/nothing"
CATALOG = parse_catalog(
    {
        "product": {
            "table": "shop.product",
            "names": ["name"],
            "key": {"column": "id", "type": "uuid"},
            "attributes": {"price": {"kind": "money", "currency_column": "currency"}},
        },
        "order": {
            "table": "shop.order",
            "key": {"column": "id", "type": "uuid", "aliases": ["order_id"]},
            "scope": {"customer": "principal"},
            "attributes": {
                "status": {
                    "kind": "state",
                    "states": {"shipped": ["on its way"], "delivered": [], "processing": []},
                },
                "total": {"kind": "money", "currency_column": "currency"},
                "tracking": {
                    "kind": "identifier",
                    "aliases": ["tracking_number"],
                    "labels": ["tracking number"],
                },
            },
        },
    }
)
TABLES = (
    "CREATE SCHEMA shop",
    "CREATE TABLE shop.product (id uuid PRIMARY KEY, name text, price numeric(12, 2), currency text)",
    """CREATE TABLE shop."order" (id uuid PRIMARY KEY, customer text, status text, total numeric(12, 2),
                                  currency text, tracking text)""",
)


def read_seeds() -> list[Any]:
    lines = SEEDS.read_text("utf-8").splitlines()
    return [pytest.param(case, id=case["id"]) for case in map(json.loads, lines)]


async def put_tables(database: Database, tables: dict[str, list[dict[str, str]]]) -> None:
    await database.execute(*TABLES)
    connection = await asyncpg.connect(database.owner_dsn)
    try:
        for table, rows in tables.items():
            for row in rows:
                record = f'jsonb_populate_record(NULL::shop."{table}", $1::jsonb)'
                statement = f'INSERT INTO shop."{table}" SELECT * FROM {record}'  # noqa: S608 -- ours
                await connection.execute(statement, json.dumps(row))
    finally:
        await connection.close()


def tell(report: GroundingReport, expected: list[list[str | None]]) -> list[list[str | None]]:
    """What the report says of each claim, as far as the seed looks."""
    told: list[list[str | None]] = []
    for at, judged in enumerate(report.judged):
        verdict = judged.verdict
        known: list[str | None] = [str(verdict.code), verdict.tier and str(verdict.tier)]
        if at < len(expected) and len(expected[at]) == 3:
            known.append(str(verdict.reason) if verdict.reason else verdict.corrected_value)
        told.append(known)
    return told


@pytest.mark.parametrize("case", read_seeds())
async def test_seed(case: dict[str, Any], fresh_database: Database) -> None:
    await put_tables(fresh_database, case["tables"])
    calls = tuple(
        ToolCall(call_id=f"call-{at}", tool=tool, arguments={}, result=result)
        for at, (tool, result) in enumerate(case["ledger"], 1)
    )
    turn = Turn(
        principal=case.get("principal"),
        calls=calls,
        check_ledger_against_database=case.get("check_ledger_against_database", False),
    )
    down = case.get("database") == "down"
    dsn = NOBODY_LISTENS if down else fresh_database.owner_dsn
    async with await open_canonical_pool(dsn, connect_timeout_s=2.0) as pool:
        report = await verify_claims(case["answer"], None, pool, catalog=CATALOG, turn=turn)
    assert tell(report, case["expected"]) == case["expected"]
    if "database_round_trips" in case:
        assert report.database_round_trips == case["database_round_trips"]
    if "grounded_share" in case:
        assert report.claims == 0
        assert report.grounded_share is None
