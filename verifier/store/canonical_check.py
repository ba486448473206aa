"""Holding a catalog against a live database: every table, column, type and index that it relies on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, LiteralString, TypeAlias

import asyncpg

from verifier.core.catalog import AttributeKind, KeyType
from verifier.errors import CatalogError, DatabaseUnavailable
from verifier.store.canonical_statement import quote_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from verifier.core.catalog import Catalog, EntityType

LIST_COLUMNS: Final[LiteralString] = """
    SELECT a.attname AS name, t.typname AS type, t.typcategory AS category,
           EXISTS (SELECT FROM pg_catalog.pg_index i
                    WHERE i.indrelid = a.attrelid AND i.indkey[0] = a.attnum
                      AND i.indisvalid AND i.indpred IS NULL) AS indexed
      FROM pg_catalog.pg_attribute a
      JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
     WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
"""

_KEY_TYPES: Final[Mapping[KeyType, frozenset[str]]] = {
    KeyType.UUID: frozenset({"uuid"}),
    KeyType.INTEGER: frozenset({"int2", "int4", "int8"}),
    KeyType.TEXT: frozenset({"text", "varchar"}),
}
_CATEGORIES: Final[Mapping[AttributeKind, str]] = {
    AttributeKind.MONEY: "N",
    AttributeKind.QUANTITY: "NT",
    AttributeKind.DATE: "D",
    AttributeKind.BOOLEAN: "B",
    AttributeKind.NAME: "S",
    AttributeKind.TEXT: "S",
}
_CATEGORY_NAMES: Final = {
    "N": "a number",
    "T": "an interval",
    "D": "a date",
    "B": "boolean",
    "S": "text",
}


_Columns: TypeAlias = Mapping[str, asyncpg.Record]
_Tables: TypeAlias = Mapping[tuple[str, ...], _Columns]


async def check_catalog(
    connection: asyncpg.Connection, catalog: Catalog, *, database: str = "default"
) -> None:
    """Raise CatalogError naming everything of the catalog's `database` that the connection can't serve.

    A missing table or column, a column of another type, or a key or join without an index is named, all
    at once. Raises DatabaseUnavailable where the database can't be read.
    """
    problems = await find_problems(connection, catalog, database=database)
    if problems:
        raise CatalogError("; ".join(problems))


async def find_problems(
    connection: asyncpg.Connection, catalog: Catalog, *, database: str = "default"
) -> tuple[str, ...]:
    """Return everything of the catalog's `database` that the connection can't serve, in its order."""
    entities = [entity for entity in catalog.entity_types if entity.database == database]
    names = dict.fromkeys(table for entity in entities for table in _tables_of(entity))
    tables: dict[tuple[str, ...], _Columns] = {}
    try:
        for name in names:
            records = await connection.fetch(LIST_COLUMNS, quote_table(name))
            tables[name] = {record["name"]: record for record in records}
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise DatabaseUnavailable(f"the canonical database can't be read: {error}") from error
    declared = {(entity.name, entity.table) for entity in entities}
    return tuple(problem for one in entities for problem in _problems(one, tables, declared))


def _tables_of(entity: EntityType) -> Iterator[tuple[str, ...]]:
    yield entity.table
    for join in entity.joins:
        yield join.table
    for part in entity.parts:
        yield from _tables_of(part.entity)


def _problems(
    entity: EntityType, tables: _Tables, declared: Set[tuple[str, tuple[str, ...]]]
) -> Iterator[str]:
    where = f"catalog.{entity.name}"
    yield from _row_problems(entity, where, tables)
    key = tables[entity.table].get(entity.key.column)
    if key is not None:
        yield from _key_problems(entity, key)
    for part in entity.parts:
        path = f"{where}.parts.{part.name}"
        if (part.entity.name, part.entity.table) not in declared:
            yield from _row_problems(part.entity, path, tables)
        theirs, ours = tables[part.entity.table], tables[entity.table]
        yield from _pair_problems(part.on, path, (theirs, part.entity.table), (ours, entity.table))


def _row_problems(entity: EntityType, where: str, tables: _Tables) -> Iterator[str]:
    """Yield what tables, columns and joins of a type lack, its key apart."""
    own = tables[entity.table]
    if not own:
        yield _no_table(f"{where}.table", entity.table)
        return
    for join in entity.joins:
        path = f"{where}.joins.{join.name}"
        if not tables[join.table]:
            yield _no_table(f"{path}.table", join.table)
        yield from _pair_problems(
            join.on, path, (tables[join.table], join.table), (own, entity.table)
        )
    for path, column in _columns_of(entity):
        placed, name = entity.place_column(column)
        table = entity.table if placed is None else placed.table
        if tables[table] and name not in tables[table]:
            yield _no_column(f"{where}.{path}", table, name, tables[table])
    yield from _kind_problems(entity, where, tables)


def _kind_problems(entity: EntityType, where: str, tables: _Tables) -> Iterator[str]:
    """Yield the attributes whose columns are of a type that their kind can't be read from."""
    for attribute in entity.attributes:
        placed, name = entity.place_column(attribute.column)
        held = tables[entity.table if placed is None else placed.table].get(name)
        wanted = _CATEGORIES.get(attribute.kind)
        if wanted is not None and held is not None and _category(held) not in wanted:
            names = " or ".join(_CATEGORY_NAMES[one] for one in wanted)
            yield (
                f"{where}.attributes.{attribute.name}: column {name!r} is of type"
                f" {held['type']}, but {attribute.kind} needs {names}"
            )


