"""Levels of grounding in a whole verification: what each lets pass, and what it keeps apart."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.unit.verify.shop import codes
from verifier.core.turns import Level, RetrievedChunk, ToolCall, Turn
from verifier.verify.verifier import verify_answer

TERMS = RetrievedChunk(
    label="terms",
    source="terms",
    text="Goods may be returned within 14 days of delivery. Return shipping costs $4.50.",
)
CITING = Turn(retrieved=(TERMS,), citations_required=True)
CALLING = Turn(
    calls=(
        ToolCall(
            call_id="c",
            tool="get_plan",
            arguments={},
            result={"name": "Pro plan", "price": "29 USD"},
        ),
    )
)


def judge(answer: str, turn: Turn, level: Level) -> list[str]:
    return codes(asyncio.run(verify_answer(answer, replace(turn, level=level))))


@pytest.mark.parametrize(
    ("answer", "strict", "synthesis"),
    [
        ("Return shipping costs $4.50 [terms].", "supported", "supported"),
        ('"Return shipping costs $4.50." [terms]', "supported", "supported"),
        (
            "Goods may be returned within two weeks of delivery [terms].",
            "needs_entailment_review",
            "supported",
        ),
        ("Return shipping costs $5.50 [terms].", "unsupported_quantity", "unsupported_quantity"),
    ],
)
def test_the_strict_level_lets_only_restated_text_pass(
    answer: str, strict: str, synthesis: str
) -> None:
    assert judge(answer, CITING, Level.STRICT_EXTRACTIVE) == [strict]
    assert judge(answer, CITING, Level.SYNTHESIS) == [synthesis]
    assert judge(answer, CITING, Level.LABELLED_GENERAL) == [synthesis]


@pytest.mark.parametrize(
    ("answer", "general"),
    [
        ("In general, refunds take 3 to 5 days.", "general_knowledge"),
        ("In general, our refunds take 3 to 5 days.", "missing_citation"),
        ("Refunds take 3 to 5 days.", "missing_citation"),
        ("In general, return shipping costs $5.50 [terms].", "unsupported_quantity"),
    ],
)
def test_general_knowledge_is_kept_apart_where_it_is_marked_and_allowed(
    answer: str, general: str
) -> None:
    cites = "[" in answer
    assert judge(answer, CITING, Level.LABELLED_GENERAL) == [general]
    for level in (Level.SYNTHESIS, Level.STRICT_EXTRACTIVE):
        assert judge(answer, CITING, level) == [general if cites else "missing_citation"]


def test_where_nothing_need_be_cited_a_mark_helps_only_what_nothing_proves() -> None:
    general = "In general, electric kettles last 5 years."
    contradicted = "In general, the Pro plan costs 39 USD."

    assert judge(general, CALLING, Level.LABELLED_GENERAL) == ["general_knowledge"]
    assert judge(general, CALLING, Level.SYNTHESIS) != ["general_knowledge"]
    assert judge(contradicted, CALLING, Level.LABELLED_GENERAL) != ["verified"]


def test_general_knowledge_counts_neither_way() -> None:
    answer = "Return shipping costs $4.50 [terms]. In general, refunds take 3 to 5 days."
    turn = replace(CITING, level=Level.LABELLED_GENERAL)

    report = asyncio.run(verify_answer(answer, turn))

    assert report.grounded_share == 1.0
    assert report.accepted


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("Your delivery 5 days ago is within the 14-day period [terms].", "supported"),
        ("Your delivery 5 days ago is outside the 14-day period [terms].", "contradicted"),
        ("Your delivery 6 days ago is within the 14-day period [terms].", "unsupported_quantity"),
        ("Your delivery 5 days ago is within the 10-day period [terms].", "unsupported_quantity"),
        (
            "Your delivery 5 days ago is within the 14-day warranty period [terms].",
            "needs_entailment_review",
        ),
    ],
)
def test_what_the_user_said_is_held_against_a_period_of_the_text(answer: str, code: str) -> None:
    turn = replace(CITING, question="The delivery came 5 days ago. Can I return the goods?")

    assert judge(answer, turn, Level.SYNTHESIS) == [code]
    assert judge(answer, turn, Level.STRICT_EXTRACTIVE) != ["supported"]


@pytest.mark.parametrize(
    "answer",
    [
        "In general, return shipping costs $9.95.",
        "Generally, you may return goods within 90 days.",
        "In general, your order is shipped.",
    ],
)
def test_what_needs_a_source_at_any_level_gains_nothing_by_a_mark(answer: str) -> None:
    assert judge(answer, CITING, Level.LABELLED_GENERAL) == ["missing_citation"]
    free = replace(CITING, citations_required=False)
    assert judge(answer, free, Level.LABELLED_GENERAL) == judge(answer, free, Level.SYNTHESIS)
