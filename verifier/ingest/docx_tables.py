"""Tables of a Word document as rows of equal width: a merged cell stands in each that it covers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.ingest.docx_inline import (
    W,
    find_child,
    find_wrapped,
    is_on,
    read_attribute,
    read_paragraph,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.etree import _Element

_MOST_COLUMNS: Final = 200
_MOST_HEADS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTable:
    """The cells of a table; its first `heads` rows are heads."""

    rows: tuple[tuple[str, ...], ...]
    heads: int


def read_table(table: _Element) -> DocumentTable | None:
    """Return the table, None where it has one column and only frames what is in it."""
    rows = find_wrapped(table, "tr")
    lines = [row for row in rows if find_child(row, "trPr", "del") is None]
    grid: list[tuple[str, ...]] = []
    for line in lines:
        grid.append(_read_row(line, grid[-1] if grid else ()))
    if max((len(row) for row in grid), default=0) < 2:
        return None
    return DocumentTable(rows=tuple(grid), heads=_count_heads(table, lines, grid))


def _read_row(row: _Element, above: Sequence[str]) -> tuple[str, ...]:
    cells: list[str] = []
    skipped = read_attribute(find_child(row, "trPr", "gridBefore")) or "0"
    cells += [""] * _bounded(skipped, least=0)
    for cell in find_wrapped(row, "tc"):
        merged = find_child(cell, "tcPr", "vMerge")
        goes_on = merged is not None and read_attribute(merged) != "restart"
        at = len(cells)
        text = above[at] if goes_on and at < len(above) else _read_cell(cell)
        wide = read_attribute(find_child(cell, "tcPr", "gridSpan")) or "1"
        cells += [text] * _bounded(wide, least=1)
    return tuple(cells)


def _read_cell(cell: _Element) -> str:
    texts = (read_paragraph(paragraph) for paragraph in cell.iter(W + "p"))
    return " ".join(texts).strip()


def _bounded(told: str, *, least: int) -> int:
    return min(max(int(told) if told.isdigit() else least, least), _MOST_COLUMNS)


def _count_heads(table: _Element, lines: Sequence[_Element], grid: Sequence[Sequence[str]]) -> int:
    """Return how many rows are heads: those that are told to repeat, else a first row without figures."""
    heads = 0
    while heads < min(len(lines), _MOST_HEADS) and is_on(
        find_child(lines[heads], "trPr"), "tblHeader"
    ):
        heads += 1
    if heads or len(lines) < 2:
        return heads if heads < len(lines) else 0
    look = find_child(table, "tblPr", "tblLook")
    told = read_attribute(look, "firstRow")
    bits = int(read_attribute(look) or "0", 16) if told is None else 0
    sets_first_apart = told in {"1", "true", "on"} or bool(bits & 0x20)
    words = all(cell and not any(sign.isdigit() for sign in cell) for cell in grid[0])
    return int(sets_first_apart and words)
