"""What heads, captions and corners of a cited table say of its numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from verifier.core.cited_cells import read_cells
from verifier.core.statements import ReadingTerms

ROWS = "Interest expense | 2,082 | 2,025\nTaxes | 40 | 38\n"


@pytest.mark.parametrize(
    ("heads", "factor"),
    [
        ("(in millions) | 2019 | 2018\n", 1_000_000),
        ("(Dollars in millions) | 2019 | 2018\n", 1_000_000),
        ("($ in millions) |  | \nYear ended: | 2019 | 2018\n", 1_000_000),
        ("Year ended: |  | \n(In thousands) | 2019 | 2018\n", 1_000),
        ("(€ in billions) |  | \nat 31 May: | 2019 | 2018\n", 1_000_000_000),
        ("Year ended May 31: | 2019 | 2018\n", 1),
        ("Costs in cities | 2019 | 2018\n", 1),
    ],
)
def test_a_scale_in_the_corner_is_that_of_all_cells(heads: str, factor: int) -> None:
    cells = read_cells(heads + ROWS, ReadingTerms())

    found = [cell.value.interval.low for cell in cells]

    assert found == [Fraction(number * factor) for number in (2082, 2025, 40, 38)]
