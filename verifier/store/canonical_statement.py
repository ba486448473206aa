"""The one statement that looks up every claim of a report in a canonical database.

Its text depends on the catalog alone: identifiers pass one quoting function, values are parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.catalog import AttributeKind, KeyType, VisibilityRule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.core.catalog import Catalog, EntityType, Visibility

MOST_ROWS_A_KEY: Final = 8
MOST_NAMES: Final = 200_000
_ARRAYS: Final = {KeyType.UUID: "uuid[]", KeyType.INTEGER: "bigint[]", KeyType.TEXT: "text[]"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeLookup:
    """One entity type's part of the statement: which columns its cells are, in order."""

    entity: EntityType
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalStatement:
    """A statement over all entity types of one database."""

    text: str
    lookups: tuple[TypeLookup, ...]

    def arguments(
        self, keys: Mapping[str, Sequence[str]], turn_fields: Mapping[str, str]
    ) -> list[object]:
        """Return the parameters: per type its keys, the values of its scope and of its visibility."""
        given: list[object] = []
        for lookup in self.lookups:
            entity = lookup.entity
            wanted = keys.get(entity.name, ())
            integers = entity.key.type is KeyType.INTEGER
            given.append([int(key) for key in wanted] if integers else list(wanted))
            given += [turn_fields.get(scope.turn_field) for scope in entity.scopes]
            given += [rule.value for rule in entity.visible if rule.value is not None]
        return given


def quote_identifier(name: str) -> str:
    """Return an SQL identifier that names exactly `name`."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def quote_table(table: tuple[str, ...]) -> str:
    """Return the quoted form of a table, with its schema where one is given."""
    return ".".join(quote_identifier(part) for part in table)


def list_columns(entity: EntityType) -> tuple[str, ...]:
    """Return every column that a row of the type is compared by, each once."""
    columns: list[str] = [entity.key.column, *entity.name_columns]
    for attribute in entity.attributes:
        columns.append(attribute.column)
        if attribute.currency_column is not None:
            columns.append(attribute.currency_column)
    return tuple(dict.fromkeys(columns))


@lru_cache(maxsize=64)
def write_lookup(catalog: Catalog, database: str) -> CanonicalStatement:
    """Return the statement for the entity types of `database`.

    It yields a row a key and match: position of the type, number of the key from 1, and the cells as
    text, null where nothing is visible. At most `MOST_ROWS_A_KEY` rows a key.
    """
    entities = [entity for entity in catalog.entity_types if entity.database == database]
    lookups = tuple(TypeLookup(entity=entity, columns=list_columns(entity)) for entity in entities)
    parts: list[str] = []
    parameter = 1
    for position, lookup in enumerate(lookups):
        part, parameter = _write_part(position, lookup, parameter)
        parts.append(part)
    return CanonicalStatement(text="\nUNION ALL\n".join(parts), lookups=lookups)


def _write_part(position: int, lookup: TypeLookup, parameter: int) -> tuple[str, int]:
    entity = lookup.entity
    keys, parameter = parameter, parameter + 1
    conditions = [f"t.{quote_identifier(entity.key.column)} = wanted.key"]
    for scope in entity.scopes:
        conditions.append(f"t.{quote_identifier(scope.column)}::text = ${parameter}::text")
        parameter += 1
    for rule in entity.visible:
        conditions.append(_write_visibility(rule, parameter))
        parameter += rule.value is not None
    cells = ", ".join(_write_cell(entity, column) for column in lookup.columns)
    text = f"""SELECT {position} AS type, wanted.number, found.cells
  FROM unnest(${keys}::{_ARRAYS[entity.key.type]}) WITH ORDINALITY AS wanted (key, number)
  LEFT JOIN LATERAL (
         SELECT ARRAY[{cells}] AS cells
           FROM {quote_table(entity.table)} AS t
          WHERE {" AND ".join(conditions)}
          LIMIT {MOST_ROWS_A_KEY}) AS found ON true"""  # noqa: S608 -- quoted identifiers alone
    return text, parameter


def _write_cell(entity: EntityType, column: str) -> str:
    """Write a column as text; times through JSON, whose form no session setting changes."""
    quoted = f"t.{quote_identifier(column)}"
    kinds = {attribute.kind for attribute in entity.attributes if attribute.column == column}
    return f"to_jsonb({quoted}) #>> '{{}}'" if AttributeKind.DATE in kinds else f"{quoted}::text"


def _write_visibility(rule: Visibility, parameter: int) -> str:
    column = f"t.{quote_identifier(rule.column)}"
    if rule.rule is VisibilityRule.NULL:
        return f"{column} IS NULL"
    if rule.rule is VisibilityRule.NOT_NULL:
        return f"{column} IS NOT NULL"
    comparison = "=" if rule.rule is VisibilityRule.EQUALS else "IS DISTINCT FROM"
    return f"{column}::text {comparison} ${parameter}::text"


@lru_cache(maxsize=64)
def write_names(catalog: Catalog, database: str) -> CanonicalStatement:
    """Return a statement that lists keys and names of the unscoped types of `database`.

    It yields position of the type, key and name; its parameters are those of the visibility alone.
    """
    entities = [
        entity
        for entity in catalog.entity_types
        if entity.database == database and entity.name_columns and not entity.scopes
    ]
    lookups = tuple(TypeLookup(entity=entity, columns=entity.name_columns) for entity in entities)
    parts: list[str] = []
    parameter = 1
    for position, lookup in enumerate(lookups):
        conditions: list[str] = []
        for rule in lookup.entity.visible:
            conditions.append(_write_visibility(rule, parameter))
            parameter += rule.value is not None
        parts += [
            _write_name_part(position, lookup, column, conditions) for column in lookup.columns
        ]
    return CanonicalStatement(text="\nUNION ALL\n".join(parts), lookups=lookups)


def _write_name_part(
    position: int, lookup: TypeLookup, column: str, conditions: Sequence[str]
) -> str:
    name = f"t.{quote_identifier(column)}"
    return f"""(SELECT {position} AS type, t.{quote_identifier(lookup.entity.key.column)}::text AS key,
        {name}::text AS name
   FROM {quote_table(lookup.entity.table)} AS t
  WHERE {" AND ".join([*conditions, f"{name} IS NOT NULL"])}
  LIMIT {MOST_NAMES + 1})"""  # noqa: S608 -- quoted identifiers alone
