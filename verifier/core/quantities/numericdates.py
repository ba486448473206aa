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
       |(?P<han>(?:(\d{4})[ ]?[年년][ ]?)?(\d{1,2})[ ]?[月월](?:[ ]?(\d{1,2})[ ]?[日号號일])?)    # 2026年5月8日
    """,
    re.VERBOSE | re.IGNORECASE,
)


def token_at(stream: Stream, index: int, stops: int) -> int:
    end = index + 1
    while end < stream.count and stream.starts[end] < stops:
        end += 1
    return end


def read_numeric_date(stream: Stream, index: int, context: Context) -> Reading | None:
    following = stream.text[stream.ends[index] : stream.ends[index] + 2]
    if (
        "." not in stream.words[index]
        and following[:1] not in "-/年月년월"
        and following[1:] not in {"年", "月", "년", "월"}
    ):
        return None
    match = _NUMERIC.match(stream.text, stream.starts[index])
    if match is None:
        return None
    end = token_at(stream, index, match.end())
    if match["iso"]:
        year, month, day = int(match[2]), int(match[4]), int(match[5])
        if match[3] == "." and month > 12:
            return None
        return (
            date_reading(stream, index, end, year, month, day)
            if FIRST_YEAR <= year <= LAST_YEAR
            else None
        )
    if match["local"]:
        return _local_date(stream, (index, end), (match[7], match[9], match[10]), match[8], context)
    if match["month"]:
        year, month = int(match[12]), int(match[13])
        return (
            date_reading(stream, index, end, year, month)
            if 1 <= month <= 12 and 1800 <= year <= 2200
            else None
        )
    if match["named"]:
        return _named_between(stream, index, end, (match[15], match[18]), context)
    if match["han"] and (match[22] or match[20]):
        year = int(match[20]) if match[20] else None
        found = date_reading(
            stream, index, end, year, int(match[21]), int(match[22]) if match[22] else None
        )
        return found._replace(stops=match.end())
    return None


def _local_date(
    stream: Stream, place: tuple[int, int], parts: tuple[str, str, str], mark: str, context: Context
) -> Reading | None:
    """Return a date whose order of day and month the locale, the mark or the numbers tell; else both."""
    first, second = int(parts[0]), int(parts[1])
    short = len(parts[2]) == 2
    if short and (mark == "-" or (mark == "." and len(parts[0] + parts[1]) < 3)):
        return None
    year = full_year(parts[2])
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    day_first = True if mark == "." else context.day_first
    if first > 12 >= second:
        day_first = True
    elif second > 12 >= first:
        day_first = False
    day, month = (first, second) if day_first in {True, None} else (second, first)
    if short and not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    found = date_reading(stream, *place, year, month, day)
    if day_first is not None or first == second:
        return found
    american = date_reading(stream, *place, year, day, month)
    return american._replace(rivals=(found,))


def _named_between(
    stream: Stream, index: int, end: int, ends: tuple[str, str], context: Context
) -> Reading | None:
    month = next(
        (number for at in range(index, end) if (number := month_at(stream, at, context))), None
    )
    if month is None:
        return None
    year, day = (ends[0], ends[1]) if len(ends[0]) == 4 else (ends[1], ends[0])
    if len(day) > 2 or len(year) not in {2, 4}:
        return None
    return date_reading(stream, index, end, full_year(year), month, int(day))


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
    found = date_reading(stream, index, index + 3, None, month, day)
    if context.day_first is None and day <= 12 and day != month:
        found = found._replace(rivals=(date_reading(stream, index, index + 3, None, day, month),))
    return found


def counts_something(stream: Stream, index: int) -> bool:
    """Return whether a unit or noun follows, so that the digits are a fraction (`1/2 cup`)."""
    word = stream.folds[index]
    return (
        stream.kinds[index] == WORD
        and word not in word_set("quantity_words", "not_nouns")
        and word not in word_set("quantity_words", "verbs")
    )
