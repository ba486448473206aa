"""Turn files, the recorder, and reports as JSON."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import jsonschema
import pytest

from tests.unit.verify.shop import ORDER, SHOP, THROW, call, codes, verify_by_ledger, verify_cited
from verifier.core.documents import SearchHit, SearchPlan, SearchResult
from verifier.core.plain_json import to_json_values
from verifier.core.report_json import identify_report, load_schema, report_to_json
from verifier.core.spans import Span
from verifier.core.turn_file import read_turns
from verifier.core.turn_json import turn_to_json
from verifier.core.turn_recorder import TurnRecorder
from verifier.core.turns import Level, RetrievedChunk, Scope, Turn
from verifier.errors import InputError

CARD = f'```product\n{{"id": "{THROW}", "price": 49.9}}\n```'
FULL = {
    "id": "t1",
    "question": "What does it cost?",
    "said": ["Hello"],
    "system": "We ship on weekdays.",
    "answer": CARD,
    "principal": "u1",
    "tenant": "shop",
    "context": {"channel": "web", "quantity": 1},
    "current_turn": 2,
    "locale": "en-US",
    "timezone": "Europe/Berlin",
    "now": "2026-11-01T09:00:00+01:00",
    "default_currency": "USD",
    "fiscal_year_start": 4,
    "level": "strict_extractive",
    "citations_required": True,
    "scope": "conversation",
    "calls": [
        {
            "id": "c1",
            "tool": "get_product",
            "arguments": {"id": THROW},
            "result": {"id": THROW, "price": 49.90},
            "ok": True,
            "complete": False,
            "shown_chars": 10,
            "turn": 1,
        }
    ],
    "retrieved": [
        {"label": "p@2#0", "source": "p", "text": "Text.", "seq": 2, "ordinal": 0, "span": [5, 10]}
    ],
    "numbering": {"1": "p@2#0"},
    "bibliography": {"p@2#0": "Smith 2020, Returns"},
    "mark_style": "<N>",
    "cited": None,
    "allowed_sources": ["p"],
    "origin": "caller",
    "check_ledger_against_database": True,
}


def valid(name: str, instance: object) -> None:
    jsonschema.Draft202012Validator(load_schema(name)).validate(instance)


def test_a_full_turn_file_is_read_and_written_back() -> None:
    valid("turn.v1", FULL)
    (case,) = read_turns(json.dumps(FULL, indent=2))
    turn = case.turn
    assert case.answer == CARD
    assert (turn.level, turn.scope, turn.principal) == (
        Level.STRICT_EXTRACTIVE,
        Scope.CONVERSATION,
        "u1",
    )
    assert turn.calls[0].result == {"id": THROW, "price": Decimal("49.90")}
    assert turn.retrieved[0].span == Span(5, 10)
    written = turn_to_json(turn)
    valid("turn.v1", written)
    (again,) = read_turns(json.dumps(written))
    assert again.turn == turn


def test_lines_lists_documents_and_chunk_ids() -> None:
    lines = '\ufeff{"answer": "a", "documents": {"d#0": "Text"}}\n\n{"answer": "b", "retrieved": ["p@2#7"]}\n'
    first, second = read_turns(lines)
    assert first.turn.retrieved == (RetrievedChunk(label="d#0", source="d", text="Text"),)
    assert second.turn.retrieved == (
        RetrievedChunk(label="p@2#7", source="p", text="", seq=2, ordinal=7),
    )
    assert [case.answer for case in read_turns('[{"answer": "a"}, {"answer": "b"}]')] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("nonsense", "no JSON"),
        ('{"answer": "a"}\n{"answer": ', "line 2"),
        ("5", "must be a JSON object, not a number"),
        ('{"anwser": "a"}', "unknown field 'anwser'"),
        ('{"answer": 5}', "answer must be a text"),
        ('{"calls": {}}', "calls must be a list"),
        ('{"calls": [5]}', r"calls\[0\] must be a JSON object"),
        ('{"calls": [{"tol": "x"}]}', "unknown field 'tol'"),
        ('{"calls": [{"arguments": []}, 1]}', "arguments must be an object|JSON object"),
        ('{"calls": [], "messages": []}', "calls or messages"),
        ('{"messages": {}}', "must be a list of messages"),
        ('{"level": "high"}', "allowed are strict_extractive"),
        ('{"now": "yesterday"}', "ISO 8601"),
        ('{"now": "2026-01-01T00:00:00"}', "no time zone"),
        ('{"retrieved": [{"label": "a", "review_until": "2026-01-01"}]}', "no time zone"),
        ('{"retrieved": [{"label": "a", "span": [5, 1]}]}', "span must be"),
        ('{"numbering": {"1": ["a"]}}', "numbering.1 must be a text"),
        ('{"bibliography": ["Smith 2020"]}', "bibliography must be an object of texts, not a list"),
        ('{"bibliography": {"s": null}}', "bibliography.s must be a text"),
        ('{"mark_style": 5}', "mark_style must be a text"),
        ('{"mark_style": "<ref>"}', "turn 1: mark_style is '<ref>'; it has no N"),
        ('{"answer": "a"}\n{"mark_style": ""}', "line 2: mark_style is ''; it has no N"),
        ('{"mark_style": " N "}', "nothing stands beside N"),
        ('{"mark_style": "N of N"}', "N stands in it twice"),
        ('{"citations_required": "yes"}', "true or false"),
        ('{"answer": "a", "answer": "b"}', "twice"),
        ('{"current_turn": 1.5}', "whole number"),
        ('{"fiscal_year_start": 99}', "1 to 12"),
        ('{"fiscal_year_start": 0}', "1 to 12"),
        ("[" * 2_000, "no JSON"),
    ],
)
def test_what_is_wrong_is_named(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_turns(text)


ANTHROPIC = [
    {"role": "user", "content": "Price?"},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "a", "name": "get", "input": {"id": 1}}],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "{}"}]},
    {"role": "user", "content": [{"type": "text", "text": "And now?"}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "b", "name": "get", "input": {}}]},
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "b", "content": "x", "is_error": True}],
    },
]
OPENAI = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Price?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "get", "arguments": '{"id": 1}'}},
            {"id": "b", "type": "function", "function": {"name": "get", "arguments": "{broken"}},
        ],
    },
    {"role": "tool", "tool_call_id": "a", "content": "{}"},
]


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        (ANTHROPIC, [("a", True, 1, {"id": 1}), ("b", False, 2, {})]),
        (OPENAI, [("a", True, 1, {"id": 1}), ("b", False, 1, {})]),
        ([], []),
    ],
)
def test_messages_become_calls(messages: list[Any], told: list[Any]) -> None:
    (case,) = read_turns(json.dumps({"answer": "a", "messages": messages}))
    calls = case.turn.calls
    assert [(one.call_id, one.ok, one.turn, one.arguments) for one in calls] == told


async def test_the_recorder_takes_calls_chunks_and_failures() -> None:
    turn = TurnRecorder(question="?", principal="u1", current_turn=4)
    result = {"id": THROW, "price": Decimal("49.90"), "at": datetime(2026, 1, 1, tzinfo=UTC)}
    turn.record("get_product", {"id": uuid.UUID(THROW)}, result)
    result["price"] = Decimal(1)

    @turn.tool
    def add(one: int, *, other: int = 2) -> int:
        """Add."""
        return one + other

    @turn.tool
    async def fail(name: str) -> None:
        raise LookupError(name)

    assert add(1, other=5) == 6
    assert (add.__name__, add.__doc__) == ("add", "Add.")
    with pytest.raises(LookupError):
        await fail("x")
    hit = SearchHit(
        chunk_id="p@1#0",
        source="p",
        seq=1,
        ordinal=0,
        span=Span(0, 4),
        text="Text",
        heading_path=(),
        similarity=0.5,
    )
    turn.retrieved(SearchResult(query="q", hits=(hit, hit), plan=SearchPlan.EXACT, basis=1))
    turn.retrieved([hit])
    frozen = turn.freeze()
    assert frozen.calls[0].result == {
        "id": THROW,
        "price": Decimal("49.90"),
        "at": "2026-01-01T00:00:00+00:00",
    }
    assert [(one.tool, one.ok, one.turn) for one in frozen.calls] == [
        ("get_product", True, 4),
        ("add", True, 4),
        ("fail", False, 4),
    ]
    assert frozen.calls[1].arguments == {"one": 1, "other": 5}
    assert [chunk.label for chunk in frozen.retrieved] == ["p@1#0"]
    with pytest.raises(InputError, match="no 'quesiton'"):
        TurnRecorder(quesiton="?")


@dataclass
class Strange:
    """An object of an application that holds itself and breaks."""

    me: object = None
    number: float = float("nan")

    @property
    def broken(self) -> int:
        raise RuntimeError


class Hostile:
    """An object that can't even be written."""

    def __str__(self) -> str:
        raise RuntimeError


