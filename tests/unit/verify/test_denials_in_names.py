"""A word that denies within a name denies nothing; beside one it does."""

from __future__ import annotations

from typing import Final

import pytest

from verifier.core.binding.binder import bind_answer
from verifier.core.binding.judging import Fate
from verifier.core.facts import read_evidence
from verifier.core.turns import ToolCall, Turn

SONGS: Final = [
    {"title": "The Thing That Should Not Be", "price": "0.99", "currency": "USD"},
    {"title": "Never Mind", "price": "1.29", "currency": "USD"},
    {"title": "None Shall Pass", "price": "1.49", "currency": "USD"},
]
TURN: Final = Turn(
    calls=(ToolCall(call_id="c1", tool="list_songs", arguments={}, result={"songs": SONGS}),)
)


def _fate(answer: str, text: str) -> Fate | None:
    bound = bind_answer(answer, TURN, read_evidence(TURN))
    return next((one.judgement.fate for one in bound if one.stated.value.text == text), None)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("- The Thing That Should Not Be: $0.99", "$0.99"),
        ("The Thing That Should Not Be costs $0.99.", "$0.99"),
        ("Never Mind costs $1.29.", "$1.29"),
        ("- Never Mind: $1.29", "$1.29"),
        ("- None Shall Pass: $1.49", "$1.49"),
    ],
)
def test_what_is_named_so_is_proved(answer: str, text: str) -> None:
    assert _fate(answer, text) is Fate.PROVED


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("The Thing That Should Not Be does not cost $0.99.", "$0.99"),
        ("Never Mind is not $1.29.", "$1.29"),
        ("It is not so that Never Mind costs $1.29.", "$1.29"),
        ("None Shall Pass never costs $1.49.", "$1.49"),
        ("The Thing That Should Not Be costs $1.29.", "$1.29"),
        ("Never Mind costs $1.49.", "$1.49"),
    ],
)
def test_what_is_denied_or_another_s_is_not(answer: str, text: str) -> None:
    assert _fate(answer, text) not in {Fate.PROVED, Fate.DERIVED}
