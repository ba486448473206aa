"""Answers and evidence of growing size, each of one form: tables, prose, lists, calls, depth, one name."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from casework.engine import verify
from verifier.core.turn_file import read_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from verifier.core.turns import Turn

_NAMES: Final = ("lamp", "vase", "mug", "desk", "throw", "chair", "shelf", "clock", "rug", "mirror")
_MATERIALS: Final = ("Oak", "Copper", "Linen", "Marble", "Walnut", "Steel", "Cork", "Wool")
_WRONG: Final = 8
_RECORD_BYTES: Final = 110
_TOLD: Final = 30
Load = tuple[str, "Turn"]
Record = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadTime:
    """How long a load of a size took, and what became of its claims."""

    size: int
    processor_s: float
    codes: Mapping[str, int]


def time_load(name: str, sizes: Sequence[int]) -> Iterator[LoadTime]:
    """Yield the time of verifying a load of each size."""
    for size in sizes:
        answer, turn = LOADS[name](size)
        begun = time.process_time()
        report = verify(answer, turn)
        took = time.process_time() - begun
        codes = Counter(str(judged.verdict.code) for judged in report.judged)
        yield LoadTime(size=size, processor_s=took, codes=codes)


def make_records(count: int) -> list[Record]:
    """Return products of a name each."""
    rng = _rng("records")
    return [
        {
            "id": f"P-{1_000 + at}",
            "name": f"{_MATERIALS[at % 8]} {_NAMES[at % 10]} {1_000 + at}",
            "price": Decimal(rng.randint(500, 99_999)) / 100,
            "currency": "EUR",
            "stock": rng.randint(0, 80),
        }
        for at in range(count)
    ]


def _rng(part: str) -> random.Random:
    return random.Random(part)  # noqa: S311 -- a measurement, repeated by its seed


def _turn(*results: object) -> Turn:
    calls = [
        {"id": f"c{at}", "tool": "list_products", "arguments": {"page": at}, "result": result}
        for at, result in enumerate(results)
    ]
    return read_turn({"calls": calls, "default_currency": "EUR"}).turn


def _prices(records: Sequence[Record]) -> Iterator[tuple[Record, Decimal]]:
    """Yield each record with its price or, one in eight, with that of another record."""
    rng = _rng("answer")
    for record in records:
        told = rng.choice(records) if rng.random() < 1 / _WRONG else record
        yield record, told["price"]


def _rows(size: int) -> Load:
    records = make_records(size)
    rows = [
        f"| {one['id']} | {one['name']} | {price:.2f} EUR | {one['stock']} |"
        for one, price in _prices(records)
    ]
    return "\n".join(["| Id | Product | Price | Stock |", "|---|---|---|---|", *rows]), _turn(
        records
    )


def _sentences(size: int) -> Load:
    records = make_records(size)
    told = (f"The {one['name']} costs {price:.2f} EUR." for one, price in _prices(records))
    return " ".join(told), _turn(records)


def _items(size: int) -> Load:
    records = make_records(size)
    told = (f"- {one['name']}: {price:.2f} EUR" for one, price in _prices(records))
    return "The products:\n\n" + "\n".join(told), _turn(records)


def _short(records: Sequence[Record]) -> str:
    told = _prices(records[:_TOLD])
    return " ".join(f"The {one['name']} costs {price:.2f} EUR." for one, price in told)


def _calls(size: int) -> Load:
    records = make_records(size)
    return _short(records), _turn(*records)


def _megabytes(size: int) -> Load:
    records = make_records(size * 1_000_000 // _RECORD_BYTES)
    return _short(records), _turn(records)


def _depth(size: int) -> Load:
    records = make_records(size)
    nested: Record = {}
    for one in reversed(records):
        nested = {**one, "inside": nested}
    return _short(records), _turn(nested)


def _one_name(size: int) -> Load:
    records = [one | {"name": "Oak lamp"} for one in make_records(size)]
    return _short(records), _turn(records)


def _one_price(size: int) -> Load:
    same = {"name": "Oak lamp", "price": Decimal("12.50"), "stock": 7}
    records = [one | same for one in make_records(size)]
    return _short(records), _turn(records)


LOADS: Final[Mapping[str, Callable[[int], Load]]] = MappingProxyType(
    {
        "rows": _rows,
        "sentences": _sentences,
        "items": _items,
        "calls": _calls,
        "megabytes": _megabytes,
        "depth": _depth,
        "one_name": _one_name,
        "one_price": _one_price,
    }
)
"""What a size counts is told by the name; a record is a product with id, name, price and stock."""