def test_any_object_becomes_plain_json() -> None:
    strange = Strange()
    strange.me = [strange, {1, 2}, b"x", 10**6_000, Hostile(), Decimal("NaN"), Decimal("0.1")]
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    written = json.dumps(
        to_json_values({"strange": strange, "deep": deep, 5: object}), allow_nan=False
    )
    assert "Hostile" in written


def test_a_report_is_valid_and_named_by_its_content() -> None:
    report = verify_by_ledger(
        f"{CARD}\nHello. It is soft.", call("get_product", {"id": THROW, "price": 49.9})
    )
    wire = report_to_json(report)
    valid("report.v1", json.loads(json.dumps(wire)))
    later = replace(report.provenance, created_at=datetime(2030, 1, 1, tzinfo=UTC))
    assert identify_report(replace(report, provenance=later)).report_id == report.report_id
    other = identify_report(replace(report, answer="x"))
    assert other.report_id != report.report_id
    assert wire["verdicts"][0]["evidence"][0]["locator"]["pointer"] == "/id"


def test_reports_of_every_kind_are_valid() -> None:
    reports = [
        verify_by_ledger("", call("t", object())),
        verify_by_ledger("```product\n{\n```", call("t", {"x": {1, 2}})),
        verify_by_ledger(f"Order {ORDER} has shipped. It costs $5."),
        verify_cited("Refunds take 7 days [P]. Refunds take 8 days [P].", P="Refunds take 7 days."),
        verify_by_ledger("lone \ud800 surrogate \x00 $5"),
        verify_by_ledger("x" * 2_000_001),
    ]
    for report in reports:
        valid("report.v1", json.loads(json.dumps(report_to_json(report), allow_nan=False)))
    assert codes(reports[-1]) == ["unverifiable:too_large"]
    assert reports[0].provenance.catalog_hash == SHOP.digest


def test_a_turn_without_fields_is_empty() -> None:
    told = turn_to_json(Turn())
    valid("turn.v1", told)
    (case,) = read_turns(json.dumps(told))
    assert case.turn == Turn()
