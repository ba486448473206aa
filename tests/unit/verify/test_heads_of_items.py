"""A state before the noun of what leads to a value is part of the name: "Blue Lipstick: $9" is no red one."""

from __future__ import annotations

from typing import Final

import pytest

from verifier.core.binding.binder import bind_answer
from verifier.core.binding.judging import Fate
from verifier.core.facts import read_evidence
from verifier.core.turns import ToolCall, Turn

THINGS: Final = (
    {"name": "Red Lipstick", "price": "12.99", "currency": "USD"},
    {"name": "Garden Bench", "price": "40.00", "currency": "USD", "status": "delivered"},
)
TURN: Final = Turn(
    calls=(ToolCall(call_id="c1", tool="list", arguments={}, result={"things": list(THINGS)}),)
)


def _fate(answer: str, text: str) -> Fate | None:
    bound = bind_answer(answer, TURN, read_evidence(TURN))
    return next((one.judgement.fate for one in bound if one.stated.value.text == text), None)


@pytest.mark.parametrize(
    "answer",
    [
        "- Blue Lipstick: $12.99",
        "- The Blue Lipstick: $12.99",
        "Here is the price of each:\n- Blue Lipstick: $12.99",
        "* **Black Lipstick**: $12.99",
        "1. Green Lipstick ($12.99)",
        "- Pink Lipstick - $12.99",
        "- White Lipstick – $12.99",
        "Purple Lipstick: $12.99",
        "| Product | Price |\n|---|---|\n| Brown Lipstick | $12.99 |",
        "| Product | Price |\n|---|---|\n| Grey Lipstick | $12.99 |\n| Red Lipstick | $12.50 |",
        "- Gold Lipstick: $12.99",
        "- Cancelled Bench: $40.00",
        "- Matte Blue Lipstick: $12.99",
        "- Lipstick in blue: $12.99",
    ],
)
def test_another_state_before_the_noun_leaves_the_value_open(answer: str) -> None:
    text = "$40.00" if "Bench" in answer else "$12.99"
    assert _fate(answer, text) not in {Fate.PROVED, Fate.DERIVED}


@pytest.mark.parametrize(
    "answer",
    [
        "- Red Lipstick: $12.99",
        "- The Red Lipstick: $12.99",
        "Here is the price of each:\n- Red Lipstick: $12.99",
        "* **Red Lipstick**: $12.99",
        "1. Red Lipstick ($12.99)",
        "- Red Lipstick - $12.99",
        "Red Lipstick: $12.99",
        "| Product | Price |\n|---|---|\n| Red Lipstick | $12.99 |",
        "- Delivered Garden Bench: $40.00",
        "- Garden Bench (delivered): $40.00",
    ],
)
def test_the_thing_itself_is_proved(answer: str) -> None:
    text = "$40.00" if "Bench" in answer else "$12.99"
    assert _fate(answer, text) is Fate.PROVED
