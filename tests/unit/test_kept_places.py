"""Words that stand in a later text, but under another heading, in another cell, or denied around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.growth import assert_grows
from verifier.core.kept_spans import LaterText, Standing, judge_span
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable

RETURNS = "# Terms\n\n## 3 Returns\n\nGoods may be returned within 30 days.\n\n## Fees\n\nNone.\n"
PLANS = (
    "# Terms\n\n## Pro plan\n\nYou may cancel within 30 days.\n\n"
    "## Basic plan\n\nYou may cancel within 14 days.\n"
)
SWAPPED = PLANS.replace("30", "x").replace("14", "30").replace("x", "14")
FEES = (
    "# Fees\n\nPer month, in USD:\n\n| Plan | Fee | Seats |\n|---|---|---|\n"
    "| Pro | 30 | 5 |\n| Basic | 10 | 30 |\n"
)
GOODS = "Goods may be returned within 30 days."


def judge(text: str, words: str, newer: str) -> Standing:
    start = text.index(words)
    return judge_span(text, Span(start, start + len(words)), LaterText(newer))


@pytest.mark.parametrize(
    ("newer", "stands"),
    [
        (RETURNS, True),
        (RETURNS.replace("3 Returns", "4.1. Returns"), True),
        (RETURNS.replace("3 Returns", "Sending back"), True),
        (RETURNS.replace("# Terms\n", "# New terms\n\nWelcome.\n"), True),
        (RETURNS.replace(GOODS, f"Read this.\n\n### Deadlines\n\n{GOODS}"), True),
        (RETURNS.replace("None.", "None. Nothing is refunded."), True),
        (RETURNS.replace(GOODS, "See below.").replace("None.", GOODS), True),
        (RETURNS.replace("3 Returns", "Old returns policy, no longer valid"), False),
        (RETURNS.replace(GOODS, f"~~{GOODS}~~ None may."), False),
        (RETURNS.replace(GOODS, f"<!-- {GOODS} -->"), False),
        (RETURNS.replace(GOODS, f"{GOODS} This does not apply to sale goods."), False),
        (RETURNS.replace(GOODS, f"Until May our terms said “{GOODS}”"), False),
        (RETURNS.replace(GOODS, f"{GOODS} Ask at the desk for a form."), True),
        (RETURNS.replace(GOODS, f"~~{GOODS}~~ {GOODS}"), False),
        (RETURNS.replace(GOODS, f"~~Soon.~~\n\n{GOODS}"), True),
    ],
)
def test_what_stands_around_words_counts(newer: str, *, stands: bool) -> None:
    assert (judge(RETURNS, GOODS, newer) is Standing.STANDS) is stands


def test_words_that_were_in_doubt_before_may_stay_so() -> None:
    old = f"## Old rules\n\n{GOODS}\n"
    assert judge(old, GOODS, f"Hello.\n\n{old}") is Standing.STANDS


@pytest.mark.parametrize(
    ("newer", "stands"),
    [
        (SWAPPED, False),
        (SWAPPED.replace("# Terms", "# All terms"), False),
        (PLANS.replace("## Pro plan", "## 1. Professional plan"), True),
        (PLANS.replace("## Basic plan", "## Small plan"), True),
        ("## Free plan\n\nNo term.\n\n" + PLANS, True),
    ],
)
def test_what_was_said_of_one_thing_does_not_stand_where_it_is_said_of_another(
    newer: str, *, stands: bool
) -> None:
    words = "You may cancel within 30 days."
    assert (judge(PLANS, words, newer) is Standing.STANDS) is stands


@pytest.mark.parametrize(
    ("newer", "stands"),
    [
        (FEES.replace("# Fees", "# 2 Prices").replace("|---|", "|:--|"), True),
        (FEES.replace("| Basic | 10 | 30 |", "| Basic | 11 | 12 |\n| Team | 20 | 9 |"), True),
        (FEES.replace("| Pro | 30 | 5 |", "| Pro | **30** | 6 |"), True),
        (FEES.replace("| Pro | 30 |", "| Pro | 31 |"), False),
        (FEES.replace("| Pro |", "| Basic Plus |"), False),
        (FEES.replace("| Fee |", "| Fee per year |"), False),
        (FEES.replace("USD", "EUR"), False),
        (FEES.replace("| Pro | 30 |", "| Pro | 30 EUR |"), False),
        (FEES.replace("| Pro | 30 |", "| Pro | EUR 30 |"), False),
        ("# Fees\n\nPro: 30. Basic: 10.\n", False),
    ],
)
def test_a_cell_stands_by_its_heads(newer: str, *, stands: bool) -> None:
    assert (judge(FEES, "30", newer) is Standing.STANDS) is stands


def test_a_row_stands_by_the_heads_of_its_columns() -> None:
    row = "| Pro | 30 | 5 |"
    assert judge(FEES, row, FEES.replace("| Basic | 10", "| Basic | 11")) is Standing.STANDS
    turned = FEES.replace("Fee | Seats", "Seats | Fee")
    assert judge(FEES, row, turned) is not Standing.STANDS


def test_places_are_looked_up_in_linear_time() -> None:
    def look(size: int) -> Callable[[], object]:
        text = "".join(
            f"## Part {number}\n\n| a | b |\n|---|---|\n| {number} | 7 |\n\nIt takes 7 days.\n\n"
            for number in range(size)
        )
        span = Span(text.rindex("It takes"), len(text) - 2)
        return lambda: LaterText(text.replace("7 days", "8 days", 1)).keeps(text, span)

    assert_grows(look, 200, 1_600, at_most=16)


@pytest.mark.parametrize(
    ("newer", "stands"),
    [
        ("Fees:\n\n1. **Pro plan**: $30\n2. **Basic plan**: $12\n", True),
        ("Fees:\n\n- Pro plan: $10\n- Basic plan: $30\n", False),
        ("Fees:\n\n- Pro plan of old: $30\n", False),
        ("Fees:\n\n- Pro plan: from $30\n", False),
    ],
)
def test_a_value_stands_by_its_label(newer: str, *, stands: bool) -> None:
    old = "Fees:\n\n- Pro plan: $30\n- Basic plan: $10\n"
    assert (judge(old, " $30", newer) is Standing.STANDS) is stands
