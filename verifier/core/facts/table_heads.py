"""Heads of a table's columns: which rows on top are heads, and which columns a head stands over."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_PERIOD: Final = re.compile(
    r"""(?:fy\s?|cy\s?|year\s)?(?:19|20)\d\d(?:\s?[-/]\s?\d\d(?:\d\d)?)?[ae]?   # FY2024, 2023/24
      | (?:q[1-4]|h[12])(?:[\s'-]{0,2}(?:20)?\d\d)?                               # Q1 2024, H2
      | (?:19|20)\d\d[-/](?:0[1-9]|1[0-2]|q[1-4])(?:-\d\d)?                       # 2024-05, 2024-Q1
      | (?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?
        (?:\s\d{1,2},?)?(?:\s(?:20|19)?\d\d)?                                     # Mar 2024, June 30, 2019
    """,
    re.VERBOSE | re.IGNORECASE,
)
_AFTER_PERIOD: Final = re.compile(  # 2019 (1), FY 2019 (%), 2019 $'000, 2019 £m
    r"\s{0,2}(?:\((?:\d|%|[$€£])\)|[*†‡`]|[$€£]\s?(?:['’‘]?000s?|m|bn))\Z", re.IGNORECASE
)
_FIGURE: Final = re.compile(r"\d")
_DATED: Final = (
    re.compile(  # Year Ended December 31, 2018; 31 March 2019; 12 Weeks Ended; Total (1); $'000
        r"\b(?:19|20)\d\d\b|(?<=[a-z]\s)\d{1,2}(?=,?\s(?:19|20)\d\d|,?\Z)|\(\d\)|'\d\d\b"
        r"|\b\d{1,2}(?=\s[a-z]{3,9}\s(?:19|20)\d\d)|\b\d{1,2}(?=\s(?:weeks|months)\sended\b)"
        r"|[$€£]\s?['’‘]?000s?\b|(?<=\bq)[1-4]\b|(?<=\bfy)\s?\d\d\b",
        re.IGNORECASE,
    )
)
_LONGEST_PERIOD: Final = 24
_LEAST_SPREAD: Final = 2


def is_period(text: str) -> bool:
    """Return whether a head is a year, a quarter, a month or a date, and nothing else but a note's mark."""
    if len(text) > _LONGEST_PERIOD:
        return False
    return _PERIOD.fullmatch(_AFTER_PERIOD.sub("", text.strip())) is not None


def is_head(cell: str) -> bool:
    """Return whether a cell can be a head: without figures, or a period."""
    return not _FIGURE.search(cell) or is_period(cell)


def is_dated_head(cell: str) -> bool:
    """Return whether a cell has no figures but those of dates and notes, and words beside them."""
    rest = _DATED.sub("", cell)
    return not _FIGURE.search(rest) and (
        any(sign.isalpha() for sign in rest) or is_period(cell) or not cell
    )


def join_heads(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the head of each column: what stands over it in the rows of heads, from top to bottom."""
    width = max((len(row) for row in rows), default=0)
    padded = [[*row, *[""] * (width - len(row))] for row in rows]
    spread = [_spread(row, padded) for row in padded] if len(padded) > 1 else padded
    return [" ".join(row[at] for row in spread if row[at]) for at in range(width)]


def _spread(row: list[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a row of heads in which one that stands over several columns is told of each of them.

    A table in text tells only one column of it: the first one, the last one or one between.
    """
    told = [at for at, head in enumerate(row) if at and head]
    below = [at for at in range(1, len(row)) if any(one[at] for one in rows if one is not row)]
    if not told or len(below) < _LEAST_SPREAD or not set(told) <= set(below):
        return row
    if len(told) > 1 and row is rows[-1]:
        return row
    groups = _groups(told, below)
    return [row[groups.get(at, at)] for at in range(len(row))]


def _groups(told: Sequence[int], columns: Sequence[int]) -> dict[int, int]:
    """Return for a column the one that tells its head."""
    first, last = columns[0], columns[-1]
    if len(told) == 1:
        alone = told[0] == last and len(columns) > _LEAST_SPREAD
        return {} if alone else dict.fromkeys(columns, told[0])
    even = len({later - one for one, later in pairwise(told)}) == 1
    if even and told[0] == first:
        return {at: max(one for one in told if one <= at) for at in columns}
    if even and told[-1] == last:
        return {at: min(one for one in told if one >= at) for at in columns}
    return {}
