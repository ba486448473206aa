"""What tells a refund from a charge, a whole list from a part of it, and a rate from what multiplies it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from verifier.core.binding.binder import bind_answer
from verifier.core.binding.judging import Fate
from verifier.core.binding.roles import Role, Roles
from verifier.core.facts import read_evidence
from verifier.core.turns import ToolCall, Turn

if TYPE_CHECKING:
    from collections.abc import Mapping

ORDER: Final = {
    "order_id": "Z-14",
    "items": [
        {"name": "Wall Clock", "item_id": "301", "price": 38.00},
        {"name": "Door Mat", "item_id": "302", "price": 21.50},
    ],
}
PRODUCT: Final = {
    "name": "Wall Clock",
    "variants": [
        {"item_id": "301", "finish": "oak", "price": 38.00, "available": True},
        {"item_id": "309", "finish": "steel", "price": 45.25, "available": True},
        {"item_id": "315", "finish": "ash", "price": 33.50, "available": True},
        {"item_id": "312", "finish": "cork", "price": 29.75, "available": False},
    ],
}
SWAP: Final = {"order_id": "Z-14", "item_ids": ["301"], "new_item_ids": ["309"]}


def _turn(*, swap: Mapping[str, object] | None = None) -> Turn:
    calls = [
        ToolCall(call_id="c1", tool="get_order", arguments={"order_id": "Z-14"}, result=ORDER),
        ToolCall(call_id="c2", tool="get_product", arguments={"name": "x"}, result=PRODUCT),
    ]
    if swap is not None:
        calls.append(ToolCall(call_id="c3", tool="exchange", arguments=swap, result={"done": True}))
    return Turn(calls=tuple(calls), default_currency="USD")


def _fate(answer: str, text: str, turn: Turn) -> Fate | None:
    """Return the fate of a value; None where a proposal leaves it open and so claims nothing."""
    bound = bind_answer(answer, turn, read_evidence(turn))
    return next((one.judgement.fate for one in bound if one.stated.value.text == text), None)


@pytest.mark.parametrize(
    ("answer", "text", "derived"),
    [
        ("The price difference of $7.25 will be charged to your card.", "$7.25", True),
        ("The price difference of $7.25 will be refunded to your card.", "$7.25", False),
        ("You would receive a refund of $4.50 for the ash one.", "$4.50", True),
        ("You would be charged $4.50 for the ash one.", "$4.50", False),
        ("You would receive a refund of $8.25 for the cork one.", "$8.25", False),
        ("You would be charged $8.25 for the cork one.", "$8.25", False),
        ("The items of your order come to $59.50 in total.", "$59.50", True),
        ("You keep the Wall Clock and the Door Mat. A refund of $59.50.", "$59.50", False),
        ("The price difference of $6.25 will be charged to your card.", "$6.25", False),
        ("The cheapest Wall Clock costs $29.75.", "$29.75", True),
        ("The cheapest available Wall Clock costs $29.75.", "$29.75", False),
        ("The cheapest available Wall Clock costs $33.50.", "$33.50", True),
        ("The cheapest clock we sell costs $29.75.", "$29.75", False),
        ("The steel Wall Clock costs $7.25 more than the oak one.", "$7.25", True),
        ("The steel Wall Clock costs $7.25 less than the oak one.", "$7.25", False),
    ],
)
def test_an_amount_follows_only_the_way_that_it_goes(
    answer: str, text: str, *, derived: bool
) -> None:
    fate = _fate(answer, text, _turn())

    assert (fate is Fate.DERIVED) is derived
    assert fate is not Fate.PROVED


def test_the_arguments_of_a_swap_tell_the_old_and_the_new() -> None:
    turn = _turn(swap=SWAP)
    evidence = read_evidence(turn)
    roles = Roles(evidence, turn)

    told = {
        fact.fact.value.text: roles.of(fact)
        for fact in evidence.facts
        if fact.fact.attribute == ("price",)
    }

    assert told == {"38.0": Role.OLD, "21.5": None, "45.25": Role.NEW, "33.5": None, "29.75": None}


def test_a_failed_swap_tells_nothing() -> None:
    failed = ToolCall(call_id="c3", tool="exchange", arguments=SWAP, result="no", ok=False)
    turn = _turn()
    turn = Turn(calls=(*turn.calls, failed), default_currency="USD")
    evidence = read_evidence(turn)

    roles = {
        fact.fact.value.text: Roles(evidence, turn).of(fact)
        for fact in evidence.facts
        if fact.fact.attribute == ("price",)
    }

    assert roles["45.25"] is Role.NEW
    assert roles["21.5"] is Role.OLD
