"""What the style budgets count, read from the syntax trees of a package."""

from __future__ import annotations

import ast
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef
Place = tuple[str, float]
_BRANCHES: Final = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.IfExp,
    ast.match_case,
)
_COMMANDS: Final = "interfaces/cli/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One budget: what was found, what is allowed, and the places that come nearest to it or exceed it.

    A budget of None is told, not judged.
    """

    name: str
    found: float
    budget: float | None
    places: tuple[Place, ...] = ()

    @property
    def is_kept(self) -> bool:
        """Whether what was found is within the budget."""
        return self.budget is None or self.found <= self.budget

    def as_json(self, worst: int) -> dict[str, object]:
        """Return the measure as a JSON object with its `worst` places."""
        shown = [{"place": place, "found": found} for place, found in self.places[:worst]]
        return {
            "name": self.name,
            "found": self.found,
            "budget": self.budget,
            "kept": self.is_kept,
            "worst": shown,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """A module's path within the package, its source lines and its tree."""

    path: str
    lines: int
    tree: ast.Module


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A function, where it stands, and whether a user of the package sees it."""

    place: str
    node: Function
    is_public: bool
    is_method: bool


def measure_package(package: Path) -> tuple[Measure, ...]:
    """Return every budget, measured over all modules below `package`."""
    modules = tuple(_read_module(path, package) for path in sorted(package.rglob("*.py")))
    defined = tuple(definition for module in modules for definition in _find_functions(module))
    lengths = [_length(definition.node) for definition in defined] or [0]
    by_length = _ranked(defined, lambda each: _length(each.node))
    long = sum(length > 40 for length in lengths) / len(lengths) * 100
    return (
        Measure(
            name="module lines, median",
            found=_median(module.lines for module in modules),
            budget=160,
        ),
        _worst("module lines, most", _by_lines(modules), budget=300),
        Measure(name="function lines, median", found=_median(lengths), budget=10),
        Measure(name="function lines, 90th percentile", found=_percentile_90(lengths), budget=28),
        _worst("function lines, most", by_length, budget=50),
        Measure(
            name="functions over 40 lines, %", found=round(long, 2), budget=3, places=by_length
        ),
        _worst(
            "cyclomatic complexity", _ranked(defined, lambda each: complexity(each.node)), budget=8
        ),
        _worst("the same, forks in expressions counted", _ranked(defined, _all_forks), budget=None),
        _worst("positional parameters", _ranked(_no_commands(defined), _positional), budget=5),
        _count("public definitions without docstring", _without_docstring(modules, defined)),
        _count(
            "functions without return type", [each.place for each in defined if _lacks_return(each)]
        ),
        _count("unexplained suppressions", _suppressions(package)),
    )


def complexity(function: Function) -> int:
    """Return McCabe's number: one, and one more for each if, elif, for, while, except, case.

    What is defined inside a function counts for itself. Conditions inside expressions are counted by
    `expression_forks`, which some tools add.
    """
    return 1 + sum(isinstance(node, _BRANCHES) for node in _own_nodes(function))


def expression_forks(function: Function) -> int:
    """Return how often `and`, `or`, conditional expressions and comprehensions fork in a function."""
    return sum(_forks(node) for node in _own_nodes(function))


def _forks(node: ast.AST) -> int:
    if isinstance(node, ast.IfExp):
        return 1
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    return 0


def _own_nodes(function: Function) -> Iterator[ast.AST]:
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, Function | ast.ClassDef):
            continue
        yield node
        pending.extend(ast.iter_child_nodes(node))


def _read_module(path: Path, package: Path) -> Module:
    source = path.read_text(encoding="utf-8")
    return Module(
        path=path.relative_to(package.parent).as_posix(),
        lines=source.count("\n"),
        tree=ast.parse(source),
    )


def _find_functions(module: Module) -> Iterator[Definition]:
    pending: list[tuple[ast.AST, bool, bool]] = [(module.tree, True, False)]
    while pending:
        parent, is_public, in_class = pending.pop()
        for node in ast.iter_child_nodes(parent):
            named = isinstance(node, Function | ast.ClassDef)
            visible = is_public and not (named and node.name.startswith("_"))
            if isinstance(node, Function):
                yield Definition(
                    place=f"{module.path}:{node.lineno} {node.name}",
                    node=node,
                    is_public=visible,
                    is_method=in_class,
                )
                visible = False
            pending.append((node, visible, isinstance(node, ast.ClassDef)))


def _length(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def _all_forks(definition: Definition) -> int:
    return complexity(definition.node) + expression_forks(definition.node)


def _positional(definition: Definition) -> int:
    arguments = definition.node.args
    bound = definition.is_method and not any(
        isinstance(decorator, ast.Name) and decorator.id == "staticmethod"
        for decorator in definition.node.decorator_list
    )
    return len(arguments.posonlyargs) + len(arguments.args) - bound


def _no_commands(defined: Sequence[Definition]) -> tuple[Definition, ...]:
    return tuple(each for each in defined if _COMMANDS not in each.place)


def _lacks_return(definition: Definition) -> bool:
    return definition.node.returns is None


def _without_docstring(modules: Sequence[Module], defined: Sequence[Definition]) -> list[str]:
    silent = [module.path for module in modules if ast.get_docstring(module.tree) is None]
    silent += [
        each.place for each in defined if each.is_public and ast.get_docstring(each.node) is None
    ]
    for module in modules:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                silent += (
                    [] if ast.get_docstring(node) else [f"{module.path}:{node.lineno} {node.name}"]
                )
    return silent


def _suppressions(package: Path) -> list[str]:
    found = []
    for path in sorted(package.rglob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            bare = line.rstrip().endswith(("# noqa", "# type: ignore", "# pragma: no cover"))
            if bare:
                found.append(f"{path.relative_to(package.parent).as_posix()}:{number}")
    return found


def _ranked(
    defined: Sequence[Definition], count: Callable[[Definition], float]
) -> tuple[Place, ...]:
    return tuple(
        sorted(((each.place, count(each)) for each in defined), key=lambda place: -place[1])
    )


def _by_lines(modules: Sequence[Module]) -> tuple[Place, ...]:
    return tuple(sorted(((each.path, each.lines) for each in modules), key=lambda place: -place[1]))


def _worst(name: str, places: tuple[Place, ...], *, budget: float | None) -> Measure:
    return Measure(name=name, found=places[0][1] if places else 0, budget=budget, places=places)


def _count(name: str, places: Sequence[str]) -> Measure:
    return Measure(
        name=name, found=len(places), budget=0, places=tuple((place, 1) for place in places)
    )


def _median(numbers: Iterator[int] | Sequence[int]) -> float:
    return statistics.median(tuple(numbers) or (0,))


def _percentile_90(numbers: Sequence[int]) -> float:
    ordered = sorted(numbers)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.9))]
