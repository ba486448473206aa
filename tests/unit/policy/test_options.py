"""The options of `verifier verify` that choose a policy, as one types them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from verifier.interfaces.cli.app import run

if TYPE_CHECKING:
    from pathlib import Path

TURN = {
    "calls": [
        {"id": "1", "tool": "get", "result": {"id": "P-1", "name": "Throw", "price": "49.90"}}
    ],
    "answer": "The Throw costs 49.90. The owner is Lena.",
}
MISUSES = {
    "--policy stop": "option --policy",
    "--hold nothing": "option --hold",
    "--hold accepted": "option --hold",
    "--hold rejected --strict": "pass either --hold or --strict",
}


@pytest.fixture
def turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "verifier.toml").write_text('answer_log = "off"\n', encoding="utf-8")
    (tmp_path / "turn.json").write_text(json.dumps(TURN), encoding="utf-8")
    return "turn.json"


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        ("", 0, None),
        ("--policy off", 0, None),
        ("--policy hold", 0, TURN["answer"]),
        ("--policy hold --strict", 1, None),
        ("--policy hold --hold rejected,review", 0, TURN["answer"]),
        ("--policy hold --hold=unchecked", 1, None),
        ("--policy correct --strict", 1, TURN["answer"]),
    ],
)
def test_options(
    turn: str, options: str, code: int, text: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", turn, "--json", *options.split()]) == code
    report = json.loads(capsys.readouterr().out)
    assert report["accepted"] is (code == 0)
    assert (report["release"] or {}).get("text") == text


@pytest.mark.parametrize("options", MISUSES)
def test_misuse_is_told(turn: str, options: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", turn, *options.split(" ")]) == 2
    assert MISUSES[options] in capsys.readouterr().err


def test_the_policy_of_the_settings_holds(
    turn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = 'answer_log = "off"\npolicy = "annotate"\nhold = ["rejected", "unchecked"]\n'
    (tmp_path / "verifier.toml").write_text(told, encoding="utf-8")
    assert run(["verify", turn, "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert "[^check-c1]" in report["release"]["text"]
    assert run(["verify", turn]) == 1
    shown = capsys.readouterr().out
    assert "the answer, which is not accepted:" in shown
