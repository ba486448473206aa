"""Records, lists, tables and texts of tool results against the facts that they state."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

from verifier.core.facts import EvidenceFact, FactOrigin, TurnEvidence, read_evidence
from verifier.core.turns import ToolCall, Turn
from verifier.core.values import Kind, Quantity

DATA: Final = Path(__file__).parents[2] / "data" / "facts_records.jsonl"
CASES: Final = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
TURN_FIELDS: Final = ("default_currency", "timezone", "locale")


def read(case: dict[str, Any]) -> TurnEvidence:
    call = ToolCall(
        call_id="c1",
        tool=case.get("tool", "get_it"),
        arguments=case.get("arguments", {}),
        result=case["result"],
    )
    return read_evidence(
        Turn(calls=(call,), **{key: case[key] for key in TURN_FIELDS if key in case})
    )


def results(evidence: TurnEvidence) -> list[EvidenceFact]:
    return [fact for fact in evidence.facts if fact.origin is FactOrigin.RESULT]


def number(value: Quantity, end: str = "low") -> Fraction | None:
    return value.interval.low if end == "low" else value.interval.high


def same_value(fact: EvidenceFact, wanted: str | list[str | None]) -> bool:
    value = fact.fact.value
    if not isinstance(value, Quantity):
        return value.folded == wanted
    if isinstance(wanted, list):
        low, high = (None if end is None else Fraction(end) for end in wanted)
        return (number(value), number(value, "high")) == (low, high)
    if value.kind is Kind.DATE:
        low = number(value)
        return low is not None and date.fromordinal(int(low)).isoformat() == wanted
    try:
        return number(value) == Fraction(wanted)
    except ValueError:
        return False


def bears(fact: EvidenceFact, name: str | None) -> bool:
    if name is None:
        return fact.thing is None or not (fact.thing.keys or fact.thing.names)
    return fact.thing is not None and name in (*fact.thing.keys, *fact.thing.names)


def fits(fact: EvidenceFact, wanted: dict[str, Any]) -> bool:
    value = fact.fact.value
    told = {
        "kind": value.kind.value,
        "unit": getattr(value, "unit", None),
        "currency": getattr(value, "currency", None),
        "per": getattr(value, "per", None),
        "offset": getattr(value, "utc_offset_s", None),
        "period": fact.fact.period,
        "whole": fact.whole_list,
    }
    if " ".join(fact.fact.attribute) != wanted["attribute"] or not same_value(
        fact, wanted["value"]
    ):
        return False
    if "thing" in wanted and not bears(fact, wanted["thing"]):
        return False
    if not fact.cues >= set(wanted.get("cues", ())):
        return False
    return all(told[key] == wanted[key] for key in told if key in wanted)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_result_states(case: dict[str, Any]) -> None:
    evidence = read(case)
    facts = results(evidence)
    for wanted in case["expected"]:
        assert [fact for fact in facts if fits(fact, wanted)], (wanted, shown(facts))
    for value in case.get("absent", ()):
        assert not [fact for fact in facts if same_value(fact, value)], shown(facts)
    for value in case.get("absent_whole", ()):
        assert not [fact for fact in facts if fact.whole_list and same_value(fact, value)]
    if "facts" in case:
        assert len(facts) == case["facts"], shown(facts)
    assert (evidence.incomplete == {"c1"}) is case.get("incomplete", False)


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if any("alternatives" in one for one in case["expected"])],
    ids=lambda case: case["id"],
)
def test_readings_that_stay_open_are_kept(case: dict[str, Any]) -> None:
    facts = results(read(case))
    for wanted in case["expected"]:
        values = [fact.fact.value for fact in facts if fits(fact, wanted)]
        readings = [
            one.interval.low
            for value in values
            if isinstance(value, Quantity)
            for one in value.alternatives
        ]
        assert readings == [Fraction(one) for one in wanted["alternatives"]]


def shown(facts: list[EvidenceFact]) -> list[tuple[object, ...]]:
    return [
        (" ".join(fact.fact.attribute), fact.fact.value, fact.thing and fact.thing.keys)
        for fact in facts
    ]


def test_equal_numbers_keep_their_own_spelling() -> None:
    for written in ("49.90", "49.9", "49.900"):
        for raw in (Decimal(written), float(written)):
            facts = results(read({"result": {"price": raw, "currency": "EUR"}}))
            assert facts[0].fact.value.text == str(raw)
