"""What `scripts/test` says of its steps is what happened."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from types import ModuleType

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    for name in ("bootstrap", "steps"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import importlib

    return importlib.import_module("steps")


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("===== 12 passed in 3.45s =====", {"passed": 12}),
        (
            "== 1 failed, 411 passed, 2 skipped in 65.01s (0:01:05) ==",
            {"failed": 1, "passed": 411, "skipped": 2},
        ),
        ("== 67 passed, 1755 deselected in 10.79s ==", {"passed": 67}),
        ("12 passed in 3.45s", {}),
        ("===== no tests ran in 0.01s =====", {}),
        ("something else", {}),
    ],
)
def test_the_closing_line_is_read(steps: Any, line: str, counts: dict[str, int]) -> None:
    assert dict(steps._read_counts(line)) == counts


def step(steps: Any, name: str, line: str, code: int) -> Any:
    program = f"print({line!r}); raise SystemExit({code})"
    return steps.Step(name=name, command=(sys.executable, "-c", program), is_pytest=True)


def test_a_failed_step_fails_all_and_the_counts_are_summed(
    steps: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = (
        step(steps, "one", "=== 3 passed in 1.00s ===", 0),
        step(steps, "two", "=== 1 failed, 2 passed in 2.00s ===", 1),
    )
    monkeypatch.setattr(steps, "list_steps", lambda _python: made)
    assert steps.run_steps(Path(sys.executable), []) == 1
    assert "1 failed, 5 passed in " in capsys.readouterr().out.splitlines()[-1]
    assert steps.run_steps(Path(sys.executable), ["one"]) == 0
    assert "3 passed in " in capsys.readouterr().out.splitlines()[-1]


def test_a_step_that_comes_first_runs_beside_the_others_and_is_told_in_its_place(
    steps: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    def meet(name: str, other: str) -> Any:
        """A step that passes if the other one runs at the same time."""
        program = (
            "import sys, time; from pathlib import Path; place = Path(sys.argv[1])\n"
            "(place / sys.argv[2]).touch()\n"
            "met = lambda: (place / sys.argv[3]).exists() or time.sleep(0.01)\n"
            "sys.exit(not any(met() for _ in range(6_000)))"
        )
        command = (sys.executable, "-c", program, str(tmp_path), name, other)
        return steps.Step(name=name, command=command, comes_first=name == "served")

    last = step(steps, "last", "=== 4 passed in 1.00s ===", 0)
    made = (meet("alone", "served"), last, meet("served", "alone"))
    monkeypatch.setattr(steps, "list_steps", lambda _python: made)

    assert steps.run_steps(Path(sys.executable), []) == 0

    out = capsys.readouterr().out
    assert "last          | === 4 passed in 1.00s ===" in out.splitlines()
    table = out[out.index("step ") :].splitlines()
    assert [line.split()[0] for line in table[1:4]] == ["alone", "last", "served"]
    assert "4 passed in " in table[-1]


def test_steps_of_one_name_are_chosen_together(
    steps: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = (
        step(steps, "many 1", "=== 3 passed in 1.00s ===", 0),
        step(steps, "many 2", "=== 2 passed in 1.00s ===", 0),
        step(steps, "other", "=== 1 failed in 1.00s ===", 1),
    )
    monkeypatch.setattr(steps, "list_steps", lambda _python: made)
    assert steps.run_steps(Path(sys.executable), ["many"]) == 0
    assert "5 passed in " in capsys.readouterr().out.splitlines()[-1]


def test_every_integration_test_is_in_one_of_the_steps(steps: Any) -> None:
    listed = [
        argument
        for each in steps.list_steps(Path(sys.executable))
        if each.kind == "integration"
        for argument in each.command
        if argument.startswith("tests/integration/")
    ]
    files = (SCRIPTS.parent / "tests" / "integration").glob("test_*.py")
    assert sorted(listed) == sorted(f"tests/integration/{path.name}" for path in files)


def test_a_step_that_is_not_there_is_refused(steps: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "list_steps", lambda _python: (step(steps, "one", "", 0),))
    with pytest.raises(SystemExit, match="no such step: two; there are one"):
        steps.run_steps(Path(sys.executable), ["two"])
