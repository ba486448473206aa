"""Reading canonical tables: rows by key, in one SELECT whatever the mix, and names."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from verifier.core.catalog.keys import find_key
from verifier.store.canonical_pool import STATEMENT_TIMEOUT_S, CanonicalPool, reading
from verifier.store.canonical_statement import (
    MOST_NAMED,
    MOST_NAMES,
    MOST_PARTS,
    MOST_ROWS_A_KEY,
    CanonicalStatement,
    WantedRows,
    write_lookup,
    write_names,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import asyncpg

    from verifier.core.catalog import Catalog, EntityType, Part

__all__ = [
    "CanonicalName",
    "CanonicalPool",
    "CanonicalRow",
    "NameList",
    "fetch_names",
    "fetch_rows",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalRow:
    """A visible row: its compared columns as text. `fingerprint` is the SHA-256 of all that was read.

    `parts` holds the rows that belong to it, by the part's name; a part of which there are too many, or
    whose scope the turn can't fill, is not among them. `crowded` tells that there are more rows of this
    key than are read, so that nothing is known of the rest.
    """

    entity: EntityType
    key: str
    cells: Mapping[str, str | None]
    fingerprint: str
    parts: Mapping[str, tuple[Mapping[str, str | None], ...]] = field(default_factory=dict)
    crowded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalName:
    """A name under which an unscoped thing can be spoken of."""

    entity_type: str
    key: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NameList:
    """Names of things; `crowded` are the types that have too many, of which none is listed."""

    names: tuple[CanonicalName, ...] = ()
    crowded: frozenset[str] = frozenset()


_NO_NAMES: Final[Mapping[str, Sequence[str]]] = MappingProxyType({})


async def fetch_rows(
    pool: CanonicalPool,
    catalog: Catalog,
    database: str,
    keys: Mapping[str, Sequence[str]],
    turn_fields: Mapping[str, str],
    *,
    names: Mapping[str, Sequence[str]] = _NO_NAMES,
    timeout_s: float = STATEMENT_TIMEOUT_S,
) -> Mapping[tuple[str, str], tuple[CanonicalRow, ...]]:
    """Return the visible rows by entity type and key; what is absent or out of scope is not in it.

    `keys` are stored forms by entity type, `names` stored names of things of unscoped types, whose rows are
    returned as well unless there are very many; `turn_fields` is what scopes refer to. One read-only SELECT.
    Raises DatabaseUnavailable, also where a table or column is gone, and DatabaseTimeout.
    """
    statement = write_lookup(catalog, database)
    if not statement.lookups:
        return {}
    arguments = statement.arguments(WantedRows(keys=keys, names=names), turn_fields)
    async with reading(pool, timeout_s) as connection:
        records = await connection.fetch(statement.text, *arguments)
    asked = {name: frozenset(listed) for name, listed in keys.items()}
    found: dict[tuple[str, str], list[CanonicalRow]] = {}
    for record in _without_crowds(records):
        row = _row(statement, record, keys, turn_fields)
        by_name = record["number"] is None
        if not by_name or row.key not in asked.get(row.entity.name, ()):
            found.setdefault((row.entity.name, row.key), []).append(row)
    return {
        key: tuple(replace(row, crowded=len(rows) >= MOST_ROWS_A_KEY) for row in rows)
        for key, rows in found.items()
    }


async def fetch_names(
    pool: CanonicalPool, catalog: Catalog, database: str, *, timeout_s: float = STATEMENT_TIMEOUT_S
) -> NameList:
    """Return keys and names of the visible things of unscoped types.

    Raises DatabaseUnavailable and DatabaseTimeout.
    """
    statement = write_names(catalog, database)
    if not statement.lookups:
        return NameList()
    async with reading(pool, timeout_s) as connection:
        records = await connection.fetch(statement.text, *statement.arguments(WantedRows(), {}))
    counts = Counter(record["type"] for record in records)
    types = [lookup.entity.name for lookup in statement.lookups]
    return NameList(
        names=tuple(
            CanonicalName(entity_type=types[record["type"]], key=record["key"], name=record["name"])
            for record in records
            if counts[record["type"]] <= MOST_NAMES
        ),
        crowded=frozenset(types[at] for at, number in counts.items() if number > MOST_NAMES),
    )


def _without_crowds(records: Sequence[asyncpg.Record]) -> Iterator[asyncpg.Record]:
    """Yield the records of rows, by name only where all that bear it were read."""
    named = Counter(record["type"] for record in records if record["number"] is None)
    for record in records:
        if record["cells"] is not None and (
            record["number"] is not None or named[record["type"]] <= MOST_NAMED
        ):
            yield record


def _row(
    statement: CanonicalStatement,
    record: asyncpg.Record,
    keys: Mapping[str, Sequence[str]],
    turn_fields: Mapping[str, str],
) -> CanonicalRow:
    lookup = statement.lookups[record["type"]]
    cells = dict(zip(lookup.columns, record["cells"], strict=True))
    parts = {
        part.name: _part_rows(part, listed)
        for part, listed in zip(lookup.entity.parts, record["parts"], strict=True)
        if all(turn_fields.get(scope.turn_field) for scope in part.entity.scopes)
    }
    written = json.dumps([cells, parts] if parts else cells, sort_keys=True, ensure_ascii=False)
    return CanonicalRow(
        entity=lookup.entity,
        key=_key(lookup.entity, record["number"], keys, cells),
        cells=cells,
        parts={name: rows for name, rows in parts.items() if len(rows) <= MOST_PARTS},
        fingerprint=hashlib.sha256(written.encode("utf-8")).hexdigest(),
    )


def _key(
    entity: EntityType,
    number: int | None,
    keys: Mapping[str, Sequence[str]],
    cells: Mapping[str, str | None],
) -> str:
    """Return the key that was asked for, or that of a row which was found by its name."""
    if number is not None:
        return keys[entity.name][number - 1]
    stored = cells[entity.key.column] or ""
    return find_key(entity, stored) or stored


def _part_rows(part: Part, listed: str | None) -> tuple[Mapping[str, str | None], ...]:
    rows = json.loads(listed) if listed is not None else []
    return tuple(dict(zip(part.entity.columns, cells, strict=True)) for cells in rows)
