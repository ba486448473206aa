"""Minor units behind an amount in major ones: `4 dollars and 75 cents`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.quantities.money import tender_after
from verifier.core.quantities.numbers import read_number

if TYPE_CHECKING:
    from fractions import Fraction

    from verifier.core.quantities.context import Context
    from verifier.core.quantities.tokens import Stream


def read_trailing_cents(
    stream: Stream, index: int, context: Context
) -> tuple[Fraction, int] | None:
    """Return the cents of `15 dollars and 50` or `4 dollars and 75 cents`, in major units, and their end."""
    start = index + 1 if stream.folds[index] in {"and", "&", ","} else index
    number = read_number(stream, start, context) if stream.folds[start - 1] != "between" else None
    if (
        number is None
        or number.value.denominator != 1
        or not 0 <= number.value < 100
        or number.scale > 1
    ):
        return None
    minor = tender_after(stream, number.end)
    if minor is not None and minor.parts > 1:
        return number.value / minor.parts, minor.end
    bare = minor is None and number.value >= 10 and stream.folds[index] != ","
    closes = (
        stream.words[number.end] in {"", ".", ";", "!", "?", ")"}
        and stream.kinds[number.end + 1] != "n"
    )
    return (number.value / 100, number.end) if bare and closes and start - index <= 1 else None
