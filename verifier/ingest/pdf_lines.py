"""The lines of a PDF's pages with their size and place, as pdfium tells them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINE: Final = re.compile(r"[^\r\n]+")
_HYPHEN: Final = re.compile("(?P<before>.?)[\ufffe\x02](?P<after>.?)", re.DOTALL)
_SOFT_HYPHEN: Final = "\u00ad"
_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLine:
    """A line of a page, or two that a hyphen joins.

    `top`, `bottom` and `height` are in points from the bottom of the page, and 0 where pdfium can't tell
    them. The height is that of the letters, from the lowest to the highest there are in the font.
    """

    text: str
    top: float = 0.0
    bottom: float = 0.0
    height: float = 0.0


def find_lines(text_page: Any) -> Iterator[PageLine]:  # noqa: ANN401 -- pdfium has no types
    """Yield the lines of a page that hold text, in the order in which they are read."""
    text = text_page.get_text_range()
    placed = len(text) == text_page.count_chars()
    for match in _LINE.finditer(text):
        line = clean_line(match.group())
        if not line:
            continue
        if not placed:
            yield PageLine(text=line)
            continue
        raw = match.group()
        first = match.start() + len(raw) - len(raw.lstrip())
        _, floor, _, top = text_page.get_charbox(first, loose=True)
        last = match.start() + len(raw.rstrip()) - 1
        _, bottom, _, _ = text_page.get_charbox(last, loose=True)
        yield PageLine(text=line, top=top, bottom=bottom, height=top - floor)


def clean_line(raw: str) -> str:
    """Return a line with the words that a hyphen at its end parted joined again.

    Between small letters the hyphen becomes a soft one, which is no part of the word; elsewhere, as in
    "30-day", it stays.
    """
    joined = _HYPHEN.sub(_join, raw)
    return _CONTROLS.sub("", joined).strip()


def _join(match: re.Match[str]) -> str:
    before, after = match["before"], match["after"]
    hyphen = _SOFT_HYPHEN if before.islower() and after.islower() else "-"
    return f"{before}{hyphen}{after}"
