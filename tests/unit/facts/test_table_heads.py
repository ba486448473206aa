"""Which heads stand over which cells of a table in text."""

from __future__ import annotations

import pytest

from verifier.core.facts.cells import read_cell
from verifier.core.facts.table_heads import is_period
from verifier.core.facts.tables import find_tables
from verifier.core.statements import ReadingTerms
from verifier.core.values import Kind, Quantity

SPREAD_FROM_THE_MIDDLE = """\
 |  | Years Ended September 30, | \n | 2019 | 2018 | 2017
Fees | 44 | 57 | 71
"""
SPREAD_FROM_THE_FIRST = """\
 | Domestic |  | Foreign | \n | 2019 | 2018 | 2019 | 2018
Rate | 4 | 3 | 2 | 1
"""
SPREAD_FROM_THE_LAST = """\
 |  | Fiscal year |  | Growth\n(in € m) | 2019 | 2018 | Actual | Planned
Orders | 12 | 11 | 7 | 6
"""
UNIT_BELOW_THE_PERIODS = """\
 |  | Plan | \n |  | Years Ended | \n | 2019 | 2018 | 2017
 |  | (Dollars in millions) | \nInterest | 436 | 392 | 409
"""
ONE_OVER_ITS_OWN_COLUMN = """\
 |  |  |  | Change\n | 2019 | 2018 | 2017 | 2019/2018
Fees | 44 | 57 | 71 | 13
"""
BARS_AROUND = """\
| Plan | Price |
|---|---|
| Basic | 9 |
"""
BARS_AROUND_AN_EMPTY_HEAD = """\
|  | 2019 | 2018 |  |
| Fees | 44 | 57 | x |
"""
NOTES_AFTER_YEARS = """\
 | 2019 (1) | 2018 | 2017 (2)
Charges | 94 | 39 | 21
"""
DATED_WORDS = """\
 | Year-ended 31 March 2019 | Year-ended 31 March 2018 Restated
By country | $M | $M
UK | 83 | 73
"""
PERIODS_IN_THE_MIDDLE = """\
Item | 2019 | 2018
Fees | 44 | 57
Growth of | FY 2019 (%) | FY 2017 (%)
Price | 7 | 2
"""


YEARS = "Years Ended September 30,"


def heads_of(text: str) -> dict[str, str]:
    """Return the head of the column above each cell, which all differ."""
    return {
        cell.text: " ".join(cell.column_head.split())
        for _, cells in find_tables(text)
        for cell in cells
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SPREAD_FROM_THE_MIDDLE, {"44": f"{YEARS} 2019", "71": f"{YEARS} 2017"}),
        (SPREAD_FROM_THE_FIRST, {"4": "Domestic 2019", "3": "Domestic 2018", "1": "Foreign 2018"}),
        (SPREAD_FROM_THE_LAST, {"12": "Fiscal year 2019", "11": "Fiscal year 2018", "7": "Growth Actual"}),
        (UNIT_BELOW_THE_PERIODS, {"436": "Plan Years Ended 2019 (Dollars in millions)"}),
        (ONE_OVER_ITS_OWN_COLUMN, {"44": "2019", "71": "2017", "13": "Change 2019/2018"}),
        (BARS_AROUND, {"9": "Price"}),
        (BARS_AROUND_AN_EMPTY_HEAD, {"44": "2019", "57": "2018"}),
        (NOTES_AFTER_YEARS, {"94": "2019 (1)", "21": "2017 (2)"}),
        (DATED_WORDS, {"83": "Year-ended 31 March 2019 $M", "73": "Year-ended 31 March 2018 Restated $M"}),
        (PERIODS_IN_THE_MIDDLE, {"44": "2019", "7": "FY 2019 (%)", "2": "FY 2017 (%)"}),
    ],
)  # fmt: skip
def test_a_cell_has_the_heads_that_stand_over_it(text: str, expected: dict[str, str]) -> None:
    found = heads_of(text)
    assert {cell: found.get(cell) for cell in expected} == expected


@pytest.mark.parametrize(
    "row", ["Basic | 12 months | 24 months", "Basic | 9 | 8", "Ends | 3 March 2020 | 30"]
)
def test_a_row_of_values_is_no_row_of_heads(row: str) -> None:
    assert row.split(" | ")[1] in heads_of(f"Plan | Short | Long\n{row}\nOther | 1 | 2")


@pytest.mark.parametrize("text", ["2019", "2019 (1)", "FY 2019 (%)", "Q1 2024", "June 30, 2019*"])
def test_a_period_may_have_the_mark_of_a_note(text: str) -> None:
    assert is_period(text)


@pytest.mark.parametrize("text", ["2019 (restated)", "5 (1)", "Total (1)", "(1)", "2019 over 2018"])
def test_what_says_more_than_a_period_is_none(text: str) -> None:
    assert not is_period(text)


def test_years_ended_measure_nothing_in_years() -> None:
    text = " |  | Years Ended December 31, | \n | 2019 | 2018 | 2017\nAwards | 255 | 131 | 72\n"
    cells = [cell for _, cells in find_tables(text) for cell in cells]
    values = [value for cell in cells for value in read_cell(cell, ReadingTerms())]
    assert [isinstance(value, Quantity) and value.kind for value in values] == [Kind.NUMBER] * 3
