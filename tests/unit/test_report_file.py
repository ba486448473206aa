"""Reports written as JSON and read back: nothing is lost that a verdict rests on."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.unit.verify.shop import ORDER, THROW, call, verify_by_ledger, verify_cited
from verifier.core.plain_json import to_json_values
from verifier.core.report_file import WrittenReport, read_report
from verifier.core.report_json import report_to_json
from verifier.core.turn_file import read_turns
from verifier.core.turns import Level, Origin, RetrievedChunk, Scope, ToolCall, Turn
from verifier.errors import InputError, UnknownThing
from verifier.interfaces.wire import dump_line
from verifier.verify.verifier import verify_answer

LAMP = {"name": "Oak Lamp", "sku": "LMP-10442", "price": Decimal("82.10")}
CLOCK = datetime(2026, 11, 30, 9, tzinfo=UTC)
TURNS = {
    "records": Turn(calls=(call("get", [LAMP, {"name": "Wool Rug", "price": 240}]),)),
    "what the user and the operator say": Turn(
        question="What does it cost?", said=("Hello", "Oak Lamp?"), system="Lamps cost $82.10."
    ),
    "every field": Turn(
        turn_id="t1",
        principal="u1",
        tenant="shop",
        context={"channel": "web"},
        current_turn=2,
        locale="de-DE",
        timezone="Europe/Berlin",
        now=CLOCK,
        default_currency="EUR",
        fiscal_year_start=4,
        level=Level.STRICT_EXTRACTIVE,
        scope=Scope.CONVERSATION,
        origin=Origin.CALLER,
        allowed_sources=frozenset({"a", "b"}),
        check_ledger_against_database=True,
        calls=(call("get", LAMP, ok=False, complete=False, shown_chars=9, turn=1),),
    ),
    "no source is allowed": Turn(allowed_sources=frozenset()),
    "chunks": Turn(
        retrieved=(
            RetrievedChunk(label="p@2#0", source="p", seq=2, ordinal=0, text="It costs $82.10."),
            RetrievedChunk(
                label="q", source="q", text="", approved=False, current=False, review_until=CLOCK
            ),
        ),
        numbering={"1": "p@2#0"},
    ),
    "line ends that JSON leaves as they are": Turn(
        calls=(call("get", {"name": "Oak\u2028Lamp", "price": "82.10\x85\x0b\x1c"}),),
        question="a\u2029b",
    ),
    "a lone surrogate": Turn(calls=(call("get", {"name": "Oak \ud800 Lamp"}),)),
    "no answer": Turn(calls=(call("get", None), call("get", ""), call("get", []))),
    "numbers at the ends": Turn(
        calls=(
            call(
                "get", {"a": 10**99, "b": -(10**98), "c": Decimal("1E+300"), "d": Decimal("1E+5")}
            ),
        )
    ),
}


def written(answer: str, turn: Turn) -> str:
    report = asyncio.run(verify_answer(answer, turn))
    return dump_line(report_to_json(report))


def read_back(answer: str, turn: Turn) -> WrittenReport:
    return read_report(written(answer, turn))


@pytest.mark.parametrize("name", TURNS)
def test_a_turn_survives_its_report(name: str) -> None:
    report = read_back("The Oak Lamp costs $82.10.", TURNS[name])
    assert report.turn == TURNS[name]
    assert report.is_intact


@pytest.mark.parametrize(
    "report",
    [
        verify_by_ledger(
            f'```product\n{{"id": "{THROW}", "price": 49.9}}\n```\nOrder {ORDER} has shipped.',
            call("get_product", {"id": THROW, "price": 59.9}),
        ),
        verify_cited(
            "Refunds take 7 days [P]. They take 8 days [P] [Q].", P="Refunds take 7 days."
        ),
        verify_by_ledger("It costs $82.10 and 7 are left.", call("get", {"price": "82.10"})),
        verify_cited("It costs $9.", Turn(system="It costs $8.")),
        verify_by_ledger("```product\n{\n```"),
        verify_by_ledger("Hello!"),
    ],
    ids=["catalogued", "cited", "bound", "operator's text", "broken card", "nothing"],
)
def test_claims_and_verdicts_survive(report: Any) -> None:
    again = read_report(dump_line(report_to_json(report)))
    assert [one.verdict for one in again.claims] == [one.verdict for one in report.judged]
    for one, judged in zip(again.claims, report.judged, strict=True):
        claim = judged.claim
        assert (one.claim_id, one.span, one.sentence) == (
            claim.claim_id,
            claim.span,
            claim.sentence,
        )
        assert one.value_spans == tuple(assertion.span for assertion in claim.assertions)
        assert one.citations == tuple(citation.label for citation in claim.citations)
    assert (again.answer, again.report_id) == (report.answer, report.report_id)
    assert again.catalog_hash == report.provenance.catalog_hash
    assert again.is_intact


def test_a_number_too_long_to_read_is_written_as_text() -> None:
    long = 10**500
    report = read_back("It costs $5.", Turn(calls=(call("get", {"price": 5, "much": long}),)))
    (made,) = report.turn.calls
    assert made.result == {"price": Decimal(5), "much": str(long)}
    assert to_json_values([10**98, -(10**98)]) == [10**98, -(10**98)]


def test_a_turn_file_has_a_turn_a_line_whatever_is_in_it() -> None:
    case = {"answer": "a\u2028b", "question": "c\x85d"}
    lines = "\r\n".join(json.dumps(case, ensure_ascii=False) for _ in range(3))
    assert [one.answer for one in read_turns(lines)] == ["a\u2028b"] * 3


def test_a_report_that_was_changed_is_known() -> None:
    content = json.loads(written("It costs $82.10.", TURNS["records"]))
    content["turn"]["calls"][0]["result"][0]["price"] = 99
    assert not read_report(json.dumps(content)).is_intact


def three() -> list[str]:
    turns = [
        Turn(turn_id=name, calls=(ToolCall(call_id="c", tool="t", arguments={}, result=name),))
        for name in "abc"
    ]
    return [written("It costs $5.", turn) for turn in turns]


@pytest.mark.parametrize("join", ["\n", "\n\n", "\r\n"])
def test_one_of_several_is_picked_by_its_turn_or_its_id(join: str) -> None:
    lines = three()
    assert read_report(join.join(lines), wanted="b").turn.turn_id == "b"
    report_id = json.loads(lines[2])["report_id"]
    assert read_report(join.join(lines), wanted=report_id).turn.turn_id == "c"
    listed = json.dumps([json.loads(line) for line in lines], indent=1)
    assert read_report(listed, wanted="a").turn.turn_id == "a"
    assert read_report(f"\ufeff{lines[0]}\n").turn.turn_id == "a"


def test_the_same_report_twice_is_one() -> None:
    line = three()[0]
    assert read_report(f"{line}\n{line}", wanted="a").turn.turn_id == "a"


def changed(**fields: object) -> str:
    content = json.loads(three()[0])
    return json.dumps(content | fields)


def without(name: str) -> str:
    content = json.loads(three()[0])
    del content[name]
    return json.dumps(content)


def with_finding(**fields: object) -> str:
    content = json.loads(three()[0])
    content["verdicts"][0]["findings"][0] |= fields
    return json.dumps(content)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "there is no report in it"),
        (" \n ", "there is no report in it"),
        ("[]", "there is no report in it"),
        ("nonsense", "it is no JSON"),
        ("5", "it is no grounding report"),
        ('{"question": "x", "answer": "y"}', "it is no grounding report"),
        ('{"error": {}}\n{"x": 1}', "it is no JSON|line 1 is no grounding report"),
        (f"{three()[0]}\n{{", "line 2 is no JSON"),
        (changed(schema="report.v2"), "'report.v2'; this version reads 'report.v1'"),
        (changed(schema=5), "this version reads 'report.v1'"),
        ("\n".join(three()), "3 reports in it; name one by --turn: a, b, c"),
        (without("answer"), "report_id and answer are needed"),
        (without("turn"), "the report: turn must be a JSON object"),
        (without("provenance"), "provenance must be a JSON object"),
        (changed(turn={"now": "yesterday"}), "the report: turn: now"),
        (changed(verdicts=5), "verdicts must be a list"),
        (changed(verdicts=[{}]), r"verdicts\[0\]: claim is missing"),
        (with_finding(code="right"), "code is 'right'"),
        (with_finding(code="verified"), "verified needs evidence|a reason goes with"),
        (with_finding(detail="other"), "none of its findings is its verdict"),
        (with_finding(evidence=[{"text": "x"}]), "locator must be a JSON object"),
        (with_finding(evidence=[{"locator": {"kind": "dream"}, "text": ""}]), "kind is 'dream'"),
        ("[" * 400 + "]" * 400, "nested more than"),
    ],
)
def test_what_is_no_report_is_told(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_report(text)


def test_a_report_that_is_not_there_is_told() -> None:
    with pytest.raises(UnknownThing, match="no report of turn 'z' in it; those are of a, b, c"):
        read_report("\n".join(three()), wanted="z")
    first = three()[0]
    second = changed(report_id="0" * 64)
    with pytest.raises(InputError, match="2 reports are of turn 'a'; name one by its id"):
        read_report(f"{first}\n{second}", wanted="a")


def test_a_claim_that_is_not_there_is_told() -> None:
    report = read_report(three()[0])
    with pytest.raises(UnknownThing, match="no claim 'c9'; it has c1"):
        report.find_claim("c9")
    many = read_back("It costs $5. " * 30, TURNS["records"])
    with pytest.raises(UnknownThing, match="c20 and 10 more"):
        many.find_claim("c99")
    with pytest.raises(UnknownThing, match="it has none"):
        read_back("Hello!", Turn()).find_claim("c1")
