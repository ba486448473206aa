"""`verifier conflicts` on the command line: declared, listed, given to a person, resolved."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.conftest import run as run_async
from tests.integration.store_reading import ingest_one, opened
from verifier.interfaces.cli.app import run

if TYPE_CHECKING:
    from tests.integration.conftest import Database

TOPIC = ("--subject", "opened goods", "--attribute", "days", "--value", "30", "--other-value", "60")


@pytest.fixture
def store(fresh_database: Database) -> Database:
    """Two sources; the second holds characters that drive a terminal."""

    async def fill() -> None:
        async with opened(fresh_database) as pool:
            await ingest_one(pool, "terms", "Opened goods are taken back for 30 days.")
            await ingest_one(pool, "faq", "Opened goods: \x1b[31m60 days[/red].")

    run_async(fill())
    return fresh_database


class Command:
    def __init__(self, store: Database, capsys: pytest.CaptureFixture[str]) -> None:
        self._options = ("--dsn", store.app_dsn, "--tenant", "acme")
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        code = run(["conflicts", *arguments, *self._options])
        printed = self._capsys.readouterr()
        return code, printed.out, printed.err

    def json(self, *arguments: str) -> Any:
        code, out, _ = self(*arguments, "--json")
        assert code == 0
        return json.loads(out)


def test_a_conflict_is_declared_listed_assigned_and_resolved(
    store: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    call = Command(store, capsys)
    assert call("list")[1].strip().endswith("; --all lists those of every state")
    assert call("list", "--all")[1].strip() == "no conflict is on record here"
    words = ("--words", "taken back for 30 days", "--other-words", "60 days[/red]")
    made = call.json("declare", "terms", "faq@1", *TOPIC, *words, "--by", "anna")
    number = str(made["conflict_id"])
    assert (made["state"], made["origin"]) == ("open", "declared")
    code, out, _ = call("list")
    assert (code, "»taken back for 30 days«" in out) == (0, True)
    assert "»60 days[/red]«" in out
    assert "\x1b" not in out
    assert call.json("assign", number, "--to", "ben", "--by", "anna")["assigned_to"] == "ben"
    code, _, err = call("assign", number, "--to", "cyd", "--by", "anna")
    assert (code, "is assigned to ben" in err) == (2, True)
    code, out, _ = call("assign", number, "--to", "cyd", "--by", "anna", "--instead-of", "ben")
    assert (code, out.strip()) == (0, f"conflict {number} is assigned to cyd")
    assert "assigned to cyd" in call("list", "--assigned-to", "cyd")[1]
    code, out, _ = call("resolve", number, "--by", "cyd", "--reason", "the FAQ is old")
    assert (code, out.strip()) == (0, f"conflict {number} is resolved, by cyd")
    assert call.json("list")["conflicts"] == []
    assert "resolved by cyd: the FAQ is old" in call("list", "--all")[1]
    assert len(call.json("list", "--state", "resolved", "--source", "faq")["conflicts"]) == 1
    code, _, err = call("resolve", number, "--by", "dan", "--reason", "I too")
    assert (code, "was resolved by cyd" in err) == (2, True)


def test_a_row_is_named_and_what_is_wrong_is_told(
    store: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    call = Command(store, capsys)
    made = call.json("declare", "terms", "--row", "default/shop.rule/7/days", *TOPIC, "--by", "a")
    assert (made["other"], made["other_row"]) == (None, "default/shop.rule/7/days")
    assert "default/shop.rule/7/days: 60" in call("list")[1]
    for line, told in {
        ("declare", "terms", *TOPIC, "--by", "a"): "second place",
        ("declare", "nowhere", "faq", *TOPIC, "--by", "a"): "no source 'nowhere'",
        ("resolve", "77", "--by", "a", "--reason", "b"): "no conflict 77",
    }.items():
        code, out, err = call(*line)
        assert (code, out) == (2, "")
        assert told in err


def test_conflicts_are_found_and_both_sentences_shown(
    store: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    async def fill() -> None:
        async with opened(store) as pool:
            await ingest_one(pool, "a", "Express delivery costs $9.90.")
            await ingest_one(pool, "b", "Express delivery costs $12.")

    run_async(fill())
    call = Command(store, capsys)
    code, out, _ = call("find")
    assert (code, "»Express delivery costs $9.90.«" in out) == (0, True)
    assert "»Express delivery costs $12.«" in out
    assert "4 chunks read: 1 new, 0 known, 0 obsolete now" in out
    again = call.json("find")
    assert (again["added"], again["known"]) == ([], 1)
