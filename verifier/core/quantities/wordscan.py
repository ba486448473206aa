"""What stands at a word or a sign: a date, a number in words, money, a code."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.amounts import read_amount
from verifier.core.quantities.calendars import month_names
from verifier.core.quantities.clock import read_time
from verifier.core.quantities.dates import read_date
from verifier.core.quantities.fastlane import read_plain_price
from verifier.core.quantities.marks import read_code, read_phone, skip_marker, text_reading
from verifier.core.quantities.periodparts import read_part_number
from verifier.core.quantities.periods import read_period
from verifier.core.quantities.relative import read_last_n
from verifier.core.quantities.spokentimes import read_spoken_time
from verifier.core.quantities.tokens import DIGITS
from verifier.core.quantities.triggers import may_start
from verifier.core.quantities.versions import read_version
from verifier.core.quantities.wordamounts import (
    read_absolute_zero,
    read_article_unit,
    read_ordinal,
    read_vague,
)
from verifier.core.values import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from verifier.core.quantities.context import Context
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream
    from verifier.core.quantities.triggers import Trigger

_JOINTS: Final = frozenset("-‐‑_/#.")
_OPENERS: Final = frozenset("([#")
_MINUS: Final = frozenset("-−–+")
_BEFORE_SIGN: Final = frozenset("([{=<>~:,|€$£¥±≤≥;\"'“")
_ARTICLES: Final = frozenset({"a", "an"})
_CELL_OPENERS: Final = frozenset({"", "|", "\n", "is", "was", "of", ":", "at", "to", "were"})


def read_word_at(
    stream: Stream, index: int, context: Context, trigger: Trigger | None
) -> Reading | int | None:
    """Return the reading that the word at `index` starts, an index to go on from, or None."""
    following = stream.words[index + 1]
    if stream.starts[index + 1] == stream.ends[index] and (
        stream.kinds[index + 1] == DIGITS or following in _JOINTS
    ):
        step = _glued_word(stream, index, context, trigger.readers if trigger else "")
        if step is not None:
            return step
    if trigger is None or not may_start(stream, index, trigger):
        return None
    return _read_by(stream, index, context, trigger.readers)


def _read_by(stream: Stream, index: int, context: Context, letters: str) -> Reading | None:
    readers = _readers()
    for letter in letters:
        found = readers[letter](stream, index, context)
        if found is not None:
            return found
    return None


@cache
def _readers() -> Mapping[str, Callable[[Stream, int, Context], Reading | None]]:
    return {
        "v": lambda stream, index, _: read_version(stream, index),
        "t": read_time,
        "s": read_spoken_time,
        "d": read_date,
        "p": _read_any_period,
        "o": _ordinal_or_more,
        "u": _article_unit,
        "n": read_amount,
    }


def _read_any_period(stream: Stream, index: int, context: Context) -> Reading | None:
    found = read_last_n(stream, index, context) or read_part_number(stream, index)
    return found or read_period(stream, index, context)


def _ordinal_or_more(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return an ordinal unless a cardinal or fraction reads as many words: `one fifth`."""
    ordinal = read_ordinal(stream, index)
    if ordinal is None or ordinal.end == index + 1:
        return ordinal
    amount = read_amount(stream, index, context)
    return ordinal if amount is None or amount.end < ordinal.end else amount


def _article_unit(stream: Stream, index: int, context: Context) -> Reading | None:
    word = stream.folds[index]
    if word == "absolute":
        return read_absolute_zero(stream, index)
    vague = read_vague(stream, index)
    if vague is not None:
        return vague
    amount = read_amount(stream, index, context) if word in _ARTICLES else None
    return amount or read_article_unit(stream, index, context)


