"""Hostile evidence: any value, in bounded steps, never an exception."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.core.facts import read_evidence
from verifier.core.facts.structured import find_structure
from verifier.core.facts.texts import read_text
from verifier.core.statements import ReadingTerms
from verifier.core.turns import RetrievedChunk, ToolCall, Turn

KEYS = st.sampled_from(
    [
        *(
            "id",
            "name",
            "price",
            "price_cents",
            "total",
            "currency",
            "unit",
            "amount",
            "items",
            "orders",
        ),
        *(
            "status",
            "2024",
            "page",
            "has_more",
            "error",
            "found",
            "type",
            "text",
            "columns",
            "rows",
        ),
        *(
            "created_at",
            "rate",
            "weight_kg",
            "description",
            "options",
            "first_name",
            "last_name",
            "ok",
        ),
    ]
) | st.text(max_size=8)
PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.decimals()
    | st.text(max_size=30)
    | st.sampled_from(
        [
            "USD",
            "minor",
            "kg",
            "12/2026",
            "00:30:00+1",
            "$5",
            "1,234.5",
            "(3)",
            "2-3 days",
            "[",
            "{'a': 1}",
            "a | b\n1 | 2",
        ]
    )
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


def turn_of(result: object, **fields: Any) -> Turn:
    call = ToolCall(call_id="c", tool="get_order", arguments={"id": "1"}, result=result)
    return Turn(calls=(call,), **fields)


@settings(max_examples=300, deadline=None)
@given(
    result=VALUES, arguments=st.dictionaries(KEYS, VALUES, max_size=4), tool=st.text(max_size=12)
)
def test_no_result_and_no_arguments_raise(
    result: object, arguments: dict[str, object], tool: str
) -> None:
    call = ToolCall(call_id="c", tool=tool, arguments=arguments, result=result)
    evidence = read_evidence(Turn(calls=(call,), default_currency="JPY", timezone="Asia/Tokyo"))
    for fact in evidence.facts:
        assert evidence.of_dimension(fact.fact.value) is not None
    evidence.find_things(str(result)[:200])


@settings(max_examples=200, deadline=None)
@given(text=st.text(alphabet=st.sampled_from("ab19 |\t\n-:.,$%()[]{}'\"\\é٣"), max_size=120))
def test_no_text_raises(text: str) -> None:
    assert list(read_text(text, ReadingTerms())) is not None
    find_structure(text)
    read_evidence(Turn(retrieved=(RetrievedChunk(label="D", source="d", text=text),), system=text))


def cyclic() -> dict[str, object]:
    record: dict[str, object] = {"id": "1", "price": 5}
    record["self"] = record
    record["list"] = [record]
    return record


def nested(depth: int) -> dict[str, object]:
    record: dict[str, object] = {"id": "0"}
    for number in range(1, depth):
        record = {"id": str(number), "inner": record}
    return record


def test_a_cycle_ends() -> None:
    evidence = read_evidence(turn_of(cyclic()))
    assert [
        fact.fact.value.text for fact in evidence.facts if fact.fact.attribute == ("price",)
    ] == ["5"]


@pytest.mark.parametrize(
    "result", [nested(1_000), [[[[]]]] * 3, "[" * 5_000, "{" * 5_000, "'" * 5_001]
)
def test_what_is_too_deep_or_broken_leaves_room_for_more(result: object) -> None:
    evidence = read_evidence(turn_of(result))
    assert len(evidence.facts) < 500


def test_what_lies_too_deep_proves_no_absence() -> None:
    assert read_evidence(turn_of(nested(1_000))).incomplete == {"c"}


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("Infinity"),
        pytest.param(10**6_000, id="6001 digits"),
    ],
)
def test_what_is_no_number_states_none(value: object) -> None:
    evidence = read_evidence(turn_of({"price_usd": value, "count": value, "order_id": value}))
    assert [fact for fact in evidence.facts if fact.origin == "result"] == []


def test_a_result_beyond_the_budget_is_incomplete() -> None:
    evidence = read_evidence(turn_of([{"id": "x"}] * 3 + ["a" * 20_000_001]))
    assert evidence.incomplete == {"c"}


class Counting(dict[str, object]):
    """A record that counts how often its fields are looked through."""

    looked = 0

    def items(self) -> Any:
        type(self).looked += 1
        return super().items()


def test_each_record_is_read_a_fixed_number_of_times() -> None:
    looks: list[float] = []
    for size in (50, 500):
        Counting.looked = 0
        read_evidence(turn_of([Counting(id=f"X-{at}", price=at) for at in range(size)]))
        looks.append(Counting.looked / size)
    assert looks[0] == looks[1]


def test_one_name_for_many_things_is_one_mention() -> None:
    evidence = read_evidence(turn_of([{"id": f"X-{at}", "name": "Lamp"} for at in range(2_000)]))
    (mention,) = evidence.find_things("the lamp")
    assert len(mention.things) == 2_000


@pytest.mark.parametrize("part", ["result", "document"])
def test_prose_beyond_what_is_read_is_told(part: str) -> None:
    text = "The Lite plan costs 9 EUR.\n" + "\n" * 400_000 + "The Pro plan costs 19 EUR."
    call = ToolCall(call_id="x", tool="t", arguments={}, result={"text": text})
    chunk = RetrievedChunk(label="x", source="s", text=text)
    turn = Turn(calls=(call,)) if part == "result" else Turn(retrieved=(chunk,))
    evidence = read_evidence(turn)
    assert evidence.incomplete == {"x"}
    assert [one.fact.value.text for one in evidence.facts] == [
        "The Lite plan costs 9 EUR.",
        "9 EUR",
    ]
