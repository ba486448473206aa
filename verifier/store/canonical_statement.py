"""The one statement that looks up every claim of a report in a canonical database.

Its text depends on the catalog alone: identifiers pass one quoting function, values are parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from verifier.core.catalog import AttributeKind, KeyType, VisibilityRule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.core.catalog import Catalog, EntityType, Part, Visibility

MOST_ROWS_A_KEY: Final = 200
MOST_PARTS: Final = 1_000
MOST_NAMES: Final = 200_000
MOST_NAMED: Final = 1_000
_ARRAYS: Final = {KeyType.UUID: "uuid[]", KeyType.INTEGER: "bigint[]", KeyType.TEXT: "text[]"}


@dataclass(frozen=True, slots=True)
class _Keys:
    """A parameter that is filled with the wanted keys of a type."""

    entity: EntityType


@dataclass(frozen=True, slots=True)
class _Names:
    """A parameter that is filled with the names by which things of a type are wanted."""

    entity: EntityType


@dataclass(frozen=True, slots=True)
class _TurnField:
    """A parameter that is filled with a field of the turn."""

    name: str


_Parameter = _Keys | _Names | _TurnField | str


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedRows:
    """What is looked for, by entity type: stored forms of keys, and names as they are stored."""

    keys: Mapping[str, Sequence[str]] = field(default_factory=dict)
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)


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
    parameters: tuple[_Parameter, ...]

    def arguments(self, wanted: WantedRows, turn_fields: Mapping[str, str]) -> list[object]:
        """Return the parameters: keys and names by type, the values of scopes and of visibility."""
        return [_fill(one, wanted, turn_fields) for one in self.parameters]


def _fill(parameter: _Parameter, rows: WantedRows, turn_fields: Mapping[str, str]) -> object:
    if isinstance(parameter, str):
        return parameter
    if isinstance(parameter, _TurnField):
        return turn_fields.get(parameter.name)
    if isinstance(parameter, _Names):
        return list(rows.names.get(parameter.entity.name, ()))
    wanted = rows.keys.get(parameter.entity.name, ())
    integers = parameter.entity.key.type is KeyType.INTEGER
    return [int(key) for key in wanted] if integers else list(wanted)


def quote_identifier(name: str) -> str:
    """Return an SQL identifier that names exactly `name`."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def quote_table(table: tuple[str, ...]) -> str:
    """Return the quoted form of a table, with its schema where one is given."""
    return ".".join(quote_identifier(part) for part in table)


@lru_cache(maxsize=64)
def write_lookup(catalog: Catalog, database: str) -> CanonicalStatement:
    """Return the statement for the entity types of `database`.

    It yields a row a key and match: position of the type, number of the key from 1, the cells as text,
    null where nothing is visible, and a JSON list of cells for each part, in order. At most
    `MOST_ROWS_A_KEY` rows a key, and one part more than `MOST_PARTS` where there are too many. Of unscoped
    types with names it yields, without a number, the rows of things that bear a wanted one as well; one more
    than `MOST_NAMED` where there are too many.
    """
    entities = [entity for entity in catalog.entity_types if entity.database == database]
    lookups = tuple(TypeLookup(entity=entity, columns=entity.columns) for entity in entities)
    writer = _Writer()
    parts = [writer.lookup(position, lookup) for position, lookup in enumerate(lookups)]
    parts += [
        writer.named(position, lookup, column)
        for position, lookup in enumerate(lookups)
        if not lookup.entity.scopes
        for column in lookup.entity.name_columns
    ]
    return CanonicalStatement(
        text="\nUNION ALL\n".join(parts), lookups=lookups, parameters=tuple(writer.parameters)
    )


@lru_cache(maxsize=64)
def write_names(catalog: Catalog, database: str) -> CanonicalStatement:
    """Return a statement that lists keys and names of the unscoped types of `database`.

    It yields position of the type, key and name.
    """
    lookups = tuple(
        TypeLookup(entity=entity, columns=entity.name_columns)
        for entity in catalog.entity_types
        if entity.database == database and entity.name_columns and not entity.scopes
    )
    writer = _Writer()
    parts = [
        writer.names(position, lookup.entity, column)
        for position, lookup in enumerate(lookups)
        for column in lookup.columns
    ]
    return CanonicalStatement(
        text="\nUNION ALL\n".join(parts), lookups=lookups, parameters=tuple(writer.parameters)
    )


