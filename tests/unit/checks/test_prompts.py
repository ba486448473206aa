"""Prompts ask for what the checks look for."""

from __future__ import annotations

import json

import pytest

from verifier import InputError, check_cited_answer
from verifier.core.grounding_prompts import load_prompts
from verifier.core.turns import Level
from verifier.interfaces.cli.app import run

PROMPTS = load_prompts()


def test_every_level_has_its_prompt_with_the_same_parts() -> None:
    assert [prompt.level for prompt in PROMPTS.levels] == list(Level)
    assert len({tuple(prompt.parts) for prompt in PROMPTS.levels}) == 1
    assert len({prompt.text for prompt in PROMPTS.levels}) == len(Level)
    for prompt in PROMPTS.levels:
        assert all(part in prompt.text for part in prompt.parts.values())
        assert "{" not in prompt.text


@pytest.mark.parametrize("wording", PROMPTS.refusals)
def test_a_refusal_as_it_is_asked_for_is_no_claim(wording: str) -> None:
    assert check_cited_answer(wording, {"a": "It costs $5."}) == ()


@pytest.mark.parametrize("label", PROMPTS.general_labels)
def test_a_mark_as_it_is_asked_for_is_one(label: str) -> None:
    (found,) = check_cited_answer(
        f"{label} refunds take 3 days.", {"a": "It costs $5."}, level=Level.LABELLED_GENERAL
    )

    assert found.code.value == "general_knowledge"


def test_every_kind_of_fact_is_named_in_every_prompt() -> None:
    for prompt in PROMPTS.levels:
        assert all(kind in prompt.text for kind in PROMPTS.kinds.values())


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(InputError, match="strict_extractive"):
        load_prompts(["strict"])


def test_the_command_prints_them_as_text_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prompts"]) == 0
    told = capsys.readouterr().out
    assert all(prompt.text in told for prompt in PROMPTS.levels)

    assert run(["prompts", "--level", "synthesis", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [one["level"] for one in printed["levels"]] == ["synthesis"]
    assert set(printed["kinds"]) == set(PROMPTS.kinds)

    assert run(["prompts", "--level", "loose"]) == 2
