"""The one relation of values, against the table of pairs and its laws."""

from __future__ import annotations

import itertools
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.core.comparison import How, Outcome, relate
from verifier.core.quantities import (
    extract_quantities,
    is_currency,
    minor_units,
    read_exact,
    unit_of,
)
from verifier.core.units import Unit
from verifier.core.values import Interval, Kind, Quantity, Value, Writing

PAIRS_FILE = Path(__file__).parents[1] / "data" / "value_pairs.jsonl"
PAIRS: list[dict[str, Any]] = [
    json.loads(line) for line in PAIRS_FILE.read_text(encoding="utf-8").splitlines()
]


def only_value(text: str, extra: dict[str, str]) -> Value:
    (mention,) = extract_quantities(
        text,
        locale=extra.get("locale"),
        timezone=extra.get("tz"),
        default_currency=extra.get("default_currency"),
    )
    return mention.value


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["id"] for pair in PAIRS])
def test_a_pair_of_values_relates_as_proved_both_ways_round(pair: dict[str, Any]) -> None:
    extra = pair.get("extra", {})
    claim, evidence = only_value(pair["claim"], extra), only_value(pair["evidence"], extra)
    found = (relate(claim, evidence).outcome.value, relate(evidence, claim).outcome.value)
    assert found == (pair["expected"], pair["back"]), pair["why"]


def test_the_table_is_large_enough() -> None:
    assert len({(pair["claim"], pair["evidence"]) for pair in PAIRS}) >= 300


fractions = st.integers(-400, 400).map(lambda number: Fraction(number, 20))


@st.composite
def quantities(draw: st.DrawFn) -> Quantity:
    low, high = sorted((draw(fractions), draw(fractions)))
    writing = draw(
        st.sampled_from([Writing.EXACT, Writing.RANGE, Writing.BOUND, Writing.APPROXIMATE])
    )
    interval = Interval.point(low) if writing is Writing.EXACT else Interval(low=low, high=high)
    if writing is Writing.BOUND:
        interval = (
            Interval(low=low, high=None) if draw(st.booleans()) else Interval(low=None, high=high)
        )
    kind, unit = draw(
        st.sampled_from(
            [
                (Kind.NUMBER, None),
                (Kind.QUANTITY, "kg"),
                (Kind.QUANTITY, "g"),
                (Kind.DURATION, "min"),
                (Kind.PERCENT, None),
            ]
        )
    )
    return Quantity(
        kind=kind,
        interval=interval,
        text="x",
        writing=writing,
        unit=unit,
        places=draw(st.integers(-3, 4)),
    )


@settings(max_examples=60, deadline=None)
@given(quantities(), quantities())
def test_what_can_be_compared_one_way_can_be_the_other(one: Quantity, other: Quantity) -> None:
    there, back = relate(one, other).outcome, relate(other, one).outcome
    assert (there is Outcome.INCOMPARABLE) == (back is Outcome.INCOMPARABLE)
    exact = one.writing is other.writing is Writing.EXACT
    if exact and relate(one, other).how in {How.EQUAL, How.SAME_UNIT}:
        assert back is there


@settings(max_examples=60, deadline=None)
@given(quantities())
def test_every_value_agrees_with_itself(value: Quantity) -> None:
    nominal = value if value.writing is not Writing.APPROXIMATE else None
    if nominal is not None:
        assert relate(nominal, nominal).agrees


@pytest.mark.parametrize(
    ("raw", "exact"),
    [
        (5, Fraction(5)),
        (0.1, Fraction(1, 10)),
        (Decimal("49.90"), Fraction(499, 10)),
        ("49.90", Fraction(499, 10)),
        (" 1e-3 ", Fraction(1, 1000)),
        ("-7", Fraction(-7)),
        (True, None),
        (float("nan"), None),
        (float("inf"), None),
        (Decimal("Infinity"), None),
        ("1e999999999", None),
        (Decimal("1e999999999"), None),
        ("1,299", None),
        ("", None),
        ("NaN", None),
        ("0x10", None),
        ("9" * 5000, None),
        (None, None),
        ([1], None),
    ],
)
def test_read_exact(raw: object, exact: Fraction | None) -> None:
    assert read_exact(raw) == exact


def test_ten_to_the_four_hundred_is_read_in_no_time() -> None:
    assert read_exact(10**400) == 10**400
    assert read_exact(10**5000) is None


@pytest.mark.parametrize(
    ("code", "digits"),
    [("EUR", 2), ("JPY", 0), ("KWD", 3), ("CLF", 4), ("XAU", None), ("ABC", None)],
)
def test_minor_units(code: str, digits: int | None) -> None:
    assert minor_units(code) == digits


def test_currency_codes() -> None:
    assert is_currency("USD")
    assert is_currency("DEM")
    assert not is_currency("usd")
    assert not is_currency("ABC")


@pytest.mark.parametrize(
    ("name", "factor"),
    [
        ("km/h", Fraction(5, 18)),
        ("kilometres", Fraction(1000)),
        ("kg·m/s²", Fraction(1)),
        ("m3/s", Fraction(1)),
        ("µg", Fraction(1, 10**9)),
        ("GiB", Fraction(8 * 2**30)),
        ("GB", Fraction(8 * 10**9)),
        ("s-1", Fraction(1)),
        ("mg/dL", Fraction(1, 100)),
        ("square metres", Fraction(1)),
    ],
)
def test_units_have_exact_factors(name: str, factor: Fraction) -> None:
    unit = unit_of(name)
    assert isinstance(unit, Unit)
    assert unit.factor == factor


@pytest.mark.parametrize(
    "name", ["", "visitor", "x" * 500, "/", "m^", "m^99", "kg/", "··", "\ud800"]
)
def test_what_is_no_unit(name: str) -> None:
    assert unit_of(name) is None


@pytest.mark.parametrize("per", ["per 0 hours", "per 0hour", "per 0.0 kg", "/ 0 h"])
def test_an_amount_per_nothing_is_compared_with_no_other(per: str) -> None:
    found = extract_quantities(f"It costs $40 per hour. It costs $40 {per}.")
    values = [mention.value for mention in found if isinstance(mention.value, Quantity)]
    for one, other in itertools.product(values, values):
        assert not relate(one, other).agrees or one == other or one.per == other.per
