"""Judging amounts by the labels of the public recognizers data, whoever read them."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from casework.labels import is_close, near, number_of, value_of
from verifier.core.quantities import extract_quantities, is_currency, unit_of
from verifier.core.quantities.currencies import currency_family
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.quantities import ValueMention

_UNITS: Final = {
    "C": "°C",
    "F": "°F",
    "Degree": "°",
    "Year": "yr",
    "Age": "yr",
    "Month": "mo",
    "Week": "wk",
    "Day": "d",
}
_RELATIVE_ORDER: Final = re.compile(r"(?P<origin>[a-z]+)(?P<offset>[+-]\d+)")
"""`end-1`, `current+1`."""
_MINOR: Final = frozenset({"Cent", "Pence"})


def judge_amounts(name: str, entry: dict[str, Any], mentions: Sequence[ValueMention]) -> bool:
    """Return whether the mentions hold every amount that a line of the file `name` is labelled with."""
    told = [result for result in entry["Results"] if str(value_of(result)) not in {"None", "null"}]
    told = [result for result in told if value_of(result)]
    if not told:
        values = (mention.value for mention in mentions)
        return not any(_is_of(name, value) for value in values if isinstance(value, Quantity))
    return all(
        any(_same_amount(name, quantity, result) for quantity in near(result, mentions))
        for result in told
    )


def _is_of(name: str, quantity: Quantity) -> bool:
    """Return whether a mention is of a file's type where the file expects none."""
    unit = unit_of(quantity.unit or "")
    hot = unit is not None and unit.dimension == (("temperature", 1),)
    kinds = {
        "Percent": quantity.kind is Kind.PERCENT,
        "Currency": quantity.kind is Kind.MONEY,
        "Temperature": hot,
    }
    return kinds.get(name, False)


def _same_amount(name: str, quantity: Quantity, result: dict[str, Any]) -> bool:
    resolution = result["Resolution"]
    written = resolution["value"]
    if name == "NumberRange":
        return _same_range(quantity, written)
    if name == "Ordinal":
        return _same_ordinal(quantity, written)
    wanted, number = Fraction(written.strip("%")), number_of(quantity)
    if name == "Currency":
        return _same_money(quantity, wanted, resolution)
    if name == "Percent":
        return quantity.kind is Kind.PERCENT and is_close(number, wanted)
    if name == "Number":
        cents = quantity.kind is Kind.MONEY and number is not None
        return is_close(number, wanted) or (cents and is_close(number * 100, wanted))
    return _same_measure(quantity, wanted, resolution["unit"])


def _same_ordinal(quantity: Quantity, written: str) -> bool:
    relative = _RELATIVE_ORDER.fullmatch(written)
    origin = relative["origin"] if relative else None
    wanted = Fraction(relative["offset"] if relative else written)
    number = number_of(quantity)
    return quantity.kind is Kind.ORDINAL and quantity.unit == origin and is_close(number, wanted)


def _same_money(quantity: Quantity, wanted: Fraction, resolution: dict[str, Any]) -> bool:
    name = resolution["unit"]
    right = is_close(number_of(quantity), wanted / 100 if name in _MINOR else wanted)
    if quantity.kind is not Kind.MONEY or not right:
        return False
    return not codes_of(quantity).isdisjoint(codes_named(resolution.get("isoCurrency") or name))


def codes_of(quantity: Quantity) -> frozenset[str]:
    """Return the codes of the currencies that an amount of money may be in."""
    if quantity.currency is not None:
        return frozenset({quantity.currency})
    mark = quantity.unit or ""
    return currency_family(mark) or frozenset({mark})


@cache
def codes_named(name: str) -> frozenset[str]:
    """Return the codes of the currencies that a name or mark may mean: `Franc`, `Hong Kong dollar`."""
    if is_currency(name):
        return frozenset({name})
    for written in (name, name.rpartition(" ")[2]):
        for mention in extract_quantities(f"a price of 1 {written}"):
            if isinstance(mention.value, Quantity) and mention.value.kind is Kind.MONEY:
                return codes_of(mention.value)
    return frozenset({name})


def _same_measure(quantity: Quantity, wanted: Fraction, name: str) -> bool:
    mine, theirs = unit_of(quantity.unit or ""), unit_of(_UNITS.get(name, name.lower()))
    number = number_of(quantity)
    if mine is None or theirs is None or number is None or not mine.same_dimension(theirs):
        return False
    exact = is_close(number * mine.factor + mine.offset, wanted * theirs.factor + theirs.offset)
    return exact or (name == "Ton" and is_close(number, wanted))


def _same_range(quantity: Quantity, written: str) -> bool:
    low, high = written[1:-1].split(",")
    interval = quantity.interval
    if low == high:
        return interval.is_point and is_close(interval.low, Fraction(low))
    same_low = (
        interval.low is None
        if not low
        else is_close(interval.low, Fraction(low)) and interval.low_open == (written[0] == "(")
    )
    same_high = interval.high is None if not high else is_close(interval.high, Fraction(high))
    return same_low and same_high and (bool(low) or interval.high_open == (written[-1] == ")"))
