"""Times of day in words: `half past eight`, `seven pm`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.quantities.clock import time_reading
from verifier.core.quantities.readings import Reading
from verifier.core.quantities.wordsums import word_values
from verifier.core.quantities.zones import (
    DAY_SECONDS,
    with_zone,
)

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.tokens import Stream


def read_spoken_time(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `seven pm`, `four o'clock`, `half past eight`, `20 past nine`, `a quarter to six`, or None."""
    minutes, position = 0, index
    link = next(
        (at for at in range(index + 1, index + 5) if stream.folds[at] in {"past", "to"}), None
    )
    if link is not None:
        spoken = _spoken_minutes(stream, index, link)
        if spoken is None:
            return None
        minutes, position = (spoken if stream.folds[link] == "past" else -spoken), link + 1
    hour = _spoken_hour(stream, position)
    if hour is None:
        return None
    end = position + 1
    half = stream.folds[end] if stream.folds[end] in {"am", "pm"} else ""
    clock = stream.folds[end] in {"o'clock", "o’clock", "oclock"}
    if not (half or clock or link is not None):
        return None
    end += 1 if half or clock else 0
    second = (hour % 12 if half else hour) * 3600 + (43_200 if half == "pm" else 0) + minutes * 60
    return with_zone(
        stream, time_reading(stream, index, stream.ends[end - 1], second % DAY_SECONDS, 60), context
    )


def _spoken_minutes(stream: Stream, index: int, link: int) -> int | None:
    words = [
        word for word in stream.folds[index:link] if word not in {"a", "minutes", "min", "minute"}
    ]
    if len(words) != 1:
        return None
    named = {"half": 30, "quarter": 15}.get(words[0])
    number = named or (
        int(words[0])
        if words[0].isdecimal() and len(words[0]) < 3
        else word_values().get(words[0], ("", 0))[1]
    )
    return (
        number
        if 0 < number < 60
        and stream.folds[link] in {"past", "to"}
        and (named or stream.folds[link] == "past")
        else None
    )


def _spoken_hour(stream: Stream, index: int) -> int | None:
    word = stream.folds[index]
    hour = int(word) if word.isdecimal() and len(word) < 3 else word_values().get(word, ("", 0))[1]
    return hour if 1 <= hour <= 12 else None
