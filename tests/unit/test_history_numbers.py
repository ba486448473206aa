"""The two narrow checks, against the labelled lines and against what they say they can't see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from verifier.core.history_numbers import check_history_numbers, check_small_number
from verifier.errors import InputError

SEEDS = Path(__file__).resolve().parents[1] / "data" / "seeds" / "history_numbers.jsonl"
LINES = [json.loads(line) for line in SEEDS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    "line", [one for one in LINES if "history" in one], ids=lambda one: str(one["id"])
)
def test_history(line: dict[str, Any]) -> None:
    """Each labelled answer has exactly the unsupported numbers that its line names, in order."""
    found = check_history_numbers(line["answer"], line["history"])

    assert list(found) == line["unsupported_numbers"]


@pytest.mark.parametrize(
    "line", [one for one in LINES if "small_number" in one], ids=lambda one: str(one["id"])
)
def test_small_number(line: dict[str, Any]) -> None:
    """Each labelled small number is found as a whole number, or is not."""
    asked = line["small_number"]

    assert check_small_number(asked["claimed"], asked["source"]) is line["found"]


@pytest.mark.parametrize(
    ("value", "text", "found"),
    [
        (2, "2 rooms", True),
        (2, "rooms: 2.", True),
        (2, "2.5 rooms", False),
        (2, "1,2", False),
        (2, "(2)", True),
        (12, "3,12", False),
        (0, "0 left", True),
        (0, "10 left", False),
        (5, "v5", True),
    ],
)
def test_small_number_stands_alone(value: int, text: str, *, found: bool) -> None:
    """A number is whole: no digit, and no decimal or grouping mark with a digit, touches it."""
    assert check_small_number(value, text) is found


def test_failed_calls_are_no_observation() -> None:
    """A tool result that is marked as an error holds nothing."""
    history = [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "a", "name": "t", "input": {}}],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "4500", "is_error": True}
            ],
        },
    ]

    assert check_history_numbers("It is 4500.", history) == ("4500",)


def test_grouping_is_no_difference() -> None:
    """1,299 and 1299 are one number, also in structured results."""
    history = [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "a", "name": "t", "input": {}}],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"n": 1299}]}],
        },
    ]

    assert check_history_numbers("It is 1,299 or 1,300.", history) == ("1300",)


def test_what_is_no_history() -> None:
    """Anything but a list of messages is refused by name."""
    with pytest.raises(InputError, match="history must be a list of messages"):
        check_history_numbers("123", {"role": "user"})


def test_a_number_of_any_length() -> None:
    """A number longer than what an integer is read from is compared as well."""
    assert check_history_numbers("9" * 10_000, []) == ("9" * 10_000,)


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("2\u202f299 EUR", ("2299",)),
        ("2'299 EUR", ("2299",)),
        ("2’299 EUR", ("2299",)),
        ("4\u200b299 EUR", ("4299",)),
        ("1'299 EUR", ()),
        ("1\u00a0299 EUR", ()),
        ("299 EUR", ()),
    ],
)
def test_groups_that_hold_together_are_one_number(answer: str, missing: tuple[str, ...]) -> None:
    history = [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t", "content": "299, 1299"}],
        },
    ]

    assert check_history_numbers(answer, history) == missing


@pytest.mark.parametrize(
    "text", ["7'000", "7\u202f000", "7_000", "7²", "7½", "7\u200b0", "7\u00ad5", "½7"]
)
def test_a_small_number_is_no_part_of_another(text: str) -> None:
    assert not check_small_number(7, text)


@pytest.mark.parametrize(
    "text", ["7 items", "(7)", "7.", "7,", "a 7\u200b of 9", "7€", "7 (of 100)"]
)
def test_a_small_number_stands_as_a_whole_one(text: str) -> None:
    assert check_small_number(7, text)