def _pair_problems(
    on: tuple[tuple[str, str], ...],
    where: str,
    there: tuple[_Columns, tuple[str, ...]],
    here: tuple[_Columns, tuple[str, ...]],
) -> Iterator[str]:
    """Yield what is wrong with the columns by which two tables are joined."""
    for name, other in on:
        theirs, ours = there[0].get(name), here[0].get(other)
        if there[0] and theirs is None:
            yield _no_column(f"{where}.on", there[1], name, there[0])
        if here[0] and ours is None:
            yield _no_column(f"{where}.on", here[1], other, here[0])
        if theirs is not None and ours is not None and _category(theirs) != _category(ours):
            yield (
                f"{where}.on: {name!r} is of type {theirs['type']} and {other!r} of type"
                f" {ours['type']}; they can't be compared"
            )
    if on and not any(one in there[0] and there[0][one]["indexed"] for one, _ in on) and there[0]:
        table = ".".join(there[1])
        yield f"{where}.on: no index of {table} begins with {on[0][0]!r}; create one"


def _no_table(where: str, table: tuple[str, ...]) -> str:
    return f"{where}: there is no table {'.'.join(table)}, or this role can't see it"


def _no_column(where: str, table: tuple[str, ...], column: str, columns: _Columns) -> str:
    known = ", ".join(sorted(columns))
    return f"{where}: table {'.'.join(table)} has no column {column!r}; it has {known}"


def _key_problems(entity: EntityType, column: asyncpg.Record) -> Iterator[str]:
    where = f"catalog.{entity.name}.key"
    allowed = _KEY_TYPES[entity.key.type]
    if column["type"] not in allowed:
        yield (
            f"{where}.type is {entity.key.type}, but column {entity.key.column!r} of"
            f" {entity.qualified_table} is of type {column['type']}"
        )
    if not column["indexed"]:
        yield (
            f"{where}.column: no index of {entity.qualified_table} begins with"
            f" {entity.key.column!r}; create one"
        )


def _columns_of(entity: EntityType) -> Iterator[tuple[str, str]]:
    yield "key.column", entity.key.column
    for column in entity.name_columns:
        yield "names", column
    for scope in entity.scopes:
        yield f"scope.{scope.column}", scope.column
    for rule in entity.visible:
        yield "visible", rule.column
    for column in entity.describing:
        yield "describing", column
    for column in entity.applies.columns:
        yield "applies", column
    for attribute in entity.attributes:
        yield f"attributes.{attribute.name}.column", attribute.column
        if attribute.currency_column is not None:
            yield f"attributes.{attribute.name}.currency_column", attribute.currency_column


def _category(column: asyncpg.Record) -> str:
    category: object = column["category"]
    return category.decode() if isinstance(category, bytes) else str(category)
