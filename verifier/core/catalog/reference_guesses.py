"""References that only names tell: a column `product_id` beside a table `products`, without a foreign key."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.column_guesses import singular
from verifier.core.catalog.shapes import Reference
from verifier.core.field_names import field_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.catalog.shapes import ColumnShape, TableShape

_WHOLE: Final = frozenset({"int2", "int4", "int8"})
_TEXT: Final = frozenset({"text", "varchar", "bpchar", "citext"})


def with_named_references(tables: Sequence[TableShape]) -> tuple[TableShape, ...]:
    """Return the tables, each with the references that names of its columns tell.

    A column of one table's word and "id" refers to that table, where its key is one column of such a type.
    """
    return tuple(
        replace(shape, references=(*shape.references, *_find_references(shape, tables)))
        for shape in tables
    )


def row_word(table: tuple[str, ...]) -> str:
    """Return a table's word for one of its rows; its whole name where that holds no word."""
    words = field_words(table[-1])
    return singular(words[-1]) if words else table[-1]


def _find_references(shape: TableShape, tables: Sequence[TableShape]) -> Iterator[Reference]:
    referring = {column for one in shape.references for column in one.columns}
    for column in shape.columns:
        words = field_words(column.name)
        own = column.name in referring or shape.key == (column.name,)
        if own or len(words) < 2 or words[-1] != "id":
            continue
        meant = [
            (other, key)
            for other in tables
            if other is not shape
            and _is_named(other, words[:-1])
            and (key := _find_key(other)) is not None
            and _family(key) == _family(column)
        ]
        if len(meant) == 1:
            other, key = meant[0]
            yield Reference(columns=(column.name,), table=other.table, to=(key.name,), by_name=True)


def _is_named(table: TableShape, words: tuple[str, ...]) -> bool:
    """Return whether words are a table's for one of its rows: order item of order_items."""
    own = field_words(table.table[-1])
    return (*own[:-1], row_word(table.table)) == words


def _find_key(table: TableShape) -> ColumnShape | None:
    return table.find(table.key[0]) if len(table.key) == 1 else None


def _family(column: ColumnShape) -> str:
    for name, types in (("whole", _WHOLE), ("text", _TEXT)):
        if column.type in types:
            return name
    return column.type
