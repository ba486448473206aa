"""The runner of cases: what it counts as wrong."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from types import ModuleType

SCRIPTS = Path(__file__).parents[2] / "scripts"
RIGHT = {"items": [{"type": "money", "value": "20", "currency": "EUR"}]}


@pytest.fixture(scope="module")
def running() -> ModuleType:
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module("casework.running")
    finally:
        sys.path.remove(str(SCRIPTS))


def line(**fields: Any) -> str:
    case = {"id": "T1", "kind": "k", "task": "extract", "claim": "20 EUR", "expected": RIGHT}
    return json.dumps({**case, **fields})


@pytest.mark.parametrize(
    ("case", "ok"),
    [
        (line(), True),
        (line(claim="21 EUR"), False),
        (line(claim="20 EUR and 5 kg"), False),
        (line(claim="20 EUR, order ORD-10482"), True),
        (line(expected={"items": [], "absent": ["20"]}), False),
        (line(expected={"any_of": [{"items": []}, RIGHT]}), True),
        (line(expected={"unheard_of": 1}), False),
        (line(expected=None), False),
        (line(extra={"now": "no time"}), False),
        (line(task="sentence", claim="One. Two.", expected=["One.", "Two."]), True),
        (line(task="sentence", claim="One. Two.", expected=["One. Two."]), False),
        (line(claim="", extra={"build": {"repeat": "20 EUR ", "times": 1}}), True),
    ],
)
def test_a_case_is_right_only_where_everything_fits(
    running: ModuleType, case: str, ok: object
) -> None:
    assert running.judge_case(running.parse_case(case)).ok is ok


def test_a_task_that_nobody_built_is_wrong(running: ModuleType) -> None:
    judgement = running.judge_case(running.parse_case(line(task="juggle")))
    assert (judgement.ok, judgement.error) == (False, "left_open")


def test_a_crash_is_wrong_and_named(running: ModuleType) -> None:
    judgement = running.judge_case(running.parse_case(line(extra={"now": "no time"})))
    assert judgement.error == "crash"
    assert "no time" in judgement.got


def test_the_command_writes_results_and_is_strict_on_demand(tmp_path: Path) -> None:
    cases, out = tmp_path / "cases.jsonl", tmp_path / "out.jsonl"
    cases.write_text(line() + "\n" + line(id="T2", claim="3 EUR") + "\nno json\n", encoding="utf-8")
    command = [sys.executable, str(SCRIPTS / "cases"), str(cases), "--out", str(out)]
    relaxed = subprocess.run(command, capture_output=True, text=True, check=False)
    strict = subprocess.run([*command, "--strict"], capture_output=True, text=True, check=False)
    assert (relaxed.returncode, strict.returncode) == (0, 1)
    results = [json.loads(each) for each in out.read_text(encoding="utf-8").splitlines()]
    assert [(each["id"], each["ok"]) for each in results] == [
        ("T1", True),
        ("T2", False),
        ("cases.jsonl:3", False),
    ]
    assert "right 1 of 3" in relaxed.stdout
