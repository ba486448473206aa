"""What the labels of the public recognizers data say, for the judges of amounts and of moments."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from verifier.core.values import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.quantities import ValueMention

_TINY: Final = Fraction(1, 10**9)


def value_of(result: dict[str, Any]) -> object:
    """Return the value that a labelled result has, in the data's own form."""
    resolution = result.get("Resolution") or result.get("Value") or {}
    return (
        resolution.get("value")
        or [each.get("timex") for each in resolution.get("values", [])]
        or resolution.get("Timex")
    )


def near(result: dict[str, Any], mentions: Sequence[ValueMention]) -> Iterator[Quantity]:
    """Yield the readings of the mentions that touch a result's place."""
    start, end = result.get("Start"), result.get("End")
    for mention in mentions:
        placed = (
            start is None or end is None or (mention.span.start <= end and mention.span.end > start)
        )
        if placed and isinstance(mention.value, Quantity):
            yield mention.value
            yield from mention.value.alternatives


def number_of(quantity: Quantity) -> Fraction | None:
    """Return the number that a quantity was written with."""
    return quantity.nominal if quantity.nominal is not None else quantity.interval.low


def is_close(one: Fraction | None, other: Fraction) -> bool:
    """Return whether two numbers differ by no more than the labels' binary floats do."""
    return one is not None and abs(one - other) <= abs(other) * _TINY + Fraction(1, 10**14)
