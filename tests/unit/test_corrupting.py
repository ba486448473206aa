"""Corrupting answers: what is changed is a value of the evidence, and what stands there then is false."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from verifier.core.turn_file import read_turn

if TYPE_CHECKING:
    from types import ModuleType

    from verifier.core.turns import Turn

SCRIPTS = Path(__file__).parents[2] / "scripts"
ORDERS = [
    {
        "order_id": "#W7013728",
        "status": "pending",
        "ordered_on": "2026-05-13",
        "lines": [
            {"name": "Oak Lamp", "price": 82.5, "options": {"size": "500ml"}},
            {"name": "Wool Rug", "price": 240},
        ],
    },
    {"order_id": "#W9911223", "status": "delivered", "ordered_on": "2026-04-02", "lines": []},
]


def load(name: str) -> ModuleType:
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module(f"casework.{name}")
    finally:
        sys.path.remove(str(SCRIPTS))


def turn_with(result: object = ORDERS, **fields: Any) -> Turn:
    call = {"tool": "list_orders", "result": json.dumps(result)}
    return read_turn({"calls": [call], "default_currency": "USD", **fields}).turn


def corrupt(answer: str, kind: str, turn: Turn | None = None, seed: str = "1") -> Any:
    found, _ = load("corrupting").corrupt(answer, turn or turn_with(), seed=seed, kinds=[kind])
    return found


@pytest.mark.parametrize(
    ("kind", "answer", "news"),
    [
        ("other-row", "The Oak Lamp costs $82.50.", {"$240.00"}),
        ("other-row", "Order #W7013728 was placed on May 13.", {"April 2"}),
        ("currency", "The Oak Lamp costs $82.50.", {"€82.50", "£82.50"}),
        (
            "status",
            "Order #W7013728 is pending.",
            {"delivered", "shipped", "cancelled", "refunded"},
        ),
    ],
)
def test_the_new_value_is_one_that_the_evidence_denies(
    kind: str, answer: str, news: set[str]
) -> None:
    for seed in range(20):
        found = corrupt(answer, kind, seed=str(seed))
        (change,) = found.changes
        (span,) = found.spans
        assert change.new in news
        assert span.of(found.answer) == change.new
        assert change.span.of(answer) == change.old


def test_two_values_change_places() -> None:
    found = corrupt("- Oak Lamp: $82.50\n- Wool Rug: $240.00", "swapped")
    assert found.answer == "- Oak Lamp: $240.00\n- Wool Rug: $82.50"
    assert [span.of(found.answer) for span in found.spans] == ["$240.00", "$82.50"]


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("digit", "The Oak Lamp costs $82.50."),
        ("digit", "The Oak Lamp holds 500ml."),
        ("date", "Order #W7013728 was placed on 2026-05-13."),
        ("date", "Order #W7013728 was placed on May 13, 2026."),
        ("id", "Your order is #W7013728."),
    ],
)
def test_a_value_off_stands_nowhere_in_the_turn(kind: str, answer: str) -> None:
    for seed in range(30):
        (change,) = corrupt(answer, kind, seed=str(seed)).changes
        assert change.new not in json.dumps(ORDERS)
        assert change.new.lstrip("$") not in {"82.5", "240", "322.50", "157.50"}


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("digit", "Do you want the Oak Lamp for $82.50?"),
        ("digit", "The Oak Lamp does not cost $82.50."),
        ("digit", "Please confirm the price of $82.50."),
        ("digit", "It costs $99.99."),
        ("digit", "1. Open the lid.\n2. Close it."),
        ("other-row", "It costs $82.50."),
        ("currency", "It costs 82.50."),
        ("status", "Only pending orders can be cancelled."),
        ("status", "It is pending."),
        ("date", "It was placed on June 1."),
        ("id", "Your order is #X1234567."),
        ("swapped", "They cost $82.50 and $240.00."),
    ],
)
def test_nothing_is_changed_that_could_stay_true(kind: str, answer: str) -> None:
    assert all(corrupt(answer, kind, seed=str(seed)) is None for seed in range(10))


def test_a_value_of_the_same_thing_is_no_other_row() -> None:
    again = [
        *ORDERS,
        {"order_id": "#W7013728", "status": "delivered", "ordered_on": "2026-05-20", "lines": []},
    ]
    answer = "Order #W7013728 was placed on May 13."
    for seed in range(20):
        assert corrupt(answer, "other-row", turn_with(again), str(seed)).changes[0].new == "April 2"


def test_a_failed_call_is_no_evidence() -> None:
    turn = read_turn({"calls": [{"tool": "t", "ok": False, "result": json.dumps(ORDERS)}]}).turn
    assert corrupt("The Oak Lamp costs $82.50.", "digit", turn) is None


def test_documents_are_evidence_too() -> None:
    text = "The parental plan costs 49 dollars. The student plan costs 19 dollars."
    turn = read_turn({"documents": {"E": text}, "cited": "E"}).turn
    found = corrupt("The student plan costs $19.", "other-row", turn)
    assert found.changes[0].new == "$49"


def test_the_currency_stays_where_the_evidence_proves_none() -> None:
    turn = read_turn({"calls": [{"tool": "t", "result": json.dumps(ORDERS)}]}).turn
    assert corrupt("The Oak Lamp costs $82.50.", "currency", turn) is None


def test_the_same_seed_makes_the_same_answer() -> None:
    answer = "Order #W7013728 is pending. The Oak Lamp costs $82.50, the Wool Rug $240.00."
    corrupting = load("corrupting")
    made = [corrupting.corrupt(answer, turn_with(), seed=str(seed)) for seed in (1, 1, 2, 3, 4)]
    assert made[0] == made[1]
    assert len({found.answer for found, _ in made}) > 1


def test_results_of_any_depth_and_form_are_read() -> None:
    deep: object = "end"
    for _ in range(5_000):
        deep = {"in": deep}
    odd = [None, True, {"a": float("inf")}, {"b": [1, [2, {"c": "3"}]]}, "no JSON {", 7]
    for result in (deep, odd, "no JSON {", None, 12):
        turn = read_turn({"calls": [{"tool": "t", "result": "x"}]}).turn
        call = type(turn.calls[0])(call_id="c", tool="t", arguments={}, result=result)
        reading = load("records").read_records(type(turn)(calls=(call,)))
        assert reading.records is not None


def test_conversations_become_turns_with_what_the_agent_saw(tmp_path: Path) -> None:
    called = {"id": "c1", "name": "get_order", "arguments": {"id": "1"}, "requestor": "assistant"}
    device = {"id": "u1", "name": "look", "arguments": {}, "requestor": "user"}
    messages = [
        {"role": "assistant", "content": "Hi!"},
        {"role": "user", "content": "My order?"},
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "id": "c1", "content": '{"status": "pending"}', "error": False},
        {"role": "user", "content": None, "tool_calls": [device]},
        {"role": "tool", "id": "u1", "content": "bars", "error": False},
        {"role": "assistant", "content": "It is pending."},
    ]
    policy = "The current time is 2024-05-15 15:00:00 EST."
    stored = {
        "info": {"environment_info": {"policy": policy}},
        "simulations": [{"messages": messages}],
    }
    (tmp_path / "retail.json").write_text(json.dumps(stored), encoding="utf-8")
    first, second = load("conversations").read_conversations(tmp_path, domains=("retail",))
    assert (first["answer"], first["calls"]) == ("Hi!", [])
    turn = read_turn(second).turn
    assert turn.question == "My order?"
    assert [(call.call_id, call.ok, call.turn) for call in turn.calls] == [("c1", True, 1)]
    assert turn.now is not None
    assert turn.now.isoformat() == "2024-05-15T15:00:00-04:00"
