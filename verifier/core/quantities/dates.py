"""Dates as people write them: ISO, by locale, with month names, in Chinese characters; years."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.calendars import (
    FIRST_YEAR,
    LAST_YEAR,
    date_reading,
    full_year,
    is_weak_month,
    month_at,
    month_names,
    weekday_names,
)
from verifier.core.quantities.tokens import BREAK, DIGITS, END, IDEOGRAPH, WORD
from verifier.core.quantities.wordnumbers import read_ordinal_words
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
_STAMP: Final = re.compile(
    r"(\d{1,2})[ ]+(\d{1,2}:\d{2}(?::\d{2})?)[ ]+(?:[A-Z]{3,4}[ ]+)?(\d{4})(?!\d)"
)
_SUFFIXES: Final = frozenset({"st", "nd", "rd", "th", "er", "º", "ª", "ère"})
_YEAR_JOINTS: Final = frozenset({",", ".", "-", "/", "of", "de", "del", "in"})
_CLOSERS: Final = frozenset(".,;:)?!-–—'\"")
_JOINTS: Final = frozenset({"of", "de", "del", "di", "den", "der", ".", "-", "/", ",", "the"})


def read_date(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return the date that starts at token `index`, a weekday before it included, or None."""
    weekday = weekday_names().get(stream.folds[index])
    if weekday is None:
        return _read_plain_date(stream, index, context)
    start = index + 1
    while stream.words[start] in {",", ".", "the", "den", "le"} and start < index + 3:
        start += 1
    found = _read_plain_date(stream, start, context)
    if found is None:
        return None
    found = found._replace(start=index, begins=stream.starts[index])
    differs = found.unit is None and found.low is not None and (int(found.low) - 1) % 7 != weekday
    return (
        found._replace(fault="other_weekday")
        if differs and found.high == (found.low or 0) + 1
        else found
    )


def _read_plain_date(stream: Stream, index: int, context: Context) -> Reading | None:
    if stream.kinds[index] == DIGITS:
        return _numeric_date(stream, index, context) or _day_first(stream, index, context)
    if stream.kinds[index] == WORD:
        return _month_first(stream, index, context) or _worded_day(stream, index, context)
    return None


def _token_at(stream: Stream, index: int, stops: int) -> int:
    end = index + 1
    while end < stream.count and stream.starts[end] < stops:
        end += 1
    return end


def _numeric_date(stream: Stream, index: int, context: Context) -> Reading | None:
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
    end = _token_at(stream, index, match.end())
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


