"""Ranges whose ends stand in two fields: delivery_days_min and delivery_days_max, from_price and to_price."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.facts.forms import read_form
from verifier.core.values import Interval, Kind, Quantity, Writing

if TYPE_CHECKING:
    from collections.abc import Container

    from verifier.core.values import Value

_ENDS: Final = (
    ("min", "max"),
    ("minimum", "maximum"),
    ("lower", "upper"),
    ("low", "high"),
    ("lowest", "highest"),
    ("from", "to"),
    ("earliest", "latest"),
    ("at_least", "at_most"),
)
_NEVER_ALONE: Final = frozenset({"from", "to"})
_RANGED: Final = frozenset(
    {Kind.NUMBER, Kind.QUANTITY, Kind.MONEY, Kind.DURATION, Kind.PERCENT, Kind.PERCENTAGE_POINT}
)
_MINUTES: Final = "_min"


@lru_cache(maxsize=4096)
def list_bounds(names: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
    """Return what is bounded, and the fields of its lower and its upper end, of a record's fields.

    What is bounded is "" where the fields are called `min` and `max` and no more.
    """
    known = frozenset(names)
    found: list[tuple[str, str, str]] = []
    for name in names:
        for low, high in _ENDS:
            if name == low and high in known and low not in _NEVER_ALONE:
                found.append(("", name, high))
            elif name.startswith(f"{low}_") and (other := f"{high}{name[len(low) :]}") in known:
                found.append((name[len(low) + 1 :], name, other))
            elif name.endswith(f"_{low}") and (other := f"{name[: -len(low)]}{high}") in known:
                found.append((name[: -len(low) - 1], name, other))
    return tuple(found)


def without_minutes(name: str, fields: Container[str]) -> str:
    """Return the name by which a field is read: `wait_time_min` beside `wait_time_max` tells no minutes."""
    if f"{name.removesuffix(_MINUTES)}_max" in fields and read_form(name).unit == "min":
        return f"{name}imum"
    return name


def range_between(low: Value, high: Value) -> Quantity | None:
    """Return the range from one value to another, None where they are not two ends of one."""
    if not isinstance(low, Quantity) or not isinstance(high, Quantity):
        return None
    first, last = low.interval, high.interval
    same = (low.kind, low.unit, low.currency, low.per) == (
        high.kind,
        high.unit,
        high.currency,
        high.per,
    )
    if not same or low.kind not in _RANGED or not (first.is_point and last.is_point):
        return None
    if first.low is None or last.high is None or first.low >= last.high:
        return None
    places = None if low.places is None or high.places is None else max(low.places, high.places)
    return replace(
        low,
        interval=Interval(low=first.low, high=last.high),
        text=f"{low.text}-{high.text}",
        writing=Writing.RANGE,
        places=places,
        alternatives=(),
    )
