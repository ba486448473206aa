"""The judges of verified cases: what counts as right, which error a wrong one is, how evidence is shaped."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from verifier.core.verdicts import Disposition

if TYPE_CHECKING:
    from types import ModuleType

SCRIPTS = Path(__file__).parents[2] / "scripts"
ACCEPTED, REJECTED = Disposition.ACCEPTED, Disposition.REJECTED
REVIEW, UNCHECKED = Disposition.REVIEW, Disposition.UNCHECKED
LAMP = "The lamp weighs 2.4 kg."


def load(name: str) -> ModuleType:
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module(f"casework.{name}")
    finally:
        sys.path.remove(str(SCRIPTS))


def judge(**fields: Any) -> Any:
    case = {"id": "T1", "kind": "k", "task": "compare", "claim": LAMP, "evidence": LAMP, **fields}
    running = load("running")
    return running.judge_case(running.parse_case(json.dumps(case)))


@pytest.mark.parametrize(
    ("word", "outcome", "error"),
    [
        ("supported", ACCEPTED, None),
        ("supported", REJECTED, "wrongly_refused"),
        ("supported", REVIEW, "left_open"),
        ("supported", None, "left_open"),
        ("contradicted", REJECTED, None),
        ("contradicted", ACCEPTED, "wrongly_accepted"),
        ("contradicted", UNCHECKED, "left_open"),
        ("contradicted", None, "left_open"),
        ("unsupported", REJECTED, None),
        ("unsupported", UNCHECKED, None),
        ("unsupported", ACCEPTED, "wrongly_accepted"),
        ("not_supported", REVIEW, None),
        ("not_supported", ACCEPTED, "wrongly_accepted"),
        ("no_claims", None, None),
        ("no_claims", REJECTED, "wrongly_refused"),
        ("no_claims", ACCEPTED, "wrongly_accepted"),
        ("probably", ACCEPTED, "wrong_value"),
    ],
)
def test_an_outcome_is_right_or_one_of_the_errors(
    word: str, outcome: Disposition | None, error: str | None
) -> None:
    judgement = load("outcomes").judge_word(word, outcome)
    assert (judgement.ok, judgement.error) == (error is None, error)


@pytest.mark.parametrize(
    ("must_not", "outcome", "error"),
    [
        (None, ACCEPTED, None),
        ("supported", ACCEPTED, "wrongly_accepted"),
        ("supported", REJECTED, None),
        ("contradicted", REJECTED, "wrongly_refused"),
        (["supported", "contradicted"], REVIEW, None),
        (["supported", "contradicted"], REJECTED, "wrongly_refused"),
    ],
)
def test_where_people_differ_only_the_forbidden_outcome_counts(
    must_not: object, outcome: Disposition, error: str | None
) -> None:
    judgement = load("outcomes").judge_word("ambiguous", outcome, must_not)
    assert (judgement.ok, judgement.error, judgement.counted) == (
        error is None,
        error,
        error is not None,
    )


def test_one_of_several_outcomes_is_enough() -> None:
    outcomes = load("outcomes")
    assert outcomes.judge_choice(["supported", "no_claims"], None).ok
    assert (
        outcomes.judge_choice(["contradicted", "no_claims"], ACCEPTED).error == "wrongly_accepted"
    )


@pytest.mark.parametrize(
    ("fields", "ok"),
    [
        ({"expected": "supported"}, True),
        ({"claim": "The lamp weighs 9 kg.", "expected": "contradicted"}, True),
        ({"claim": "The lamp weighs 9 kg.", "expected": "supported"}, False),
        ({"claim": "Sure, happy to help!", "expected": "no_claims"}, True),
        ({"evidence": [], "expected": "unsupported"}, True),
        ({"expected": {"any_of": ["supported", "no_claims"]}}, True),
        ({"expected": {"claims": [{"text": "2.4 kg", "verdict": "supported"}]}}, True),
        ({"expected": {"claims": [{"text": "2.4 kg", "verdict": "contradicted"}]}}, False),
        ({"expected": {"claims": [{"text": "7 kg", "verdict": "supported"}]}}, False),
        ({"expected": {"claims": [{"text": "2.4 kg", "colour": "red"}]}}, False),
        ({"expected": {"mood": "good"}}, False),
        ({"expected": {}}, False),
        ({"expected": "supported", "extra": {"finishes_within_s": 0}}, False),
        ({"evidence": 7, "expected": "supported"}, False),
        ({"evidence": ["text", 7], "expected": "supported"}, False),
        ({"evidence": [{"tool": "t", "result": 1, "mood": 2}], "expected": "unsupported"}, False),
    ],
)
def test_a_verified_case_is_right_only_where_its_shape_is_known(
    fields: dict[str, Any], ok: object
) -> None:
    assert judge(**fields).ok is ok


@pytest.mark.parametrize(
    ("evidence", "fields"),
    [
        ("a text", {"documents": {"E": "a text"}, "cited": "E"}),
        (
            {"price": 1},
            {"calls": [{"id": "c1", "tool": "lookup", "arguments": {}, "result": {"price": 1}}]},
        ),
        (
            [{"tool": "get", "args": {"id": 1}, "ok": False, "result": None}],
            {
                "calls": [
                    {"id": "c1", "tool": "get", "args": {"id": 1}, "ok": False, "result": None}
                ]
            },
        ),
        ({"chunks": {"A": "a", "B": "b"}}, {"documents": {"A": "a", "B": "b"}}),
        ({"sources": 2}, {"documents": {"1": "", "2": ""}}),
        ({"files": ["hours.txt"]}, {"documents": {"hours.txt": ""}}),
        (
            {"shown_to_model": {"3": "B"}, "shown_to_user": {"1": "B"}, "text": {"B": "b"}},
            {"documents": {"B": "b"}, "numbering": {"3": "B"}},
        ),
        (
            {"chunks": [{"n": 4, "doc": "A", "text": "a"}]},
            {
                "retrieved": [{"label": "A#4", "source": "A", "text": "a"}],
                "numbering": {"4": "A#4"},
            },
        ),
        (
            {"unreadable": True, "reason": "a scan"},
            {"retrieved": [{"label": "E", "text": ""}], "cited": "E"},
        ),
    ],
)
def test_evidence_becomes_the_fields_of_a_turn(evidence: object, fields: dict[str, Any]) -> None:
    case = load("cases").Case(case_id="T", kind="k", task="compare", claim="x", evidence=evidence)
    assert load("evidence").evidence_of(case) == fields


def test_settings_of_a_case_become_those_of_the_turn() -> None:
    extra = {
        "tz": "Europe/Berlin",
        "now": "2026-01-31",
        "user_message": "Why?",
        "qty": 3,
        "channel": "web",
    }
    case = load("cases").Case(case_id="T", kind="k", task="compare", claim="x", extra=extra)
    turn = load("evidence").turn_of(case)
    assert (turn.question, turn.timezone) == ("Why?", "Europe/Berlin")
    assert dict(turn.context) == {"channel": "web", "quantity": "3"}
    assert turn.now is not None
    assert turn.now.isoformat() == "2026-01-31T12:00:00+01:00"


def test_rows_become_columns_of_the_types_that_they_are_written_in() -> None:
    rows = [
        {"sku": "1", "amount": "19.90", "currency": "EUR", "valid_to": None, "weight_kg": None},
        {"sku": "2", "amount": "2", "created_at": "2026-01-01T00:00:00+01:00", "sold": True},
    ]
    tables = load("tables")
    assert tables.column_types(rows) == {
        "sku": "text",
        "amount": "numeric",
        "currency": "text",
        "valid_to": "date",
        "weight_kg": "numeric",
        "created_at": "timestamptz",
        "sold": "boolean",
    }
    assert tables.column_types([{"sku": "1", "amount": "1", "column_type": "numeric(12,4)"}]) == {
        "sku": "text",
        "amount": "numeric(12,4)",
    }
    with pytest.raises(ValueError, match="no SQL type"):
        tables.column_types([{"amount": "1", "column_type": "numeric); DROP TABLE x"}])


@pytest.mark.parametrize(
    ("expected", "ok"),
    [
        ({"refs": [1, 3]}, True),
        ({"refs": [1]}, False),
        ({"refs": [1], "dangling": [3]}, False),
        ({"refs": [1, 3], "absent": [3]}, False),
        ({"by_sentence": [["The pump draws 40 W.", [1, 3]]]}, True),
        ({"text_without_marks": "The pump draws 40 W."}, True),
        ({"colour": "red"}, False),
    ],
)
def test_marks_are_compared_one_by_one(expected: dict[str, Any], ok: object) -> None:
    judgement = judge(
        task="citation",
        claim="The pump draws 40 W [1, 3].",
        evidence={"sources": 3},
        expected=expected,
    )
    assert judgement.ok is ok


def test_a_scenario_in_words_is_not_run_as_a_table() -> None:
    judgement = judge(task="db", claim="restart the server", evidence={}, expected={"errors": 0})
    assert (judgement.ok, judgement.error) == (False, "left_open")
