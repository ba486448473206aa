"""Holding a catalog against a live database: every table, column, type and index that it relies on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, LiteralString

import asyncpg

from verifier.core.catalog import AttributeKind, KeyType
from verifier.errors import CatalogError, DatabaseUnavailable
from verifier.store.canonical_statement import quote_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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


async def check_catalog(
    connection: asyncpg.Connection, catalog: Catalog, *, database: str = "default"
) -> None:
    """Raise CatalogError naming everything of the catalog's `database` that the connection can't serve.

    A missing table or column, a column of another type, or a key without an index is named, all at once.
    """
    problems: list[str] = []
    try:
        for entity in catalog.entity_types:
            if entity.database == database:
                records = await connection.fetch(LIST_COLUMNS, quote_table(entity.table))
                columns = {record["name"]: record for record in records}
                problems += _problems(entity, columns)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise DatabaseUnavailable(f"the canonical database can't be read: {error}") from error
    if problems:
        raise CatalogError("; ".join(problems))


def _problems(entity: EntityType, columns: Mapping[str, asyncpg.Record]) -> Iterator[str]:
    where = f"catalog.{entity.name}"
    if not columns:
        yield f"{where}.table: there is no table {entity.qualified_table}, or this role can't see it"
        return
    for path, column in _columns_of(entity):
        if column not in columns:
            known = ", ".join(sorted(columns))
            yield (
                f"{where}.{path}: table {entity.qualified_table} has no column {column!r};"
                f" it has {known}"
            )
    if entity.key.column in columns:
        yield from _key_problems(entity, columns[entity.key.column])
    for attribute in entity.attributes:
        wanted = _CATEGORIES.get(attribute.kind)
        held = columns.get(attribute.column)
        if wanted is not None and held is not None and _category(held) not in wanted:
            names = " or ".join(_CATEGORY_NAMES[one] for one in wanted)
            yield (
                f"{where}.attributes.{attribute.name}: column {attribute.column!r} is of type"
                f" {held['type']}, but {attribute.kind} needs {names}"
            )


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
    for attribute in entity.attributes:
        yield f"attributes.{attribute.name}.column", attribute.column
        if attribute.currency_column is not None:
            yield f"attributes.{attribute.name}.currency_column", attribute.currency_column


def _category(column: asyncpg.Record) -> str:
    category: object = column["category"]
    return category.decode() if isinstance(category, bytes) else str(category)
