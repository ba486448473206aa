"""What a turn's evidence is made of: calls in scope, repeated calls, texts, and how facts are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verifier.core.evidence import LedgerLocator, Polarity, SpanLocator, TurnPart, TurnTextLocator
from verifier.core.facts import EvidenceFact, FactOrigin, TurnEvidence, read_evidence
from verifier.core.quantities import extract_quantities
from verifier.core.spans import Span
from verifier.core.turns import RetrievedChunk, Scope, ToolCall, Turn
from verifier.core.values import Kind, Quantity, TextValue, Value

if TYPE_CHECKING:
    from fractions import Fraction


def call(
    result: object,
    *,
    number: int = 1,
    tool: str = "get_order",
    arguments: dict[str, object] | None = None,
    ok: bool = True,
    complete: bool = True,
    turn: int | None = None,
) -> ToolCall:
    return ToolCall(
        call_id=f"c{number}",
        tool=tool,
        arguments=arguments or {},
        result=result,
        ok=ok,
        complete=complete,
        turn=turn,
    )


def texts(facts: tuple[EvidenceFact, ...] | list[EvidenceFact], attribute: str) -> list[str]:
    return [
        fact.fact.value.text
        for fact in facts
        if " ".join(fact.fact.attribute) == attribute and fact.origin is FactOrigin.RESULT
    ]


def value_of(text: str) -> Value:
    (mention,) = extract_quantities(text)
    return mention.value


def low(fact: EvidenceFact) -> Fraction | None:
    value = fact.fact.value
    assert isinstance(value, Quantity)
    return value.interval.low


def test_the_newest_call_on_a_thing_counts() -> None:
    evidence = read_evidence(
        Turn(
            calls=(
                call({"id": "5512", "status": "pending", "total_eur": 9}),
                call({"id": "5512", "status": "cancelled"}, number=2, tool="cancel_order"),
            )
        )
    )
    assert texts(evidence.facts, "status") == ["cancelled"]
    assert texts(evidence.facts, "total eur") == ["9"], "what the newer call does not tell stays"
    assert [
        one.fact.value.text for one in evidence.former if one.fact.attribute == ("status",)
    ] == ["pending"]


def test_a_list_of_a_thing_is_replaced_as_a_whole() -> None:
    older = {
        "order_id": "O-1",
        "items": [{"item_id": "A-11", "price": 5}, {"item_id": "B-22", "price": 6}],
    }
    newer = {"order_id": "O-1", "items": [{"item_id": "B-22", "price": 6}]}
    evidence = read_evidence(Turn(calls=(call(older), call(newer, number=2))))
    assert texts(evidence.facts, "price") == ["6"]
    assert [low(fact) for fact in evidence.facts if fact.whole_list] == [1]


def test_the_same_id_in_another_thing_is_another_context() -> None:
    order = {"order_id": "O-1", "items": [{"item_id": "7751", "price": 321.18}]}
    product = {"product_id": "4768", "variants": {"7751": {"item_id": "7751", "price": 299}}}
    evidence = read_evidence(Turn(calls=(call(order), call(product, number=2, tool="get_product"))))
    assert sorted(texts(evidence.facts, "price")) == ["299", "321.18"]


def test_the_same_question_asked_again_replaces_its_answer() -> None:
    asked: dict[str, object] = {"sku": "S-1"}
    evidence = read_evidence(
        Turn(
            calls=(
                call({"qty": 4}, tool="stock", arguments=asked),
                call({"qty": 3}, tool="stock", arguments=asked, number=2),
            )
        )
    )
    assert texts(evidence.facts, "qty") == ["3"]


def test_two_receipts_of_one_tool_both_count() -> None:
    evidence = read_evidence(
        Turn(
            calls=tuple(
                call(
                    {"refunded_eur": amount},
                    tool="refund",
                    number=amount,
                    arguments={"order_id": "O-1", "amount": amount},
                )
                for amount in (5, 7)
            )
        )
    )
    assert texts(evidence.facts, "refunded eur") == ["5", "7"]


def test_a_failed_call_proves_nothing_and_leaves_room() -> None:
    evidence = read_evidence(Turn(calls=(call({"status": "shipped"}, ok=False),)))
    assert texts(evidence.facts, "status") == []
    assert evidence.incomplete == {"c1"}


def test_a_truncated_call_is_read_but_counts_nothing() -> None:
    evidence = read_evidence(Turn(calls=(call({"orders": [{"id": "O-1"}]}, complete=False),)))
    assert not [fact for fact in evidence.facts if fact.whole_list]
    assert evidence.incomplete == {"c1"}


@pytest.mark.parametrize(
    ("scope", "found"), [(Scope.TURN, ["open"]), (Scope.CONVERSATION, ["new", "open"])]
)
def test_scope_decides_which_calls_count(scope: Scope, found: list[str]) -> None:
    calls = (
        call({"id": "1", "status": "new"}, turn=1),
        call({"id": "2", "status": "open"}, number=2, turn=2),
    )
    evidence = read_evidence(Turn(calls=calls, scope=scope, current_turn=2))
    assert texts(evidence.facts, "status") == found


def test_arguments_are_told_apart_from_results() -> None:
    evidence = read_evidence(
        Turn(
            calls=(
                call({"status": "open"}, arguments={"id": "5512", "options": {"price_usd": 40}}),
            )
        )
    )
    told = [fact for fact in evidence.facts if fact.origin is FactOrigin.ARGUMENT]
    assert [fact.fact.value.text for fact in told] == ["5512", "40"]
    locator = told[1].fact.locator
    assert isinstance(locator, LedgerLocator)
    assert (locator.pointer, locator.in_arguments) == ("/options/price_usd", True)


def test_pointers_lead_to_the_value() -> None:
    evidence = read_evidence(Turn(calls=(call({"data": {"a/b": {"id": "X-1", "c~d": 5}}}),)))
    assert [
        fact.fact.locator.pointer
        for fact in evidence.facts
        if isinstance(fact.fact.locator, LedgerLocator)
    ] == [
        "/data/a~1b/id",
        "/data/a~1b/c~0d",
    ]


def test_documents_are_read_by_the_clause() -> None:
    text = "Returns are accepted within 30 days. Opened goods are not refunded unless faulty."
    chunk = RetrievedChunk(
        label="D", source="policy", text=text, seq=2, ordinal=4, span=Span(100, 181)
    )
    evidence = read_evidence(Turn(retrieved=(chunk,)))
    (days,) = evidence.of_dimension(value_of("14 days"))
    assert days.origin is FactOrigin.DOCUMENT
    assert days.cues >= {"return", "accept"}
    assert days.clause is not None
    locator = days.fact.locator
    assert isinstance(locator, SpanLocator)
    assert (locator.source, locator.seq, locator.ordinal) == ("policy", 2, 4)
    assert (
        text[locator.span.start - 100 : locator.span.end - 100]
        == "Returns are accepted within 30 days."
    )
    wholes = [fact for fact in evidence.facts if fact.is_whole_clause]
    assert [fact.fact.polarity for fact in wholes] == [Polarity.STATED, Polarity.DENIED]
    assert wholes[1].fact.condition is not None


def test_system_text_and_the_users_words_are_told_apart() -> None:
    turn = Turn(
        system="Delivery takes 3 days.",
        question="I paid $75, right?",
        said=("Hello there.", "My budget is $90."),
    )
    evidence = read_evidence(turn)
    assert [
        (fact.origin, fact.fact.value.text) for fact in evidence.of_dimension(value_of("$1"))
    ] == [
        (FactOrigin.USER, "$75"),
        (FactOrigin.USER, "$90"),
    ]
    (days,) = evidence.of_dimension(value_of("2 days"))
    assert days.origin is FactOrigin.SYSTEM
    said = evidence.of_dimension(value_of("$1"))[1].fact.locator
    assert isinstance(said, TurnTextLocator)
    assert said.part is TurnPart.SAID
    assert said.span.of("\n".join(turn.said)) == "My budget is $90."


RECORD = {
    "price": 40,
    "weight_kg": 2,
    "length_cm": 30,
    "battery_hours": 10,
    "discount_pct": 5,
    "stock": 7,
    "born": "1990-05-01",
    "ends_at": "2026-01-01T10:00:00Z",
    "opens": "09:00:00",
    "status": "open",
    "reviews": [{"id": "R-1"}],
}


@pytest.mark.parametrize(
    ("claimed", "attributes"),
    [
        ("$39", ["price"]),
        ("3 lb", ["weight kg", "stock"]),
        ("1 ft", ["length cm", "stock"]),
        ("3 days", ["battery hours", "stock"]),
        ("6%", ["discount pct", "stock"]),
        ("8 reviews", ["stock", "reviews"]),
        ("2 May 1990", ["born", "ends at"]),
        ("10 pm", ["opens", "ends at"]),
    ],
)
def test_facts_are_found_by_what_could_be_compared(claimed: str, attributes: list[str]) -> None:
    evidence = read_evidence(Turn(calls=(call(RECORD),)))
    found = evidence.of_dimension(value_of(claimed))
    assert [" ".join(fact.fact.attribute) for fact in found] == attributes


def test_a_bare_number_could_be_any_amount_once() -> None:
    evidence = read_evidence(Turn(calls=(call({"total": 5, "price": 6, "weight_kg": 2}),)))
    found = evidence.of_dimension(value_of("42"))
    assert sorted(" ".join(fact.fact.attribute) for fact in found) == [
        "price",
        "total",
        "weight kg",
    ]


def test_states_are_found_among_states_and_texts() -> None:
    evidence = read_evidence(Turn(calls=(call(RECORD),)))
    found = evidence.of_dimension(TextValue(kind=Kind.STATE, text="closed"))
    assert [" ".join(fact.fact.attribute) for fact in found] == ["status"]


@pytest.mark.parametrize(
    "token", ["in transit", "w4923227", "#w4923227", "75322", "dallas", "a.b@example.com"]
)
def test_tokens_are_held(token: str) -> None:
    result = {
        "status": "in_transit",
        "orders": ["#W4923227"],
        "address": {"city": "Dallas", "zip": "75322"},
        "email": "a.b@example.com",
    }
    evidence = read_evidence(Turn(calls=(call(result),)))
    assert evidence.holds_text(token)
    assert not evidence.holds_text(f"{token}9")


def test_an_empty_list_says_that_there_is_none() -> None:
    evidence: TurnEvidence = read_evidence(
        Turn(calls=(call([], tool="list_tickets", arguments={"status": "open"}),))
    )
    (none,) = evidence.says_nothing_of()
    assert none.cues >= {"ticket", "open"}
    assert none.fact.condition == "status: open"
