"""One claim against the documents that it cites: the labelled claims, and cousins of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from verifier import check_cited_claim
from verifier.core.cited_claims import CitedClaim, count_codes
from verifier.core.verdicts import Disposition, VerdictCode
from verifier.errors import InputError

DATA = Path(__file__).parents[2] / "data"
SEEDS: dict[str, Any] = json.loads((DATA / "seeds" / "cited_claims.json").read_text("utf-8"))
COUSINS: list[dict[str, Any]] = [
    json.loads(line) for line in (DATA / "narrow_claims.jsonl").read_text("utf-8").splitlines()
]


def named(case: dict[str, Any]) -> str:
    return str(case.get("id", case["claim"]))


@pytest.mark.parametrize("case", [*SEEDS["claims"], *SEEDS["beyond"]], ids=named)
def test_labelled_claim(case: dict[str, Any]) -> None:
    checked = check_cited_claim(case, SEEDS["documents"])

    assert checked.code.value == case["expected"]
    if case.get("id") in SEEDS["signatures"]:
        assert list(checked.signatures) == SEEDS["signatures"][case["id"]]
    if case.get("id") in SEEDS["reasons"]:
        assert checked.reason == SEEDS["reasons"][case["id"]]


def test_labelled_claims_are_counted_by_code() -> None:
    checked = [check_cited_claim(case, SEEDS["documents"]) for case in SEEDS["claims"]]

    assert count_codes(checked) == SEEDS["counts"]


@pytest.mark.parametrize("case", COUSINS, ids=named)
def test_cousin(case: dict[str, Any]) -> None:
    checked = check_cited_claim(
        {"claim": case["claim"], "cited": case["cited"]}, case["documents"], case.get("retrieved")
    )

    assert checked.code.value in case["expected"], checked.reason


def test_an_impossible_date_is_said_to_be_one() -> None:
    checked = check_cited_claim(
        CitedClaim(text="It is dated 2026-02-31.", cited=("a",)), {"a": "It is dated 2026-03-01."}
    )

    assert checked.reason == "not in cited evidence: date=2026-02-31 (impossible date)"


def test_an_inference_shows_its_operands() -> None:
    checked = check_cited_claim(
        CitedClaim(text="A probe may be stored at 5 degrees Celsius.", cited=("S03",)),
        SEEDS["documents"],
    )

    assert "5 degrees Celsius" in checked.reason
    assert "between 2 and 8 degrees Celsius" in checked.reason


def test_the_evidence_is_where_it_says() -> None:
    text = "It is blue. The tank holds 2.5 litres. It is round."
    checked = check_cited_claim(
        CitedClaim(text="The tank holds 2500 ml.", cited=("a",)), {"a": text}
    )

    assert checked.disposition is Disposition.ACCEPTED
    (evidence,) = checked.evidence
    assert evidence.document == "a"
    assert evidence.span.of(text).strip() == evidence.text == "The tank holds 2.5 litres."


def test_several_documents_support_together_and_each_by_itself() -> None:
    documents = {"a": "The tank holds 2.5 litres.", "b": "The pump weighs 3 kg."}
    claim = CitedClaim(text="The tank holds 2.5 litres; the pump weighs 3 kg.", cited=("a", "b"))

    checked = check_cited_claim(claim, documents)

    assert checked.code is VerdictCode.SUPPORTED
    assert dict(checked.each) == {
        "a": VerdictCode.UNSUPPORTED_QUANTITY,
        "b": VerdictCode.UNSUPPORTED_QUANTITY,
    }


def test_an_uncited_document_that_has_it_is_named() -> None:
    documents = {"a": "The pump weighs 3 kg.", "b": "The tank holds 2.5 litres."}

    checked = check_cited_claim({"claim": "The tank holds 2.5 litres.", "cited": "a"}, documents)

    assert checked.code is VerdictCode.UNSUPPORTED_QUANTITY
    assert checked.missing == ("volume_cubic_metres=0.0025",)
    assert checked.found_in == ("b",)


def test_an_empty_document_proves_nothing_and_refutes_nothing() -> None:
    checked = check_cited_claim({"claim": "It holds 2.5 litres.", "cited": "a"}, {"a": " \n"})

    assert checked.code is VerdictCode.UNVERIFIABLE


def test_a_file_s_own_columns_are_understood() -> None:
    row = {
        "claim_id": "7",
        "claim_text": "It holds 2 litres.",
        "cited_doc_id": "a",
        "retrieved_doc_ids": "b|c",
    }

    checked = check_cited_claim(row, {"a": "It holds 2 litres.", "b": "x"})

    assert checked.claim.claim_id == "7"
    assert checked.code is VerdictCode.CITATION_NOT_RETRIEVED


@pytest.mark.parametrize(
    "claim", [{}, {"claim": 3}, {"claim": "  "}, {"claim": "x", "cited": {"a": 1}}]
)
def test_what_is_no_claim_is_refused(claim: dict[str, object]) -> None:
    with pytest.raises(InputError):
        check_cited_claim(claim, {"a": "x"})


def test_hostile_text_is_text() -> None:
    text = "\ud800" + "(a+)+$ [[[[ 1 " * 500
    checked = check_cited_claim(CitedClaim(text=text, cited=("a",)), {"a": text[::-1]})

    assert checked.code is not VerdictCode.SUPPORTED


def test_a_label_may_be_a_number() -> None:
    documents = {"7": "The tank holds 2.5 litres.", "2": "The tank holds 2 litres."}

    by_field = check_cited_claim({"claim": "The tank holds 2.5 litres.", "cited": 7}, documents)
    by_mark = check_cited_claim("The tank holds 2.5 litres [7].", documents)
    unknown = check_cited_claim("The tank holds 2.5 litres [9].", documents)

    assert by_field.code is by_mark.code is VerdictCode.SUPPORTED
    assert by_mark.claim.cited == ("7",)
    assert unknown.code is VerdictCode.UNKNOWN_CITATION


@pytest.mark.parametrize("label", ["(a+)+$", "[x]", "a b", "ß|", ".*", "\\", "💡"])
def test_a_label_is_no_pattern(label: str) -> None:
    documents = {label: "The tank holds 2.5 litres."}
    claim = CitedClaim(text="The tank holds 2.5 litres.", cited=(label,))

    assert check_cited_claim(claim, documents).code is VerdictCode.SUPPORTED
    assert check_cited_claim(claim, {"x": "y"}).code is VerdictCode.UNKNOWN_CITATION
