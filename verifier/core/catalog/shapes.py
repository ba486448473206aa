"""What a live schema tells of its tables: the shapes from which a catalog is proposed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnShape:
    """A column: its type, PostgreSQL's category of it, and what stands in it.

    `allowed` are the values of its enumeration or check constraint; `samples` the commonest values of
    text, and `few` tells that there are no others.
    """

    name: str
    type: str
    category: str
    allowed: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    few: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A foreign key: columns here, and the table and columns that they point to.

    `by_name` tells that no constraint says so, only the column's name.
    """

    columns: tuple[str, ...]
    table: tuple[str, ...]
    to: tuple[str, ...]
    by_name: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TableShape:
    """A table: schema and name, columns in order, primary key and foreign keys.

    `unique` are columns besides that each tell a row by themselves.
    """

    table: tuple[str, ...]
    columns: tuple[ColumnShape, ...]
    key: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    unique: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The table's name for people, such as `shop.product`."""
        return ".".join(self.table)

    def find(self, column: str) -> ColumnShape | None:
        """Return the column of this name."""
        return next((one for one in self.columns if one.name == column), None)
