"""Results and arguments as an application holds them: models, moments, sets, cycles, objects that fail."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest

from verifier.core.catalog import parse_catalog
from verifier.core.facts import FactOrigin, read_evidence
from verifier.core.ledger import build_ledger
from verifier.core.turns import ToolCall, Turn
from verifier.core.values import Kind

Point = namedtuple("Point", ["name", "price_eur"])


class State(Enum):
    SHIPPED = "shipped"


@dataclass
class Order:
    order_id: str
    total_eur: Decimal
    placed_on: date


class Failing(Mapping[str, object]):
    def __getitem__(self, key: str) -> object:
        raise RuntimeError(key)

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no")

    def __len__(self) -> int:
        raise RuntimeError("no")


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


def cyclic() -> dict[str, Any]:
    record: dict[str, Any] = {"order_id": "A-1", "status": "open"}
    record["self"] = [record]
    return record


def deep() -> list[object]:
    value: list[object] = [date(2026, 1, 2)]
    for _ in range(5_000):
        value = [value]
    return value


def told(result: object) -> dict[str, str]:
    call = ToolCall(call_id="c", tool="get_order", arguments={}, result=result)
    facts = read_evidence(Turn(calls=(call,))).facts
    return {
        " ".join(one.fact.attribute): f"{one.fact.value.kind} {one.fact.value.text}"
        for one in facts
        if one.origin is FactOrigin.RESULT
    }


@pytest.mark.parametrize(
    ("result", "attribute", "value"),
    [
        (Order("A-1", Decimal("9.90"), date(2026, 3, 4)), "total eur", "money 9.90"),
        (Order("A-1", Decimal("9.90"), date(2026, 3, 4)), "placed on", "date 2026-03-04"),
        ([Point("Lamp", 12)], "price eur", "money 12"),
        ({"at": datetime(2026, 3, 4, 5, 6, tzinfo=UTC)}, "at", "date 2026-03-04T05:06:00+00:00"),
        ({"opens": time(9, 30)}, "opens", "time 09:30:00"),
        ({"status": State.SHIPPED}, "status", "state shipped"),
        ({"order_id": UUID(int=7)}, "order id", f"id {UUID(int=7)}"),
        (OrderedDict(price_eur=5), "price eur", "money 5"),
        (MappingProxyType({"price_eur": 5}), "price eur", "money 5"),
        ({"sizes": {10}}, "sizes", "number 10"),
        (cyclic(), "status", "state open"),
        ({"available": True}, "available", "boolean true"),
        ({"available": False}, "available", "boolean false"),
    ],
)
def test_objects_are_read_by_their_plain_form(result: object, attribute: str, value: str) -> None:
    assert told(result)[attribute] == value


@pytest.mark.parametrize(
    "result",
    [
        {"a": Failing()},
        Failing(),
        {"a": Unprintable(), "price_eur": 3},
        {Unprintable(): 1},
        {(1, 2): 3, 10**5_000: 4},
        {"a": object(), "b": b"\xff", "c": {1, "x"}, "d": float("nan"), "e": 10**6_000},
        deep(),
        cyclic(),
        {"a": Decimal("NaN"), "b": Decimal("1e999999")},
        lambda: None,
        Order,
    ],
    ids=range(11),
)
def test_no_object_raises(result: object) -> None:
    arguments: Any = {"when": date(2026, 1, 1), "of": result}
    call = ToolCall(call_id="c", tool="get_order", arguments=arguments, result=result)
    read_evidence(Turn(calls=(call,)))
    catalog = parse_catalog(
        {"order": {"table": "orders", "key": {"column": "order_id", "type": "text"}}}
    )
    build_ledger((call,), catalog=catalog)


def test_what_is_plain_is_kept_as_it_is() -> None:
    shared = {"a": [1, "x", None, Decimal("1.50")]}
    result = {"one": shared, "two": shared}
    call = ToolCall(call_id="c", tool="t", arguments={}, result=result)
    assert call.result is result


def test_a_true_flag_is_a_flag() -> None:
    call = ToolCall(call_id="c", tool="t", arguments={}, result={"available": True})
    (fact,) = read_evidence(Turn(calls=(call,))).facts
    assert fact.fact.value.kind is Kind.BOOLEAN
