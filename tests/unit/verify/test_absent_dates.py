"""Which dates and counts of a statement stand in a text, and which are absent."""

from __future__ import annotations

import pytest

from verifier import check_cited_claim

TEXTS = {
    "far": "The plant opened in 1996. It has a museum.",
    "near": "The plants closed in 2020, as the ministry said.",
    "dated": "In December, a second shop opens in Taipei, the company said in 2013.",
    "december": "In December, a second shop opens in Taipei, the company said.",
    "summer": "The show is open from June 2014 to August 2014.",
    "children": "Parents of several children stop working at 55. The pension is 60.",
}


@pytest.mark.parametrize(
    ("document", "claim", "absent"),
    [
        ("far", "The plant closed by 2021.", True),
        ("far", "The plant was open as of October 2014.", True),
        ("near", "The plants closed by 2021.", False),
        ("december", "The second shop opens on 12 December 2013.", True),
        ("december", "The second shop opens in December 2013.", True),
        ("dated", "The second shop opens in December 2013.", False),
        ("summer", "The show is open on 12 July 2014.", False),
        ("summer", "The show is open on 12 September 2014.", True),
        ("children", "Parents of 3 or more children stop working.", True),
        ("children", "Parents over 50 stop working.", False),
    ],
)
def test_a_value_that_nothing_tells_of_is_absent(
    document: str, claim: str, *, absent: bool
) -> None:
    checked = check_cited_claim({"claim": claim, "cited": document}, TEXTS)

    assert (checked.code.value == "unsupported_quantity") is absent, checked.reason
