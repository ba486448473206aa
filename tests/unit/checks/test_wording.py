"""What people read of a check: why nothing was compared, durations in words, what was not corrected."""

from __future__ import annotations

import asyncio

import pytest

from verifier import check_cited_claim
from verifier.core.catalog import Catalog
from verifier.core.policy import Hindrance
from verifier.core.turns import ToolCall
from verifier.core.verdicts import VerdictCode
from verifier.errors import InputError
from verifier.interfaces.spoken_signatures import speak_durations
from verifier.interfaces.wording import describe_hindrance
from verifier.verify.verifier import verify_claims

ROOMS = {"a": "The hall has 30 rooms. Rooms are kept clean. It is false that rooms are heated."}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("time_seconds=60", "time_seconds=60 (1 minute)"),
        ("time_seconds=<=4665600", "time_seconds=<=4665600 (at most 54 days)"),
        ("time_seconds=~7200", "time_seconds=~7200 (about 2 hours)"),
        ("time_seconds=432000..604800", "time_seconds=432000..604800 (5 to 7 days)"),
        ("time_seconds=>90000", "time_seconds=>90000 (more than 25 hours)"),
        ("a: time_seconds=3600, number=4", "a: time_seconds=3600 (1 hour), number=4"),
    ],
)
def test_durations_are_said_in_words(written: str, said: str) -> None:
    assert speak_durations(written) == said


@pytest.mark.parametrize(
    "written",
    ["time_seconds=45", "time_seconds=61", "time_seconds=90.5", "time_months=60", "number=60", ""],
)
def test_what_is_no_whole_minute_stays(written: str) -> None:
    assert speak_durations(written) == written


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("Halls are warm.", "no supported number-unit or date pair was found"),
        (
            "The lobby has 31.",
            "a number without a unit is not judged; not in cited evidence: number=31",
        ),
    ],
)
def test_why_nothing_was_compared(claim: str, reason: str) -> None:
    checked = check_cited_claim({"claim": claim, "cited": "a"}, ROOMS)

    assert checked.code is VerdictCode.NEEDS_REVIEW_NO_QUANTITY
    assert checked.reason == reason


def test_a_quotation_in_doubt_is_told_as_such() -> None:
    documents = {"a": "Rooms are kept clean. That was a mistake."}
    checked = check_cited_claim({"claim": "“Rooms are kept clean”", "cited": "a"}, documents)

    assert "number-unit" not in checked.reason
    assert "That was a mistake." in checked.reason


@pytest.mark.parametrize(
    ("document", "claim", "words"),
    [
        ("Entry costs 5 EUR if booked online.", "Entry costs 5 EUR.", "booked, online"),
        ("Myths:\n- Goods are free.", "“Goods are free.”", "'Myths:'"),
        ("We do not offer:\n\n- Goods are free.", "“Goods are free.”", "'We do not offer:'"),
        ("Terms of 2019, no longer in force:\n\n- Goods are free.", "“Goods are free.”", "2019"),
    ],
)
def test_what_turns_the_sense_is_named(document: str, claim: str, words: str) -> None:
    checked = check_cited_claim({"claim": claim, "cited": "a"}, {"a": document})

    assert checked.code is not VerdictCode.SUPPORTED
    assert words in checked.reason


def test_what_is_cited_wrongly_lacks_no_row() -> None:
    for code in (VerdictCode.MISSING_CITATION, VerdictCode.UNKNOWN_CITATION):
        assert "row" not in describe_hindrance(Hindrance.NO_RIGHT_VALUE, code)
        assert "citation" in describe_hindrance(Hindrance.NO_RIGHT_VALUE, code)
    assert "row" in describe_hindrance(Hindrance.NO_RIGHT_VALUE, VerdictCode.CONTRADICTED)
    assert "range" in describe_hindrance(Hindrance.INEXACT, VerdictCode.MISSING_CITATION)


@pytest.mark.parametrize("ledger", [[{"id": "1", "tool": "get", "result": 4}], {"a": 1}, "text", 5])
def test_a_ledger_of_anything_but_calls_is_refused_with_what_to_pass(ledger: object) -> None:
    with pytest.raises(InputError, match="ToolCall"):
        asyncio.run(verify_claims("It costs $5.", ledger, None))  # type: ignore[arg-type]


def test_a_ledger_of_calls_is_read() -> None:
    call = ToolCall(call_id="1", tool="get", arguments={}, result={"id": "P-7", "price": "49.90"})

    report = asyncio.run(verify_claims("P-7 costs 59.90.", (call,), None, catalog=Catalog()))

    assert report.judged