def _glued_word(stream: Stream, index: int, context: Context, readers: str) -> Reading | int | None:
    """Return what a word with digits glued to it is: `v2.0`, `Q1`, `EUR27.5`, `mar4`, else a code."""
    found = _read_by(
        stream, index, context, "".join(letter for letter in readers if letter in "vdpn")
    )
    if found is not None and found.end > index + 1:
        return found
    mark = stream.words[index + 1]
    if stream.kinds[index + 1] == DIGITS:
        return read_code(stream, index)
    if stream.kinds[index + 2] == DIGITS and stream.glued(index + 2):
        word = stream.words[index]
        coded = (
            mark == "/"
            and word.isupper()
            and len(word) > 1
            and stream.folds[index] not in month_names()
        )
        blocked = (
            mark == "."
            or (mark == "/" and not coded)
            or (mark == "-" and stream.folds[index] in _prefixes())
        )
        return None if blocked else read_code(stream, index)
    shouted = (
        stream.words[index].isupper() and len(stream.words[index]) > 1 and mark in {"-", "_", "‑"}
    )
    return read_code(stream, index) if shouted else None


@cache
def _prefixes() -> frozenset[str]:
    """Return the words that a hyphen joins to a number without making a code of it: `mid-2020`."""
    words = "mid pre post sub over under early late non and or to ca approx no p pp up minus plus max min"
    return frozenset({*month_names(), *words.split()})


def read_sign_at(stream: Stream, index: int, context: Context) -> Reading | int | None:
    """Return the reading that the sign at `index` starts, an index to go on from, or None."""
    word = stream.words[index]
    price = read_plain_price(stream, index, context)
    if price is not None:
        return price
    if word in _OPENERS:
        return _opened(stream, index, context)
    if word == "+" and stream.kinds[index + 1] == DIGITS:
        phone = read_phone(stream, index)
        if phone is not None:
            return phone
    if word in _MINUS and not _is_sign(stream, index):
        return None
    return read_amount(stream, index, context)


def _opened(stream: Stream, index: int, context: Context) -> Reading | int | None:
    """Return what a bracket or a hash opens: a negative amount, a marker, a phone number, an identifier."""
    word = stream.words[index]
    if word == "#":
        return _hash(stream, index)
    if word == "[":
        return skip_marker(stream, index)
    negative = _accounting(stream, index, context)
    if negative is not None:
        return negative
    marker = skip_marker(stream, index) if stream.gap(index) else None
    return marker or read_phone(stream, index)


def _is_sign(stream: Stream, index: int) -> bool:
    if stream.glued(index) and stream.words[index - 1] not in _BEFORE_SIGN:
        return False
    if not stream.glued(index + 1):
        return index == 0 and stream.kinds[1] == DIGITS and stream.count <= _LONE_SIGN_TOKENS
    return not (stream.words[index] == "–" and index and stream.kinds[index - 1] == DIGITS)


_LONE_SIGN_TOKENS: Final = 4
"""A sign apart from its number (`- 10 k`) counts only where that is the whole text, else it is a bullet."""


def _hash(stream: Stream, index: int) -> Reading | int | None:
    following = stream.words[index + 1]
    if (
        stream.kinds[index + 1] != DIGITS
        or not stream.glued(index + 1)
        or not following.isdecimal()
    ):
        return None
    if len(following) >= 3:
        return text_reading(stream, Kind.IDENTIFIER, index + 1, stream.ends[index + 1])
    return index + 2


def _accounting(stream: Stream, index: int, context: Context) -> Reading | None:
    """Return `(1,250)` and `($99.99)` in a table cell or after `is` as negative, or None."""
    before = stream.folds[index - 1] if index else ""
    if before not in _CELL_OPENERS and "\t" not in stream.gap(index):
        return None
    inner = read_amount(stream, index + 1, context)
    if inner is None or stream.words[inner.end] != ")" or inner.low is None or inner.low < 0:
        return None
    small = inner.plain and inner.low < 1000 and before != "|"
    if inner.kind is not Kind.MONEY and (inner.kind is not Kind.NUMBER or small or inner.spelled):
        return None
    low, high = -(inner.high or inner.low), -inner.low
    stops = stream.ends[inner.end]
    return inner._replace(
        start=index,
        begins=stream.starts[index],
        end=inner.end + 1,
        stops=stops,
        low=low,
        high=high,
        plain=False,
    )
