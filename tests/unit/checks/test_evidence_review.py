"""A quotation as evidence: the labelled lines, the order of the gates, and what is refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from verifier import InputError, review_evidence
from verifier.core.evidence_review import ReviewedSource

LINES = (
    (Path(__file__).parents[2] / "data" / "seeds" / "evidence_review.jsonl")
    .read_text("utf-8")
    .splitlines()
)
NOW = datetime(2026, 10, 11, tzinfo=UTC)
LATER = datetime(2026, 10, 12, tzinfo=UTC)
TEXT = "Protocol version 2 is current. It replaces version 1.5; 10 units are kept. No unit is sold."


@pytest.mark.parametrize("case", [json.loads(line) for line in LINES], ids=lambda case: case["id"])
def test_labelled_line(case: dict[str, Any]) -> None:
    outcome, reason = case["expected"]
    if outcome == "error":
        with pytest.raises(InputError, match="time zone"):
            review_evidence(case["claim"], [case["source"]], case["allowed"], case["now"])
        return

    review = review_evidence(case["claim"], [case["source"]], case["allowed"], case["now"])

    assert (review.outcome, review.reason) == (outcome, reason)


def review(
    quote: object = "version 2",
    *,
    source: object = "s",
    allowed: tuple[str, ...] = ("s",),
    until: datetime | None = LATER,
    now: datetime = NOW,
    conflicts: tuple[str, ...] = (),
) -> str | None:
    claim = {"source_id": source, "quote": quote, "conflicting_source_ids": list(conflicts)}
    sources = [ReviewedSource(source_id="s", text=TEXT, review_until=until)]
    return review_evidence(claim, sources, allowed, now).reason


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        ("Protocol version 2 is current.", None),
        ("protocol  version 2", None),
        ("version\n2", None),
        ("version 1.5", None),
        ("version 1", "quote_not_found"),
        ("unit is sold", "quote_not_found"),
        ("Protocol version 2 … replaces version 1.5", "quote_not_found"),
        ("ersion 2", "quote_not_found"),
        ("version 20", "quote_not_found"),
        ("0 units", "quote_not_found"),
        ("Protocol version 2 is not current", "quote_not_found"),
        ("Protocol 2 is current", "quote_not_found"),
        ("", "quote_not_found"),
        (None, "quote_not_found"),
        (["version 2"], "quote_not_found"),
        (".*", "quote_not_found"),
        ("version 2 " * 10_000, "quote_not_found"),
    ],
)
def test_only_whole_words_in_a_row_are_a_quotation(quote: object, reason: str | None) -> None:
    assert review(quote) == reason


FAULTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("unapproved_source", {"allowed": ()}),
    ("quote_not_found", {"quote": "version 3"}),
    ("stale_review", {"now": datetime(2026, 10, 13, tzinfo=UTC)}),
    ("source_conflict", {"conflicts": ("t",)}),
)


@pytest.mark.parametrize(("first", "second"), list(pairwise(FAULTS)), ids=lambda one: one[0])
def test_of_two_faults_the_earlier_gate_is_told(
    first: tuple[str, dict[str, Any]], second: tuple[str, dict[str, Any]]
) -> None:
    assert review(**first[1], **second[1]) == first[0]
    assert review(**second[1]) == second[0]


def test_a_source_without_a_date_needs_no_review() -> None:
    assert review(until=None, now=datetime(2099, 1, 1, tzinfo=UTC)) is None


@pytest.mark.parametrize("source", [None, 3, "", "t"])
def test_what_names_no_known_source_is_not_permitted(source: object) -> None:
    assert review(source=source, allowed=("s", "t", "")) == "unapproved_source"


def test_the_quotation_is_located() -> None:
    found = review_evidence(
        {"source_id": "s", "quote": "VERSION 2"}, {"s": {"text": TEXT}}, {"s"}, NOW
    )

    assert found.quotation is not None
    assert found.quotation.span.of(TEXT) == found.quotation.text == "version 2"


@pytest.mark.parametrize(
    ("sources", "allowed", "now"),
    [
        ([{"id": "s", "text": "a"}, {"id": "s", "text": "b"}], ["s"], NOW),
        ([{"id": "s"}], ["s"], NOW),
        ([{"text": "a"}], ["s"], NOW),
        (["s"], ["s"], NOW),
        ([{"id": "s", "text": "a"}], "s", NOW),
        ([{"id": "s", "text": "a"}], ["s"], "yesterday"),
        ([{"id": "s", "text": "a", "review_until": "soon"}], ["s"], NOW),
        ([{"id": "s", "text": "a"}], ["s"], datetime(2026, 1, 1)),  # noqa: DTZ001
    ],
)
def test_what_can_not_be_read_is_refused(sources: Any, allowed: Any, now: Any) -> None:
    with pytest.raises(InputError):
        review_evidence({"source_id": "s", "quote": "a"}, sources, allowed, now)
