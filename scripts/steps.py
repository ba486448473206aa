"""The steps of `scripts/test`: what each runs, in which order, and how their results are told."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bootstrap import ROOT, say

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CASES: Final = ROOT / "tests" / "data" / "cases"
CLAIMED: Final = CASES / "claimed.txt"
_CORES: Final = 2
"""Steps that run at once, on whatever machine, so that what one of them finds, all do."""
_FIRST_TOLD: Final = frozenset({"error", "errors", "failed", "passed"})
_TALLY: Final = re.compile(r"^=+ (?P<counts>[0-9].*) in [0-9.]+s.*=+$")
_COUNT: Final = re.compile(r"(?P<number>[0-9]+) (?P<what>[a-z]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A named command; `is_pytest` says that its closing line counts tests.

    A step that `comes_first` is begun before the others, as the longest should be. Steps of one name,
    numbered, are chosen together.
    """

    name: str
    command: tuple[str, ...]
    is_pytest: bool = False
    comes_first: bool = False

    @property
    def kind(self) -> str:
        """The name without its number."""
        return self.name.partition(" ")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """How a step ended, how long it took, and what pytest counted in it."""

    step: Step
    passed: bool
    seconds: float
    counts: tuple[tuple[str, int], ...] = ()


def list_steps(python: Path) -> tuple[Step, ...]:
    """Return the steps in their order: cheap ones first."""
    tools = python.parent
    scripts = tuple(f"scripts/{name}" for name in _python_scripts())
    pytest = (str(python), "-m", "pytest", "-p", "no:cacheprovider")
    return (
        Step(name="lint", command=(str(tools / "ruff"), "check", ".", *scripts)),
        Step(name="format", command=(str(tools / "ruff"), "format", "--check", ".", *scripts)),
        Step(name="types", command=(str(tools / "mypy"),)),
        Step(name="imports", command=(str(tools / "lint-imports"),)),
        Step(name="budgets", command=(str(python), "scripts/style-budgets", "--worst", "1")),
        Step(name="unit", command=(*pytest, "-m", "not scaling", "tests/unit"), is_pytest=True),
        Step(name="scaling", command=(*pytest, "-m", "scaling", "tests/unit"), is_pytest=True),
        *_integration(pytest),
        Step(name="acceptance", command=(*pytest, "tests/acceptance"), is_pytest=True),
        Step(name="cases", command=(str(python), "scripts/cases", "--strict", *_claimed_cases())),
    )


def _integration(pytest: tuple[str, ...]) -> tuple[Step, ...]:
    """Return every other file of these tests as a step; each starts servers of its own."""
    files = sorted((ROOT / "tests" / "integration").glob("test_*.py"))
    paths = [str(path.relative_to(ROOT)) for path in files]
    return tuple(
        Step(
            name=f"integration {half + 1}",
            command=(*pytest, "--durations=10", *paths[half::2]),
            is_pytest=True,
            comes_first=half == 0,
        )
        for half in range(2)
    )


def run_steps(python: Path, chosen: Sequence[str]) -> int:
    """Run the chosen steps, or all, on two cores; print the table and pytest's line; return the exit code."""
    started = time.monotonic()
    steps = list_steps(python)
    kinds = list(dict.fromkeys(step.kind for step in steps))
    unknown = set(chosen) - set(kinds)
    if unknown:
        sys.exit(f"no such step: {', '.join(sorted(unknown))}; there are {', '.join(kinds)}")
    wanted = [step for step in steps if not chosen or step.kind in chosen]
    wanted.sort(key=lambda step: not step.comes_first)
    with ThreadPoolExecutor(_CORES) as threads:
        results = list(threads.map(lambda step: _run(step, python), wanted))
    results.sort(key=lambda one: steps.index(one.step))
    _print_table(results)
    _print_tally(results, time.monotonic() - started)
    return 0 if all(result.passed for result in results) else 1


def _python_scripts() -> list[str]:
    files = sorted(
        path for path in (ROOT / "scripts").iterdir() if path.is_file() and not path.suffix
    )
    return [path.name for path in files if path.read_bytes().startswith(b"#!/usr/bin/env python3")]


def _claimed_cases() -> list[str]:
    lines = [line.partition("#")[0].strip() for line in CLAIMED.read_text().splitlines()]
    return [str((CASES / line).relative_to(ROOT)) for line in lines if line]


def _run(step: Step, python: Path) -> StepResult:
    say(f"{step.name}")
    started = time.monotonic()
    path = f"{python.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = os.environ | {"PATH": path, "VIRTUAL_ENV": str(python.parent.parent)}
    with subprocess.Popen(
        step.command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, errors="replace"
    ) as running:
        closing = ""
        for line in running.stdout or ():
            sys.stdout.write(f"{step.name:<13} | {line}")  # lines of two steps alternate
            sys.stdout.flush()
            closing = line.strip() if line.strip() else closing
    counts = _read_counts(closing) if step.is_pytest else ()
    return StepResult(
        step=step,
        passed=running.returncode == 0,
        seconds=time.monotonic() - started,
        counts=counts,
    )


def _read_counts(closing: str) -> tuple[tuple[str, int], ...]:
    tally = _TALLY.match(closing)
    if tally is None:
        return ()
    return tuple(
        (found["what"], int(found["number"]))
        for found in _COUNT.finditer(tally["counts"])
        if found["what"] != "deselected"  # another step runs those
    )


def _print_table(results: Sequence[StepResult]) -> None:
    print("\nstep          result   seconds")
    for result in results:
        ended = "passed" if result.passed else "FAILED"
        print(f"{result.step.name:<13} {ended:<8} {result.seconds:>7.1f}")


def _print_tally(results: Sequence[StepResult], seconds: float) -> None:
    total: Counter[str] = Counter()
    for result in results:
        total.update(dict(result.counts))
    if not total:
        return
    order = sorted(total, key=lambda what: (what not in _FIRST_TOLD, what))
    counts = ", ".join(f"{total[what]} {what}" for what in order)
    print(f"============ {counts} in {seconds:.2f}s ============")
