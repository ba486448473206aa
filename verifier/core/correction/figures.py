"""Writing a number the way that another was written: its marks, its grouping, its decimals, its digits.

How a figure was written is found by writing its own value again: the style that gives back the very
characters writes the new one.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from verifier.core.policy import Hindrance

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIGURE: Final = re.compile(  # 1,299.00 · 1 299,00 · 1'299.00 · ٤٩٫٩٠
    r"\d (?: [\d.,'’٫٬\u0020\u00a0\u2009\u202f]* \d )?", re.VERBOSE
)
_COMMA: Final = re.compile(r"\d,\d{2}(?!\d)")  # 49,90
_POINT: Final = re.compile(r"\d\.\d{2}(?!\d)")  # 49.90
_GROUPED: Final = re.compile(  # 1,299 · 1.299.000
    r"(?<![\d.,]) [1-9]\d{0,2} (?P<mark> [.,'’\u00a0\u2009\u202f] ) \d{3} (?! \d )", re.VERBOSE
)
_DECIMAL_MARKS: Final = ".,٫"
_SHORTEST_GROUPED: Final = 4
_MOST_DECIMALS: Final = 6
_LONGEST: Final = 200
_POWERS: Final = (3, 6, 9, 12, 5, 7, 4, 8)  # k, M, bn, tn, lakh, crore, 万, 亿
_SCALES: Final = (
    Fraction(1),
    Fraction(100),  # cents
    *(Fraction(1, 10**power) for power in _POWERS),
)


@dataclass(frozen=True, slots=True)
class Habits:
    """The marks that the figures of a text use, for one that shows none; an empty `group` is none."""

    decimal_mark: str = "."
    group: str = ""


def find_habits(text: str) -> Habits:
    """Return the marks that the figures of `text` use, as far as they all use the same."""
    has_comma, has_point = _COMMA.search(text), _POINT.search(text)
    decimal_mark = "," if has_comma and not has_point else "."
    groups = {found["mark"] for found in _GROUPED.finditer(text)} - {decimal_mark}
    return Habits(decimal_mark, groups.pop() if len(groups) == 1 else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Style:
    """How a figure is written: its decimal mark and decimals, the mark and the sizes of its groups."""

    mark: str
    places: int
    group: str
    sizes: tuple[int, ...]
    zero: int

    def write(self, number: Fraction) -> str:
        """Return a number that is not negative, exactly; it has to end within the decimals."""
        digits = str(int(number * 10**self.places)).zfill(self.places + 1)
        whole = digits[: len(digits) - self.places]
        decimals = digits[len(whole) :]
        written = f"{self._grouped(whole)}{self.mark if decimals else ''}{decimals}"
        return written.translate({ord("0") + one: chr(self.zero + one) for one in range(10)})

    def _grouped(self, whole: str) -> str:
        if not self.group:
            return whole
        groups: list[str] = []
        sizes = list(self.sizes)
        while whole:
            size = sizes.pop(0) if len(sizes) > 1 else sizes[0]
            groups.insert(0, whole[-size:])
            whole = whole[:-size]
        return self.group.join(groups)


def write_figure(
    written: str, old: Fraction, new: Fraction, *, places: int, habits: Habits
) -> str | Hindrance:
    """Return `written` with its one figure, which says `old`, saying `new` in the same style.

    `places` is the least number of decimals where any are needed; `habits` tell the marks that the figure
    does not show. Words without a figure, several figures, and one that says another number are left.
    """
    figures = list(_FIGURE.finditer(written))
    if not figures:
        return Hindrance.WORDS
    if len(figures) > 1 or (old < 0) != (new < 0) or len(written) > _LONGEST:
        return Hindrance.OTHER_FORM
    found = figures[0]
    for style, scale in _styles(found.group(), abs(old), habits):
        shown = abs(new) * scale
        needed = count_decimals(shown)
        shrinks = scale < 1 and shown < 1 <= abs(old) * scale  # $0.0499k, after $1.2k
        if needed is None or needed > max(_MOST_DECIMALS, places) or shrinks:
            return Hindrance.OTHER_FORM
        if needed > style.places:
            needed = max(needed, places if scale == 1 else 0)
        told = replace(style, places=max(needed, style.places)).write(shown)
        return f"{written[: found.start()]}{told}{written[found.end() :]}"
    return Hindrance.OTHER_FORM


def _styles(figure: str, old: Fraction, habits: Habits) -> Iterator[tuple[_Style, Fraction]]:
    """Yield the styles and scales (`cents`, `million`) in which `figure` says `old`, the plainest first."""
    zero = ord(figure[0]) - unicodedata.decimal(figure[0])
    candidates = list(_candidates(figure, zero, habits))
    for scale in _SCALES:
        for style in candidates:
            shown = old * scale
            needed = count_decimals(shown)
            if needed is not None and needed <= style.places and style.write(shown) == figure:
                yield style, scale


def _candidates(figure: str, zero: int, habits: Habits) -> Iterator[_Style]:
    """Yield the ways in which the marks of a figure may be meant."""
    marks = [one for one in figure if not one.isdecimal()]
    last = marks[-1] if marks else ""
    behind = len(figure) - figure.rfind(last) - 1 if last else 0
    if last in _DECIMAL_MARKS and marks.count(last) == 1 and last:
        whole = figure[: figure.rfind(last)]
        group = marks[0] if len(marks) > 1 else _habit(whole, habits, last)
        yield _Style(mark=last, places=behind, group=group, sizes=_sizes(whole, group), zero=zero)
    other = "," if last == "." else habits.decimal_mark if last != habits.decimal_mark else "."
    group = last or _habit(figure, habits, other)
    yield _Style(mark=other, places=0, group=group, sizes=_sizes(figure, group), zero=zero)


def _habit(whole: str, habits: Habits, mark: str) -> str:
    """Return the mark of groups that a text uses, for a number that is too short to show one."""
    return habits.group if len(whole) < _SHORTEST_GROUPED and habits.group != mark else ""


def _sizes(whole: str, group: str) -> tuple[int, ...]:
    """Return how many digits the groups of a number have, from its end: (3,), or (3, 2) of 12,34,567."""
    parts = whole.split(group) if group else [whole]
    if len(parts) < 3:
        return (len(parts[-1]),) if len(parts) > 1 else (3,)
    return (len(parts[-1]), len(parts[-2]))


def count_decimals(number: Fraction) -> int | None:
    """Return how many decimals write a number exactly; None where none do."""
    left, twos, fives = number.denominator, 0, 0
    while left % 2 == 0:
        left, twos = left // 2, twos + 1
    while left % 5 == 0:
        left, fives = left // 5, fives + 1
    return max(twos, fives) if left == 1 else None
