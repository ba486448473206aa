"""Which of two values is the earlier: by the dates that their periods name, or by words such as "before"."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from verifier.core.lexicons import load_word_lists
from verifier.core.text import fold

_LONGEST: Final = 80
_MONTHS: Final = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
_ISO: Final = re.compile(r"(?<!\d)((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?(?!\d)")
_YEAR: Final = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_QUARTER: Final = re.compile(r"(?<![a-z])(?:q|quarter )([1-4])(?!\d)")
_MONTH: Final = re.compile(rf"(?<![a-z])({'|'.join(_MONTHS)})[a-z]*")
_WORDS: Final = re.compile(r"[a-z]+")


def is_earlier(one: str | None, other: str | None) -> bool | None:
    """Return whether period `one` lies before `other`; None where that is not told.

    Periods are compared only where both name a date to the same precision (2019 and 2020, Q1 2024 and
    Q3 2024, two ISO dates), or where one has a word of the earlier value ("rate_before", "original
    price", "deposited") and the other one of the later.
    """
    if one is None or other is None or one == other:
        return None
    mine, theirs = _point(one), _point(other)
    if mine is not None and theirs is not None:
        comparable = len(mine) == len(theirs) and mine != theirs
        return mine < theirs if comparable else None
    if mine is not None or theirs is not None:
        return None
    sides = _side(one), _side(other)
    if None in sides or sides[0] == sides[1]:
        return None
    return sides[0] == "earlier"


def tells_side(period: str) -> bool:
    """Return whether a field's words say that its value is the earlier or the later one of two."""
    return _side(period) is not None


@lru_cache(maxsize=512)
def _point(period: str) -> tuple[int, ...] | None:
    text = fold(period[:_LONGEST]).replace("_", " ")
    iso = _ISO.search(text)
    if iso is not None:
        return tuple(int(part) for part in iso.groups() if part)
    years = set(_YEAR.findall(text))
    if len(years) != 1:
        return None
    year = int(next(iter(years)))
    quarter, month = _QUARTER.search(text), _MONTH.search(text)
    if quarter is not None:
        return (year, 0, 0, int(quarter[1]))
    return (year, _MONTHS.index(month[1]) + 1) if month is not None else (year,)


@lru_cache(maxsize=512)
def _side(period: str) -> str | None:
    lists = load_word_lists("derivation_cues")
    words = _WORDS.findall(fold(period[:_LONGEST]))
    told = {*words, *("_".join(pair) for pair in pairwise(words))}
    sides = [side for side in ("earlier", "later") if told & lists[side]]
    return sides[0] if len(sides) == 1 else None
