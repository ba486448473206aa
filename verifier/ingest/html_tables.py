"""Tables of a page as rows of equal width: a cell that spans several stands in each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.ingest.html_nodes import is_shown, read_number, read_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from selectolax.lexbor import LexborNode

_MOST_COLUMNS: Final = 200
_MOST_CELLS: Final = 2_000_000
_MOST_HEADS: Final = 3
_WIDEST_SPAN: Final = 99_999


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTable:
    """The cells of a table; its first `heads` rows are heads."""

    caption: str
    rows: tuple[tuple[str, ...], ...]
    heads: int


def read_table(table: LexborNode) -> PageTable | None:
    """Return the table, None where it only lays out what should be read block by block."""
    if _is_layout(table):
        return None
    rows = list(_find_rows(table))
    grid = _spread([_find_cells(row) for row in rows])
    if grid is None or max((len(row) for row in grid), default=0) < 2:
        return None
    heads = 0
    while heads < min(len(rows), _MOST_HEADS) and _is_head(rows[heads]):
        heads += 1
    if heads == len(rows):
        return None
    caption = table.css_first("caption")
    return PageTable(
        caption="" if caption is None else read_words(caption), rows=tuple(grid), heads=heads
    )


def _is_layout(table: LexborNode) -> bool:
    if (table.attributes.get("role") or "") in {"presentation", "none"}:
        return True
    return any(
        node.tag in {"table", "h1", "h2", "h3", "h4", "h5", "h6", "pre"}
        for node in table.traverse()
        if node.mem_id != table.mem_id
    )


def _find_rows(table: LexborNode) -> Iterator[LexborNode]:
    for part in _children(table):
        if part.tag == "tr":
            yield part
        elif part.tag in {"thead", "tbody", "tfoot"}:
            yield from (row for row in _children(part) if row.tag == "tr")


def _find_cells(row: LexborNode) -> list[LexborNode]:
    return [cell for cell in _children(row) if cell.tag in {"td", "th"}]


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        if child.is_element_node and is_shown(child):
            yield child
        child = child.next


def _is_head(row: LexborNode) -> bool:
    if row.parent is not None and row.parent.tag == "thead":
        return True
    cells = _find_cells(row)
    return bool(cells) and all(cell.tag == "th" for cell in cells)


def _spread(rows: Sequence[Sequence[LexborNode]]) -> list[tuple[str, ...]] | None:
    """Return the words of the cells by row and column, None where that would be beyond all measure."""
    below: dict[int, tuple[int, str]] = {}
    grid: list[tuple[str, ...]] = []
    total = 0
    for at, cells in enumerate(rows):
        row = _spread_row(cells, below, rows_left=len(rows) - at)
        total += 0 if row is None else len(row)
        if row is None or total > _MOST_CELLS:
            return None
        grid.append(row)
    return grid


def _spread_row(
    cells: Sequence[LexborNode], below: dict[int, tuple[int, str]], *, rows_left: int
) -> tuple[str, ...] | None:
    """Return one row; `below` holds, by column, how many rows more a cell of a row above reaches."""
    shown: list[str] = []
    waiting = list(reversed(cells))
    while waiting or len(shown) in below:
        if len(shown) > _MOST_COLUMNS:
            return None
        if len(shown) in below:
            rows, words = below.pop(len(shown))
            if rows > 1:
                below[len(shown)] = (rows - 1, words)
            shown.append(words)
            continue
        cell = waiting.pop()
        words = read_words(cell)
        deep = _span(cell, "rowspan") or rows_left
        for _ in range(min(_span(cell, "colspan") or 1, _MOST_COLUMNS)):
            if deep > 1:
                below[len(shown)] = (min(deep, rows_left) - 1, words)
            shown.append(words)
    return tuple(shown)


def _span(cell: LexborNode, name: str) -> int:
    told = read_number(cell, name)
    return 1 if told is None or told > _WIDEST_SPAN else told
