"""The measuring scripts, run as a person runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.shared_data import find_shared
from verifier.core.turn_file import read_turns

if TYPE_CHECKING:
    from subprocess import CompletedProcess

ROOT = Path(__file__).parents[2]
LAMP = {
    "id": "t1",
    "question": "What is it?",
    "default_currency": "EUR",
    "calls": [
        {"tool": "get", "result": {"name": "Oak Lamp", "price": 82.10, "sku": "LMP-10442"}},
        {"tool": "get", "result": {"name": "Wool Rug", "price": 240.00, "sku": "RUG-20991"}},
    ],
    "answer": "The Oak Lamp (LMP-10442) costs €82.10.",
}


def run_script(name: str, *arguments: str) -> CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts" / name), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def lines_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_corrupted_turns_are_turn_files_with_a_list_of_what_was_changed(tmp_path: Path) -> None:
    chat = {**LAMP, "id": "t2", "answer": "Hello! How can I help you?"}
    turns = tmp_path / "turns.jsonl"
    turns.write_text(f"{json.dumps(LAMP)}\n{json.dumps(chat)}\n", encoding="utf-8")
    done = run_script("corrupt-turns", str(turns), "--seed", "3", "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert "1 made" in done.stdout
    assert "1 answers without any place" in done.stdout
    written = tmp_path / "out" / "turns.jsonl"
    (case,) = read_turns(written.read_text(encoding="utf-8"))
    (told,) = lines_of(tmp_path / "out" / "turns.changes.jsonl")
    assert case.answer is not None
    assert case.answer != LAMP["answer"]
    assert told["id"] == "t1"
    for change in told["changes"]:
        start, end = change["span"]
        assert case.answer[start:end] == change["new"]
    assert '"price": 82.1' in written.read_text(encoding="utf-8")


def test_kinds_and_seed_are_the_callers(tmp_path: Path) -> None:
    turns = tmp_path / "turns.json"
    turns.write_text(json.dumps(LAMP), encoding="utf-8")
    for out, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        done = run_script(
            "corrupt-turns",
            *(str(turns), "--kinds", "id", "--seed", seed, "--out", str(tmp_path / out)),
        )
        assert done.returncode == 0, done.stderr
    first, again, other = (lines_of(tmp_path / out / "turns.changes.jsonl") for out in "abc")
    assert first == again
    assert {told["kind"] for told in (*first, *other)} == {"id"}


@pytest.mark.parametrize("content", ["no json", "[1]", '{"answer": "x", "mood": "good"}'])
def test_a_file_without_turns_is_named(tmp_path: Path, content: str) -> None:
    turns = tmp_path / "turns.json"
    turns.write_text(content, encoding="utf-8")
    done = run_script("corrupt-turns", str(turns), "--out", str(tmp_path / "out"))
    assert done.returncode == 2
    assert "turn" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.shared_data
def test_conversations_are_measured_for_both_errors() -> None:
    find_shared("conversations")
    done = run_script("bench-conversations", "--json", "--misses", "--limit", "60", "--seeds", "1")
    told = json.loads(done.stdout)
    assert done.returncode == (1 if told["missed_goals"] else 0)
    assert told["answers"] == 60
    assert told["crashes"] == []
    true, false = told["true"], told["false"]
    assert true["total"] == sum(true["outcomes"].values()) > 0
    assert false["total"] == sum(kind["total"] for kind in told["false_by_kind"].values()) > 0
    accepted = true["outcomes"].get("accepted", 0)
    assert len(told["misses"]) == true["total"] - accepted
    assert len(told["passed"]) == false["total"] - false["outcomes"].get("rejected", 0)
    assert all(miss["sentence"] and miss["detail"] for miss in told["misses"])


@pytest.mark.shared_data
def test_statements_are_held_beside_the_naive_check() -> None:
    find_shared("summedits")
    find_shared("tat-qa")
    done = run_script("bench-statements", "--json", "--limit", "120")
    told = json.loads(done.stdout)
    assert done.returncode == (0 if all(one["better"] for one in told.values()) else 1)
    assert len(told) == 9
    assert sum(one["true"] + one["false"] for one in told.values()) == 120


def test_verifying_is_timed() -> None:
    done = run_script("bench-verify", "--json", "--runs", "3")
    told = json.loads(done.stdout)
    assert done.returncode == (0 if told["processor_p99"] <= told["goal_ms"] else 1)
    assert 900 <= told["answer_bytes"] <= 1_024
    assert 5_900 <= told["evidence_bytes"] <= 6_700
    assert list(told["by_results"]) == ["1", "10", "100", "1000"]
    assert all(times["processor_p50"] > 0 for times in told["by_results"].values())


@pytest.mark.shared_data
def test_the_wice_claims_are_measured_beside_the_naive_check() -> None:
    find_shared("wice")
    done = run_script("bench-wice", "--limit", "20", "--json")
    assert done.returncode in {0, 1}, done.stderr
    told = json.loads(done.stdout)
    assert told["wice"]["true"] + told["wice"]["false"] == 20
    assert told["wice"]["ours"]["false_accepted"] == 0
    assert told["words"]["claims"] == 20
    assert told["words"]["held"] <= told["words"]["words"]
