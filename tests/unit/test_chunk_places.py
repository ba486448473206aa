"""Pages and rows of chunks, and what cuts them."""

from __future__ import annotations

import re

import pytest

from verifier.core.chunking import chunk_document
from verifier.core.documents import Document, SourceKey, TableRows

TABLE = "| Item | Price |\n| --- | --- |\n| Lamp | 80 |\n| Desk | 90 |"
BARE = "| Bell | 7 |\n| Oak | 8 |"
WORD = re.compile(r"\w+|[^\w\s]")


def places(document: Document, limit: int = 256) -> list[tuple[int | None, TableRows | None]]:
    chunks = chunk_document(
        document, count_tokens=lambda text: 2 + len(WORD.findall(text)), token_limit=limit
    )
    return [(chunk.page, chunk.rows) for chunk in chunks]


def document(text: str, media_type: str = "text/markdown") -> Document:
    return Document(key=SourceKey("d"), text=text, media_type=media_type)


def rows(table: int, first: int, last: int) -> TableRows:
    return TableRows(table=table, first=first, last=last)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("No table.", [None]),
        (TABLE, [rows(1, 1, 2)]),
        (BARE, [rows(1, 1, 2)]),
        (
            f"# A\n\n{TABLE}\n\n# B\n\nNo table.\n\n# C\n\n{BARE}",
            [rows(1, 1, 2), None, rows(2, 1, 2)],
        ),
        (f"{TABLE}\n\n{TABLE}", [rows(1, 1, 2)]),
        (f"# A\n\n{TABLE}\n\n# B\n\nAfter it.", [rows(1, 1, 2), None]),
    ],
)
def test_rows_are_counted_below_the_head_of_each_table(
    text: str, found: list[TableRows | None]
) -> None:
    assert [place for _, place in places(document(text))] == found


def test_a_long_table_is_cut_between_rows_that_are_told() -> None:
    lines = "\n".join(f"| Lamp {n} | {n} EUR |" for n in range(1, 301))
    found = [
        place for _, place in places(document(f"| Item | Price |\n| --- | --- |\n{lines}"), 64)
    ]
    assert len(found) > 20
    assert [place.first for place in found if place][1:] == [
        place.last + 1 for place in found[:-1] if place
    ]
    assert found[0] is not None
    assert found[-1] is not None
    assert (found[0].first, found[-1].last) == (1, 300)


@pytest.mark.parametrize(
    ("text", "media_type", "found"),
    [
        ("# A\n\na\n\f\n# B\n\nb", "text/markdown", [1, 2]),
        ("# A\n\na\n\f\f\n# B\n\nb", "text/markdown", [1, 3]),
        ("# A\n\na", "application/pdf", [1]),
        ("One.\n\f\nTwo.", "text/plain", [1, 2]),
        ("# A\n\f\na", "text/markdown", [1]),
        ("It ends on\fthe next page. Yes.\n\nMore.", "text/plain", [1, 2]),
        ("# A\n\na", "text/html", [None]),
    ],
)
def test_a_form_feed_ends_a_page(text: str, media_type: str, found: list[int | None]) -> None:
    assert [page for page, _ in places(document(text, media_type))] == found


def test_records_are_counted_where_they_begin() -> None:
    text = "a: 1\nb: 2\n\na: 3\nb: 4\n\na: 5\nb: 6"
    records = Document(key=SourceKey("d"), text=text, row_starts=(0, 11, 22), first_row=1001)
    assert places(records) == [(None, rows(1, 1001, 1003))]
