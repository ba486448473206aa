"""Times of day in words: `half past eight`, `seven pm`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.quantities.clock import time_reading
from verifier.core.quantities.wordsums import word_values
from verifier.core.quantities.zones import (
    DAY_SECONDS,
    with_zone,
)

if TYPE_CHECKING:
    from verifier.core.quantities.context import Context
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream

_MINUTE_WORDS: Final = frozenset({"a", "minutes", "min", "minute"})
_NAMED_MINUTES: Final = {"half": 30, "quarter": 15}
_HOUR_MARKS: Final = frozenset({"am", "pm", "o'clock", "o’clock", "oclock"})


def read_spoken_time(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `seven pm`, `four o'clock`, `half past eight`, `20 past nine`, `a quarter to six`, or None."""
    ahead = stream.folds[index + 1 : index + 5]
    if "past" not in ahead and "to" not in ahead:
        return _on_the_hour(stream, index, context)
    link = next(at for at in range(index + 1, index + 5) if stream.folds[at] in {"past", "to"})
    minutes = _spoken_minutes(stream, index, link)
    hour = _spoken_hour(stream, link + 1)
    if minutes is None or hour is None:
        return _on_the_hour(stream, index, context)
    past = stream.folds[link] == "past"
    second = hour * 3600 + (minutes if past else -minutes) * 60
    return _spoken(stream, (index, link + 2), second, context)


def _on_the_hour(stream: Stream, index: int, context: Context) -> Reading | None:
    hour, after = _spoken_hour(stream, index), stream.folds[index + 1]
    if hour is None or after not in _HOUR_MARKS:
        return None
    if after in {"am", "pm"}:
        hour = hour % 12 + 12 * (after == "pm")
    return _spoken(stream, (index, index + 2), hour * 3600, context)


def _spoken(stream: Stream, place: tuple[int, int], second: int, context: Context) -> Reading:
    start, end = place
    found = time_reading(stream, start, stream.ends[end - 1], second % DAY_SECONDS, 60)
    return with_zone(stream, found, context)


def _spoken_minutes(stream: Stream, index: int, link: int) -> int | None:
    words = [word for word in stream.folds[index:link] if word not in _MINUTE_WORDS]
    if len(words) != 1:
        return None
    named = _NAMED_MINUTES.get(words[0])
    number = named or _small_number(words[0])
    told = named is not None or stream.folds[link] == "past"
    return number if told and 0 < number < 60 else None


def _small_number(word: str) -> int:
    """Return a number of one or two figures or of one word; 0 for anything else."""
    if word.isdecimal():
        return int(word) if len(word) < 3 else 0
    return word_values().get(word, ("", 0))[1]


def _spoken_hour(stream: Stream, index: int) -> int | None:
    hour = _small_number(stream.folds[index])
    return hour if 1 <= hour <= 12 else None
