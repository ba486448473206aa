"""Where a chunk stands besides its headings: its page, and the rows of a table or of records in it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.blocks import BlockKind
from verifier.core.documents import PDF, TableRows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.blocks import Block
    from verifier.core.documents import Document
    from verifier.core.spans import Span

_PAGE_END: Final = re.compile("\f")


@dataclass(frozen=True, slots=True)
class _Row:
    start: int
    end: int
    table: int
    number: int


class PlaceFinder:
    """Finds pages and rows of one text, each by a search in what was counted once."""

    def __init__(self, document: Document, blocks: Sequence[Block]) -> None:
        self._page_ends = [match.start() for match in _PAGE_END.finditer(document.text)]
        is_paged = bool(self._page_ends) or document.media_type == PDF
        self._has_pages = is_paged and not document.row_starts
        found = _number_records(document) if document.row_starts else _number_rows(blocks)
        self._rows = list(found)
        self._starts = [row.start for row in self._rows]
        self._ends = [row.end for row in self._rows]

    def find_page(self, span: Span) -> int | None:
        """Return the page on which `span` begins, from 1; None where the text has none."""
        return 1 + bisect_left(self._page_ends, span.start) if self._has_pages else None

    def parts(self, before: Span, after: Span) -> bool:
        """Return whether a page ends between the beginnings of two spans."""
        return self._has_pages and self.find_page(before) != self.find_page(after)

    def find_rows(self, span: Span) -> TableRows | None:
        """Return the rows of the first table that `span` touches, None where it touches none."""
        first = bisect_right(self._ends, span.start)
        last = bisect_left(self._starts, span.end) - 1
        if last < first:
            return None
        table = self._rows[first].table
        while self._rows[last].table != table:
            last -= 1
        return TableRows(table=table, first=self._rows[first].number, last=self._rows[last].number)


def _number_records(document: Document) -> Iterator[_Row]:
    ends = (*document.row_starts[1:], len(document.text))
    for at, (start, end) in enumerate(zip(document.row_starts, ends, strict=True)):
        yield _Row(start, end, 1, document.first_row + at)


def _number_rows(blocks: Sequence[Block]) -> Iterator[_Row]:
    """Yield the rows of tables, each table begun by a head row or behind what is no row."""
    table = number = 0
    in_table = False
    for block in blocks:
        if block.kind is not BlockKind.TABLE_ROW:
            in_table = False
            continue
        if block.header or not in_table:
            table, number, in_table = table + 1, 0, True
        if not block.header:
            number += 1
            yield _Row(block.span.start, block.span.end, table, number)
