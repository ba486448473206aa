"""What a search found, with the text and place of each chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, LiteralString

from verifier.core.documents import SearchHit, format_chunk_id
from verifier.core.spans import Span
from verifier.store.chunks import read_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

HIT_COLUMNS: Final[LiteralString] = """
           t.basis, k.source_id, k.version_id, k.ordinal, s.key, s.title, s.url, v.seq, v.review_until,
           c.start_at, c.end_at, c.heading_path, c.page, c.table_number, c.first_row, c.last_row,
           substring(v.text, c.start_at + 1, c.end_at - c.start_at) AS text
"""
HIT_JOINS: Final[LiteralString] = """
      JOIN source s ON s.source_id = k.source_id
      JOIN document_version v ON v.version_id = k.version_id
      JOIN chunk c ON c.version_id = k.version_id AND c.ordinal = k.ordinal
     CROSS JOIN tenant t
"""
"""What is joined to the chunks that were found, `k`."""


def read_hit(row: Mapping[str, Any], *, similarity: float | None) -> SearchHit:
    """Return the hit of a row with `HIT_COLUMNS`."""
    return SearchHit(
        chunk_id=format_chunk_id(row["key"], row["seq"], row["ordinal"]),
        source=row["key"],
        seq=row["seq"],
        ordinal=row["ordinal"],
        span=Span(row["start_at"], row["end_at"]),
        text=row["text"],
        heading_path=tuple(row["heading_path"]),
        similarity=similarity,
        title=row["title"],
        url=row["url"],
        review_until=row["review_until"],
        page=row["page"],
        rows=read_rows(row),
    )
