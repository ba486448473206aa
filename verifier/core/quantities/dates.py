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
from verifier.core.quantities.numericdates import counts_something, read_numeric_date, token_at
from verifier.core.quantities.tokens import DIGITS, WORD
from verifier.core.quantities.wordnumbers import read_ordinal_words
from verifier.core.tables import word_set
from verifier.core.values import Writing

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream

_STAMP: Final = re.compile(
    r"(\d{1,2})[ ]+(\d{1,2}:\d{2}(?::\d{2})?)[ ]+(?:[A-Z]{3,4}[ ]+)?(\d{4})(?!\d)"
)
_SUFFIXES: Final = frozenset({"st", "nd", "rd", "th", "er", "º", "ª", "ère"})
_YEAR_JOINTS: Final = frozenset({",", ".", "-", "/", "of", "de", "del", "in"})
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
        return read_numeric_date(stream, index, context) or _day_first(stream, index, context)
    if stream.kinds[index] == WORD:
        return _month_first(stream, index, context) or _worded_day(stream, index, context)
    return None


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
    return date_reading(stream, (index, end), year, month, int(word))


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
        and counts_something(stream, position + 1)
    ):
        return None
    return (
        _month_and_number(stream, index, position, month)
        or _month_and_words(stream, index, position, month)
        or _lone_month(stream, index, month)
    )


def _stamped(stream: Stream, index: int, month: int, stamp: re.Match[str]) -> Reading:
    from verifier.core.quantities.clock import add_time, seconds_of

    end = token_at(stream, index, stamp.end())
    found = date_reading(stream, (index, end), int(stamp[3]), month, int(stamp[1]))
    seconds = seconds_of(stamp[2])
    return found if seconds is None else add_time(found, *seconds)


def _month_and_number(stream: Stream, index: int, position: int, month: int) -> Reading | None:
    word = stream.words[position]
    if not word.isdecimal():
        return None
    if len(word) == 4 and FIRST_YEAR <= int(word) <= LAST_YEAR and not _is_amount(stream, position):
        return date_reading(stream, (index, position + 1), int(word), month)
    if len(word) > 2 or not 1 <= int(word) <= 39 or _is_other(stream, position):
        if len(word) == 2 and stream.folds[position - 1] == "of":
            return date_reading(stream, (index, position + 1), full_year(word), month)
        return None
    if stream.folds[position - 1] == "of":
        return date_reading(stream, (index, position + 1), full_year(word.zfill(2)), month)
    return _month_and_days(stream, index, position, month)


def _month_and_days(stream: Stream, index: int, position: int, month: int) -> Reading:
    """Return `May 8, 2026` or `May 8-10, 2026`; the number of the first day is at `position`."""
    word, end = stream.words[position], position + 1
    if stream.glued(end) and stream.folds[end] in _SUFFIXES:
        end += 1
    last = _last_day(stream, end, int(word))
    year, after = _year_after(stream, end if last is None else end + 2)
    found = date_reading(stream, (index, after), year, month, int(word))
    if last is None:
        return found
    until = date_reading(stream, (index, after), year, month, last)
    return until if until.fault else found._replace(high=until.high, writing=Writing.RANGE)


def _is_other(stream: Stream, index: int) -> bool:
    """Return whether a number behind a month is a share or a time: "19:30", and not "May 19: a tour"."""
    after = stream.words[index + 1]
    clock = after == ":" and stream.kinds[index + 2] == DIGITS and stream.glued(index + 2)
    return after == "%" or clock


def _last_day(stream: Stream, index: int, day: int) -> int | None:
    """Return the day behind a dash: the 28 of "May 27-28, 2024"."""
    if stream.words[index] not in {"-", "–"} or not stream.glued(index):
        return None
    word = stream.words[index + 1]
    if not word.isdecimal() or len(word) > 2 or not day < int(word) <= 31:
        return None
    return None if _is_other(stream, index + 1) or not stream.glued(index + 1) else int(word)


def _month_and_words(stream: Stream, index: int, position: int, month: int) -> Reading | None:
    ordinal = read_ordinal_words(stream, position)
    if ordinal is None or not 1 <= ordinal.value <= 31:
        return None
    year, end = _year_after(stream, ordinal.end)
    return date_reading(stream, (index, end), year, month, int(ordinal.value))


def _lone_month(stream: Stream, index: int, month: int) -> Reading | None:
    word, before = stream.words[index], stream.folds[index - 1] if index else ""
    capital = word[:1].isupper()
    dashed = stream.words[index + 1] in {"-", "–"} and stream.folds[index + 2] in month_names()
    if stream.folds[index] in {"may", "march", "mar"} and not capital:
        cued = before in {"in", "since", "until", "last", "next"}
    elif is_weak_month(stream, index) or len(word) < 4:
        cued = before in word_set("calendar", "month_cues") and (
            capital or before not in {"to", "and", "of"}
        )
    else:
        cued = capital or before in word_set("calendar", "plain_month_cues")
    return (
        date_reading(stream, (index, index + 1), None, month)
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
    return date_reading(stream, (index, end), year, month, int(ordinal.value))
