"""The public shops in Postgres: their catalogs fit, and statements made from rows come out right."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncpg
import pytest

from tests.shared_data import find_shared
from verifier.core.turns import Turn
from verifier.store.canonical_check import find_problems
from verifier.store.canonical_pool import open_canonical_pool
from verifier.verify.verifier import verify_answer

if TYPE_CHECKING:
    from types import ModuleType

    from tests.integration.conftest import Database

SCRIPTS = Path(__file__).parents[2] / "scripts"
STATEMENTS = 80
SHOPS = ("retail", "northwind", "chinook", "dummyjson")
CASES = Path(__file__).parents[1] / "data" / "row_statements.jsonl"


def load(name: str) -> ModuleType:
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module(f"casework.{name}")
    finally:
        sys.path.remove(str(SCRIPTS))


@pytest.mark.shared_data
@pytest.mark.parametrize("shop", SHOPS)
async def test_statements_made_from_rows(empty_database: Database, shop: str) -> None:
    shops, bench = load("shops"), load("rowbench")
    connection = await asyncpg.connect(empty_database.owner_dsn)
    try:
        counts = await shops.load_shop(connection, shop, find_shared(shop))
        problems = await find_problems(connection, bench.read_catalog(shop))
    finally:
        await connection.close()
    assert sum(counts.values()) > 1_000
    assert problems == ()
    async with await open_canonical_pool(empty_database.owner_dsn, timeout_s=30) as pool:
        tallies: dict[str, Any] = await bench.judge_shop(pool, shop, STATEMENTS, seeds=(7,))
    assert {form: tally.misses for form, tally in tallies.items() if not tally.meets(form)} == {}
    cards = tallies["card"]
    assert (cards.true["accepted"], cards.false["rejected"]) == (STATEMENTS / 4, STATEMENTS / 4)


@pytest.mark.shared_data
@pytest.mark.parametrize("shop", SHOPS)
async def test_each_statement_of_the_table(empty_database: Database, shop: str) -> None:
    """Hostile statements are never accepted, true ones always."""
    shops, bench = load("shops"), load("rowbench")
    cases = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    connection = await asyncpg.connect(empty_database.owner_dsn)
    try:
        await shops.load_shop(connection, shop, find_shared(shop))
    finally:
        await connection.close()
    wrong = []
    async with await open_canonical_pool(empty_database.owner_dsn, timeout_s=30) as pool:
        backing = bench.back_by(pool, bench.read_catalog(shop))
        for case in (one for one in cases if one["shop"] == shop):
            turn = Turn(principal=case["principal"])
            report = await verify_answer(case["text"], turn, backing=backing)
            outcome = bench.outcome_of(report)
            if (outcome == "accepted") is not (case["expected"] == "accepted"):
                wrong.append((case["id"], outcome, case["text"]))
    assert wrong == []


def test_the_table_has_sixty_hostile_statements_of_each_form() -> None:
    cases = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    forms = {one["form"] for one in cases}
    hostile = {
        form: sum(one["form"] == form and one["expected"] != "accepted" for one in cases)
        for form in forms
    }
    assert forms == {"card", "prose", "list", "table"}
    assert min(hostile.values()) >= 60
