"""The style budgets count what they say."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

SCRIPTS = Path(__file__).parents[2] / "scripts"

COMPLEXITY = [
    ("def f(): pass", 1),
    ("def f(x):\n if x: pass", 2),
    ("def f(x):\n if x: pass\n elif x > 1: pass\n else: pass", 3),
    ("def f(x):\n for y in x: pass\n else: pass", 2),
    ("async def f(x):\n async for y in x: pass", 2),
    ("def f(x):\n while x: pass", 2),
    ("def f():\n try: pass\n except A: pass\n except B: pass\n finally: pass", 3),
    ("def f(x):\n match x:\n  case 1: pass\n  case 2: pass", 3),
    ("def f(x):\n def g(y):\n  if y: pass\n return g", 1),
    ("def f(x): return x and x or x", 1),
]


@pytest.fixture(scope="module")
def budgets() -> ModuleType:
    import importlib.util

    spec = importlib.util.spec_from_file_location("budgets", SCRIPTS / "budgets.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["budgets"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("source", "number"), COMPLEXITY)
def test_complexity_is_one_and_the_forks(budgets: ModuleType, source: str, number: int) -> None:
    assert budgets.complexity(ast.parse(source).body[0]) == number


def write(folder: Path, source: str) -> Path:
    package = folder / "package"
    package.mkdir()
    (package / "module.py").write_text(source, encoding="utf-8")
    return package


LONG = '"""M."""\n\n\ndef f() -> None:\n    """D."""\n' + "    print()\n" * 60
BROKEN = [
    ("module lines, most", '"""M."""\n' + "x = 1\n" * 300),
    ("function lines, most", LONG),
    ("functions over 40 lines, %", LONG),
    ("cyclomatic complexity", '"""M."""\n\n\ndef _f(x: int) -> None:\n' + "    if x: pass\n" * 8),
    ("positional parameters", '"""M."""\n\n\ndef _f(a, b, c, d, e, f) -> None: ...\n'),
    ("public definitions without docstring", "x = 1\n"),
    ("public definitions without docstring", '"""M."""\n\n\nclass A:\n    x = 1\n'),
    (
        "public definitions without docstring",
        '"""M."""\n\n\nclass _A:\n    """D."""\n\n\ndef f() -> None: ...\n',
    ),
    ("functions without return type", '"""M."""\n\n\ndef _f(): ...\n'),
    ("unexplained suppressions", '"""M."""\n\nx = 1  # type: ignore\n'),
]


@pytest.mark.parametrize(("name", "source"), BROKEN)
def test_each_budget_can_be_broken(
    budgets: ModuleType, tmp_path: Path, name: str, source: str
) -> None:
    measures = {
        measure.name: measure for measure in budgets.measure_package(write(tmp_path, source))
    }
    assert not measures[name].is_kept


KEPT = '''"""M."""


class A:
    """D."""

    def f(self, a, b, c, d, e, *, g, h) -> None:
        """D."""

        def inner(x) -> None:
            print(x)

        inner(a)

    def __len__(self) -> int:
        return 1

    def _private(self) -> None:
        pass
'''


def test_what_is_private_inner_or_keyword_only_is_let_be(
    budgets: ModuleType, tmp_path: Path
) -> None:
    broken = [m.name for m in budgets.measure_package(write(tmp_path, KEPT)) if not m.is_kept]
    assert broken == []


def test_the_script_exits_1_when_a_budget_is_broken(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPTS / "style-budgets"), str(write(tmp_path, LONG))]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "BROKEN function lines, most" in ended.stdout
