"""The labelled evidence reviews that this project was created from, line by line, through the store.

Each source is ingested with its date of review. What was stored of it is then reviewed as the label says, and
an answer whose claim is the quotation is verified on what a search retrieved; what is left for review must
wait in the queue.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.queued_reviews import verifier_on
from tests.integration.store_reading import dump
from verifier.core.evidence_review import EvidenceReview, ReviewedSource, review_evidence
from verifier.core.turn_file import read_turn
from verifier.core.verdicts import Disposition
from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import Database
    from verifier.core.report import GroundingReport
    from verifier.service import Verifier

SEEDS = Path(__file__).parents[1] / "data" / "seeds" / "evidence_review.jsonl"
CASES = {case["id"]: case for case in map(json.loads, SEEDS.read_text("utf-8").splitlines())}

QUOTED_CONFLICT = "Protocol version 2 is current."
"""What is disputed is quoted whole: of a quotation that is cut, the cut is what is left for review."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    verifier: Verifier
    database: Database


@pytest.fixture
async def stored(fresh_database: Database) -> AsyncIterator[Stored]:
    verifier = verifier_on(fresh_database)
    yield Stored(verifier=verifier, database=fresh_database)
    await verifier.close()


async def ingest(verifier: Verifier, case: dict[str, Any]) -> None:
    source = case["source"]
    until = datetime.fromisoformat(source["review_until"])
    await verifier.ingest_text(source["id"], source["text"], review_until=until)
    for key in case["claim"].get("conflicting_source_ids", ()):
        other = source["text"].replace("version 2", "version 3")
        await verifier.ingest_text(key, other, review_until=until)


async def verify(verifier: Verifier, case: dict[str, Any]) -> GroundingReport:
    claim = case["claim"]
    await ingest(verifier, case)
    disputing = claim.get("conflicting_source_ids", [])
    turn = verifier.turn(
        question="Which version is current?",
        now=datetime.fromisoformat(case["now"]),
        allowed_sources=frozenset([*case["allowed"], *disputing]),
        citations_required=True,
    )
    turn.retrieved(await verifier.semantic_search("protocol version", k=5))
    quote = QUOTED_CONFLICT if disputing else claim["quote"]
    if not isinstance(quote, str):
        read_turn({"answer": quote})
    cited = [key for key in (claim["source_id"], *disputing) if key is not None]
    marks = "".join(f" [{key}@1#0]" for key in cited)
    return await verifier.verify(f'The handbook says: "{quote}"{marks}.', turn)


@pytest.mark.parametrize("case_id", CASES)
async def test_what_is_stored_is_reviewed_as_labelled(stored: Stored, case_id: str) -> None:
    case = CASES[case_id]
    outcome, reason = case["expected"]
    if outcome == "error":
        with pytest.raises(InputError, match="has no time zone"):
            await review_stored(stored.verifier, case)
        return
    found = await review_stored(stored.verifier, case)
    assert (found.outcome, found.reason) == (outcome, reason)


async def review_stored(verifier: Verifier, case: dict[str, Any]) -> EvidenceReview:
    """Review the claim on what the store gives back: text, date of review, and conflicts on record."""
    await ingest(verifier, case)
    for other in case["claim"].get("conflicting_source_ids", ()):
        await verifier.conflicts.declare(
            case["source"]["id"],
            other,
            by="ada",
            subject="protocol",
            attribute="version",
            value="2",
            other_value="3",
        )
    hits = (await verifier.semantic_search("protocol version", k=50)).hits
    on_record = (await verifier.conflicts.list(source=case["source"]["id"])).conflicts
    claim = case["claim"] | {
        "conflicting_source_ids": [one.other.source for one in on_record if one.other is not None]
    }
    sources = [
        ReviewedSource(
            source_id=listed.source.key,
            text="".join(hit.text for hit in hits if hit.source == listed.source.key),
            review_until=listed.review_until,
        )
        for listed in await verifier.sources.list()
    ]
    return review_evidence(claim, sources, case["allowed"], case["now"])


@pytest.mark.parametrize("case_id", CASES)
async def test_an_answer_that_quotes_it_is_verified_as_labelled(
    stored: Stored, case_id: str
) -> None:
    case = CASES[case_id]
    outcome, _ = case["expected"]
    if outcome == "error" or not isinstance(case["claim"]["quote"], str):
        with pytest.raises(InputError, match=r"has no time zone|answer must be a text"):
            await verify(stored.verifier, case)
        assert (await stored.verifier.reviews.list(state=None)).entries == ()
        return
    report = await verify(stored.verifier, case)

    (judged,) = report.judged
    expected = expect_code(case)
    assert judged.verdict.code.value == expected
    waiting = (await stored.verifier.reviews.list(state=None)).entries
    if judged.verdict.disposition is Disposition.REVIEW:
        assert outcome != "reject"
        assert [(one.code.value, one.state.value) for one in waiting] == [(expected, "open")]
        assert case["source"]["id"] in waiting[0].sources
    else:
        assert outcome == "reject"
        assert judged.verdict.disposition is Disposition.REJECTED
        assert waiting == ()


def expect_code(case: dict[str, Any]) -> str:
    """Return the code of a report, which tells apart what cites nothing and what cites nothing known."""
    outcome, reason = case["expected"]
    cited = case["claim"]["source_id"]
    if reason == "unapproved_source" and cited is None:
        return "missing_citation"
    if reason == "unapproved_source" and cited != case["source"]["id"]:
        return "unknown_citation"
    return str(outcome if reason is None else reason)


async def test_a_review_date_without_a_time_zone_leaves_the_store_as_it_was(stored: Stored) -> None:
    await stored.verifier.ingest_text("other", "Text.")
    before = await dump(stored.database, physical=True)
    with pytest.raises(InputError, match=r"review_until of 's1' has no time zone"):
        await ingest(stored.verifier, CASES["S4-07"])
    assert await dump(stored.database, physical=True) == before
