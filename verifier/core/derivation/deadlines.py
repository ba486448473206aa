"""Whether a date or an age lies within a window: the 7 days in which a purchase may be returned."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.derivation.windows import list_phrases, read_surroundings
from verifier.core.lexicons import load_word_lists
from verifier.core.units import BUSINESS_DAY, MONTH, TIME, Unit, unit_of
from verifier.core.values import Kind, Writing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from verifier.core.spans import Span
    from verifier.core.values import Quantity

_DAY: Final = 86_400
_EPOCH_ZONE: Final = timedelta(0)
_MONTH_DAYS: Final = (28, 31)


def says_inside(sentence: str, span: Span) -> bool | None:
    """Return whether the words around a window's length say inside (True) or outside (False).

    None where they say neither, or both equally near.
    """
    around = read_surroundings(sentence, span)
    lists = load_word_lists("derivation_cues")
    words = (*around.before, *around.text.split())
    nearest = {side: _nearest(words, lists[side]) for side in ("inside", "outside")}
    if nearest["inside"] == nearest["outside"]:
        return None
    return nearest["inside"] > nearest["outside"]


def _nearest(words: Sequence[str], phrases: frozenset[str]) -> tuple[int, int]:
    """Return where the last phrase ends and how long it is: "no longer within" outdoes "within"."""
    found = [
        (index, phrase.count("_") + 1) for index, phrase in list_phrases(words) if phrase in phrases
    ]
    return max(((index + size, size) for index, size in found), default=(0, 0))


def in_window(value: Quantity, window: Quantity, *, now: datetime | None = None) -> bool | None:
    """Return whether a date (held against `now`) or an age lies within a window's length.

    The last day counts as inside: seven days after a purchase a 7-day window is still open. A window in
    hours needs a moment: a bare date is inside or outside only where every hour of that day is. A date
    that is yet to come lies in no window. None where it is not certain: no clock, another kind of unit,
    business days with a weekend or holiday that could matter, months against days that could be either.
    """
    limit = _limit(window)
    age = _age(value, window, now)
    if limit is None or age is None:
        return None
    youngest, oldest = age
    if youngest < 0:
        return None
    if oldest <= limit[0]:
        return True
    return False if youngest > limit[1] else None


def _limit(window: Quantity) -> tuple[Fraction, Fraction] | None:
    """Return the least and the most seconds that a window's length may be."""
    unit = _unit(window)
    end = window.interval.high if window.interval.high is not None else window.interval.low
    if unit is None or end is None or end < 0 or window.fault or window.alternatives:
        return None
    if window.writing not in {Writing.EXACT, Writing.ROUNDED, Writing.BOUND}:
        return None
    if unit.dimension == TIME:
        return end * unit.factor, end * unit.factor
    if unit.dimension == MONTH:
        months = end * unit.factor
        least, most = (months * days * _DAY for days in _MONTH_DAYS)
        if months.denominator == 1 and months % 12 == 0:
            least, most = months / 12 * 365 * _DAY, months / 12 * 366 * _DAY
        return least, most
    if unit.dimension == BUSINESS_DAY:
        return end * _DAY, (end * 7 / 5 + 14) * _DAY
    return None


def _unit(quantity: Quantity) -> Unit | None:
    return unit_of(quantity.unit or "s") if quantity.kind is Kind.DURATION else None


def _age(
    value: Quantity, window: Quantity, now: datetime | None
) -> tuple[Fraction, Fraction] | None:
    """Return the least and the most seconds that have passed; whole days for a window in days."""
    if value.fault or value.alternatives:
        return None
    if value.kind is Kind.DURATION:
        return _told_age(value)
    low, high = value.interval.low, value.interval.high
    if value.kind is not Kind.DATE or value.unit is not None or now is None:
        return None
    if low is None or high is None or value.writing is not Writing.EXACT:
        return None
    clock = _clock(now, value.utc_offset_s)
    unit = _unit(window)
    if unit is not None and unit.dimension == TIME and unit.factor < _DAY:
        return (
            ((clock - high) * _DAY, (clock - low) * _DAY)
            if high - low < 1
            else _any_hour(clock, low, high)
        )
    days = (clock // 1 - (high - Fraction(1, _DAY)) // 1, clock // 1 - low // 1)
    return Fraction(days[0] * _DAY), Fraction(days[1] * _DAY)


def _any_hour(clock: Fraction, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Return the age of something that happened at any hour of its days, but not after the clock."""
    return max(Fraction(0), clock - high) * _DAY, (clock - low) * _DAY


def _told_age(value: Quantity) -> tuple[Fraction, Fraction] | None:
    unit = _unit(value)
    low, high = value.interval.low, value.interval.high
    if unit is None or unit.dimension != TIME or low is None or high is None:
        return None
    return low * unit.factor, high * unit.factor


def _clock(now: datetime, offset_s: int | None) -> Fraction:
    """Return the clock in days of the calendar, in the zone of the date where both are known."""
    shift = Fraction(0)
    if offset_s is not None and now.tzinfo is not None:
        shift = Fraction(offset_s) - Fraction(
            (now.utcoffset() or _EPOCH_ZONE) // timedelta(seconds=1)
        )
    seconds = now.hour * 3600 + now.minute * 60 + now.second
    return Fraction(now.toordinal()) + (seconds + shift) / _DAY
