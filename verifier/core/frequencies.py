"""How often: "every minute", "once a minute", "at intervals of 60 seconds" all give the time between.

The number one is not written in the first two, and "every" is no part of a duration's own text; both
are told here, so that "for one minute" stays another thing than "every minute".
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.quantities import ValueMention
from verifier.core.spans import Span
from verifier.core.units import unit_of
from verifier.core.values import Interval, Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNIT: Final = r"(?P<unit>second|minute|hour|day|week|month|quarter|year)"
_SINGLE: Final = re.compile(  # every minute, each day, once a week, once per hour
    rf"\b(?:(?:once\s+)?(?:every|each)|once\s+(?:an?|per|in\s+an?))\s+{_UNIT}\b", re.IGNORECASE
)
_BEFORE: Final = re.compile(  # once per 1 minute, at intervals of 60 seconds
    r"\b(?:(?:once\s+)?(?:every|each)|once\s+(?:per|in)|at\s+intervals\s+of)\s+\Z", re.IGNORECASE
)
_LONGEST_LEAD: Final = 24


def add_frequencies(text: str, values: Sequence[ValueMention]) -> tuple[ValueMention, ...]:
    """Return the values of a text with those that "every minute" and its like give, in their order."""
    found = list(values)
    taken = bytearray(len(text))
    for one in values:
        taken[one.span.start : one.span.end] = b"\1" * (one.span.end - one.span.start)
    for match in _SINGLE.finditer(text):
        span = Span(match.start(), match.end())
        unit = unit_of(match["unit"].casefold())
        if unit is None or any(taken[span.start : span.end]):
            continue
        value = Quantity(
            kind=Kind.DURATION,
            interval=Interval.point(Fraction(1)),
            text=match.group(),
            unit=unit.name,
            places=0,
        )
        found.append(ValueMention(value=value, span=span))
    return tuple(sorted(found, key=lambda one: one.span))


def find_frequency(text: str, value: ValueMention) -> Span | None:
    """Return the span of a value that tells the time between, with the words that say so; else None."""
    if not isinstance(value.value, Quantity) or value.value.kind is not Kind.DURATION:
        return None
    if _SINGLE.fullmatch(value.value.text):
        return value.span
    lead = text[max(0, value.span.start - _LONGEST_LEAD) : value.span.start]
    found = _BEFORE.search(lead)
    return None if found is None else Span(value.span.start - len(found.group()), value.span.end)
