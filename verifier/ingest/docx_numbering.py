"""The numbers that Word shows before paragraphs: "3.1", "(b)", "iv."."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.ingest.docx_inline import W, find_child, read_attribute

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.etree import _Element

BULLET: Final = "-"
_PLACE: Final = re.compile(r"%([1-9])")
_ROMAN: Final = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_DEEPEST: Final = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class _Level:
    form: str
    pattern: str
    start: int


class Numbering:
    """Counts the paragraphs of each list of one document, in their order."""

    def __init__(self, root: _Element | None) -> None:
        self._lists: dict[str, str] = {}
        self._levels: dict[str, Mapping[int, _Level]] = {}
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)
        for one in () if root is None else root.findall(W + "num"):
            self._lists[read_attribute(one, "numId") or ""] = (
                read_attribute(find_child(one, "abstractNumId")) or ""
            )
        for one in () if root is None else root.findall(W + "abstractNum"):
            self._levels[read_attribute(one, "abstractNumId") or ""] = _read_levels(one)

    def next_mark(self, list_id: str, depth: int) -> str | None:
        """Return what stands before the next paragraph of a list, None where nothing does."""
        shared = self._lists.get(list_id)
        level = None if shared is None else self._levels.get(shared, {}).get(depth)
        if shared is None or level is None or level.form == "none":
            return None
        if level.form == "bullet":
            return BULLET
        counts = self._counts[shared]
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [one for one in counts if one > depth]:
            del counts[deeper]
        levels = self._levels[shared]

        def number(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            of = levels.get(at, level)
            return write_number(counts.get(at, of.start), of.form)

        return _PLACE.sub(number, level.pattern).strip() or None


def _read_levels(shared: _Element) -> Mapping[int, _Level]:
    levels = {}
    for one in shared.findall(W + "lvl")[:_DEEPEST]:
        start = read_attribute(find_child(one, "start")) or "1"
        levels[int(read_attribute(one, "ilvl") or 0)] = _Level(
            form=read_attribute(find_child(one, "numFmt")) or "decimal",
            pattern=read_attribute(find_child(one, "lvlText")) or "",
            start=int(start) if start.isdigit() else 1,
        )
    return levels


def write_number(number: int, form: str) -> str:
    """Return a number in one of Word's forms; those of other scripts are written in digits."""
    match form:
        case "lowerLetter" | "upperLetter" if number > 0:
            letter = chr(ord("a") + (number - 1) % 26) * (1 + (number - 1) // 26)
            return letter.upper() if form == "upperLetter" else letter
        case "lowerRoman" | "upperRoman" if 0 < number < 4_000:
            roman = _write_roman(number)
            return roman.upper() if form == "upperRoman" else roman
        case "decimalZero":
            return f"{number:02}"
        case _:
            return str(number)


def _write_roman(number: int) -> str:
    written = ""
    for value, sign in _ROMAN:
        times, number = divmod(number, value)
        written += sign * times
    return written
