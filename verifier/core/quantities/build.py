"""Readings to values: the interval, how it was written, and the readings that stay open."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.spans import Span
from verifier.core.values import TEXT_KINDS, Interval, Quantity, TextValue, Writing

if TYPE_CHECKING:
    from verifier.core.quantities.readings import Reading
    from verifier.core.values import Value

_CLOSEST_SHARE: Final = Fraction(1, 20)
"""An approximate amount may be off by half its last written digit, and at most by a twentieth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueMention:
    """A value that a text holds at `span`. `name` is what it belongs to: "Python" of "Python 3.10"."""

    span: Span
    value: Value
    name: str | None = None


def to_mention(text: str, reading: Reading) -> ValueMention:
    """Return the mention that a finished reading stands for."""
    return ValueMention(
        span=Span(reading.begins, reading.stops), value=to_value(text, reading), name=reading.name
    )


def to_value(text: str, reading: Reading) -> Value:
    """Return the value of a finished reading."""
    written = text[reading.begins : reading.stops]
    if reading.kind in TEXT_KINDS:
        return TextValue(kind=reading.kind, text=reading.text or written)
    writing = reading.writing
    if writing is Writing.EXACT and reading.places < 0:
        writing = Writing.ROUNDED
    return Quantity(
        kind=reading.kind,
        interval=_interval(reading),
        text=written,
        writing=writing,
        unit=reading.unit,
        currency=reading.currency,
        per=reading.per,
        places=reading.places,
        nominal=reading.nominal,
        fault=reading.fault,
        utc_offset_s=reading.utc_offset_s,
        alternatives=_alternatives(text, reading),
    )


def _interval(reading: Reading) -> Interval:
    low, high = reading.low, reading.high
    if low is not high and low is not None and high is not None and low > high:
        low, high = high, low
    return Interval(low=low, high=high, low_open=reading.low_open, high_open=reading.high_open)


def _alternatives(text: str, reading: Reading) -> tuple[Quantity, ...]:
    found = [
        reading._replace(low=value, high=value, places=places, others=())
        for value, places in reading.others
    ]
    values = [to_value(text, other) for other in (*found, *reading.rivals)]
    return tuple(value for value in values if isinstance(value, Quantity))


def tolerance_of(value: Fraction, places: int) -> Fraction:
    """Return how far an approximate number may be off: half its last non-zero digit, at most a twentieth."""
    scaled = abs(value) * Fraction(10) ** places
    if scaled.denominator != 1 or scaled == 0:
        return abs(value) * _CLOSEST_SHARE if scaled else Fraction(1, 2)
    digits = str(scaled.numerator)
    zeros = len(digits) - len(digits.rstrip("0"))
    half = Fraction(10) ** (zeros - places) / 2
    as_written = Fraction(1, 2) / Fraction(10) ** places
    return max(min(half, abs(value) * _CLOSEST_SHARE), min(as_written, half))
