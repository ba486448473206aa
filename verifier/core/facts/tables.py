"""Tables in texts: bars or tabs between cells, with heads, and a caption that tells unit and scale."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from verifier.core.facts.table_heads import is_dated_head, is_head, is_period, join_heads
from verifier.core.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LINE: Final = re.compile(r"[^\n\r]+")
_RULE: Final = re.compile(r"[\s|:+=-]*-[\s|:+=-]*")  # |---|:--:|
_EMPHASIS: Final = "*_`"
_EMPTY: Final = frozenset({"", "-", "--", "—", "–", "n/a", "na", "nil", "none", "null", "."})
_SCALE: Final = re.compile(  # (In thousands), (US$ in millions), which is of the whole table
    r"\(?[^()]{0,20}\bin (?:thousands|millions|billions)\b[^()]{0,40}\)?", re.IGNORECASE
)
_FIGURE: Final = re.compile(r"\d")
_LONGEST_CAPTION: Final = 300
_LONGEST_CELL: Final = 400
_MOST_SECTION: Final = 120
_MOST_HEADS: Final = 5
_MOST_NAMED_HEADS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell with content below its heads. `row_head` is the first cell of its row, `section` a row above.

    `corner` is what stands over the heads of the rows.
    """

    span: Span
    text: str
    row_head: str
    column_head: str
    section: str
    caption: str
    corner: str = ""

    @property
    def period(self) -> str | None:
        """The period that a head names: a year, a quarter, a month."""
        return next(
            (head for head in (self.column_head, self.row_head) if is_period(head.strip())), None
        )


@dataclass(frozen=True, slots=True)
class _Row:
    cells: tuple[tuple[str, Span], ...]
    line: Span
    rule: bool


def find_tables(text: str) -> Iterator[tuple[Span, tuple[Cell, ...]]]:
    """Yield each table of `text`, its caption's line apart, with its cells; linear in its length."""
    if "|" not in text and "\t" not in text:
        return
    rows: list[_Row] = []
    caption, before = "", ""
    for match in _LINE.finditer(text):
        row = _read_row(match.group(), match.start())
        if row is not None:
            caption = caption if rows else before
            rows.append(row)
            continue
        if rows:
            yield from _table(rows, caption)
            rows = []
        before = match.group().strip()[:_LONGEST_CAPTION] or before
    if rows:
        yield from _table(rows, caption)


def _read_row(line: str, start: int) -> _Row | None:
    separator = "|" if "|" in line else "\t" if "\t" in line.strip() else None
    if separator is None:
        return None
    cells: list[tuple[str, Span]] = []
    at = 0
    for part in line.split(separator):
        content = part.strip().strip(_EMPHASIS).strip()
        begin = start + at + (part.find(content) if content else 0)
        cells.append((content, Span(begin, begin + len(content))))
        at += len(part) + 1
    span = Span(start, start + len(line))
    return _Row(tuple(cells), span, _RULE.fullmatch(line) is not None)


def _table(rows: Sequence[_Row], caption: str) -> Iterator[tuple[Span, tuple[Cell, ...]]]:
    if all(": " in row.cells[0][0] for row in rows):  # Status: good | 5G
        return
    rows = _without_outer_bars(rows)
    heads, body = _split_heads(rows)
    corner = " ".join(dict.fromkeys(row.cells[0][0] for row in heads if row.cells[0][0]))
    if _SCALE.fullmatch(corner):
        caption, corner = f"{caption} {corner}".strip(), ""
    found = _cells(heads, body, caption)
    cells = tuple(replace(cell, corner=corner) if corner else cell for cell in found)
    if cells:
        yield Span(rows[0].line.start, rows[-1].line.end), cells


def _without_outer_bars(rows: Sequence[_Row]) -> Sequence[_Row]:
    """Return the rows without the empty cells that bars around a row make.

    A row of heads may begin and end with an empty cell of its own: it has no more cells than the others.
    """
    open_widths = [len(row.cells) for row in rows if not _is_barred(row)]
    width = max(open_widths, default=0)
    trimmed = [
        _Row(row.cells[1:-1], row.line, row.rule)
        if _is_barred(row) and len(row.cells) > max(width, 2)
        else row
        for row in rows
    ]
    if any(row.cells[0][0] for row in trimmed if not row.rule):
        return trimmed
    return [_Row(row.cells[1:] or row.cells, row.line, row.rule) for row in trimmed]


