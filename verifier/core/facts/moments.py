"""Dates and times as fields hold them: ISO text, 12/2026, seconds since 1970, a bare year."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.reading import find_zone
from verifier.core.quantities import extract_quantities, read_exact
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from verifier.core.statements import ReadingTerms
    from verifier.core.values import Value

_NEXT_DAY: Final = re.compile(r"(\d{1,2}:\d{2}(?::\d{2})?)\+\d", re.ASCII)  # 00:30:00+1
_MONTH: Final = re.compile(r"(?P<month>0?[1-9]|1[0-2])/(?P<year>\d{4})", re.ASCII)  # 12/2026
_YEAR: Final = re.compile(r"[12]\d{3}", re.ASCII)
_MONTHS: Final = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
_FIRST_EPOCH: Final = 10**8
_MILLIS: Final = 10**11
_LAST_EPOCH: Final = 10**14
_DAY_SECONDS: Final = 86_400
_LAST_DAY: Final = 3_652_000


def read_calendar_text(text: str, terms: ReadingTerms) -> Value | None:
    """Return the date or time of a form that stands for one in fields only."""
    month = _MONTH.fullmatch(text)
    if month is not None:
        named = f"{_MONTHS.split()[int(month['month']) - 1]} {month['year']}"
        value = read_entire(named, terms)
        return replace(value, text=text) if isinstance(value, Quantity) else None
    next_day = _NEXT_DAY.fullmatch(text)
    return read_entire(next_day[1], terms) if next_day else None


@lru_cache(maxsize=8192)
def read_entire(text: str, terms: ReadingTerms) -> Value | None:
    """Return the value that a short text is from end to end, a moment in the turn's zone.

    An instant is moved into that zone, so that a claim's "at 3 pm", which names none, is compared with
    what clocks of the turn show. Without one in the turn it keeps its own offset; a claim without a zone then
    meets its day and leaves the hour open. A day or time without an offset is local on both sides, and is
    compared as it is written.
    """
    mentions = extract_quantities(
        text,
        locale=terms.locale,
        timezone=terms.timezone,
        default_currency=terms.default_currency,
        fiscal_year_start=terms.fiscal_year_start,
    )
    if len(mentions) != 1 or mentions[0].span.of(text) != text:
        return None
    value = mentions[0].value
    if isinstance(value, Quantity):
        return None if value.fault else _in_zone(value, terms.timezone)
    return value


def _in_zone(value: Quantity, timezone: str | None) -> Quantity:
    """Return a moment as the turn's zone has it, with that zone's offset."""
    low, high = value.interval.low, value.interval.high
    if value.kind is not Kind.DATE or value.utc_offset_s is None or timezone is None:
        return value
    if low is None or high is None or not 2 <= low < _LAST_DAY:
        return value
    local = datetime.fromordinal(int(low)).replace(tzinfo=UTC)
    seconds = (low - int(low)) * _DAY_SECONDS - value.utc_offset_s
    offset = (local + timedelta(seconds=int(seconds))).astimezone(find_zone(timezone)).utcoffset()
    if offset is None:
        return value
    shift = Fraction(int(offset.total_seconds()) - value.utc_offset_s, _DAY_SECONDS)
    moved = replace(value.interval, low=low + shift, high=high + shift)
    return replace(value, interval=moved, utc_offset_s=int(offset.total_seconds()))


def read_moment_number(text: str, terms: ReadingTerms) -> Quantity | None:
    """Return the moment that seconds or milliseconds since 1970 tell."""
    number = read_exact(text)
    if number is None or not _FIRST_EPOCH < number < _LAST_EPOCH:
        return None
    seconds = number / 1000 if number >= _MILLIS else number
    moment = datetime.fromtimestamp(int(seconds), UTC)
    value = read_entire(moment.strftime("%Y-%m-%dT%H:%M:%SZ"), terms)
    return replace(value, text=text) if isinstance(value, Quantity) else None


def read_year(text: str, terms: ReadingTerms) -> Quantity | None:
    """Return the year that a bare number of four figures names."""
    if _YEAR.fullmatch(text) is None:
        return None
    mentions = extract_quantities(f"in {text}", fiscal_year_start=terms.fiscal_year_start)
    value = mentions[0].value if len(mentions) == 1 else None
    return replace(value, text=text) if isinstance(value, Quantity) else None
