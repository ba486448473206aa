"""Calculations that people wrote beside financial tables: each is derived, and no neighbour of it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.shared_data import find_shared
from verifier.core.derivation import Cues, Operand, Operation, derive
from verifier.core.values import Interval, Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.shared_data
SHAPES = {
    "N−N": Operation.DIFFERENCE,
    "N+N": Operation.SUM,
    "N+N+N": Operation.SUM,
    "N+N/N": Operation.AVERAGE,
    "N+N+N/N": Operation.AVERAGE,
    "N−N/N": Operation.CHANGE_PERCENT,
    "N/N": Operation.SHARE,
}
LATER_FIRST = ("2020", "2019")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculation:
    operation: Operation
    operands: tuple[Fraction, ...]
    answer: Fraction
    places: int

    def claims(self, number: Fraction) -> bool:
        percent = self.operation in {Operation.CHANGE_PERCENT, Operation.SHARE}
        kind = Kind.PERCENT if percent else Kind.NUMBER
        ordered = self.operation in {Operation.CHANGE_PERCENT, Operation.DIFFERENCE}
        operands = [
            Operand(value=plain(operand), period=LATER_FIRST[index] if ordered else None)
            for index, operand in enumerate(self.operands)
        ]
        cues = Cues(operations=frozenset({self.operation}))
        return derive(plain(number, kind, self.places), cues, operands) is not None


def plain(number: Fraction, kind: Kind = Kind.NUMBER, places: int | None = None) -> Quantity:
    return Quantity(kind=kind, interval=Interval.point(number), text=str(number), places=places)


def read_calculation(question: dict[str, Any]) -> Calculation | None:
    """Return the calculation if it is one of the plain shapes, of positive numbers that differ."""
    written = re.sub(r"(?<=[\d)])-", "−", re.sub(r"[\s$,%]", "", question["derivation"]))
    numbers = [Fraction(number) for number in re.findall(r"(?<![\d.])\d+(?:\.\d+)?", written)]
    shape = re.sub(r"\d+(?:\.\d+)?", "N", written).replace("(", "").replace(")", "")
    operation = SHAPES.get(shape)
    answer = str(question["answer"]).replace(",", "")
    if operation is None or not all(numbers) or Fraction(answer) == 0:
        return None
    if operation is Operation.SHARE and question["scale"] != "percent":
        return None
    if operation is Operation.CHANGE_PERCENT and numbers[1] != numbers[2]:
        return None
    if operation is Operation.AVERAGE and numbers[-1] != len(numbers) - 1:
        return None
    keep = {Operation.AVERAGE: len(numbers) - 1, Operation.CHANGE_PERCENT: 2}
    return Calculation(
        operation=operation,
        operands=tuple(numbers[: keep.get(operation, len(numbers))]),
        answer=Fraction(answer),
        places=len(answer.partition(".")[2]),
    )


def list_calculations() -> Iterator[Calculation]:
    path = find_shared("tat-qa", "tatqa_dataset_dev.json")
    for table in json.loads(path.read_text(encoding="utf-8")):
        for question in table["questions"]:
            if question["answer_type"] == "arithmetic":
                found = read_calculation(question)
                if found is not None:
                    yield found


def test_what_people_calculated_is_derived_and_its_neighbours_are_not() -> None:
    calculations = list(list_calculations())
    assert len(calculations) > 500
    derived = sum(calculation.claims(calculation.answer) for calculation in calculations)
    neighbours = [
        calculation.claims(calculation.answer + Fraction(step) / 10**calculation.places)
        for calculation in calculations
        for step in (2, -2, 10)
    ]
    assert derived >= 0.99 * len(calculations)
    assert sum(neighbours) <= 0.01 * len(neighbours)
