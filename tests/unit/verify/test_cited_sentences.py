"""Cited sentences against their text: what must never be accepted, what must be, and the gates' order."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.unit.verify.shop import ORDER, SHOP, codes, verify_cited
from verifier.core.turns import RetrievedChunk, Turn
from verifier.core.verdicts import Disposition
from verifier.errors import DatabaseUnavailable
from verifier.verify.verifier import Backing, verify_answer

TABLES = Path(__file__).parents[2] / "data"
NOW = datetime(2026, 10, 12, tzinfo=UTC)
POLICY = "Refunds are available within 7 days of purchase."
RIGHT = "Refunds are available within 7 days of purchase [P]."


def read_table(name: str) -> list[Any]:
    lines = (TABLES / name).read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    return [pytest.param(case, id=f"{case['id']} {case['why']}") for case in cases]


@pytest.mark.parametrize("case", read_table("cited_never_accepted.jsonl"))
def test_what_the_text_does_not_say_is_never_supported(case: dict[str, str]) -> None:
    report = verify_cited(f"{case['claim'].rstrip('.')} [E].", E=case["evidence"])
    assert report.claims >= 1
    assert "supported" not in codes(report)
    assert "verified" not in codes(report)


@pytest.mark.parametrize("case", read_table("cited_rejected.jsonl"))
def test_what_the_text_says_otherwise_is_rejected(case: dict[str, str]) -> None:
    report = verify_cited(f"{case['claim'].rstrip('.')} [E].", E=case["evidence"])
    assert report.outcome is Disposition.REJECTED


@pytest.mark.parametrize("case", read_table("cited_supported.jsonl"))
def test_what_the_text_says_is_supported(case: dict[str, str]) -> None:
    report = verify_cited(f"{case['claim'].rstrip('.')} [E].", E=case["evidence"])
    assert codes(report) == ["supported"]
    evidence = report.judged[0].verdict.evidence
    assert evidence
    assert all(one.text in case["evidence"] for one in evidence)


@pytest.mark.parametrize("case", read_table("cited_never_rejected.jsonl"))
def test_what_the_text_says_in_other_words_is_never_rejected(case: dict[str, str]) -> None:
    report = verify_cited(f"{case['claim'].rstrip('.')} [E].", E=case["evidence"])
    assert report.claims >= 1
    assert all(one.verdict.disposition is not Disposition.REJECTED for one in report.judged)


def test_the_id_of_a_catalogued_thing_is_no_quantity_of_a_cited_sentence() -> None:
    turn = Turn(retrieved=(RetrievedChunk(label="P", source="P", text=POLICY),))
    answer = f"Refunds for your order {ORDER} are available within 7 days of purchase [P]."
    report = asyncio.run(verify_answer(answer, turn, backing=Backing(catalog=SHOP)))
    assert "unsupported_quantity" not in codes(report)


def chunk(**told: object) -> Turn:
    fields: dict[str, object] = {"label": "P", "source": "P", "text": POLICY, **told}
    return Turn(now=NOW, retrieved=(RetrievedChunk(**fields),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        (chunk(), "supported"),
        (chunk(review_until=NOW), "supported"),
        (chunk(review_until=NOW - timedelta(seconds=1)), "stale_review"),
        (chunk(current=False), "superseded_version"),
        (chunk(current=False, review_until=NOW - timedelta(days=1)), "stale_review"),
        (chunk(approved=False), "unapproved_source"),
        (chunk(approved=False, text="Refunds take 9 days."), "unapproved_source"),
        (chunk(text="Refunds take 9 days.", current=False), "unsupported_quantity"),
        (chunk(text=""), "unverifiable:incomplete_evidence"),
    ],
)
def test_gates_come_in_order(turn: Turn, code: str) -> None:
    assert codes(verify_cited(RIGHT, turn)) == [code]


def test_a_source_outside_the_allowed_ones_is_unapproved() -> None:
    turn = Turn(
        retrieved=(RetrievedChunk(label="P", source="P", text=POLICY),),
        allowed_sources=frozenset({"Q"}),
    )
    assert codes(verify_cited(RIGHT, turn)) == ["unapproved_source"]


def test_an_existing_chunk_that_the_turn_was_not_given_is_told_from_an_unknown_one() -> None:
    async def find(labels: object) -> frozenset[str]:
        return frozenset({"P"})

    turn = Turn(
        retrieved=(RetrievedChunk(label="Q1", source="Q", text=POLICY),), numbering={"P": "P"}
    )
    report = asyncio.run(
        verify_answer(
            f"{RIGHT} {RIGHT.replace('[P]', '[R@1#0]')}", turn, backing=Backing(find_chunks=find)
        )
    )
    assert codes(report) == ["citation_not_retrieved", "unknown_citation"]


@pytest.mark.parametrize("mark", ["[1]", "[refund@2#0]", "[refund#0]"])
def test_a_chunk_is_cited_by_number_or_id(mark: str) -> None:
    turn = Turn(
        retrieved=(
            RetrievedChunk(label="refund@2#0", source="refund", text=POLICY, seq=2, ordinal=0),
        ),
        numbering={"1": "refund@2#0"},
    )
    assert codes(verify_cited(RIGHT.replace("[P]", mark), turn)) == ["supported"]


def test_the_nearest_value_is_told_and_a_wrong_one_listed() -> None:
    report = verify_cited("Refunds are available within 9 days of purchase [P].", P=POLICY)
    decided = report.judged[0].verdict.decided_by
    assert decided.code == "unsupported_quantity"
    assert decided.values == ("within 9 days",)
    assert decided.corrected_value == "within 7 days"


@pytest.mark.parametrize(
    "claim",
    [
        "Partial refunds take 9 days [P].",
        "Delivery takes 9 days [P].",
        "Refunds take 9 or 8 days [P].",
    ],
)
def test_the_nearest_value_is_no_correction_where_the_text_speaks_of_something_else(
    claim: str,
) -> None:
    report = verify_cited(claim, P=POLICY)
    decided = report.judged[0].verdict.decided_by
    assert decided.code == "unsupported_quantity"
    assert "within 7 days" in decided.detail
    assert decided.corrected_value is None


def test_lone_surrogates_lose_no_answer() -> None:
    report = verify_cited(RIGHT, P=f"{POLICY} \ud800\x00")
    assert codes(report) == ["supported"]


def test_two_cited_texts_that_differ_are_a_conflict() -> None:
    report = verify_cited(f"{RIGHT.rstrip('.')}[Q].", P=POLICY, Q=POLICY.replace("7", "9"))
    assert codes(report) == ["source_conflict"]
    assert codes(verify_cited(f"{RIGHT.rstrip('.')}[Q].", P=POLICY, Q=POLICY)) == ["supported"]


def test_citations_are_demanded_only_of_statements() -> None:
    turn = Turn(
        citations_required=True, retrieved=(RetrievedChunk(label="P", source="P", text=POLICY),)
    )
    answer = f"Hello! {RIGHT} Refunds are quick. Does that help?\n\nSources: [P]"
    assert codes(verify_cited(answer, turn)) == ["supported", "missing_citation"]


@pytest.mark.parametrize(
    ("line", "demanded"),
    [
        ("The terms are as follows:\n\n", False),
        ("Here is what applies:\n\n", False),
        ("**Terms and refunds:**\n\n", False),
        ("**Overview**\n\n", False),
        ("Terms:\n\n", False),
        ("| Term | Days |\n|---|---|\n\n", False),
        ("Pets are allowed everywhere:\n\n", True),
        ("**Pets are allowed**\n\n", True),
        ("**Pets are allowed.** ", True),
        ("Shipping costs nothing:\n\n", True),
        ("The terms are as follows, up to 40 days:\n\n", True),
        ("| Refunds take 9 days | Pets cost 5 EUR |\n|---|---|\n\n", True),
    ],
)
def test_citations_are_not_demanded_of_what_only_leads(line: str, demanded: bool) -> None:  # noqa: FBT001
    turn = Turn(
        citations_required=True, retrieved=(RetrievedChunk(label="P", source="P", text=POLICY),)
    )
    report = verify_cited(f"{line}- {RIGHT}", turn)
    assert ("missing_citation" in codes(report)) is demanded
    assert codes(report)[-1] == "supported"


def test_a_quotation_that_nobody_wrote_is_not_found() -> None:
    report = verify_cited('"Refunds are approved automatically" [P].', P=POLICY)
    assert codes(report) == ["quote_not_found"]


def test_a_store_that_can_not_be_asked_loses_no_answer() -> None:
    async def fail(labels: object) -> frozenset[str]:
        raise DatabaseUnavailable("no server answers")

    backing = Backing(find_chunks=fail)
    report = asyncio.run(verify_answer(RIGHT.replace("[P]", "[P@1#0]"), Turn(), backing=backing))
    assert codes(report) == ["unverifiable:database_unavailable"]


def test_the_value_that_is_left_out_is_told_in_any_clause() -> None:
    report = verify_cited(
        "Guests pay 12 EUR [E].", E="The deposit is 40 EUR; guests over 65 pay 12 EUR."
    )
    assert codes(report) == ["needs_entailment_review"]
    assert "'over 65'" in report.judged[0].verdict.detail
