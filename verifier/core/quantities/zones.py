"""The zone of a time: an offset, an abbreviation, or a name."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.calendars import offset_of, zone_named
from verifier.core.tables import read_table
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream


DAY_SECONDS: Final = 86_400
_OFFSET: Final = re.compile(
    r"[ ]?(?:UTC|GMT)?[ ]?(?P<sign>[+−-])(?P<hours>\d{2})(?::?(?P<minutes>\d{2}))?(?![\d:])"
)
_SHORT_OFFSET: Final = re.compile(
    r"[ ]?(?:UTC|GMT)[ ]?(?P<sign>[+−-])(?P<hours>\d{1,2})(?::?(?P<minutes>\d{2}))?(?!\d)"
)
_ZONE_TAIL: Final = re.compile(
    r"[ ]?\(?(?P<zone>[A-Za-z]{1,8})\)?(?:[ ]+(?:time|timezone|standard time|daylight time))?",
    re.IGNORECASE,
)


def index_after(stream: Stream, index: int, stops: int) -> int:
    """Return the first index from `index` on whose token begins at or after the character `stops`."""
    while index < stream.count and stream.starts[index] < stops:
        index += 1
    return index


def offset_seconds(match: re.Match[str]) -> int:
    """Return the seconds of a matched offset from UTC."""
    size = int(match["hours"]) * 3600 + int(match["minutes"] or 0) * 60
    return size if match["sign"] == "+" else -size


def with_zone(stream: Stream, reading: Reading, context: Context) -> Reading:
    """Return the time with the zone written after it; an abbreviation of several zones keeps them all."""
    match = _OFFSET.match(stream.text, reading.stops) or _SHORT_OFFSET.match(
        stream.text, reading.stops
    )
    if match is not None and (
        match.group().lstrip()[:1] in "UG" or stream.text[reading.stops] != " "
    ):
        end = index_after(stream, reading.end, match.end())
        return reading._replace(utc_offset_s=offset_seconds(match), stops=match.end(), end=end)
    tail = _ZONE_TAIL.match(stream.text, reading.stops)
    if tail is None:
        return reading
    name, written = tail["zone"].lower(), tail["zone"]
    calendar = read_table("calendar")
    stops = (
        tail.end()
        if "time" in tail.group().lower() or tail.group().endswith(")")
        else tail.end("zone")
    )
    end = index_after(stream, reading.end, stops)
    placed = reading._replace(stops=stops, end=end)
    if name in calendar["named_zones"] and (written[0].isupper() or "time" in tail.group().lower()):
        return placed._replace(text=calendar["named_zones"][name])
    minutes = calendar["zones"].get(name) if written.isupper() else None
    return _with_offsets(placed, minutes, context) if minutes else reading


def _with_offsets(reading: Reading, minutes: list[int], context: Context) -> Reading:
    offsets = [minute * 60 for minute in minutes]
    if len(offsets) > 1 and context.timezone and zone_named(context.timezone):
        settled = {
            offset_of(context.timezone, _in_days(reading, day), context)
            for day in (738_000, 738_180)
        }
        offsets = [offset for offset in offsets if offset in settled] or offsets
    first = reading._replace(utc_offset_s=offsets[0])
    return first._replace(
        rivals=tuple(first._replace(utc_offset_s=offset, rivals=()) for offset in offsets[1:])
    )


def _in_days(reading: Reading, day: int) -> Fraction:
    return day + (reading.low or Fraction(0)) / DAY_SECONDS


def settle_zone(reading: Reading, context: Context) -> Reading:
    """Return the moment or time with the offset of its named zone, or of the turn's if none is written."""
    if reading.utc_offset_s is not None or reading.low is None:
        return reading._replace(text="")
    name = reading.text or context.timezone
    if not name or (reading.kind is Kind.DATE and reading.unit is not None):
        return reading._replace(text="")
    offset = offset_of(name, reading.low if reading.kind is Kind.DATE else None, context)
    return reading._replace(utc_offset_s=offset, text="")
