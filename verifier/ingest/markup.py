"""Writing what was read of a page or a document as text: headings, items and tables as in Markdown.

Words are never altered: no marks within a line, and a backslash before a line that would otherwise be
taken for a heading, a fence or a row of a table.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEEPEST_HEADING: Final = 6
BAR: Final = "&#124;"
"""A bar within a cell; a backslash before it would not keep the cells of its row apart."""

_MISTAKABLE: Final = re.compile(
    r"""
    \#{1,6} (?: [ \t] | $ )      # "# 5 is a number"
    | `{3,} | ~{3,}              # "~~~"
    | \| .* \|                   # "|a| is a length"
    | (?: [-*_=|:][ \t]* ){2,} $   # "-----" below a line
    | = [ \t]* $
    """,
    re.VERBOSE,
)
_SPACES: Final = re.compile(r"\s+")
_POWERS: Final[Mapping[str, str]] = MappingProxyType(
    dict(zip("0123456789+-−n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ", strict=True))
)
_POWER: Final = re.compile(r"[-+−]?[0-9]+|n")


class TextWriter:
    """Gathers the blocks of a text, a blank line between any two but the items of a list."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._last_was_item = False

    def add_heading(self, level: int, words: str) -> None:
        """Add a heading of level 1 to 6; one without words is none."""
        line = join_words(words)
        if line:
            self._add(f"{'#' * min(max(level, 1), DEEPEST_HEADING)} {line}")

    def add_paragraph(self, text: str, *, indent: str = "") -> None:
        """Add lines of text as they stand, further in below an item."""
        lines = [line.strip() for line in text.strip().split("\n")]
        shown = "\n".join(indent + guard_line(line) for line in lines if line)
        if shown:
            self._add(shown)

    def add_lines(self, text: str) -> None:
        """Add lines that are guarded already."""
        self._add(text)

    def add_item(self, text: str, *, mark: str = "-", indent: str = "") -> None:
        """Add an item of a list behind its mark; further lines of it stand below its words."""
        lines = [line.strip() for line in text.strip().split("\n")]
        first, *rest = [line for line in lines if line] or [""]
        if not first:
            return
        below = indent + " " * (len(mark) + 1)
        shown = "\n".join(
            [f"{indent}{mark} {guard_line(first)}", *(below + guard_line(line) for line in rest)]
        )
        self._add(shown, is_item=True)

    def add_code(self, text: str) -> None:
        """Add text whose line ends and spaces stand for something, in a fence longer than any in it."""
        runs = re.findall("`{3,}", text)
        fence = "`" * (max((len(run) for run in runs), default=2) + 1)
        body = text.strip("\n")
        if body.strip():
            self._add(f"{fence}\n{body}\n{fence}")

    def add_table(self, rows: Sequence[Sequence[str]], *, heads: int) -> None:
        """Add a table; its first `heads` rows are heads, and stand above a rule."""
        width = max((len(row) for row in rows), default=0)
        lines = []
        for at, row in enumerate(rows):
            cells = [join_words(cell).replace("|", BAR) for cell in row]
            lines.append(f"| {' | '.join([*cells, *[''] * (width - len(cells))])} |")
            if at + 1 == heads:
                lines.append(f"|{' --- |' * width}")
        if lines:
            self._add("\n".join(lines))

    def text(self) -> str:
        """Return what was written."""
        return "".join(self._parts)

    def _add(self, shown: str, *, is_item: bool = False) -> None:
        if self._parts:
            self._parts.append("\n" if is_item and self._last_was_item else "\n\n")
        self._parts.append(shown)
        self._last_was_item = is_item


def guard_line(line: str) -> str:
    """Return the line with a backslash before it where it would be taken for more than words."""
    return f"\\{line}" if _MISTAKABLE.match(line) else line


def write_power(text: str) -> str:
    """Return a raised number in raised figures, so that 10³ does not become 103; other text as it is."""
    raised = text.strip()
    return "".join(_POWERS[sign] for sign in raised) if _POWER.fullmatch(raised) else text


def join_words(text: str) -> str:
    """Return the text in one line, one space between words; no-break spaces stay."""
    return _SPACES.sub(_one_space, text).strip(" ")


def _one_space(match: re.Match[str]) -> str:
    run = match.group()
    return run if set(run) <= {"\u00a0", "\u202f", "\u2007"} else " "
