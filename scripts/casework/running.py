"""Running cases: the judge of each task, crashes caught and counted as wrong, known failures kept strict."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from casework.cases import Case, Judgement, parse_case, read_cases
from casework.citing import judge_citation
from casework.extracting import judge_extract
from casework.splitting import judge_sentence
from casework.tables import judge_db
from casework.verifying import judge_compare, judge_quote

__all__ = ["JUDGES", "Outcome", "judge_case", "parse_case", "run_files"]

Judge = Callable[[Case], Judgement]

JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "extract": judge_extract,
        "sentence": judge_sentence,
        "compare": judge_compare,
        "ledger": judge_compare,
        "quote": judge_quote,
        "citation": judge_citation,
        "db": judge_db,
    }
)
"""The tasks that are built; every other one counts as wrong."""

KNOWN_FAILURES = (
    Path(__file__).resolve().parents[2] / "tests" / "data" / "cases" / "expected_failures.json"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A case, what judging it found, and the reason why it is known to fail, if it is."""

    case: Case
    judgement: Judgement
    known_failure: str | None = None

    @property
    def is_surprise(self) -> bool:
        """Whether a strict run fails: a wrong case that is not listed, or a listed one that passes."""
        return self.judgement.ok == (self.known_failure is not None)

    def to_json(self) -> dict[str, Any]:
        """Return the line that `--out` writes."""
        return {
            "id": self.case.case_id,
            "kind": self.case.kind,
            "task": self.case.task,
            "ok": self.judgement.ok,
            "error": self.judgement.error,
            "got": self.judgement.got,
            **({"expected_failure": self.known_failure} if self.known_failure else {}),
        }


def run_files(paths: list[Path], judges: Mapping[str, Judge] = JUDGES) -> list[Outcome]:
    """Return the outcome of every case of the files, in their order."""
    known = read_known_failures()
    return [
        Outcome(
            case=case, judgement=judge_case(case, judges), known_failure=known.get(case.case_id)
        )
        for path in paths
        for case in read_cases(path)
    ]


def judge_case(case: Case, judges: Mapping[str, Judge] = JUDGES) -> Judgement:
    """Return the judgement of one case; a task without a judge and any exception count as wrong."""
    judge = judges.get(case.task)
    if judge is None:
        return Judgement(ok=False, got=f"the task {case.task!r} is not built", error="left_open")
    try:
        return judge(case)
    except Exception as crash:
        return Judgement(ok=False, got=f"{type(crash).__name__}: {crash}"[:400], error="crash")


def read_known_failures() -> dict[str, str]:
    """Return the reasons why some cases are held to be arguable, by case id."""
    if not KNOWN_FAILURES.is_file():
        return {}
    entries = json.loads(KNOWN_FAILURES.read_text(encoding="utf-8"))
    return {entry["id"]: entry["reason"] for entry in entries}
