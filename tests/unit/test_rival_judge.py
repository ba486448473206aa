"""The judge of the public expressions: the same for rivals, with every doubt in their favour."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from verifier.core.quantities import extract_quantities

if TYPE_CHECKING:
    from types import ModuleType

SCRIPTS = Path(__file__).parents[2] / "scripts"


def load(name: str) -> ModuleType:
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module(f"casework.{name}")
    finally:
        sys.path.remove(str(SCRIPTS))


@pytest.fixture(scope="module")
def recognizers() -> ModuleType:
    return load("recognizers")


@pytest.fixture(scope="module")
def rivalry() -> ModuleType:
    return load("rivalry")


def found(value: object, unit: str | None, entity: str = "", spread: float = 0) -> dict[str, Any]:
    return {"value": value, "unit": unit, "uncertainty": spread, "entity": entity}


def entry(*labels: dict[str, str], text: str = "a text", places: bool = False) -> dict[str, Any]:
    place = {"Start": 90, "End": 95} if places else {}
    return {"Input": text, "Results": [{"Resolution": label, **place} for label in labels]}


COIN, BARE = "currency", "dimensionless"
JUDGED = [
    ("Number", {"value": "7"}, found(7.0, BARE, BARE), True),
    ("Number", {"value": "7"}, found(7.5, BARE, BARE), False),
    ("Number", {"value": "24"}, found(2.0, "dozen", BARE), True),
    ("Number", {"value": "12"}, found(12.0, "kilogram", "mass"), True),
    ("Number", {"value": "16400000"}, found(16399999.999999998, BARE, BARE), True),
    ("Number", {"value": "7"}, {"crash": "ValueError()"}, False),
    ("Number", {"value": "7"}, found(float("inf"), BARE, BARE), False),
    ("NumberRange", {"value": "[20,30)"}, found(25.0, BARE, BARE, 5.0), True),
    ("NumberRange", {"value": "(20,30]"}, found(25.0, BARE, BARE, 5.0), True),
    ("NumberRange", {"value": "[20,31)"}, found(25.0, BARE, BARE, 5.0), False),
    ("NumberRange", {"value": "(20,)"}, found(20.0, BARE, BARE), False),
    ("Percent", {"value": "20%"}, found(20.0, "percentage", BARE), True),
    ("Percent", {"value": "20%"}, found(20.0, BARE, BARE), False),
    ("Currency", {"value": "5", "unit": "Dollar"}, found(5.0, "dollar", COIN), True),
    ("Currency", {"value": "5", "unit": "Dollar"}, found("5", "$", COIN), True),
    ("Currency", {"value": "5", "unit": "Dollar"}, found("5", "USD", COIN), True),
    ("Currency", {"value": "5", "unit": "Dollar"}, found(5.0, "euro", COIN), False),
    ("Currency", {"value": "5", "unit": "Dollar"}, found("5", None, COIN), False),
    ("Currency", {"value": "5", "unit": "Pound"}, found("5", "£", COIN), True),
    ("Currency", {"value": "5", "unit": "Pound"}, found(5.0, "pound sterling", COIN), True),
    ("Currency", {"value": "50", "unit": "Cent"}, found(50.0, "cent", COIN), True),
    ("Currency", {"value": "5", "unit": "Chinese yuan", "isoCurrency": "CNY"},
     found(5.0, "chinese yuan", COIN), True),
    ("Currency", {"value": "5", "unit": "Chinese yuan", "isoCurrency": "CNY"},
     found("5", "USD", COIN), False),
    ("Dimension", {"value": "3", "unit": "Meter"}, found(3.0, "metre", "length"), True),
    ("Dimension", {"value": "75", "unit": "Milliliter"},
     found(75.0, "cubic centimetre", "volume"), True),
    ("Dimension", {"value": "3", "unit": "Meter"}, found(3.0, "mile", "length"), False),
    ("Dimension", {"value": "3", "unit": "Meter"}, found(3.0, BARE, BARE), False),
    ("Dimension", {"value": "90", "unit": "Degree"}, found(90.0, "degree angle", "angle"), True),
    ("Temperature", {"value": "40", "unit": "C"},
     found(40.0, "degree angle degree Celsius", "unknown"), True),
    ("Temperature", {"value": "40", "unit": "C"}, found(40.0, "degree fahrenheit", "temperature"),
     False),
    ("Age", {"value": "6", "unit": "Month"}, found(6.0, "month", "time"), True),
    ("Age", {"value": "6", "unit": "Month"}, found(6.0, "year", "time"), False),
]  # fmt: skip


@pytest.mark.parametrize("case", JUDGED)
def test_a_finding_is_right_by_value_and_unit(
    recognizers: ModuleType,
    rivalry: ModuleType,
    case: tuple[str, dict[str, str], dict[str, Any], bool],
) -> None:
    name, label, finding, right = case
    mentions = rivalry.mentions_of("a text", [found(1.0, "second", "time"), finding])
    assert recognizers.judge(name, entry(label), mentions) is right


def test_every_label_of_a_line_must_be_found(recognizers: ModuleType, rivalry: ModuleType) -> None:
    line = entry({"value": "1"}, {"value": "2"})
    both = [found(1.0, BARE, BARE), found(2.0, BARE, BARE)]
    assert recognizers.judge("Number", line, rivalry.mentions_of("a", both)) is True
    assert recognizers.judge("Number", line, rivalry.mentions_of("a", both[:1])) is False


def test_no_span_is_asked_of_a_rival_but_of_extraction(
    recognizers: ModuleType, rivalry: ModuleType
) -> None:
    text = "7" + " and" * 30
    line = entry({"value": "7"}, text=text, places=True)
    rival = rivalry.mentions_of(text, [found(7.0, BARE, BARE)])
    assert recognizers.judge("Number", line, rival) is True
    assert recognizers.judge("Number", line, extract_quantities(text)) is False


def test_parts_count_as_their_sum(recognizers: ModuleType, rivalry: ModuleType) -> None:
    parts = [found(5.0, "foot", "length"), found(2.0, "inch", "length")]
    label = {"value": str(5 + 2 / 12), "unit": "Foot"}
    assert recognizers.judge("Dimension", entry(label), rivalry.mentions_of("a", parts)) is True
    times = [found(1.0, "hour", "time"), found(2.0, "minute", "time"), found(1.0, "year", "time")]
    whole = {"Value": {"FutureResolution": {"duration": str(3720 + 365 * 86_400)}}}
    line = {"Input": "a", "Results": [whole]}
    assert recognizers.judge("DurationParser", line, rivalry.mentions_of("a", times)) is True
    assert recognizers.judge("DurationParser", line, rivalry.mentions_of("a", times[:2])) is False


def test_a_line_without_labels_forbids_its_kind(
    recognizers: ModuleType, rivalry: ModuleType
) -> None:
    coin, kilo = found(5.0, "dollar", COIN), found(5.0, "kilogram", "mass")
    for finding, right in ((coin, False), (kilo, True)):
        assert recognizers.judge("Currency", entry(), rivalry.mentions_of("a", [finding])) is right


@pytest.mark.parametrize(
    ("text", "value", "right"),
    [
        ("the next row", "current+1", True),
        ("the next row", "end+1", False),
        ("the second to last row", "end-1", True),
        ("the second row", "2", True),
        ("the second row", "end-2", False),
        ("the second to last row", "-1", False),
    ],
)
def test_an_ordinal_is_right_by_offset_and_origin(
    recognizers: ModuleType, text: str, value: str, right: object
) -> None:
    mentions = extract_quantities(text, relative_order=True)
    assert recognizers.judge("Ordinal", entry({"value": value}, text=text), mentions) is right


def test_a_rival_is_judged_on_the_kinds_it_reads(
    recognizers: ModuleType, rivalry: ModuleType
) -> None:
    assert set(recognizers.RIVAL_FILES) == set(rivalry.RIVALS)
    for files in recognizers.RIVAL_FILES.values():
        assert files < {*recognizers.FILES, *recognizers.DATED_FILES}
