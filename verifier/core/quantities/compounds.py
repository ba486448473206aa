"""Parts of one amount that were read one by one: `5 ft 11 in`, `2h 30m`, a date and its time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.quantities.calendars import days_of
from verifier.core.quantities.clock import join_date_and_time
from verifier.core.quantities.zones import settle_zone
from verifier.core.units import TIME, unit_of
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream

_LINKS: Final = frozenset({"", "and", ",", "und", "et", "y", "e", "en", ", and"})
_TIME_LINKS: Final = frozenset(
    {"", "at", ",", ", at", "um", "à", "a las", "alle", "om", "às", "-", "@", "from", ") -", ", um"}
)
_DATE_LINKS: Final = frozenset({"", "on", ",", "am", "le", "el", "op", "of", ", on"})
_MINUTE_MARKS: Final = frozenset("'′’")
_SECOND_MARKS: Final = frozenset('"″”')
_RESTATED: Final = frozenset({"(", "="})
_FRACTION_WORDS: Final = {("and", "a", "half"): 2, ("and", "half"): 2, ("and", "a", "quarter"): 4}


def join_compounds(stream: Stream, readings: list[Reading], context: Context) -> list[Reading]:
    """Return the readings with neighbours that are one amount or one moment made into one."""
    joined: list[Reading] = []
    for reading in minutes_after_hours(stream, readings):
        added = _add_half(stream, reading)
        while joined and (one := _joined(stream, joined[-1], added, context)) is not None:
            joined.pop()
            added = one
        joined.append(added)
    return [
        settle_zone(reading, context) if reading.kind in {Kind.TIME, Kind.DATE} else reading
        for reading in _with_arcs(stream, joined)
    ]


def _with_arcs(stream: Stream, readings: list[Reading]) -> list[Reading]:
    """Return `2½' (150")` as minutes and seconds of arc: sixty to one, which feet and inches are not."""
    fixed: list[Reading] = []
    for reading in readings:
        minutes = _arc_minutes(stream, fixed[-1], reading) if fixed else None
        if minutes is not None:
            fixed[-1] = minutes
        fixed.append(reading if minutes is None else reading._replace(unit="arcsec"))
    return fixed


def _arc_minutes(stream: Stream, left: Reading, right: Reading) -> Reading | None:
    """Return the first amount in minutes of arc where the second says the same in seconds, or None."""
    if right.unit != "in" or stream.words[right.end - 1] not in _SECOND_MARKS:
        return None
    bare = left.unit is None and left.kind is Kind.NUMBER and stream.glued(left.end)
    end = left.end + bare
    marked = (bare or left.unit == "ft") and stream.words[end - 1] in _MINUTE_MARKS
    if not marked or stream.phrase(end, right.start - end) not in _RESTATED:
        return None
    if not left.low or left.low != left.high or left.low * 60 != right.low:
        return None
    return left._replace(
        kind=Kind.QUANTITY, unit="arcmin", end=end, stops=stream.ends[end - 1], plain=False
    )


def _add_half(stream: Stream, reading: Reading) -> Reading:
    """Return `an hour and a half` as one and a half."""
    if (
        reading.kind is not Kind.DURATION
        or reading.low is None
        or stream.folds[reading.end] != "and"
    ):
        return reading
    for words, parts in _FRACTION_WORDS.items():
        end = reading.end + len(words)
        if tuple(stream.folds[reading.end : end]) == words:
            value = reading.low + type(reading.low)(1, parts)
            return reading._replace(
                low=value, high=value, places=2, end=end, stops=stream.ends[end - 1]
            )
    return reading


def _joined(stream: Stream, left: Reading, right: Reading, context: Context) -> Reading | None:
    if right.start - left.end > 3 or right.begins < left.stops:
        return None
    link = stream.phrase(left.end, right.start - left.end)
    if left.kind is Kind.DATE and right.kind is Kind.TIME:
        return _moment(left, right, link, _TIME_LINKS, context)
    if left.kind is Kind.TIME and right.kind is Kind.DATE:
        return _moment(right, left, link, _DATE_LINKS, context)
    if left.kind is Kind.DATE and right.kind is Kind.DATE:
        return _week_and_day(left, right, link)
    if left.unit is None or right.unit is None or link not in _LINKS or left.per or right.per:
        return None
    return _summed(left, right)


def _moment(
    date: Reading, time: Reading, link: str, links: frozenset[str], context: Context
) -> Reading | None:
    single = date.low is not None and date.high == date.low + 1
    if link not in links or not (single or date.fault):
        return None
    return join_date_and_time(date, time, context)


def _week_and_day(left: Reading, right: Reading, link: str) -> Reading | None:
    """Return `next week on Tuesday` as that day of that week."""
    if (
        link in {"of", "", "in"}
        and right.low is not None
        and right.high == right.low + 7
        and left.high == (left.low or 0) + 1
    ):
        turned = _week_and_day(right._replace(begins=left.begins, start=left.start), left, "")
        return None if turned is None else turned._replace(end=right.end, stops=right.stops)
    if (
        link not in {"", "on", "-"}
        or left.low is None
        or left.high is None
        or right.low is None
        or left.high - left.low != 7
    ):
        return None
    for day in (right, *right.rivals):
        shifted = left.low + (int(day.low or 0) - 1) % 7
        if day.high == (day.low or 0) + 1:
            return right._replace(
                low=shifted,
                high=shifted + 1,
                begins=left.begins,
                start=left.start,
                rivals=(),
                high_open=True,
            )
    return None


def _summed(left: Reading, right: Reading) -> Reading | None:
    """Return two amounts of one dimension, the second in a smaller unit, as their sum in that unit."""
    large, small = unit_of(left.unit or ""), unit_of(right.unit or "")
    if large is not None and small is not None and large.dimension == TIME and right.unit == "m":
        return None
    if large is None or small is None or large.dimension != small.dimension or large.has_offset:
        return None
    if left.low is None or right.low is None or left.low != left.high or right.low != right.high:
        return None
    ratio = large.factor / small.factor
    if ratio <= 1 or not 0 <= right.low < ratio * 4 or left.low.denominator != 1 or left.places > 0:
        return None
    if ratio.denominator != 1 and large.dimension == TIME:
        return None
    sign = -1 if left.low < 0 else 1
    total = left.low * ratio + sign * right.low
    return left._replace(
        low=total,
        high=total,
        unit=right.unit,
        kind=right.kind,
        places=right.places,
        end=right.end,
        stops=right.stops,
        plain=False,
        rivals=(),
        scale=1,
    )


def minutes_after_hours(stream: Stream, readings: list[Reading]) -> list[Reading]:
    """Return the readings with the `m` of `2h 30m` as minutes, not metres."""
    fixed: list[Reading] = []
    for reading in readings:
        before = fixed[-1] if fixed else None
        follows = (
            before is not None
            and before.kind is Kind.DURATION
            and before.unit in {"h", "d"}
            and reading.start <= before.end + 1
        )
        if follows and reading.unit == "m" and stream.words[reading.end - 1] == "m":
            reading = reading._replace(kind=Kind.DURATION, unit="min", rivals=())  # noqa: PLW2901
        fixed.append(reading)
    return fixed


def bare_day(reading: Reading) -> bool:
    """Return whether a number could be a day of a month: a plain one from 1 to 31, or an ordinal."""
    number = reading.low
    plain = reading.kind is Kind.ORDINAL or (
        reading.kind is Kind.NUMBER and (reading.plain or reading.spelled)
    )
    return plain and number is not None and number.denominator == 1 and 1 <= number <= 31


def day_in_month_of(date: Reading, day: int) -> Reading | None:
    """Return the day of that number in the month of a one-day date, with the date's own year or without."""
    from datetime import date as calendar_date

    if date.low is None or date.high != date.low + 1:
        return None
    known = calendar_date.fromordinal(int(date.low))
    days = days_of(known.year, known.month, day)
    return None if days is None else date._replace(low=days[0], high=days[1])
