"""The labelled evidence reviews that this project was created from, line by line, through the store.

Each source is ingested with its date of review, retrieved by a search, and cited by an answer whose claim is
the quotation; what is left for review must then wait in the queue.
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
BLANK = "S4-06"
REFUSED = ("S4-07", "S4-10", "S4-15")
"""A date and a clock without time zone, and a quotation that is no text: none of them becomes an answer."""

OTHER_CODE = {"S4-09": "missing_citation", "S4-14": "unknown_citation"}
"""An answer that cites nothing, and one that cites what does not exist: a report tells these apart from a
source that may not be used. They are rejected just the same."""

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


async def verify(verifier: Verifier, case: dict[str, Any]) -> GroundingReport:
    source, claim = case["source"], case["claim"]
    until = datetime.fromisoformat(source["review_until"])
    disputing = claim.get("conflicting_source_ids", [])
    await verifier.ingest_text(source["id"], source["text"], review_until=until)
    for key in disputing:
        other = source["text"].replace("version 2", "version 3")
        await verifier.ingest_text(key, other, review_until=until)
    turn = verifier.turn(
        question="Which version is current?",
        now=datetime.fromisoformat(case["now"]),
        allowed_sources=frozenset([*case["allowed"], *disputing]),
        citations_required=True,
    )
    turn.retrieved(await verifier.semantic_search("protocol version", k=5))
    quote = QUOTED_CONFLICT if disputing else claim["quote"]
    cited = [key for key in (claim["source_id"], *disputing) if key is not None]
    marks = "".join(f" [{key}@1#0]" for key in cited)
    return await verifier.verify(f'The handbook says: "{quote}"{marks}.', turn)


@pytest.mark.parametrize("case_id", [one for one in CASES if one not in {*REFUSED, BLANK}])
async def test_labelled_line(stored: Stored, case_id: str) -> None:
    case = CASES[case_id]
    outcome, reason = case["expected"]
    report = await verify(stored.verifier, case)

    (judged,) = report.judged
    expected = outcome if reason is None else OTHER_CODE.get(case_id, reason)
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


async def test_a_blank_quotation_is_none_and_what_is_left_waits_for_a_person(
    stored: Stored,
) -> None:
    report = await verify(stored.verifier, CASES[BLANK])
    assert [one.verdict.code.value for one in report.judged] == ["needs_review_no_quantity"]
    (entry,) = (await stored.verifier.reviews.list()).entries
    assert entry.sources == ("s1",)


async def test_a_review_date_without_a_time_zone_is_refused_when_it_is_stored(
    stored: Stored,
) -> None:
    case = CASES["S4-07"]
    await stored.verifier.ingest_text("other", "Text.")
    before = await dump(stored.database, physical=True)
    with pytest.raises(InputError, match=r"review_until of 's1' has no time zone"):
        await verify(stored.verifier, case)
    assert await dump(stored.database, physical=True) == before


async def test_a_clock_without_a_time_zone_is_refused(stored: Stored) -> None:
    with pytest.raises(InputError, match=r"`now` has no time zone"):
        await verify(stored.verifier, CASES["S4-10"])
    assert (await stored.verifier.reviews.list(state=None)).entries == ()


def test_a_quotation_that_is_no_text_is_no_answer() -> None:
    with pytest.raises(InputError, match="answer must be a text"):
        read_turn({"answer": CASES["S4-15"]["claim"]["quote"]})
