"""What one fact does not prove: a value added to itself, and what is said of another field of its record."""

from __future__ import annotations

from typing import Final

import pytest

from verifier.core.binding.binder import bind_answer
from verifier.core.binding.judging import Fate
from verifier.core.facts import read_evidence
from verifier.core.turns import ToolCall, Turn

WARD: Final = {"id": "W-3", "name": "Maple", "beds": 24, "fee": "75.00", "currency": "GBP"}
KETTLE: Final = {
    "id": "P-1",
    "name": "Kettle",
    "price": "40.00",
    "currency": "USD",
    "shipping": "standard",
    "warranty": "extended",
    "finish": "matte",
    "color": "red",
}
STAY: Final = {"reservation_id": "R-77", "check_in": "2026-07-01", "check_out": "2026-07-04"}


def _fates(answer: str, result: object) -> list[Fate]:
    call = ToolCall(call_id="c1", tool="get_record", arguments={}, result=result)
    turn = Turn(calls=(call,))
    return [one.judgement.fate for one in bind_answer(answer, turn, read_evidence(turn))]


@pytest.mark.parametrize(
    "answer",
    [
        "The fee of Maple is £75 plus £75 for the room.",
        "The fee of Maple is £75 and £75 for the room.",
        "The fee of Maple is £75, then £75.",
        "The fee of Maple is £75, but £75 for the room.",
        "The fee of Maple is £75, £75 for the room.",
        "The fee of Maple is £75 and the room £75.",
        "The fee of Maple is £75 and a fee of £75.",
        "The fee of Maple is £75, with £75 for the room.",
        "Maple has 24 beds plus 24 beds.",
        "Maple has 24 and 24 beds.",
    ],
)
def test_a_value_that_is_added_to_itself_is_proved_once(answer: str) -> None:
    assert _fates(answer, WARD) == [Fate.PROVED, Fate.OPEN]


@pytest.mark.parametrize(
    "answer",
    [
        "The fee of Maple is £75 (75.00 GBP).",
        "The fee of Maple is £75, that is 75 pounds.",
        "The fee of Maple is £75, and you pay £75.",
    ],
)
def test_a_value_that_is_said_again_is_proved_again(answer: str) -> None:
    assert _fates(answer, WARD) == [Fate.PROVED, Fate.PROVED]


@pytest.mark.parametrize(
    "answer",
    [
        "Standard shipping costs $40.",
        "The standard shipping is $40.",
        "The standard shipping of the Kettle costs $40.",
        "Extended warranty costs $40.",
        "The matte finish costs $40.",
        "The red color costs $40.",
    ],
)
def test_a_price_that_is_said_of_another_field_is_left_open(answer: str) -> None:
    assert _fates(answer, KETTLE) == [Fate.OPEN]


@pytest.mark.parametrize(
    "answer",
    [
        "The Kettle with standard shipping costs $40.",
        "The red Kettle costs $40.",
        "The Kettle, red color, costs $40.",
    ],
)
def test_another_field_may_stand_beside_the_thing(answer: str) -> None:
    assert _fates(answer, KETTLE) == [Fate.PROVED]


def test_a_noun_that_begins_like_a_request_is_claimed_of() -> None:
    """ "Check-out" asks for nothing, "check" does."""
    assert _fates("Check-out is on 1 July 2026.", STAY)
    assert not _fates("Check the booking on 1 July 2026.", STAY)


def test_a_count_of_what_no_record_has_is_a_claim_in_a_row_too() -> None:
    hall = {"id": "HL-7", "seats": 24}

    assert _fates("HL-7 has 24 seats and 30 beds.", hall) == [Fate.PROVED, Fate.OPEN]
    assert _fates("HL-7 has 24 seats, 24 beds and 2 doors.", hall)[1:] == [Fate.OPEN, Fate.OPEN]
