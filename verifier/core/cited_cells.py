"""Cells of cited tables, with the words and the periods that their heads, section and caption give them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.facts.cells import read_cell
from verifier.core.facts.tables import find_tables
from verifier.core.lexicons import load_word_lists
from verifier.core.speech import read_words
from verifier.core.statements import Clause, list_stems
from verifier.core.text import fold
from verifier.core.values import Kind, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.facts.tables import Cell
    from verifier.core.statements import ReadingTerms

_BRACKETED: Final = re.compile(r"\([^()]{0,60}\)")  # Net income (loss)
_YEAR: Final = re.compile(
    r"(?<![\d.,])(?:fy\s?)?(?P<year>(?:19|20)\d\d)(?![\d,]|\.\d)|\bfy\s?(?P<short>\d\d)\b"
)
_PART: Final = re.compile(
    r"""\b(?:q[1-4]|h[12])\b
        | \b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)
          (?=(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?\b)
        | \b(?:first|second|third|fourth)\squarter\b""",
    re.VERBOSE,
)
_NUMBERS: Final = frozenset({Kind.NUMBER, Kind.MONEY, Kind.PERCENT, Kind.QUANTITY, Kind.DURATION})
_EXCEPTED: Final = re.compile(  # shares in thousands, except per share data
    r"\b(?:except|excluding|unless|other than|shares in|units in)\b", re.IGNORECASE
)
_SCALED_HEAD: Final = re.compile(  # a head of the first column that tells it of all: 2019 ($ millions)
    r"\(?[^()\w]*\bin (?:thousands|millions|billions)\b[^()]*\)?|\([$€£]\s?(?:thousands|millions|billions)\)",
    re.IGNORECASE,
)
_TOLD: Final = re.compile(
    r"\([^()]{0,20}\bin (?:thousands|millions|billions)\b[^()]*\)", re.IGNORECASE
)
_LED_IN: Final = re.compile(  # were as follows (in thousands, except per share data):
    r"(\([^()\n]{0,20}\bin (?:thousands|millions|billions)\b[^()\n]{0,60}\)):[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_LONGEST_CAPTION: Final = 400
_CACHED_TEXTS: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedCell:
    """A cell with a number. `row` are the stems of its row's head, `aside` those in brackets there.

    `around` are the stems of section, caption and corner. `periods` are the years, quarters and months of its
    heads, `outer_periods` those of section and caption. `value` is scaled as caption and heads tell,
    `written` are the digits. The scale is not sure where the caption excepts some rows from it.
    """

    clause: Clause
    row_head: str
    row: frozenset[str]
    aside: frozenset[str]
    column: frozenset[str]
    around: frozenset[str]
    periods: frozenset[str]
    outer_periods: frozenset[str]
    value: Quantity
    written: str
    scale_is_sure: bool = True


@lru_cache(maxsize=_CACHED_TEXTS)
def read_cells(text: str, terms: ReadingTerms) -> tuple[CitedCell, ...]:
    """Return the cells with numbers of all tables of a text."""
    if "|" not in text and "\t" not in text:
        return ()
    tables = tuple(find_tables(text))
    led_in = _find_lead_in(text) if len(tables) == 1 else ""
    return tuple(
        one
        for span, cells in tables
        for cell in _with_caption(cells, text, span.start, led_in)
        for one in _read(cell, terms)
    )


def _find_lead_in(text: str) -> str:
    """Return the scale that the only lead-in of a text tells: "as follows (in thousands):"."""
    told = {match.group(1).casefold() for match in _LED_IN.finditer(text)}
    return told.pop() if len(told) == 1 else ""


def _with_caption(cells: Sequence[Cell], text: str, start: int, led_in: str) -> Iterator[Cell]:
    """Yield the cells with the end of the line above the table: that is where its unit is told.

    Where neither that line nor the table tells a scale, the lead-in does.
    """
    above = text[max(0, start - _LONGEST_CAPTION) : start].rstrip()
    caption = above[above.rfind("\n") + 1 :]
    heads = dict.fromkeys(cell.column_head for cell in cells)
    scale = next((found.group() for head in heads if (found := _SCALED_HEAD.search(head))), "")
    told = (f"{cell.caption} {cell.corner}" for cell in cells)
    within = next((found.group() for text in told if (found := _TOLD.search(text))), "")
    scale = scale or within or ("" if _TOLD.search(caption) else led_in)
    for cell in cells:
        head = _SCALED_HEAD.sub("", cell.column_head) if scale else cell.column_head
        yield replace(cell, caption=f"{caption} {scale}".strip(), column_head=head.strip())


@lru_cache(maxsize=4096)
def find_periods(text: str) -> frozenset[str]:
    """Return the years, quarters and months that a text names: {"2019", "q4"}."""
    folded = fold(text)
    years = {match["year"] or f"20{match['short']}" for match in _YEAR.finditer(folded)}
    return frozenset(years | {match.group() for match in _PART.finditer(folded)})


def is_year(period: str) -> bool:
    """Return whether a period is a whole year."""
    return period.isdigit()


def _read(cell: Cell, terms: ReadingTerms) -> Iterator[CitedCell]:
    values = read_cell(cell, terms)
    value = values[0] if values else None
    if not isinstance(value, Quantity) or value.kind not in _NUMBERS:
        return
    row = _stems(cell.row_head)
    bare = _stems(_BRACKETED.sub(" ", cell.row_head))
    column = _stems(cell.column_head)
    yield CitedCell(
        clause=_clause(cell),
        row_head=fold(cell.row_head),
        row=bare or row,
        aside=row - bare if bare else frozenset(),
        column=column,
        around=_stems(cell.section) | _stems(cell.caption) | _stems(cell.corner),
        periods=find_periods(cell.row_head) | find_periods(cell.column_head),
        outer_periods=find_periods(cell.section) | find_periods(cell.caption),
        value=value,
        written=cell.text,
        scale_is_sure=_EXCEPTED.search(f"{cell.section} {cell.caption}") is None,
    )


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    units = load_word_lists("table_words")["units"]
    words = (word for word in read_words(text) if word not in units)
    return frozenset(list_stems(" ".join(words)))


def _clause(cell: Cell) -> Clause:
    return Clause(
        span=cell.span,
        text=f"{cell.row_head} | {cell.column_head} | {cell.text}",
        stems=frozenset(),
        order=(),
        values=(),
        denied=False,
    )
