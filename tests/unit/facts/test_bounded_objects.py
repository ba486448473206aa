"""Objects that share parts, hold themselves, fail or never end: bounded, and told as incomplete."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from verifier.core.facts import read_evidence, reading
from verifier.core.plain_json import copy_plain, is_plain, to_json_values
from verifier.core.turns import ToolCall, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator


class FailingItems(dict[str, object]):
    def items(self) -> Any:
        raise RuntimeError("no items")


class FailingKeys(dict[str, object]):
    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no keys")

    keys = items = __iter__  # type: ignore[assignment]  # fails on purpose


class FailingList(list[object]):
    def __iter__(self) -> Iterator[object]:
        raise RuntimeError("no elements")


class EndlessList(list[object]):
    def __iter__(self) -> Iterator[object]:
        while True:
            yield 1


class EndlessItems(dict[str, object]):
    def items(self) -> Any:
        at = 0
        while True:
            at += 1
            yield f"field_{at}", at


class FailingClass:
    def __getattribute__(self, name: str) -> object:
        raise RuntimeError(name)


class FailingDump:
    def model_dump(self) -> object:
        raise RuntimeError("no dump")


class Opaque:
    pass


class HostileText(str):
    __slots__ = ()

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def strip(self, *_: object) -> str:
        raise RuntimeError("no strip")


def shared_records(times: int) -> object:
    value: object = {"price_eur": "12.50"}
    for _ in range(times):
        value = {"a": value, "b": value}
    return value


def shared_lists(times: int) -> object:
    value: object = []
    for _ in range(times):
        value = [value, value]
    return value


def shared_sets(times: int) -> object:
    value: object = frozenset({1})
    for _ in range(times):
        value = frozenset({value, (value,)})
    return value


def all_linked(size: int) -> object:
    records: list[dict[str, object]] = [{"id": f"X-{at}"} for at in range(size)]
    for record in records:
        record["others"] = list(records)
    return records[0]


def nested(depth: int) -> object:
    value: object = {"price_eur": 5}
    for _ in range(depth):
        value = {"inner": value}
    return value


UNBOUNDED = {
    "records shared 30 times": shared_records(30),
    "lists shared 40 times": shared_lists(40),
    "sets shared 40 times": shared_sets(40),
    "shared in a tuple": ({"a": shared_records(30)}, shared_lists(40)),
    "shared under a name that is a set": {shared_sets(40): 1},
    "shared beside an object": [Opaque(), shared_records(30)],
    "1000 deep": nested(1_000),
    "100000 deep": nested(100_000),
    "endless list": EndlessList(),
    "endless record": {"a": EndlessItems()},
    "two million values": [[0] * 1_000] * 2_000,
}
UNREADABLE = {
    "items fail": FailingItems(a=1),
    "keys fail": {"orders": [FailingKeys(a=1)]},
    "elements fail": {"orders": FailingList([1])},
    "class fails": {"a": FailingClass()},
    "dump fails": [FailingDump()],
    "an object that tells nothing": {"order": Opaque()},
    "two names that are one in text": {1: "9 EUR", "1": "12 EUR"},
}
ARGUMENTS = {"order_id": "A-1", "status": "open"}


@pytest.mark.parametrize("name", [*UNBOUNDED, *UNREADABLE])
def test_a_part_is_told_as_such(name: str) -> None:
    copied = copy_plain([Opaque, {**UNBOUNDED, **UNREADABLE}[name]], nodes=2_000)
    assert not copied.whole
    assert is_plain(copied.value, nodes=2_500)


@pytest.mark.parametrize("name", ["records shared 30 times", "100000 deep", *UNREADABLE])
def test_a_result_in_part_is_incomplete(name: str) -> None:
    result = {**UNBOUNDED, **UNREADABLE}[name]
    call = ToolCall(call_id="c", tool="get_order", arguments=ARGUMENTS, result=result)
    assert not call.complete
    json.dumps(to_json_values(call.result))


@pytest.mark.parametrize("name", [*UNBOUNDED, *UNREADABLE])
def test_arguments_in_part_are_incomplete(name: str) -> None:
    arguments: Any = {**ARGUMENTS, "of": {**UNBOUNDED, **UNREADABLE}[name]}
    call = ToolCall(call_id="c", tool="get_order", arguments=arguments, result={"price_eur": 5})
    assert not call.complete
    assert is_plain(call.arguments, nodes=6_000)
    assert len(str(call.arguments)) < 1_000_000
    assert read_evidence(Turn(calls=(call,))).incomplete == {"c"}


def test_what_holds_itself_is_all_there() -> None:
    order: dict[str, object] = {"order_id": "A-1", "price_eur": 5}
    order["lines"] = [{"order": order, "lamp_eur": 3}, order]
    call = ToolCall(call_id="c", tool="get_order", arguments={"of": order}, result=order)
    assert call.complete
    assert call.result == {
        "order_id": "A-1",
        "price_eur": 5,
        "lines": [{"order": None, "lamp_eur": 3}, None],
    }


def test_records_that_all_hold_each_other_end() -> None:
    copied = copy_plain(all_linked(30), nodes=20_000)
    assert not copied.whole
    assert is_plain(copied.value, nodes=25_000)


def test_what_is_shared_a_few_times_is_kept_whole() -> None:
    address = {"city": "Kiel"}
    copied = copy_plain([Opaque, {"home": address, "work": address}, {"home": address}])
    assert copied.whole
    assert isinstance(copied.value, list)
    assert copied.value[1:] == [{"home": address, "work": address}, {"home": address}]


def test_what_is_shared_at_two_depths_is_not_cut_off_deeper_than_it_stands() -> None:
    deep = nested(150)
    copied = copy_plain([Opaque, deep, nested(60), {"more": deep}])
    assert copied.whole
    value: object = deep
    for _ in range(100):
        value = {"wrapped": value}
    assert not copy_plain([Opaque, deep, value]).whole


def test_texts_are_kept_without_the_methods_of_their_class() -> None:
    call = ToolCall(call_id="c", tool="t", arguments={}, result={"price": HostileText("12.50 EUR")})
    assert call.complete
    assert [one.fact.value.text for one in read_evidence(Turn(calls=(call,))).facts] == [
        "12.50 EUR"
    ]


def test_values_beyond_what_is_read_of_a_turn_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_MOST_VALUES", 50)
    records = [{"order_id": f"A-{at}", "price_eur": at} for at in range(100)]
    calls = [
        ToolCall(call_id="few", tool="t", arguments={}, result=records[:2]),
        ToolCall(call_id="many", tool="t", arguments={}, result=records),
    ]
    evidence = read_evidence(Turn(calls=tuple(calls)))
    assert evidence.incomplete == {"many"}
    assert 0 < len(evidence.facts) < 80


def test_arguments_beyond_what_is_read_of_a_turn_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_MOST_ARGUMENTS", 50)
    calls = [
        ToolCall(call_id=f"c{size}", tool="t", arguments={"ids": list(range(size))}, result={})
        for size in (10, 100)
    ]
    assert read_evidence(Turn(calls=tuple(calls))).incomplete == {"c100"}


@pytest.mark.parametrize("written", ["{record}", "[{record}]", '{{"rows": {record}}}'])
def test_a_record_of_too_many_fields_is_not_read(written: str) -> None:
    record = json.dumps({f"price_{at}_eur": at for at in range(6_000)})
    call = ToolCall(call_id="c", tool="t", arguments={}, result=written.format(record=record))
    evidence = read_evidence(Turn(calls=(call,)))
    assert evidence.incomplete == {"c"}
    assert len(evidence.facts) < 5


def test_a_long_text_in_a_field_that_begins_as_structure_is_told() -> None:
    text = json.dumps([{"price_eur": 5}] * 300_000)
    call = ToolCall(call_id="c", tool="t", arguments={}, result={"orders": text})
    assert read_evidence(Turn(calls=(call,))).incomplete == {"c"}
