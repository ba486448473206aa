"""The two systems that cited claims were first checked by: how many of their verdicts are given here."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from tests.unit.verify.shop import codes
from verifier.core.turns import RetrievedChunk, Turn
from verifier.verify.verifier import Backing, verify_answer

SEEDS = Path(__file__).parents[2] / "data" / "seeds"
CLAIMS: dict[str, Any] = json.loads((SEEDS / "cited_claims.json").read_text("utf-8"))
ANSWERS: list[dict[str, Any]] = [
    json.loads(line) for line in (SEEDS / "cited_answer.jsonl").read_text("utf-8").splitlines()
]


def judge_claim(case: dict[str, Any]) -> list[str]:
    """The codes of one cited claim, its documents retrieved and all others only stored."""

    async def find(labels: object) -> frozenset[str]:
        return frozenset(CLAIMS["documents"])

    retrieved = case.get("retrieved", [case["cited"]])
    chunks = tuple(
        RetrievedChunk(label=label, source=label, text=CLAIMS["documents"][label])
        for label in retrieved
    )
    cited = f" [{case['cited']}]" if case["cited"] else ""
    turn = Turn(retrieved=chunks, citations_required=True)
    answer = f"{case['claim'].rstrip('.')}{cited}."
    backing = Backing(find_chunks=find)
    return codes(asyncio.run(verify_answer(answer, turn, backing=backing)))


def judge_answer(case: dict[str, Any]) -> list[str]:
    """The codes of one cited answer's sentences."""
    chunks = tuple(
        RetrievedChunk(label=label, source=label, text=text)
        for label, text in case["sources"].items()
    )
    turn = Turn(retrieved=chunks, question=case.get("question"), citations_required=True)
    return codes(asyncio.run(verify_answer(case["answer"], turn)))


def test_of_the_cited_claims_at_most_one_is_left_open_and_none_is_wrong() -> None:
    found = {case["id"]: (judge_claim(case), case["expected"]) for case in CLAIMS["claims"]}
    other = {name: got for name, (got, expected) in found.items() if got != [expected]}
    assert len(other) <= 1
    assert all(got == ["needs_entailment_review"] for got in other.values())


def test_claims_beyond_the_first_system_are_never_accepted_wrongly() -> None:
    found = [(judge_claim(case), case["expected"]) for case in CLAIMS["beyond"]]
    assert all(got == [expected] for got, expected in found if got == ["supported"])
    assert sum(got == [expected] for got, expected in found) >= 6


def test_of_the_cited_answers_thirteen_are_judged_alike_and_none_is_accepted_wrongly() -> None:
    # Two are left open that say less than their source: refunds, of approved refunds.
    right = 0
    for case in ANSWERS:
        got, expected = judge_answer(case), [code for code, _ in case["expected"]]
        forbidden = case.get("must_not")
        assert not forbidden or forbidden not in got
        assert all(
            code != "supported" or want == "supported"
            for code, want in zip(got, expected, strict=False)
        )
        right += got == expected
    assert right >= 13
