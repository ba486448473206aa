"""Times of day with their zone, and moments: a date with a time."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.readings import Reading
from verifier.core.quantities.zones import (
    DAY_SECONDS,
    index_after,
    offset_seconds,
    settle_zone,
    with_zone,
)
from verifier.core.values import Kind, Writing

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.tokens import Stream

_TIME: Final = re.compile(
    r"""(?P<hour>\d{1,2})
        (?:(?P<mark>[:h.])(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?)?
        (?!\d|[:.,]\d)
        (?:[ \u00a0\u202f]?(?P<half>[ap])(?:[ ]?\.?[ ]?m\b\.?|\b(?!\.\w))
          |[ ]?(?P<clock>[oO]['’]?[ ]?clock|Uhr|heures?\b|horas?\b|uur\b|h\b(?!/)))?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ISO_TIME: Final = re.compile(
    r"""[Tt\x20](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)          # T11:30:00
        (?:(?P<zulu>[Zz])(?!\w)
          |(?P<sign>[+−-])(?P<hours>\d{2}):?(?P<minutes>\d{2})?(?!\d))?(?![\d:])
    """,
    re.VERBOSE,
)
_NAMED: Final = {"noon": 12 * 3600, "midday": 12 * 3600, "midnight": 0}


def seconds_of(clock: str) -> tuple[int, int] | None:
    """Return the second of the day of `8:30` or `08:30:00`, and how many it covers; None if impossible."""
    parts = [int(part) for part in re.split(r"[:.,]", clock)[:3]]
    hours, minutes, seconds = (*parts, 0, 0)[:3]
    if hours > 24 or minutes > 59 or seconds > 59 or (hours == 24 and minutes + seconds):
        return None
    return hours * 3600 + minutes * 60 + seconds, 1 if len(parts) > 2 else 60


def add_time(date: Reading, second: int, covers: int) -> Reading:
    """Return the date's reading narrowed to a time of that day."""
    if date.low is None:
        return date
    low = date.low + Fraction(second, DAY_SECONDS)
    return date._replace(low=low, high=low + Fraction(covers, DAY_SECONDS), high_open=True)


def add_iso_time(stream: Stream, date: Reading, context: Context) -> Reading:
    """Return the date with the ISO time and offset that follow it at once (`T11:30:00Z`), if any."""
    match = _ISO_TIME.match(stream.text, date.stops)
    seconds = seconds_of(match[1]) if match else None
    if match is None or seconds is None:
        return date
    end = index_after(stream, date.end, match.end())
    found = add_time(date, *seconds)._replace(stops=match.end(), end=end)
    if match["zulu"]:
        return found._replace(utc_offset_s=0)
    if match["sign"]:
        return found._replace(utc_offset_s=offset_seconds(match))
    return with_zone(stream, found, context)


def read_time(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return the time of day that starts at token `index`, its zone included, or None."""
    named = _NAMED.get(stream.folds[index])
    if named is not None:
        noon = time_reading(stream, index, stream.ends[index], named, 60)
        return with_zone(stream, noon, context)
    match = _TIME.match(stream.text, stream.starts[index])
    if match is None or not _says_time(stream, index, match):
        return None
    second = _second_of_day(match)
    if second is None:
        return None
    stops = match.end() - match.group().endswith(" ")
    found = time_reading(stream, index, stops, second, 1 if match["second"] else 60)
    return with_zone(stream, found, context)


def _second_of_day(match: re.Match[str]) -> int | None:
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    half = (match["half"] or "").lower()
    if hour > 24 or minute > 59 or second > 59 or (half and not 1 <= hour <= 12):
        return None
    if half:
        hour = hour % 12 + 12 * (half == "p")
    return hour * 3600 + minute * 60 + second


def _says_time(stream: Stream, index: int, match: re.Match[str]) -> bool:
    if match["half"]:
        letters = stream.text[match.start("half") : match.end()].strip(" .").lower()
        full = "m" in letters
        glued = match.start("half") == max(match.end("hour"), match.end("minute"))
        return (full or (glued and match["mark"] != ".")) and match["mark"] != "h"
    if match["clock"]:
        return match["mark"] != "." and (
            match["clock"].lower() not in {"h"}
            or match["mark"] == ":"
            or (match["minute"] is None and False)
        )
    if match["mark"] == ":":
        return stream.words[index + 1] == ":"
    if match["mark"] in {"h", "H"}:
        return (
            match["minute"] is not None
            and int(match["hour"]) < 25
            and stream.text[match.end() : match.end() + 1] not in {"m", "M"}
        )
    return (
        match["mark"] == "."
        and stream.folds[index - 1] == "at"
        and int(match["hour"]) < 25
        and len(match["hour"]) <= 2
        and match["minute"] in {"00", "15", "30", "45"}
    )


def time_reading(stream: Stream, index: int, stops: int, second: int, covers: int) -> Reading:
    """Return the reading of a second of the day, from token `index` to the character `stops`."""
    low = Fraction(second)
    end = index_after(stream, index + 1, stops)
    return Reading(
        Kind.TIME, index, end, stream.starts[index], stops, low, low + covers, high_open=True
    )


def join_date_and_time(date: Reading, time: Reading, context: Context) -> Reading:
    """Return the moment of a day and a time of it, in the zone written or in the turn's."""
    if date.low is None or time.low is None:
        return date._replace(end=max(date.end, time.end), stops=max(date.stops, time.stops))
    covers = int((time.high or time.low + 60) - time.low)
    found = add_time(date, int(time.low), covers)._replace(
        start=min(date.start, time.start),
        end=max(date.end, time.end),
        begins=min(date.begins, time.begins),
        stops=max(date.stops, time.stops),
        utc_offset_s=time.utc_offset_s,
        text=time.text,
        writing=time.writing if time.writing is Writing.APPROXIMATE else date.writing,
    )
    rivals = [
        add_time(rival, int(time.low), covers)._replace(utc_offset_s=time.utc_offset_s)
        for rival in date.rivals
    ]
    rivals += [found._replace(utc_offset_s=rival.utc_offset_s, rivals=()) for rival in time.rivals]
    return settle_zone(found._replace(rivals=tuple(rivals)), context)
