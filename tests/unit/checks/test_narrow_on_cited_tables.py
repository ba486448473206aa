"""The narrow check on the tables of the full one: it may accept no more of what must not be accepted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verifier import check_cited_claim
from verifier.core.verdicts import Disposition

DATA = Path(__file__).parents[2] / "data"


def read(name: str) -> list[tuple[str, str, str]]:
    lines = (DATA / name).read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    return [
        (case["id"], case["claim"], case["evidence"])
        for case in cases
        if isinstance(case.get("evidence"), str) and not case.get("extra")
    ]


@pytest.mark.parametrize(
    ("name", "claim", "evidence"),
    [*read("cited_never_accepted.jsonl"), *read("cited_rejected.jsonl")],
)
def test_what_must_not_be_accepted(name: str, claim: str, evidence: str) -> None:
    checked = check_cited_claim({"claim": claim, "cited": "E"}, {"E": evidence})

    assert checked.disposition is not Disposition.ACCEPTED, checked.reason


@pytest.mark.parametrize(
    ("name", "claim", "evidence"),
    [*read("cited_supported.jsonl"), *read("cited_never_rejected.jsonl")],
)
def test_what_must_not_be_rejected(name: str, claim: str, evidence: str) -> None:
    checked = check_cited_claim({"claim": claim, "cited": "E"}, {"E": evidence})

    assert checked.disposition is not Disposition.REJECTED, checked.reason
