"""`verifier reviews` on the command line: a queue from a real answer, decided, disputed, opened again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.conftest import run as run_async
from tests.integration.queued_reviews import answering, asking, cite, log
from tests.integration.store_reading import ingest_one, opened
from verifier.interfaces.cli.app import run

if TYPE_CHECKING:
    from tests.integration.conftest import Database

TEXT = "Returns are taken for 30 days. Opened goods are not taken back."


@pytest.fixture
def store(fresh_database: Database) -> Database:
    """A store in which two claims wait; the second has characters that drive a terminal."""

    async def fill() -> None:
        async with opened(fresh_database) as pool:
            await ingest_one(pool, "terms", TEXT)
            cited = cite("terms", 1, TEXT, "Returns are taken for 30 days")
            hostile = asking(1, "It is \x1b[31m[red]so[/red].", cited)
            await log(
                pool,
                answering("r1", asking(1, "You can return it.", cited)),
                answering("r2", asking(1, "You can return it.", cited)),
                answering("r3", hostile),
            )

    run_async(fill())
    return fresh_database


class Command:
    def __init__(self, store: Database, capsys: pytest.CaptureFixture[str]) -> None:
        self._options = ("--dsn", store.app_dsn, "--tenant", "acme")
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        code = run(["reviews", *arguments, *self._options])
        printed = self._capsys.readouterr()
        return code, printed.out, printed.err

    def json(self, *arguments: str) -> Any:
        code, out, _ = self(*arguments, "--json")
        assert code == 0
        return json.loads(out)


def test_the_queue_is_listed_shown_decided_and_opened_again(
    store: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    call = Command(store, capsys)
    listed = call.json("list")
    assert [one["answers"] for one in listed["entries"]] == [2, 1]
    number = str(listed["entries"][0]["review_id"])
    code, out, _ = call("list")
    assert call() == (code, out, "")
    assert code == 0
    assert "You can return it." in out
    assert "terms" in out
    code, out, _ = call("show", number)
    assert "»Returns are taken for 30 days«. Opened goods" in out
    assert "»You can return it.«" in out
    assert "asked by 2 logged answers" in out
    code, out, _ = call("assign", number, "--to", "ben", "--by", "ada")
    assert (code, out.strip()) == (0, f"review {number} is assigned to ben")
    assert call("assign", number, "--to", "cyd", "--by", "ada")[0] == 2
    taken = call.json("assign", number, "--to", "cyd", "--by", "ada", "--instead-of", "ben")
    assert (taken["assigned_to"], taken["assigned_by"], taken["state"]) == ("cyd", "ada", "open")
    assert [
        str(one["review_id"]) for one in call.json("list", "--assigned-to", "cyd")["entries"]
    ] == [number]
    assert "for cyd, by ada on " in call("show", number)[1]
    decided = call.json("decide", number, "supported", "--by", "ada", "--reason", "30 days")
    assert (decided["decision"], decided["stands"]) == ("supported", True)
    code, out, _ = call("decide", number, "contradicted", "--by", "ben", "--reason", "not all")
    assert (code, out.strip()) == (0, f"review {number} is contradicted, by ben")
    assert [str(one["review_id"]) for one in call.json("list", "--disputed")["entries"]] == [number]
    assert len(call.json("list", "--reviewer", "ada")["entries"]) == 1
    assert "disputed" in call("list", "--all")[1]
    assert "decided by 2 reviewers, who disagree" in call("show", number)[1]
    shown = call.json("show", number)
    assert [one["reviewer"] for one in shown["decisions"]] == ["ada", "ben"]
    assert shown["cited"][0]["cited"]["text"].startswith("Returns are taken")
    assert call.json("reopen", number, "--by", "cyd", "--reason", "again")["round"] == 2
    code, out, _ = call("show", number)
    assert out.count("(stands no more)") == 2


def test_what_changed_is_shown_beside_what_was_cited(
    store: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    call = Command(store, capsys)
    number = str(call.json("list")["entries"][0]["review_id"])

    async def supersede() -> None:
        async with opened(store) as pool:
            await ingest_one(pool, "terms", TEXT.replace("30 days", "14 days"))

    run_async(supersede())
    code, out, _ = call("show", number)
    assert "expired: superseded" in out
    assert "version 2, which is current, says otherwise" in out
    assert "14 days" in out
    code, _, err = call("decide", number, "supported", "--by", "ada", "--reason", "so")
    assert code == 2
    assert "reopen it before it is decided" in err
    assert call.json("refresh")["expired"] == 0
    assert "expired; rows of" in call("refresh")[1]


def test_texts_never_drive_the_terminal(
    store: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    call = Command(store, capsys)
    _, out, _ = call("list")
    assert "\x1b" not in out
    assert "[red]so[/red]" in out
    _, out, _ = call("show", str(call.json("list")["entries"][1]["review_id"]))
    assert "\x1b" not in out


def test_agreement_is_told_with_kappa_or_that_there_is_none(
    store: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    call = Command(store, capsys)
    assert "no two reviewers" in call("agreement")[1]
    numbers = [str(one["review_id"]) for one in call.json("list")["entries"]]
    for name in ("ada", "ben"):
        for number in numbers:
            call("decide", number, "supported", "--by", name, "--reason", "so")
    assert "not defined" in call("agreement")[1]
    assert call.json("agreement")["pairs"][0]["kappa"] is None
    call("decide", numbers[0], "unclear", "--by", "ada", "--reason", "so")
    assert call.json("agreement")["pairs"][0]["kappa"] == 0.0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("show", "999"), "there is no review 999"),
        (("show", "x"), "valid integer"),
        (("decide", "1", "maybe", "--by", "a", "--reason", "b"), "maybe"),
        (("decide", "1", "supported"), "--by"),
        (("decide", "1", "supported", "--by", " ", "--reason", "b"), "name of a person"),
        (("reopen", "999", "--by", "a", "--reason", "b"), "there is no review 999"),
        (("assign", "999", "--to", "a", "--by", "b"), "there is no review 999"),
        (("assign", "1", "--by", "b"), "--to"),
        (("assign", "1", "--to", " ", "--by", "b"), "name of a person"),
        (("list", "--code", "supported"), "is not one of"),
        (("list", "--limit", "0"), "greater than or equal to 1"),
        (("list", "--state", "closed"), "closed"),
    ],
)
def test_misuse_is_told(
    store: Database, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str
) -> None:
    code, _, err = Command(store, capsys)(*arguments)
    assert code == 2
    assert told in err


def test_an_empty_queue_says_so(
    fresh_database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    call = Command(fresh_database, capsys)
    assert call("list")[1].strip() == "nothing waits here"
    assert call.json("list") == {"entries": [], "more": False}
    assert call.json("agreement")["decided"] == 0
    assert call.json("refresh") == {
        "expired": 0,
        "rows": {"checked": 0, "expired": 0, "left_open": 0, "open_reason": None},
    }