@dataclass(slots=True)
class _Writer:
    """Writes parts of one statement, and collects its parameters in order."""

    parameters: list[_Parameter] = field(default_factory=list)

    def lookup(self, position: int, lookup: TypeLookup) -> str:
        """Write the look-up of one type's keys."""
        entity = lookup.entity
        keys = self._place(_Keys(entity))
        key = _write_column(entity, entity.key.column, "t")
        parts = ", ".join(self._part(part) for part in entity.parts)
        where = " AND ".join([f"{key} = wanted.key", *self._conditions(entity, "t")])
        return f"""SELECT {position} AS type, wanted.number, found.cells, found.parts
  FROM unnest({keys}::{_ARRAYS[entity.key.type]}) WITH ORDINALITY AS wanted (key, number)
  LEFT JOIN LATERAL (
         SELECT {_write_cells(entity, lookup.columns, "t")} AS cells, ARRAY[{parts}]::text[] AS parts
           FROM {_write_tables(entity, "t")}
          WHERE {where}
          LIMIT {MOST_ROWS_A_KEY}) AS found ON true"""  # noqa: S608 -- quoted identifiers alone

    def named(self, position: int, lookup: TypeLookup, column: str) -> str:
        """Write the look-up of all rows of the things that bear a name in a column."""
        entity = lookup.entity
        cells = _write_cells(entity, lookup.columns, "t")
        parts = ", ".join(self._part(part) for part in entity.parts)
        key, bearer = (_write_column(entity, entity.key.column, alias) for alias in ("t", "n"))
        of_all = " AND ".join([*self._conditions(entity, "t"), ""])
        name = f"{_write_column(entity, column, 'n')}::text = wanted.name"
        borne = " AND ".join([name, *self._conditions(entity, "n")])
        return f"""(SELECT {position}, NULL, {cells}, ARRAY[{parts}]::text[]
   FROM {_write_tables(entity, "t")}
  WHERE {of_all}{key} IN (
         SELECT {bearer}
           FROM {_write_tables(entity, "n")}
          CROSS JOIN unnest({self._place(_Names(entity))}::text[]) AS wanted (name)
          WHERE {borne})
  LIMIT {MOST_NAMED + 1})"""  # noqa: S608 -- quoted identifiers alone

    def names(self, position: int, entity: EntityType, column: str) -> str:
        """Write the list of one column's names."""
        name = _write_column(entity, column, "t")
        where = " AND ".join([*self._conditions(entity, "t"), f"{name} IS NOT NULL"])
        key = _write_column(entity, entity.key.column, "t")
        return f"""(SELECT {position} AS type, {key}::text AS key, {name}::text AS name
   FROM {_write_tables(entity, "t")}
  WHERE {where}
  LIMIT {MOST_NAMES + 1})"""  # noqa: S608 -- quoted identifiers alone

    def _part(self, part: Part) -> str:
        """Write the rows of a part, as a JSON list of cells in an order of their own."""
        entity = part.entity
        joined = [
            f"{_write_column(entity, there, 'p')} = t.{quote_identifier(here)}"
            for there, here in part.on
        ]
        where = " AND ".join([*joined, *self._conditions(entity, "p")])
        return f"""(SELECT json_agg(part.cells ORDER BY part.cells)::text
             FROM (SELECT {_write_cells(entity, entity.columns, "p")} AS cells
                     FROM {_write_tables(entity, "p")}
                    WHERE {where}
                    LIMIT {MOST_PARTS + 1}) AS part)"""  # noqa: S608 -- quoted identifiers alone

    def _conditions(self, entity: EntityType, alias: str) -> list[str]:
        scopes = [
            f"{_write_column(entity, scope.column, alias)}::text"
            f" = {self._place(_TurnField(scope.turn_field))}::text"
            for scope in entity.scopes
        ]
        return [*scopes, *(self._visibility(entity, rule, alias) for rule in entity.visible)]

    def _visibility(self, entity: EntityType, rule: Visibility, alias: str) -> str:
        column = _write_column(entity, rule.column, alias)
        if rule.rule is VisibilityRule.NULL:
            return f"{column} IS NULL"
        if rule.rule is VisibilityRule.NOT_NULL:
            return f"{column} IS NOT NULL"
        comparison = "=" if rule.rule is VisibilityRule.EQUALS else "IS DISTINCT FROM"
        return f"{column}::text {comparison} {self._place(rule.value or '')}::text"

    def _place(self, parameter: _Parameter) -> str:
        self.parameters.append(parameter)
        return f"${len(self.parameters)}"


def _write_tables(entity: EntityType, alias: str) -> str:
    """Write the type's table and those joined to it, each under an alias of its own."""
    tables = [f"{quote_table(entity.table)} AS {alias}"]
    for join in entity.joins:
        other = quote_identifier(f"{alias}.{join.name}")
        on = " AND ".join(
            f"{other}.{quote_identifier(there)} = {alias}.{quote_identifier(here)}"
            for there, here in join.on
        )
        tables.append(f"LEFT JOIN {quote_table(join.table)} AS {other} ON {on}")
    return "\n           ".join(tables)


def _write_column(entity: EntityType, column: str, alias: str) -> str:
    join, name = entity.place_column(column)
    table = alias if join is None else quote_identifier(f"{alias}.{join.name}")
    return f"{table}.{quote_identifier(name)}"


def _write_cells(entity: EntityType, columns: Sequence[str], alias: str) -> str:
    dated = {one.column for one in entity.attributes if one.kind is AttributeKind.DATE}
    dated |= {one for one in (entity.applies.valid_from, entity.applies.valid_to) if one}
    cells = ", ".join(
        _write_cell(_write_column(entity, one, alias), dated=one in dated) for one in columns
    )
    return f"ARRAY[{cells}]::text[]"


def _write_cell(column: str, *, dated: bool) -> str:
    """Write a column as text; times through JSON, whose form no session setting changes."""
    return f"to_jsonb({column}) #>> '{{}}'" if dated else f"{column}::text"
