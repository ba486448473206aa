"""Marks of an annotated answer: behind each claim, never within what they would break, all else the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.unit.verify.shop import LAMP, THROW, call, verify_by_ledger
from verifier.core.annotation import annotate
from verifier.core.sentences import BlockKind, find_blocks

if TYPE_CHECKING:
    from verifier.core.report import GroundingReport

CALLS = (
    call("get_product", {"id": THROW, "name": "Wool throw", "price": 49.9, "currency": "USD"}),
    call("get_product", {"id": LAMP, "name": "Desk lamp", "price": 20, "currency": "USD"}),
)
CARD = f'```product\n{{"id": "{THROW}", "price": 59.9}}\n```'
PLACES = {
    "prose": ("The Wool throw costs $59.90. Bye.", "The Wool throw costs $59.90.[^check-c1] Bye."),
    "two sentences": (
        "The Wool throw costs $59.90. The Desk lamp costs $20.",
        "The Wool throw costs $59.90.[^check-c1] The Desk lamp costs $20.[^check-c2]",
    ),
    "a row of a table": (
        "| Product | Price |\n|---|---|\n| Wool throw | $59.90 |\n",
        "| Product | Price |\n|---|---|\n| Wool throw | $59.90[^check-c1] |\n",
    ),
    "a card": (f"Here:\n{CARD}\nBye.", f"Here:\n{CARD}\n[^check-c1]\n\nBye."),
    "a card in Windows lines": (
        f"Here:\r\n{CARD}\r\nBye.".replace("\n", "\r\n").replace("\r\r", "\r"),
        f"Here:\n{CARD}\n[^check-c1]\n\nBye.".replace("\n", "\r\n"),
    ),
    "two records of a card": (
        f'```products\n[{{"id": "{THROW}", "price": 1}}, {{"id": "{LAMP}", "price": 2}}]\n```',
        f'```products\n[{{"id": "{THROW}", "price": 1}}, {{"id": "{LAMP}", "price": 2}}]\n```'
        "\n[^check-c1][^check-c2]\n",
    ),
    "right to left and emoji": (
        "שלום 😀👩‍👩‍👧! The Wool throw costs $59.90 😀.",
        "שלום 😀👩‍👩‍👧! The Wool throw costs $59.90 😀.[^check-c1]",
    ),
    "a link": (
        "The Wool throw costs [$59.90](https://shop.example/throw)!",
        "The Wool throw costs [$59.90](https://shop.example/throw)![^check-c1]",
    ),
    "a tag": (
        'See <b title="The Wool throw costs $59.90">x</b>',
        'See <b title="The Wool throw costs $59.90">x</b>[^check-c1]',
    ),
    "two clauses": (
        "The Wool throw costs $59.90, and it is blue; the Desk lamp costs $20!",
        "The Wool throw costs $59.90,[^check-c1] and it is blue; the Desk lamp costs $20![^check-c2]",
    ),
    "nothing to mark": ("Hello! How can I help you?", "Hello! How can I help you?"),
}


def without_notes(text: str) -> str:
    return text.partition("\n\n[^check-c1]:")[0].partition("\r\n\r\n[^check-c1]:")[0]


def strip_marks(report: GroundingReport) -> str:
    """Take marks and footnotes away again, by what the annotations tell."""
    text, annotations = annotate(report)
    kept, at = [], 0
    for one in annotations:
        kept.append(report.answer[at : one.at])
        at = one.at
        assert one.mark in text
    return "".join(kept) + report.answer[at:]


@pytest.mark.parametrize(("answer", "expected"), PLACES.values(), ids=PLACES)
def test_where_marks_stand(answer: str, expected: str) -> None:
    report = verify_by_ledger(answer, *CALLS)
    text, annotations = annotate(report)
    assert without_notes(text) == expected
    assert len(annotations) == report.claims
    assert strip_marks(report) == report.answer


@pytest.mark.parametrize("answer", [answer for answer, _ in PLACES.values()], ids=list(PLACES))
def test_every_claim_has_one_mark_and_one_footnote(answer: str) -> None:
    report = verify_by_ledger(answer, *CALLS)
    text, annotations = annotate(report)
    for one in annotations:
        assert text.count(f"{one.mark}: ") == 1
        assert text.count(one.mark) == 2
        assert one.span.of(answer)
        assert one.code.value in one.note


def test_cards_stay_valid_json() -> None:
    text, _ = annotate(verify_by_ledger(f"{CARD}\n\n{CARD}", *CALLS))
    cards = [block for block in find_blocks(text) if block.kind is BlockKind.CARD]
    assert len(cards) == 2
    for card in cards:
        body = "\n".join(card.span.of(text).splitlines()[1:-1])
        assert json.loads(body)["price"] == 59.9


def test_footnotes_of_the_answer_are_not_taken_for_ours() -> None:
    answer = "The Wool throw costs $59.90.[^check-c1]\n\n[^check-c1]: really"
    text, annotations = annotate(verify_by_ledger(answer, *CALLS))
    assert text.startswith("The Wool throw costs $59.90.")
    assert all(one.mark not in answer for one in annotations)


def test_an_open_fence_is_left_as_it_is() -> None:
    answer = f'The Wool throw costs $59.90.\n```product\n{{"id": "{THROW}"}}'
    text, annotations = annotate(verify_by_ledger(answer, *CALLS))
    assert text == answer
    assert annotations


def test_what_evidence_says_is_no_markup() -> None:
    product = {"id": THROW, "name": "Wool throw", "status": "<img src=x> [click](http://x) `a` *b*"}
    card = f'```product\n{{"id": "{THROW}", "status": "gone"}}\n```'
    text, annotations = annotate(verify_by_ledger(card, call("get_product", product)))
    assert annotations
    assert "<img" not in text.replace("\\<img", "")
    assert "[click]" not in text
