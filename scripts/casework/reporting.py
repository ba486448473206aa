"""What a run of cases prints: right and wrong by kind, the two error rates apart, and what differs."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from casework.running import Outcome


def summary(outcomes: list[Outcome]) -> dict[str, Any]:
    """Return the counts of a run: in all, by task, by kind and by error."""
    counted = [
        outcome for outcome in outcomes if outcome.judgement.counted or not outcome.judgement.ok
    ]
    errors = Counter(outcome.judgement.error for outcome in counted if not outcome.judgement.ok)
    return {
        "cases": len(outcomes),
        "counted": len(counted),
        "right": sum(outcome.judgement.ok for outcome in counted),
        "wrong": sum(not outcome.judgement.ok for outcome in counted),
        "known_failures": sum(outcome.known_failure is not None for outcome in outcomes),
        "surprises": [outcome.case.case_id for outcome in outcomes if outcome.is_surprise],
        "wrongly_accepted": errors.get("wrongly_accepted", 0),
        "wrongly_refused": errors.get("wrongly_refused", 0),
        "left_open": errors.get("left_open", 0),
        "wrong_value": errors.get("wrong_value", 0),
        "crash": errors.get("crash", 0),
        "by_task": _table(counted, "task"),
        "by_kind": _table(counted, "kind"),
    }


def _table(outcomes: list[Outcome], field: str) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for outcome in outcomes:
        row = table.setdefault(getattr(outcome.case, field), {"right": 0, "wrong": 0})
        row["right" if outcome.judgement.ok else "wrong"] += 1
    return dict(sorted(table.items()))


def print_summary(outcomes: list[Outcome]) -> None:
    """Print the counts for people."""
    counts = summary(outcomes)
    width = max([len(name) for name in (*counts["by_kind"], *counts["by_task"])] or [4])
    for heading, table in (("task", counts["by_task"]), ("kind", counts["by_kind"])):
        print(f"{heading:<{width}}  right  wrong")
        for name, row in table.items():
            print(f"{name:<{width}}  {row['right']:>5}  {row['wrong']:>5}")
        print()
    total = counts["counted"] or 1
    print(f"right {counts['right']} of {counts['counted']} ({counts['right'] / total:.1%})")
    for error in ("wrongly_accepted", "wrongly_refused", "left_open", "wrong_value", "crash"):
        print(f"{error.replace('_', ' '):<17} {counts[error]:>5}  ({counts[error] / total:.1%})")
    if counts["known_failures"]:
        print(f"known failures    {counts['known_failures']:>5}")


def print_differences(outcomes: list[Outcome]) -> None:
    """Print every case that came out wrong, with what was expected and what was got."""
    for outcome in outcomes:
        if outcome.judgement.ok:
            continue
        case = outcome.case
        print(f"{case.case_id} {case.kind} [{outcome.judgement.error}] {case.claim[:160]!r}")
        print(f"    expected {json.dumps(case.expected, ensure_ascii=False, default=str)[:400]}")
        print(
            f"    got      {json.dumps(outcome.judgement.got, ensure_ascii=False, default=str)[:600]}"
        )
        if outcome.known_failure:
            print(f"    known    {outcome.known_failure}")


def print_surprises(outcomes: list[Outcome]) -> None:
    """Print what makes a strict run fail."""
    for outcome in outcomes:
        if outcome.is_surprise:
            what = (
                "passes, though it is listed as a known failure"
                if outcome.judgement.ok
                else "is wrong"
            )
            print(f"strict: {outcome.case.case_id} {what}")
