"""`verifier recheck` and `verifier answers sweep` on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.conftest import run as run_async
from tests.integration.test_rechecking import KETTLE, TABLES, count, serving
from verifier.interfaces.cli.app import run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Database

CONFIG = """
[catalog.good]
table = "shop.good"
names = ["name"]
key = { column = "id", type = "integer" }
attributes.price = { kind = "money", currency = "USD", labels = ["price", "costs"] }

[catalog.order]
table = "shop.orders"
scope = { customer = "principal" }
key = { column = "id", type = "integer" }
attributes.status = { kind = "state", states = { shipped = [], open = [] } }
"""


class Command:
    def __init__(self, store: Database, config: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._options = ("--dsn", store.app_dsn, "--config", str(config))
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        code = run([*arguments, *self._options])
        printed = self._capsys.readouterr()
        return code, printed.out, printed.err

    def json(self, *arguments: str) -> tuple[int, Any]:
        code, out, _ = self(*arguments, "--json")
        return code, json.loads(out)


@pytest.fixture
def report_id(fresh_database: Database) -> str:
    """A logged answer on the price of a kettle."""

    async def fill() -> str:
        await fresh_database.execute(*TABLES)
        async with serving(fresh_database) as verifier:
            return (await verifier.verify(KETTLE)).report_id

    return run_async(fill())


@pytest.fixture
def call(fresh_database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    config = tmp_path / "verifier.toml"
    config.write_text(CONFIG, encoding="utf-8")
    return Command(fresh_database, config, capsys)


def change_price(database: Database) -> None:
    run_async(database.execute("UPDATE shop.good SET price = 42.00 WHERE id = 1"))


def test_an_answer_is_rechecked_for_people_and_programs(
    fresh_database: Database, report_id: str, call: Command
) -> None:
    code, out, _ = call("recheck", report_id[:10])
    assert (code, out.split(":")[0]) == (0, "holds")
    change_price(fresh_database)
    code, out, _ = call("recheck", report_id)
    assert code == 1
    assert "verified → price_mismatch: The Tea Kettle costs $40.50." in out
    assert "row changed: shop.good:1 price, “40.50” → “42.00”" in out
    code, told = call.json("recheck", "--since", "2020-01-01")
    assert code == 1
    assert (told["reports"], told["verified"], told["counts"]) == (1, 1, {"wrong": 1})
    (found,) = told["rechecks"]
    assert found["report_id"] == report_id
    assert found["claims"][0]["changes"][0]["new"] == "42.00"
    code, told = call.json("recheck", "--entity", "shop.good:2")
    assert (code, told["reports"]) == (0, 0)
    code, out, _ = call("recheck", "--entity", "shop.good:1")
    assert code == 1
    assert "1 answer looked at, 1 verified again" in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "which answers are meant"),
        (("no-such-report",), "there is no report"),
        (("r", "--source", "terms"), "not both"),
        (("--source", "no-such-source"), "no-such-source"),
        (("--entity", "good"), "TABLE:KEY"),
        (("--entity", "';DROP TABLE report;--"), "TABLE:KEY"),
        (("--since", "yesterday"), "no date or time"),
    ],
)
def test_what_can_not_be_meant_is_refused(
    fresh_database: Database, call: Command, arguments: tuple[str, ...], told: str
) -> None:
    code, out, err = call("recheck", *arguments)
    assert (code, out) == (2, "")
    assert told in err
    hostile = call("recheck", "--entity", "x'); DROP TABLE report; --:1'")
    assert hostile[0] == 0
    assert run_async(count(fresh_database, "SELECT count(*) FROM verifier.report")) == 0


def test_old_answers_are_counted_and_removed_when_told_so(
    fresh_database: Database, report_id: str, call: Command
) -> None:
    reports = "SELECT count(*) FROM verifier.report"
    assert report_id
    code, _, err = call("answers", "sweep")
    assert code == 2
    assert "answer_log_days" in err
    old = "UPDATE verifier.report SET created_at = created_at - interval '100 days'"
    run_async(fresh_database.execute(old))
    code, out, _ = call("answers", "sweep", "--days", "90")
    assert (code, "--yes removes them" in out) == (0, True)
    assert run_async(count(fresh_database, reports)) == 1
    code, told = call.json("answers", "sweep", "--days", "90", "--yes")
    assert (code, told["found"], told["removed"]) == (0, 1, 1)
    assert run_async(count(fresh_database, reports)) == 0
    assert call("answers", "sweep", "--days", "0", "--yes")[0] == 2


def test_drift_is_audited_for_people_and_programs(
    fresh_database: Database, report_id: str, call: Command
) -> None:
    code, out, _ = call("audit", "drift")
    assert (code, out.strip()) == (
        0,
        "nothing drifted: 1 answer on canonical rows, which read as they did",
    )
    change_price(fresh_database)
    code, out, _ = call("audit", "drift", "--table", "good")
    assert code == 1
    assert "default/shop.good" in out
    assert report_id[:12] in out
    code, told = call.json("audit", "drift", "--exit-zero")
    assert (code, told["found"], told["tables"][0]["columns"]) == (0, 1, {"price": 1})
    assert call("audit", "drift", "--table", "orders")[0] == 0
    assert call("audit", "drift", "--table", " ")[0] == 2
    run_async(fresh_database.execute("DROP TABLE shop.good"))
    code, out, _ = call("audit", "drift")
    assert code == 1
    assert "can't tell of default/shop.good, 1 answer: " in out
    assert "nothing drifted" not in out
