"""Where the rows of another retrieval store stand, and what one of them holds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ForeignForm(StrEnum):
    """Whose table it is."""

    LANGCHAIN = "langchain"
    LLAMA_INDEX = "llamaindex"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignPlace:
    """Where the rows stand. A column of None is the one that the form has by default.

    `collection` is one of PGVector's; None where there is but one, or for the other forms.
    """

    form: ForeignForm
    table: str | None = None
    collection: str | None = None
    id_column: str | None = None
    text_column: str | None = None
    vector_column: str | None = None
    metadata_column: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignRow:
    """One row. `vector` is in pgvector's binary form, of 4 bytes a number, or 2 where `is_half`.

    `metadata` and `columns` (further columns) are JSON texts; `place` orders rows as they were written.
    """

    row_id: str | None
    text: str | None
    vector: bytes | None
    is_half: bool
    metadata: str | None
    columns: str | None
    place: int
