"""Figures that are no quantity: codes, ratios, idioms, labels, and numbers that belong to a name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.quantities.calendars import months_from, period_reading
from verifier.core.quantities.marks import is_label, numbered_thing, read_phone, text_reading
from verifier.core.quantities.tokens import DIGITS, WORD
from verifier.core.quantities.versions import read_version
from verifier.core.units import unit_of
from verifier.core.values import Kind

if TYPE_CHECKING:
    from verifier.core.quantities.readings import Reading
    from verifier.core.quantities.tokens import Stream

_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?!\w)")
_HYPHENS: Final = frozenset("-‐‑")
_IDIOMS: Final = frozenset({("24", "7"), ("9", "11"), ("50", "50"), ("7", "24"), ("365", "24")})
_JOINTS: Final = frozenset(
    {"e", "x", "k", "h", "m", "d", "min", "ft", "s", "uhr", "kg", "lb", "′", "'"}
)
_SEASON_MARKS: Final = frozenset({"-", "–", "—", "‐", "‑"})
_SEASON_MONTHS: Final = 24
_LISTS: Final = frozenset({"and", "or", "to", "-", "–", ",", "&"})
_TAILS: Final = frozenset({"x", "s", "ish", "er"})


def read_named_figure(stream: Stream, index: int) -> Reading | int | None:
    """Return a phone number, version or identifier; an index to go on from after a label; else None."""
    uuid = _UUID.match(stream.text, stream.starts[index])
    if uuid is not None:
        return text_reading(stream, Kind.IDENTIFIER, index, uuid.end())
    found = (
        read_phone(stream, index) or read_version(stream, index) or numbered_thing(stream, index)
    )
    if found is not None:
        return found
    if is_label(stream, index):
        return _after_label(stream, index)
    return _code_of_digits(stream, index)


def _after_label(stream: Stream, index: int) -> int:
    """Return the index after `4.2`, `14g and 15c`, `22, 24 and 26` behind a label."""
    end = index + 1
    while True:
        while stream.glued(end) and stream.kinds[end] in {WORD, DIGITS}:
            end += 1
        listed = stream.folds[end] in _LISTS and stream.kinds[end + 1] == DIGITS
        if not listed or stream.words[end + 2] == "%":
            return end
        if stream.kinds[end + 2] == WORD and not stream.glued(end + 2):
            return end
        end += 2


def _code_of_digits(stream: Stream, index: int) -> Reading | int | None:
    """Return the index after `27-003`, `123-12-1234`, `24/7`, `4:3`, the two years of `2018-19`, or None."""
    if not (
        stream.glued(index + 1) and stream.glued(index + 2) and stream.kinds[index + 2] == DIGITS
    ):
        return None
    first, mark, second = stream.words[index : index + 3]
    if mark in _SEASON_MARKS and _is_season(first, second):
        days = months_from(int(first), 1, _SEASON_MONTHS)
        return None if days is None else period_reading(stream, index, index + 3, days)
    if mark in _HYPHENS and first.isdecimal() and second.isdecimal():
        return _hyphened(stream, index, first, second)
    if mark == "/" and ((first, second) in _IDIOMS or not second.strip("0")):
        return index + 3
    return index + 3 if mark == ":" else None


def _is_season(first: str, second: str) -> bool:
    """Return whether two years that follow each other are told as one: 2018–19."""
    if len(first) != 4 or len(second) != 2 or not (first.isdecimal() and second.isdecimal()):
        return False
    return first[:2] in {"19", "20"} and (int(first) + 1) % 100 == int(second)


def _hyphened(stream: Stream, index: int, first: str, second: str) -> int | None:
    third = (
        stream.words[index + 3] in _HYPHENS
        and stream.kinds[index + 4] == DIGITS
        and stream.glued(index + 4)
    )
    if third:
        return index + 5
    season = len(first) == 4 and len(second) == 2 and first[:2] in {"19", "20"}
    padded = second.startswith("0") and len(second) > 1
    return (
        index + 3
        if season or padded or (len(first) == 3 and len(second) == 4 and not second.endswith("00"))
        else None
    )


def opens_code(stream: Stream, index: int) -> bool:
    """Return whether digits, letters and digits stand together as in `7F3A`, and are no `2h30`."""
    letters, tail = stream.words[index + 1], index + 2
    if stream.kinds[tail] != DIGITS or not stream.glued(tail):
        shouted = (
            len(letters) > 1
            and len(letters) != 3
            and letters.isupper()
            and len(stream.words[index]) > 3
        )
        return shouted and unit_of(letters) is None
    if letters.lower() in _JOINTS or unit_of(letters + stream.words[tail]) is not None:
        return stream.kinds[index + 3] == DIGITS and stream.glued(index + 3)
    return True


def has_tail(stream: Stream, end: int) -> bool:
    """Return whether letters that are no unit are glued to the number before `end`: `15c`, `3D`."""
    if not stream.glued(end) or stream.kinds[end] != WORD:
        return False
    return ord(stream.words[end][0]) < 0x3000 and stream.folds[end] not in _TAILS
