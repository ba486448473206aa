"""Quote, then answer: quotations stand in their sources, and what is stated within the quotations."""

from __future__ import annotations

import pytest

from verifier.core.quote_then_answer import check_quote_then_answer

SOURCES = {
    "terms": "Goods may be returned within 14 days of delivery. Return shipping costs $4.50.",
    "plan": "The Pro plan costs $29 a month.",
}
RETURNS = '"Goods may be returned within 14 days of delivery." [terms]'
SHIPPING = '"Return shipping costs $4.50." [terms]'


@pytest.mark.parametrize(
    ("answer", "quoted", "stated"),
    [
        (f"{SHIPPING}\n\nReturn shipping costs $4.50 [terms].", ["supported"], ["supported"]),
        (
            f"1. {RETURNS}\n2. {SHIPPING}\n\nReturn shipping costs $4.50 [terms].",
            ["supported", "supported"],
            ["supported"],
        ),
        (
            f"{RETURNS}\n\nReturn shipping costs $4.50 [terms].",
            ["supported"],
            ["unsupported_quantity"],
        ),
        (
            f"{SHIPPING}\n\nThe Pro plan costs $29 a month [plan].",
            ["supported"],
            ["missing_citation"],
        ),
        (
            '"Return shipping is free of charge." [terms]\n\nReturn shipping costs $4.50 [terms].',
            ["quote_not_found"],
            ["missing_citation"],
        ),
        (
            '"Return shipping costs $4.50." [plan]\n\nReturn shipping costs $4.50 [plan].',
            ["quote_not_found"],
            ["missing_citation"],
        ),
        (f"{SHIPPING}\n\nReturn shipping costs $4.50.", ["supported"], ["missing_citation"]),
        (
            f"{SHIPPING}\n\nReturn shipping costs $5.40 [terms].",
            ["supported"],
            ["unsupported_quantity"],
        ),
        (f"{SHIPPING}\n\nIt costs $4.50 [1].", ["supported"], ["unknown_citation"]),
        ("Return shipping costs $4.50 [terms].", [], ["missing_citation"]),
        ("I couldn't find this in the documents.", [], []),
    ],
)
def test_quotations_and_statements(answer: str, quoted: list[str], stated: list[str]) -> None:
    found = check_quote_then_answer(answer, SOURCES)

    assert [one.code.value for one in found.quotations] == quoted
    assert [one.code.value for one in found.statements] == stated
    assert found.accepted is (bool(quoted or stated) and {*quoted, *stated} == {"supported"})
