"""What `scripts/bench-store` counts as wrong, and a small run of it on our own store."""

from __future__ import annotations

import asyncio
import importlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import asyncpg
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.integration.conftest import Database

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture(scope="module")
def storebench() -> Iterator[Any]:
    sys.path.insert(0, str(SCRIPTS))
    try:
        yield importlib.import_module("storebench")
        importlib.import_module("storebench.comparing")
    finally:
        sys.path.remove(str(SCRIPTS))


def load(name: str) -> Any:
    return importlib.import_module(f"storebench.{name}")


def piece(document: str, text: str) -> Any:
    return load("serving").Piece(document=document, group=0, text=text, row=0)


@pytest.mark.parametrize(
    ("there", "wrong"),
    [
        ("a b", (0, 0, 0)),
        ("a b b", (1, 0, 0)),
        ("a b old", (0, 1, 0)),
        ("a", (0, 0, 1)),
        ("old old a a a", (2, 2, 1)),
        ("", (0, 0, 2)),
    ],
)
def test_what_a_store_holds_is_compared_with_what_it_should(
    storebench: object, there: str, wrong: tuple[int, int, int]
) -> None:
    expected = [piece("d", "a"), piece("d", "b")]
    found = load("comparing").count_wrong(Counter(there.split()), expected)
    assert (found["duplicates"], found["stale rows"], found["missing rows"]) == wrong


@pytest.mark.parametrize(
    ("steps", "seen"),
    [
        (["DELETE FROM page; INSERT INTO page VALUES ('d', 'new')"], 0),
        (["DELETE FROM page", "INSERT INTO page VALUES ('d', 'new')"], 1),
        (["INSERT INTO page VALUES ('d', 'new')", "DELETE FROM page WHERE text = 'old'"], 1),
    ],
)
async def test_a_reader_notices_a_document_that_is_neither_old_nor_new(
    fresh_database: Database, storebench: object, steps: list[str], seen: int
) -> None:
    await fresh_database.execute(
        "CREATE TABLE page (document text, text text)", "INSERT INTO page VALUES ('d', 'old')"
    )

    pages = SimpleNamespace(
        before=[piece("d", "old"), piece("same", "x")],
        after=[piece("d", "new"), piece("same", "x")],
    )
    comparing = load("comparing")
    reader = comparing.Reader(
        dsn=fresh_database.owner_dsn,
        statement="SELECT document, text FROM page WHERE $1::text[] IS NULL OR document = ANY ($1)",
    )
    connection = await asyncpg.connect(fresh_database.owner_dsn)
    with comparing.Watch(reader, pages) as watch:
        for step in steps:
            await asyncio.sleep(0.3)
            await connection.execute(step)
        await asyncio.sleep(0.3)
    await connection.close()
    assert watch.counts["documents seen half changed"] == seen
    assert await reader.read_all() == Counter(["new"])


def test_a_run_of_our_own_store_finds_nothing_wrong(tmp_path: Path) -> None:
    size = ("--chunks", "1000", "--documents", "12", "--rounds", "1", "--sentences", "40")
    ended = subprocess.run(
        [
            *(sys.executable, str(SCRIPTS / "bench-store"), "--stores", "verifier", "--json"),
            *("--cache", str(tmp_path), *size),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)["verifier"]
    assert set(found["wrong"].values()) == {0}
    assert set(found["wrong"]) == {
        "duplicates",
        "stale rows",
        "missing rows",
        "documents seen half changed",
    }
    assert found["recall"] >= 0.95
    assert found["filtered_recall"] == 1.0
    assert found["reingest_embedded"] == 1
    assert found["reingest_s"] < found["first_ingest_s"]
