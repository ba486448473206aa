"""True and false statements made from questions on financial tables, their answers and derivations."""

from __future__ import annotations

import ast
import json
import operator
import random
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from casework.statements import Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_QUESTION: Final = re.compile(r"(?:What|How much) (is|was|are|were) (the [^?]+?)\s*\?", re.I)
_SEVERAL: Final = re.compile(r"\brespectively\b|\band\b.*\bvalues\b", re.I)
_NUMBER: Final = re.compile(
    r"-?\$?\s?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?%?|\(\$?\s?[\d,]+(?:\.\d+)?\)"
)
_DIGITS: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SCALES: Final = ("thousand", "million", "billion")
_CHANGES: Final = re.compile(r"\b(?:change|increase|decrease|difference|decline|growth)\b", re.I)
_OPERATORS: Final[dict[type, Callable[[Fraction, Fraction], Fraction]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def read_tatqa(folder: Path, *, seed: int) -> Iterator[Statement]:
    """Yield a true statement for each question that can be turned into one, and a false one beside it."""
    tables = json.loads((folder / "tatqa_dataset_dev.json").read_text(encoding="utf-8"))
    for table in tables:
        document = _write_document(table)
        for question in table["questions"]:
            yield from _statements(question, table, document, seed)


def _write_document(table: dict[str, Any]) -> str:
    paragraphs = sorted(table["paragraphs"], key=lambda one: one["order"])
    rows = [" | ".join(cell.strip() for cell in row) for row in table["table"]["table"]]
    return "\n\n".join([*(one["text"] for one in paragraphs), "\n".join(rows)])


def _statements(
    question: dict[str, Any], table: dict[str, Any], document: str, seed: int
) -> Iterator[Statement]:
    asked = _QUESTION.fullmatch(" ".join(question["question"].split()))
    value = _value_of(question)
    if asked is None or value is None or _SEVERAL.search(question["question"]):
        return
    if question["derivation"] and not _follows(question["derivation"], value, question["scale"]):
        return
    rng = random.Random(f"{seed}:{question['uid']}")  # noqa: S311 -- a measurement, repeated by its seed
    false, scale = _make_false(value, question, table, rng)
    for is_true, number, unit in ((True, value, question["scale"]), (False, false, scale)):
        verb, subject = asked[1].lower(), asked[2]
        text = f"T{subject[1:]} {verb} {_with_scale(number, unit)}."
        yield Statement(
            statement_id=f"{question['uid'][:8]}-{'true' if is_true else 'false'}",
            domain=_family(question),
            text=text,
            evidence=document,
            is_true=is_true,
        )


def _value_of(question: dict[str, Any]) -> str | None:
    """Return the one number that the answer is, as written; None where it is something else."""
    answer = question["answer"]
    if isinstance(answer, list):
        answer = answer[0] if len(answer) == 1 else None
    if answer is None or question["answer_type"] == "count":
        return None
    text = str(answer).strip()
    return text if _NUMBER.fullmatch(text) and not re.fullmatch(r"(?:19|20)\d\d", text) else None


def _family(question: dict[str, Any]) -> str:
    if question["answer_type"] != "arithmetic":
        return "tat-qa looked up"
    if question["scale"] == "percent":
        return "tat-qa percentages"
    return (
        "tat-qa differences" if _CHANGES.search(question["question"]) else "tat-qa sums and means"
    )


def _with_scale(number: str, scale: str) -> str:
    if scale == "percent":
        return number if number.endswith("%") else f"{number}%"
    return f"{number} {scale}" if scale in _SCALES else number


def _follows(derivation: str, value: str, scale: str) -> bool:
    """Return whether the derivation comes to the value, rounded as the value is written."""
    result = evaluate(derivation)
    number = _fraction(value)
    if result is None or number is None:
        return False
    step = Fraction(1, 10 ** len(value.rstrip("%)").partition(".")[2]))
    scaled = (result, result * 100) if scale == "percent" else (result,)
    return any(abs(abs(one) - abs(number)) <= step for one in scaled)


def evaluate(derivation: str) -> Fraction | None:
    """Return what a derivation such as `($44.1-56.7)/56.7` comes to; None where it is no arithmetic."""
    text = (
        re.sub(r"[$€£,\s]", "", derivation).replace("%", "/100").replace("[", "(").replace("]", ")")
    )
    text = text.replace("–", "-").replace("−", "-").replace("x", "*")
    try:
        return _evaluated(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError):
        return None


def _evaluated(node: ast.expr) -> Fraction:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return Fraction(str(node.value))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluated(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_evaluated(node.left), _evaluated(node.right))
    raise ValueError("no arithmetic")


def _fraction(text: str) -> Fraction | None:
    found = _DIGITS.search(text)
    if found is None:
        return None
    number = Fraction(found.group().replace(",", ""))
    return -number if text.startswith(("-", "(")) else number


def _make_false(
    value: str, question: dict[str, Any], table: dict[str, Any], rng: random.Random
) -> tuple[str, str]:
    """Return a number and scale that the answer is not: another cell, a digit off, or another scale."""
    scale = question["scale"]
    ways = ["digit", "cell"] + (["scale"] if scale in _SCALES else [])
    way = rng.choice(ways)
    if way == "scale":
        return value, rng.choice([other for other in _SCALES if other != scale])
    cells = _neighbours(value, question, table) if way == "cell" else []
    if cells:
        return rng.choice(cells), scale
    digits = [at for at, sign in enumerate(value) if sign.isdigit()]
    at = rng.choice(digits)
    other = [digit for digit in "123456789" if digit != value[at]]
    return value[:at] + rng.choice(other) + value[at + 1 :], scale


def _neighbours(value: str, question: dict[str, Any], table: dict[str, Any]) -> list[str]:
    """Return the other numbers of the row that holds the value; of a derived one, the table's answers."""
    rows = [[cell.strip() for cell in row] for row in table["table"]["table"]]
    own = _fraction(value)
    if question["answer_type"] == "arithmetic":
        others = [
            _value_of(other) for other in table["questions"] if other["scale"] == question["scale"]
        ]
    else:
        held = [row for row in rows if any(_fraction(cell) == own for cell in row[1:])]
        others = [cell for row in held[:1] for cell in row[1:] if _NUMBER.fullmatch(cell)]
    return [other for other in others if other and abs(_fraction(other) or 0) != abs(own or 0)]
