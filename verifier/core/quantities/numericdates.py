"""Dates in figures: ISO, by locale, with month names between marks, in Chinese characters; `10/1`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.calendars import (
    FIRST_YEAR,
    LAST_YEAR,
    date_reading,
    full_year,
    month_at,
)
from verifier.core.quantities.tokens import WORD
from verifier.core.tables import word_set

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream


_NUMERIC: Final = re.compile(
    r"""(?P<iso>(\d{4})([-/.])(\d{1,2})\3(\d{1,2}))(?![\d])        # 2026-05-08
       |(?P<local>(\d{1,2})([-/.])(\d{1,2})\8(\d{4}(?!\d|[/.]\d)|\d{2}(?!\d|[-/.]\d)))   # 02/03/2026
       |(?P<month>(\d{4})-(\d{2}))(?![\d]|[-/.]\d|-[a-z])             # 2015-12
       |(?P<named>(\d{1,4})([-/])([^\W\d_]{3,9})\16(\d{1,4}))(?![\d\w])   # 22/Jan/2019
       |(?P<han>(?:(\d{4})[ ]?[年년][ ]?)?(\d{1,2})[ ]?[月월](?:[ ]?(\d{1,2})[ ]?[日号號일])?)  # 5月8日
    """,
    re.VERBOSE | re.IGNORECASE,
)


def token_at(stream: Stream, index: int, stops: int) -> int:
    """Return the index of the first token after `index` that begins at or after the character `stops`."""
    end = index + 1
    while end < stream.count and stream.starts[end] < stops:
        end += 1
    return end


_MARKS: Final = frozenset("-/年月년월")
_HAN_MARKS: Final = frozenset("年月년월")


def read_numeric_date(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return the date in figures at token `index`, or None."""
    following = stream.text[stream.ends[index] : stream.ends[index] + 2]
    marked = "." in stream.words[index] or following[:1] in _MARKS or following[1:] in _HAN_MARKS
    match = _NUMERIC.match(stream.text, stream.starts[index]) if marked else None
    if match is None:
        return None
    place = (index, token_at(stream, index, match.end()))
    if match["iso"]:
        return _iso_date(stream, place, match)
    if match["local"]:
        return _local_date(stream, place, (match[7], match[9], match[10]), match[8], context)
    if match["month"]:
        return _year_and_month(stream, place, int(match[12]), int(match[13]))
    if match["named"]:
        return _named_between(stream, place, (match[15], match[18]), context)
    return _han_date(stream, place, match)


def _iso_date(stream: Stream, place: tuple[int, int], match: re.Match[str]) -> Reading | None:
    year, month, day = int(match[2]), int(match[4]), int(match[5])
    if not FIRST_YEAR <= year <= LAST_YEAR or (match[3] == "." and month > 12):
        return None
    return date_reading(stream, place, year, month, day)


def _year_and_month(
    stream: Stream, place: tuple[int, int], year: int, month: int
) -> Reading | None:
    return (
        date_reading(stream, place, year, month)
        if 1 <= month <= 12 and 1800 <= year <= 2200
        else None
    )


def _han_date(stream: Stream, place: tuple[int, int], match: re.Match[str]) -> Reading | None:
    """Return `2026年5月8日`, `2026年5月`, `5月8日`; a month alone is too little."""
    year = int(match[20]) if match[20] else None
    day = int(match[22]) if match[22] else None
    if year is None and day is None:
        return None
    return date_reading(stream, place, year, int(match[21]), day)._replace(stops=match.end())


def _local_date(
    stream: Stream, place: tuple[int, int], parts: tuple[str, str, str], mark: str, context: Context
) -> Reading | None:
    """Return a date whose order of day and month the locale, the mark or the numbers tell; else both."""
    first, second, year = int(parts[0]), int(parts[1]), full_year(parts[2])
    short = len(parts[2]) == 2
    if short and (mark == "-" or (mark == "." and len(parts[0] + parts[1]) < 3)):
        return None
    day_first = _day_comes_first(first, second, mark, context)
    day, month = (second, first) if day_first is False else (first, second)
    if not FIRST_YEAR <= year <= LAST_YEAR or (short and not (1 <= month <= 12 and 1 <= day <= 31)):
        return None
    found = date_reading(stream, place, year, month, day)
    if day_first is not None or first == second:
        return found
    return date_reading(stream, place, year, day, month)._replace(rivals=(found,))


def _day_comes_first(first: int, second: int, mark: str, context: Context) -> bool | None:
    if first > 12 >= second:
        return True
    if second > 12 >= first:
        return False
    return True if mark == "." else context.day_first


def _named_between(
    stream: Stream, place: tuple[int, int], ends: tuple[str, str], context: Context
) -> Reading | None:
    """Return `22/Jan/2019` or `2019-aug-01`, or None."""
    month = next(
        (number for at in range(*place) if (number := month_at(stream, at, context))), None
    )
    year, day = ends if len(ends[0]) == 4 else (ends[1], ends[0])
    if month is None or len(day) > 2 or len(year) not in {2, 4}:
        return None
    return date_reading(stream, place, full_year(year), month, int(day))


def read_slashed(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `10/1` as a day and month where a word before or a weekday says that it is one, or None."""
    first, second = stream.words[index], stream.words[index + 2]
    whole = stream.words[index + 1] == "/" and stream.glued(index + 1) and stream.glued(index + 2)
    if not (whole and first.isdecimal() and second.isdecimal()) or max(len(first), len(second)) > 2:
        return None
    after_dash = (
        index > 3 and stream.words[index - 1] in {"-", "–"} and stream.words[index - 3] == "/"
    )
    cued = stream.folds[index - 1] in word_set("calendar", "date_cues") or after_dash
    if not cued or stream.words[index + 3] == "/" or counts_something(stream, index + 3):
        return None
    return _day_and_month(stream, index, (int(first), int(second)), context)


def _day_and_month(
    stream: Stream, index: int, numbers: tuple[int, int], context: Context
) -> Reading | None:
    month, day = numbers
    if (context.day_first and 1 <= day <= 12) or month > 12:
        month, day = day, month
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    found = date_reading(stream, (index, index + 3), None, month, day)
    if context.day_first is None and day <= 12 and day != month:
        found = found._replace(rivals=(date_reading(stream, (index, index + 3), None, day, month),))
    return found


def counts_something(stream: Stream, index: int) -> bool:
    """Return whether a unit or noun follows, so that the digits are a fraction (`1/2 cup`)."""
    word = stream.folds[index]
    return (
        stream.kinds[index] == WORD
        and word not in word_set("quantity_words", "not_nouns")
        and word not in word_set("quantity_words", "verbs")
    )