def _day_first(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `8 May 2026`, `14th of Feb`, `17Apr25`, `4. Mai`, `5 de mayo de 2026`, or None."""
    word = stream.words[index]
    if not word.isdecimal() or len(word) > 2 or not 1 <= int(word) <= 39:
        return None
    position = index + 1
    if stream.glued(position) and stream.folds[position] in _SUFFIXES:
        position += 1
    if stream.phrase(position, 2) == "day of":
        position += 2
    joined = 0
    while stream.folds[position] in _JOINTS and joined < 2:
        position, joined = position + 1, joined + 1
    month = month_at(stream, position, context)
    if month is None or (
        is_weak_month(stream, position) and not _may_be_month(stream, position, joined)
    ):
        return None
    year, end = _year_after(stream, position + 1)
    return date_reading(stream, index, end, year, month, int(word))


def _may_be_month(stream: Stream, index: int, joined: int) -> bool:
    return (
        stream.words[index][:1].isupper()
        or joined > 0
        or stream.glued(index)
        or stream.folds[index] != "may"
    )


def _year_after(stream: Stream, index: int) -> tuple[int | None, int]:
    """Return the year at `index`, behind a comma, hyphen or `of`, and the index after it."""
    joint = stream.folds[index]
    position = index + 1 if joint in _YEAR_JOINTS else index
    word, short = stream.words[position], False
    if word in {"'", "’"}:
        position, short = position + 1, True
        word = stream.words[position]
    if not word.isdecimal() or _is_amount(stream, position):
        return None, index
    if len(word) == 4 and FIRST_YEAR <= int(word) <= LAST_YEAR:
        return int(word), position + 1
    glued = stream.glued(position) and joint not in {"-", ","}
    if len(word) == 2 and (short or joint == "of" or glued):
        return full_year(word), position + 1
    return None, index


def _is_amount(stream: Stream, index: int) -> bool:
    return stream.words[index + 1] in {"%", "€", "$", ":"} and stream.glued(index + 1)


def _month_first(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `May 8, 2026`, `Oct/2`, `Sep 14 08:30:00 2026`, `May 2026`, `in May`, or None."""
    month = month_at(stream, index, context)
    if month is None or (stream.glued(index) and stream.kinds[index - 1] == WORD):
        return None
    position = index + 1
    if stream.words[position] == "." and stream.kinds[position + 1] == DIGITS:
        position += 1
    stamp = (
        _STAMP.match(stream.text, stream.starts[position])
        if stream.kinds[position] == DIGITS
        else None
    )
    if stamp is not None:
        return _stamped(stream, index, month, stamp)
    if stream.words[position] in {",", "/", "-", "the"} or stream.folds[position] in {
        "the",
        "of",
        "de",
    }:
        position += 1
    if (
        is_weak_month(stream, index)
        and stream.words[index].islower()
        and _counts_something(stream, position + 1)
    ):
        return None
    return (
        _month_and_number(stream, index, position, month)
        or _month_and_words(stream, index, position, month)
        or _lone_month(stream, index, month)
    )


def _stamped(stream: Stream, index: int, month: int, stamp: re.Match[str]) -> Reading:
    from verifier.core.quantities.clock import add_time, seconds_of

    end = _token_at(stream, index, stamp.end())
    found = date_reading(stream, index, end, int(stamp[3]), month, int(stamp[1]))
    seconds = seconds_of(stamp[2])
    return found if seconds is None else add_time(found, *seconds)


def _month_and_number(stream: Stream, index: int, position: int, month: int) -> Reading | None:
    word = stream.words[position]
    if not word.isdecimal():
        return None
    if len(word) == 4 and FIRST_YEAR <= int(word) <= LAST_YEAR and not _is_amount(stream, position):
        return date_reading(stream, index, position + 1, int(word), month)
    if len(word) > 2 or not 1 <= int(word) <= 39 or stream.words[position + 1] in {"%", ":"}:
        if len(word) == 2 and stream.folds[position - 1] == "of":
            return date_reading(stream, index, position + 1, full_year(word), month)
        return None
    if stream.folds[position - 1] == "of":
        return date_reading(stream, index, position + 1, full_year(word.zfill(2)), month)
    end = position + 1
    if stream.glued(end) and stream.folds[end] in _SUFFIXES:
        end += 1
    year, after = _year_after(stream, end)
    return date_reading(stream, index, after, year, month, int(word))


def _month_and_words(stream: Stream, index: int, position: int, month: int) -> Reading | None:
    ordinal = read_ordinal_words(stream, position)
    if ordinal is None or not 1 <= ordinal.value <= 31:
        return None
    year, end = _year_after(stream, ordinal.end)
    return date_reading(stream, index, end, year, month, int(ordinal.value))


def _lone_month(stream: Stream, index: int, month: int) -> Reading | None:
    word, before = stream.words[index], stream.folds[index - 1] if index else ""
    capital = word[:1].isupper()
    dashed = stream.words[index + 1] in {"-", "–"} and stream.folds[index + 2] in month_names()
    if is_weak_month(stream, index) or len(word) < 4:
        cued = before in word_set("calendar", "month_cues") and (
            capital or before not in {"to", "and", "of"}
        )
    else:
        cued = capital or before in word_set("calendar", "plain_month_cues")
    return (
        date_reading(stream, index, index + 1, None, month)
        if cued or (dashed and capital)
        else None
    )


def _worded_day(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `second of Aug`, `fourth of july 1995`, or None."""
    ordinal = read_ordinal_words(stream, index)
    if ordinal is None or not 1 <= ordinal.value <= 31:
        return None
    position = ordinal.end + (stream.folds[ordinal.end] == "of")
    month = month_at(stream, position, context)
    if month is None or (position == ordinal.end and not stream.words[position][:1].isupper()):
        return None
    year, end = _year_after(stream, position + 1)
    return date_reading(stream, index, end, year, month, int(ordinal.value))


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
    if not cued or stream.words[index + 3] == "/" or _counts_something(stream, index + 3):
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


def _counts_something(stream: Stream, index: int) -> bool:
    """Return whether a unit or noun follows, so that the digits are a fraction (`1/2 cup`)."""
    word = stream.folds[index]
    return (
        stream.kinds[index] == WORD
        and word not in word_set("quantity_words", "not_nouns")
        and word not in word_set("quantity_words", "verbs")
    )


def read_year(stream: Stream, index: int) -> Reading | None:
    """Return `2013` as a year where a word before it says so, `1960s` as a decade, or None."""
    word, after = stream.words[index], stream.folds[index + 1]
    if not word.isdecimal() or len(word) != 4 or not 1000 <= int(word) <= 2200 or not index:
        return None
    if (
        after in {"s", "’s", "'s"}
        and word.endswith("0")
        and stream.starts[index + 1] - stream.ends[index] <= 1
    ):
        return decade_reading(stream, index, index + 2, int(word))
    before = stream.folds[index - 1]
    than = before in {"than", "then"} and stream.folds[index - 2] in {
        "later",
        "earlier",
        "newer",
        "older",
    }
    if not (than or before in word_set("calendar", "year_cues")) or int(word) < 1500:
        return None
    if (
        after in {"-", "–"}
        and len(stream.words[index + 2]) == 2
        and stream.words[index + 2].isdecimal()
    ):
        return None
    if stream.kinds[index + 1] in {END, BREAK, IDEOGRAPH} or after in _CLOSERS:
        return date_reading(stream, index, index + 1, int(word))
    closes = not _counts_something(stream, index + 1) and stream.kinds[index + 1] == WORD
    loose = before in {"about", "around", "over", "for", "and", "to"}
    return date_reading(stream, index, index + 1, int(word)) if closes and not loose else None


def decade_reading(stream: Stream, start: int, end: int, year: int) -> Reading:
    """Return the reading of the ten years from `year` on."""
    from verifier.core.quantities.calendars import months_from, period_reading

    days = months_from(year, 1, 120)
    return (
        period_reading(stream, start, end, days) if days else date_reading(stream, start, end, year)
    )