def _is_barred(row: _Row) -> bool:
    return len(row.cells) > 2 and not row.cells[0][0] and not row.cells[-1][0]


def _split_heads(rows: Sequence[_Row]) -> tuple[Sequence[_Row], Sequence[_Row]]:
    """Return the rows of heads and the others: those above a rule, else those without figures on top."""
    rule = next((at for at, row in enumerate(rows) if row.rule), None)
    if rule is not None and 0 < rule <= 3:
        return rows[:rule], rows[rule + 1 :]
    count = 0
    for at, row in enumerate(rows[:_MOST_HEADS]):
        if len(row.cells) < 2 or (at >= _MOST_NAMED_HEADS and row.cells[0][0]):
            break
        if not all(is_head(cell) for cell, _ in row.cells[1:]) and (
            (count and row.cells[0][0]) or not _names_dates(row)
        ):
            break
        if count and row.cells[0][0] and not any(cell for cell, _ in row.cells[1:]):
            break
        count += 1
    return (rows[:count], rows[count:]) if count < len(rows) else ((), rows)


def _names_dates(row: _Row) -> bool:
    """Return whether a row of heads, of several or over all others, has no figures but those of dates."""
    heads = [cell for cell, _ in row.cells[1:] if cell]
    return (len(heads) > 1 or (bool(heads) and not row.cells[0][0])) and all(
        is_dated_head(head) for head in heads
    )


def _cells(heads: Sequence[_Row], body: Sequence[_Row], caption: str) -> Iterator[Cell]:
    section = ""
    for row, columns in _under_heads(heads, body):
        texts = [cell for cell, _ in row.cells]
        if not all(cell.casefold() in _EMPTY for cell in texts[1:]):
            yield from _cells_of_row(row, columns, section, caption)
        elif _SCALE.fullmatch(texts[0]):
            caption = f"{caption} {texts[0]}".strip()
        elif len(texts) > 1:
            section = texts[0][:_MOST_SECTION]


def _under_heads(
    heads: Sequence[_Row], body: Sequence[_Row]
) -> Iterator[tuple[_Row, Sequence[str]]]:
    """Yield the rows with the heads of their columns, which may change in the middle of a table."""
    columns = _heads_of(heads)
    block: list[_Row] = []
    for row in body:
        if row.rule:
            continue
        if _may_be_head(row):
            block.append(row)
            continue
        if block and _names_any_date(block):
            columns = _heads_of(block)
        block = []
        texts = [cell for cell, _ in row.cells]
        if _are_periods(texts[1:]):
            columns = texts if not columns or any(map(is_period, columns)) else columns
            continue
        yield row, columns


def _heads_of(rows: Sequence[_Row]) -> list[str]:
    return join_heads([[cell for cell, _ in row.cells] for row in rows])


def _may_be_head(row: _Row) -> bool:
    """Return whether a row in the middle may be one of heads: nothing before it, and no values in it."""
    texts = [cell for cell, _ in row.cells]
    return (
        not texts[0]
        and any(texts)
        and all(is_head(cell) or is_dated_head(cell) for cell in texts[1:])
    )


def _names_any_date(rows: Sequence[_Row]) -> bool:
    return any(_FIGURE.search(cell) for row in rows for cell, _ in row.cells)


def _cells_of_row(row: _Row, columns: Sequence[str], section: str, caption: str) -> Iterator[Cell]:
    for at, (cell, span) in enumerate(row.cells[1:], 1):
        if cell.casefold() not in _EMPTY and len(cell) <= _LONGEST_CELL:
            yield Cell(
                span=span,
                text=cell,
                row_head=row.cells[0][0],
                column_head=columns[at] if at < len(columns) else "",
                section=section,
                caption=caption,
            )


def _are_periods(texts: Sequence[str]) -> bool:
    """Return whether cells are heads of periods in the middle of a table."""
    return any(texts) and all(is_period(cell) or not cell for cell in texts)
