"""An answer sentence by sentence against its sources: the labelled answers, and cousins of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from verifier import InputError, check_cited_answer

DATA = Path(__file__).parents[2] / "data"


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def named(case: dict[str, Any]) -> str:
    return str(case["id"])


def check(case: dict[str, Any]) -> list[list[object]]:
    found = check_cited_answer(
        case["answer"],
        case["sources"],
        question=case.get("question"),
        level=case.get("level", "synthesis"),
    )
    return [[one.code.value, list(one.values)] for one in found]


@pytest.mark.parametrize("case", read(DATA / "seeds" / "cited_answer.jsonl"), ids=named)
def test_labelled_answer(case: dict[str, Any]) -> None:
    found = check(case)

    if case["expected"][0:1] == [["ambiguous_case", []]]:
        assert case["must_not"] not in [code for code, _ in found]
    else:
        assert found == case["expected"]


@pytest.mark.parametrize("case", read(DATA / "narrow_answers.jsonl"), ids=named)
def test_cousin(case: dict[str, Any]) -> None:
    found = check(case)

    assert len(found) == len(case["expected"])
    for (code, values), (codes, wanted) in zip(found, case["expected"], strict=True):
        assert code in codes
        assert wanted is None or values == wanted


def test_spans_lie_in_the_answer() -> None:
    answer = "Hello! 🙂 It costs $5 [a]. It costs $6 [a]."

    found = check_cited_answer(answer, {"a": "It costs $5."})

    assert [one.span.of(answer) for one in found] == ["🙂 It costs $5 [a].", "It costs $6 [a]."]


def test_an_unknown_level_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match="strict_extractive, synthesis, labelled_general"):
        check_cited_answer("x", {}, level="loose")


def test_without_sources_every_citation_is_unknown() -> None:
    (found,) = check_cited_answer("It costs $5 [1].", {})

    assert (found.code.value, found.values) == ("unknown_citation", ("1",))
