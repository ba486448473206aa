"""Extraction on public data that nobody here wrote; the goals are those of the project."""

from __future__ import annotations

import csv
import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from verifier.core.quantities import is_currency, minor_units

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.shared_data


def find_data(name: str) -> Path:
    """A folder of the public data; without it, a failure in CI and a skip elsewhere."""
    folder = Path(os.environ.get("VERIFIER_SHARED_DATA", ROOT.parent / "shared" / "data")) / name
    if not folder.is_dir():
        message = f"{folder} is missing; VERIFIER_SHARED_DATA names the folder of public data"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return folder


@pytest.fixture(scope="module")
def casework() -> ModuleType:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return importlib.import_module("casework.recognizers")
    finally:
        sys.path.remove(str(ROOT / "scripts"))


def test_each_kind_is_read_as_often_as_promised(casework: ModuleType) -> None:
    rows = casework.read_rows(find_data("recognizers"))
    assert {row.name for row in rows} == {*casework.FILES, *casework.DATED_FILES}
    short = {
        row.name: row.misses
        for row in rows
        if row.share < (0.90 if row.name in casework.DATED_FILES else 0.97)
    }
    assert not short


def test_no_line_of_amounts_is_left_unclaimed(casework: ModuleType) -> None:
    rows = casework.read_rows(find_data("recognizers"))
    assert {row.name for row in rows if row.unclaimed} == {"DateTimeModel"}


def test_minor_units_are_those_of_the_standard() -> None:
    with (find_data("currency-codes") / "codes-all.csv").open(
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
