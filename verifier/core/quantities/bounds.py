"""From a comparator to an interval: bounds, approximations, tolerances, and two bounds as one range."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.build import tolerance_of
from verifier.core.values import Kind, Writing

if TYPE_CHECKING:
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream

DATED: Final = frozenset({Kind.DATE, Kind.TIME, Kind.QUARTER})
_JOINING: Final = frozenset({"and", "but", ", but", "and also"})


def bounded(reading: Reading, sign: str) -> Reading:
    """Return the reading with the interval that a comparator (`<`, `>=`, `~`, `<~` …) makes of it."""
    low, high = reading.low, reading.high
    if sign == "=" or low is None or high is None:
        return reading
    if sign == "<=" and reading.writing is Writing.RANGE and reading.kind not in DATED:
        return reading  # "within 3 to 5 days" has both ends
    if sign in {"~", "<~", ">~"}:
        return _approximated(reading, sign)
    dated = reading.kind is Kind.DATE
    if sign in {">", ">="}:
        end = high if sign == ">" and dated else low
        return _one_sided(reading, nominal=low)._replace(
            low=end, low_open=sign == ">" and not dated, high=None, high_open=False
        )
    end = low if sign == "<" and reading.kind in DATED else high
    return _one_sided(reading, nominal=end if reading.kind is Kind.TIME else high)._replace(
        high=end, high_open=sign == "<" or dated, low=None, low_open=False
    )


def _one_sided(reading: Reading, *, nominal: Fraction) -> Reading:
    rivals = tuple(rival for rival in reading.rivals if rival.kind is not reading.kind)
    return reading._replace(nominal=nominal, writing=Writing.BOUND, others=(), rivals=rivals)


def _approximated(reading: Reading, sign: str) -> Reading:
    if reading.writing is Writing.RANGE or reading.low is None or reading.high is None:
        return reading
    if reading.kind in DATED:
        return reading._replace(writing=Writing.APPROXIMATE)
    value = reading.low
    spread = tolerance_of(value, reading.places)
    low = value if sign == ">~" else value - spread
    high = value if sign == "<~" else value + spread
    return reading._replace(
        low=low, high=high, nominal=value, writing=Writing.APPROXIMATE, others=()
    )


def with_tolerance(reading: Reading) -> Reading:
    """Return the reading as its number plus and minus its uncertainty."""
    spread, value = reading.uncertainty or Fraction(0), reading.low
    if value is None or value != reading.high:
        return reading
    return reading._replace(
        low=value - spread, high=value + spread, nominal=value, writing=Writing.TOLERANCE
    )


def join_bounds(stream: Stream, readings: list[Reading]) -> list[Reading]:
    """Return the readings with a lower and an upper bound joined as one range: `over 20 and up to 35`."""
    joined: list[Reading] = []
    for reading in readings:
        bound = joined and reading.writing is Writing.BOUND and joined[-1].writing is Writing.BOUND
        one = _both_bounds(stream, joined[-1], reading) if bound else None
        if one is None:
            joined.append(reading)
        else:
            joined[-1] = one
    return joined


def _both_bounds(stream: Stream, left: Reading, right: Reading) -> Reading | None:
    between = stream.phrase(left.end, right.start - left.end) if right.start - left.end <= 2 else ""
    if (
        left.kind is not right.kind
        or between not in _JOINING
        or (left.unit != right.unit and left.unit)
    ):
        return None
    lower, upper = (left, right) if left.high is None else (right, left)
    if lower.low is None or upper.high is None or lower.high is not None or lower.low >= upper.high:
        return None
    joined = right._replace(
        start=left.start, begins=left.begins, nominal=None, writing=Writing.RANGE
    )
    return joined._replace(
        low=lower.low, high=upper.high, low_open=lower.low_open, high_open=upper.high_open
    )
