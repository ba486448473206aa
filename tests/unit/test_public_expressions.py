"""Extraction on public data that nobody here wrote; the goals are those of the project."""

from __future__ import annotations

import csv
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.shared_data import find_shared
from verifier.core.quantities import is_currency, minor_units

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.shared_data


@pytest.fixture(scope="module")
def casework() -> ModuleType:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return importlib.import_module("casework.recognizers")
    finally:
        sys.path.remove(str(ROOT / "scripts"))


def test_each_kind_is_read_as_often_as_promised(casework: ModuleType) -> None:
    rows = casework.read_rows(find_shared("recognizers"))
    assert {row.name for row in rows} == {*casework.FILES, *casework.DATED_FILES}
    short = {
        row.name: row.misses
        for row in rows
        if row.share < (0.90 if row.name in casework.DATED_FILES else 0.97)
    }
    assert not short


def test_no_line_of_amounts_is_left_unclaimed(casework: ModuleType) -> None:
    rows = casework.read_rows(find_shared("recognizers"))
    assert {row.name for row in rows if row.unclaimed} == {"DateTimeModel"}


def test_minor_units_are_those_of_the_standard() -> None:
    with (find_shared("currency-codes") / "codes-all.csv").open(
        encoding="utf-8", newline=""
    ) as lines:
        rows = [
            row
            for row in csv.DictReader(lines)
            if row["AlphabeticCode"] and not row["WithdrawalDate"]
        ]
    assert len(rows) > 200
    for row in rows:
        digits = int(row["MinorUnit"]) if row["MinorUnit"].isdecimal() else None
        assert is_currency(row["AlphabeticCode"]), row
        assert minor_units(row["AlphabeticCode"]) == digits, row
