"""Statements about rows, line by line: which row applies, what is absent, and what no row says."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "data" / "cases"
SCENARIOS = "db-connection"


@pytest.fixture(scope="module")
def running() -> ModuleType:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return importlib.import_module("casework.running")
    finally:
        sys.path.pop(0)


@pytest.mark.parametrize("name", ["db", "canonical"])
def test_every_statement_about_rows_comes_out_right(running: ModuleType, name: str) -> None:
    outcomes: list[Any] = running.run_files([CASES / f"{name}.jsonl"])
    wrong = [
        (one.case.case_id, one.judgement.got)
        for one in outcomes
        if not one.judgement.ok and one.case.kind != SCENARIOS
    ]
    assert wrong == []
