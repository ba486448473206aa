"""A count of what the sentence itself lists is not absent from the evidence; another count is."""

from __future__ import annotations

from typing import Final

import pytest

from verifier.core.binding.binder import bind_answer
from verifier.core.binding.judging import Fate
from verifier.core.facts import read_evidence
from verifier.core.turns import ToolCall, Turn

ORDERS: Final = ("KL-501", "KL-502", "KL-503")


def _fate(answer: str, text: str) -> Fate | None:
    calls = tuple(
        ToolCall(
            call_id=f"c{at}",
            tool="get_order",
            arguments={"order_id": name},
            result={"order_id": name, "status": "pending", "total": 40 + at},
        )
        for at, name in enumerate(ORDERS)
    )
    turn = Turn(calls=calls)
    bound = bind_answer(answer, turn, read_evidence(turn))
    return next((one.judgement.fate for one in bound if one.stated.value.text == text), None)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("You have two other pending orders (KL-501 and KL-502) and one more (KL-503).", "two"),
        ("There are three pending orders: KL-501, KL-502 and KL-503.", "three"),
    ],
)
def test_a_count_of_listed_ids_is_not_absent(answer: str, text: str) -> None:
    assert _fate(answer, text) is not Fate.ABSENT


def test_a_count_of_more_than_is_listed_is_absent() -> None:
    answer = "You have nine other pending orders (KL-501 and KL-502) and one more (KL-503)."

    assert _fate(answer, "nine") is Fate.ABSENT
