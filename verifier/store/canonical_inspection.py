"""Reading the shape of a live schema: tables, keys, references, allowed values and samples."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final, LiteralString

import asyncpg

from verifier.core.catalog.shapes import ColumnShape, Reference, TableShape
from verifier.errors import DatabaseUnavailable
from verifier.store.canonical_statement import quote_identifier, quote_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MOST_TABLES: Final = 500
_MOST_SAMPLES: Final = 20
_MOST_SAMPLED_ROWS: Final = 2_000
_LONGEST_SAMPLE: Final = 80
_SAMPLED: Final = frozenset("SE")  # text and enumerations: nothing is guessed from others
_QUOTED: Final = re.compile(r"'((?:[^']|'')*)'")

LIST_TABLES: Final[LiteralString] = """
    SELECT c.oid, n.nspname AS schema, c.relname AS name
      FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname = ANY ($1)
       AND has_table_privilege(c.oid, 'SELECT')
     ORDER BY 2, 3
     LIMIT $2
"""
LIST_COLUMNS: Final[LiteralString] = """
    SELECT a.attrelid AS oid, a.attname AS name, t.typname AS type, t.typcategory::text AS category,
           ARRAY(SELECT e.enumlabel::text FROM pg_catalog.pg_enum e
                  WHERE e.enumtypid = a.atttypid ORDER BY e.enumsortorder) AS labels
      FROM pg_catalog.pg_attribute a
      JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
     WHERE a.attrelid = ANY ($1) AND a.attnum > 0 AND NOT a.attisdropped
     ORDER BY a.attrelid, a.attnum
"""
LIST_CONSTRAINTS: Final[LiteralString] = """
    SELECT c.conrelid AS oid, c.contype::text AS type, pg_get_constraintdef(c.oid) AS definition,
           ARRAY(SELECT a.attname::text FROM unnest(c.conkey) WITH ORDINALITY AS k (number, place)
                   JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number
                  ORDER BY k.place) AS columns,
           n.nspname AS other_schema, f.relname AS other_name,
           ARRAY(SELECT a.attname::text FROM unnest(c.confkey) WITH ORDINALITY AS k (number, place)
                   JOIN pg_catalog.pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.number
                  ORDER BY k.place) AS others
      FROM pg_catalog.pg_constraint c
      LEFT JOIN pg_catalog.pg_class f ON f.oid = c.confrelid
      LEFT JOIN pg_catalog.pg_namespace n ON n.oid = f.relnamespace
     WHERE c.conrelid = ANY ($1) AND c.contype IN ('p', 'u', 'f', 'c')
     ORDER BY c.contype DESC, c.conname
"""


async def inspect_tables(
    connection: asyncpg.Connection, schemas: Sequence[str]
) -> tuple[TableShape, ...]:
    """Return the tables and views of the schemas that the role may read, with samples of their values.

    Of each table the first few thousand rows are read. Raises DatabaseUnavailable.
    """
    try:
        async with connection.transaction(readonly=True):
            return await _inspect(connection, schemas)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise DatabaseUnavailable(f"the canonical database can't be read: {error}") from error


async def _inspect(
    connection: asyncpg.Connection, schemas: Sequence[str]
) -> tuple[TableShape, ...]:
    tables = await connection.fetch(LIST_TABLES, list(schemas), _MOST_TABLES)
    oids = [table["oid"] for table in tables]
    columns = _by_table(await connection.fetch(LIST_COLUMNS, oids))
    constraints = _by_table(await connection.fetch(LIST_CONSTRAINTS, oids))
    return tuple(
        [
            await _shape(connection, table, columns[table["oid"]], constraints[table["oid"]])
            for table in tables
        ]
    )


def _by_table(records: Sequence[asyncpg.Record]) -> defaultdict[int, list[asyncpg.Record]]:
    found: defaultdict[int, list[asyncpg.Record]] = defaultdict(list)
    for record in records:
        found[record["oid"]].append(record)
    return found


async def _shape(
    connection: asyncpg.Connection,
    table: asyncpg.Record,
    columns: Sequence[asyncpg.Record],
    constraints: Sequence[asyncpg.Record],
) -> TableShape:
    name = (str(table["schema"]), str(table["name"]))
    allowed = _allowed(constraints)
    shapes = [await _column(connection, name, column, allowed) for column in columns]
    keys = [one for one in constraints if one["type"] in "pu"]
    keys.sort(key=lambda one: (one["type"] != "p", len(one["columns"])))
    return TableShape(
        table=name,
        columns=tuple(shapes),
        key=tuple(keys[0]["columns"]) if keys else (),
        references=tuple(
            Reference(
                columns=tuple(one["columns"]),
                table=(one["other_schema"], one["other_name"]),
                to=tuple(one["others"]),
            )
            for one in constraints
            if one["type"] == "f"
        ),
        unique=tuple(
            one["columns"][0] for one in keys[1:] if one["type"] == "u" and len(one["columns"]) == 1
        ),
    )


def _allowed(constraints: Sequence[asyncpg.Record]) -> Mapping[str, tuple[str, ...]]:
    """Return the values that a check constraint of one column lists, as in `status IN ('a', 'b')`."""
    found: dict[str, tuple[str, ...]] = {}
    for one in constraints:
        definition = one["definition"]
        listed = "ANY" in definition or " OR " in definition or " IN " in definition
        if one["type"] == "c" and len(one["columns"]) == 1 and listed:
            values = (value.replace("''", "'") for value in _QUOTED.findall(definition))
            found[one["columns"][0]] = tuple(dict.fromkeys(values))
    return found


async def _column(
    connection: asyncpg.Connection,
    table: tuple[str, str],
    column: asyncpg.Record,
    allowed: Mapping[str, tuple[str, ...]],
) -> ColumnShape:
    samples: tuple[str, ...] = ()
    few = False
    if column["category"] in _SAMPLED:
        quoted = quote_identifier(column["name"])
        records = await connection.fetch(
            f"""SELECT left(value, {_LONGEST_SAMPLE}) AS value
                  FROM (SELECT {quoted}::text AS value FROM {quote_table(table)}
                         LIMIT {_MOST_SAMPLED_ROWS}) AS sampled
                 WHERE value IS NOT NULL
                 GROUP BY 1
                 ORDER BY count(*) DESC, md5(left(value, {_LONGEST_SAMPLE}))
                 LIMIT {_MOST_SAMPLES + 1}"""  # noqa: S608 -- quoted
        )
        samples = tuple(record["value"] for record in records[:_MOST_SAMPLES])
        few = len(records) <= _MOST_SAMPLES
    return ColumnShape(
        name=column["name"],
        type=column["type"],
        category=column["category"],
        allowed=tuple(column["labels"]) or allowed.get(column["name"], ()),
        samples=samples,
        few=few,
    )
