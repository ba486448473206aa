"""Ranges of a text that a pair of quotation marks or brackets holds together."""

from __future__ import annotations

import re
from collections import deque
from types import MappingProxyType
from typing import Final

_SIGN: Final = re.compile('["“”„«»「」『』《》()（）\\[\\]]')
_CLOSERS: Final = MappingProxyType(
    {"”": "“", "»": "«", "」": "「", "』": "『", "》": "《", ")": "(", "）": "（", "]": "["}
)
_OPENERS: Final = frozenset("“„«「『《(（[")
_BEFORE_OPENING: Final = frozenset("([{-–—/=:>|*_~,")
_MAX_DEPTH: Final = 64
_MAX_LENGTH: Final = 800


def find_closed_ranges(text: str) -> list[tuple[int, int]]:
    """Return `(opening, end)` of each closed pair of at most 800 characters, in order of opening.

    A straight mark opens after white space or a bracket and closes otherwise; what is never closed, as
    the inches of 5", holds nothing.
    """
    return _scan(text)[0]


def find_open_range(text: str) -> int | None:
    """Return where the first mark stands that is not closed and still may be; None where there is none."""
    _, pending = _scan(text)
    return next((at for _, at in pending if len(text) - at < _MAX_LENGTH), None)


def _scan(text: str) -> tuple[list[tuple[int, int]], deque[tuple[str, int]]]:
    """Return the closed ranges, and the marks that are left open."""
    ranges: list[tuple[int, int]] = []
    pending: deque[tuple[str, int]] = deque(maxlen=_MAX_DEPTH)
    for match in _SIGN.finditer(text):
        sign, at = match.group(), match.start()
        if sign == '"':
            sign = "“" if _opens(text, at) else "”"
        elif sign == "“" and pending and pending[-1][0] == "„":
            sign = "”"
        if sign in _OPENERS:
            pending.append((sign, at))
        else:
            _close(pending, sign, at, ranges)
    ranges.sort()
    return ranges, pending


def _opens(text: str, at: int) -> bool:
    before = text[at - 1] if at else " "
    after = text[at + 1 : at + 2]
    return (before.isspace() or before in _BEFORE_OPENING) and bool(after) and not after.isspace()


def _close(
    pending: deque[tuple[str, int]], sign: str, at: int, ranges: list[tuple[int, int]]
) -> None:
    """Pair a closing sign with the last opening one of its kind, dropping what is open inside."""
    wanted = {"“", "„"} if sign == "”" else {_CLOSERS[sign]}
    if not any(opening in wanted for opening, _ in pending):
        return
    while pending:
        opening, start = pending.pop()
        if opening in wanted:
            if at + 1 - start <= _MAX_LENGTH:
                ranges.append((start, at + 1))
            return
