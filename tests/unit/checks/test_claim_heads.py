"""Labels, headings and leads of an answer: a statement below them counts only where the text has them too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.verify.shop import verify_cited
from verifier import check_cited_answer, check_cited_claim
from verifier.core.turns import RetrievedChunk, Turn

TABLE = Path(__file__).parents[2] / "data" / "answer_heads.jsonl"
CASES = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]
WARRANTY = (
    "# Warranty\n\n## Kettles\n\nThe kettle has a warranty of 3 years.\n\n"
    "## Toasters\n\nThe warranty lasts 2 years.\n\n## Returns\n\nItems are accepted for 45 days.\n"
)
TICKETS = "## Adults\n\nA day ticket costs €18.\n\n## Children\n\nA day ticket costs €9.\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case['answer'][:40]}")
def test_what_a_statement_is_put_under(case: dict[str, str]) -> None:
    *_, found = check_cited_answer(case["answer"], {"E": case["text"]})
    report = verify_cited(case["answer"], E=case["text"])

    assert found.disposition.value == case["expected"]
    assert report.judged[-1].verdict.disposition.value == case["expected"]


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Children: a day ticket costs €18.", "rejected"),
        ("Adults - a day ticket costs €9.", "rejected"),
        ("Seniors: a day ticket costs €9.", "review"),
        ("A day ticket costs €18.", "review"),
        ("Children: a day ticket costs €9.", "accepted"),
        ("Summary: children: a day ticket costs €9.", "accepted"),
    ],
)
def test_the_label_of_a_claim(claim: str, expected: str) -> None:
    found = check_cited_claim({"claim": claim, "cited": "t"}, {"t": TICKETS})

    assert found.disposition.value == expected


def test_a_head_that_the_text_lacks_is_named() -> None:
    (found,) = check_cited_answer("Moscow: parking costs €6 [t].", {"t": "Parking costs €6."})

    assert found.detail == "the cited text says so, but not of 'Moscow'"
    assert [one.text for one in found.evidence] == ["Parking costs €6."]


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("Is the kettle covered, and for how long?", "The warranty lasts 2 years [E].", "review"),
        ("Kettles: how long are they covered?", "The warranty lasts 2 years [E].", "review"),
        ("Is the toaster covered?", "The warranty lasts 2 years [E].", "accepted"),
        ("How long is the warranty?", "The warranty lasts 2 years [E].", "accepted"),
        ("Are kettle and toaster covered?", "The warranty lasts 2 years [E].", "accepted"),
        ("And beside the kettle?", "Toasters: the warranty lasts 2 years [E].", "accepted"),
        ("And beside the kettle?", "## Toasters\n\nThe warranty lasts 2 years [E].", "accepted"),
        ("Is the kettle covered?", "The kettle has a warranty of 3 years [E].", "accepted"),
        ("May I return a blender?", "Items are accepted for 45 days [E].", "accepted"),
    ],
)
def test_the_heading_that_a_question_names(question: str, answer: str, expected: str) -> None:
    chunk = RetrievedChunk(label="E", source="E", text=WARRANTY)
    *_, found = check_cited_answer(answer, {"E": WARRANTY}, question)
    report = verify_cited(answer, Turn(question=question, retrieved=(chunk,)))

    assert found.disposition.value == expected
    assert report.judged[-1].verdict.disposition.value == expected
