"""Results become JSON that anything can read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

import pytest

from verifier.core.spans import Span
from verifier.interfaces.wire import dump_line, to_wire


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    spans: tuple[Span, ...]
    colour: Colour


FORMS = [
    (None, None),
    (True, True),
    (3, 3),
    (0.5, 0.5),
    ("é", "é"),
    (Colour.RED, "red"),
    (Decimal("49.90"), "49.90"),
    (Fraction(1, 3), "1/3"),
    (Path("a/b"), "a/b"),
    (b"\x00\xff", "00ff"),
    (datetime(2026, 1, 2, 3, tzinfo=UTC), "2026-01-02T03:00:00+00:00"),
    (date(2026, 1, 2), "2026-01-02"),
    ((1, "a"), [1, "a"]),
    (frozenset({"b", "a"}), ["a", "b"]),
    (MappingProxyType({Colour.RED: Decimal(1)}), {"red": "1"}),
    (
        Inner(spans=(Span(1, 2),), colour=Colour.RED),
        {"spans": [[1, 2]], "colour": "red"},
    ),
]


@pytest.mark.parametrize(("result", "wire"), FORMS, ids=[str(form[0]) for form in FORMS])
def test_every_kind_of_result_has_a_form(result: object, wire: object) -> None:
    assert to_wire(result) == wire
    assert type(to_wire(result)) is type(wire)


@pytest.mark.parametrize("thing", [object(), lambda: None, Inner, iter([1])])
def test_what_has_no_form_is_refused(thing: object) -> None:
    with pytest.raises(TypeError, match="has no JSON form"):
        to_wire(thing)


@pytest.mark.parametrize("text", ["a", "é\n\u2028", "\x85\u2029", "\ud800", "😀", "\x00"])
def test_a_line_is_one_line_that_can_be_written_and_read_back(text: str) -> None:
    line = dump_line({"text": text})
    assert line.splitlines() == [line]
    assert json.loads(line.encode("utf-8")) == {"text": text}


def test_a_number_that_json_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        dump_line(float("nan"))
