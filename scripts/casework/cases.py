"""A case as a line of a file, and what judging it found."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ERRORS = ("wrongly_accepted", "wrongly_refused", "left_open", "wrong_value", "crash")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One line of a file of cases, as the README of the cases describes it."""

    case_id: str
    kind: str
    task: str
    claim: str
    evidence: Any = None
    extra: dict[str, Any] = field(default_factory=dict)
    expected: Any = None

    @property
    def text(self) -> str:
        """The claim, or the text that the case says how to build."""
        build = self.extra.get("build")
        if not isinstance(build, dict):
            return self.claim
        return (
            str(build.get("prefix", ""))
            + str(build.get("repeat", "")) * int(build.get("times", 1))
            + str(build.get("suffix", ""))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Whether a case came out right; if not, how it went wrong; and what was got instead."""

    ok: bool
    got: Any = None
    error: str | None = None
    counted: bool = True


def read_cases(path: Path) -> Iterator[Case]:
    """Yield the cases of a file of JSON lines; a line that is no case becomes one that can only be wrong."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield parse_case(line)
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            place = f"{path.name}:{number}"
            yield Case(case_id=place, kind="unreadable", task="unreadable", claim=str(problem))


def parse_case(line: str) -> Case:
    """Return the case of a line; raises one of the errors of `json` and `dict` where it is none."""
    entry = json.loads(line, parse_float=Decimal)
    return Case(
        case_id=str(entry["id"]),
        kind=str(entry.get("kind", "")),
        task=str(entry["task"]),
        claim=str(entry.get("claim", "")),
        evidence=entry.get("evidence"),
        extra=entry.get("extra") or {},
        expected=entry.get("expected"),
    )
