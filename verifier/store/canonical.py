"""Reading canonical tables: rows by key, in one SELECT whatever the mix, and names."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from verifier.store.canonical_pool import STATEMENT_TIMEOUT_S, CanonicalPool, reading
from verifier.store.canonical_statement import (
    MOST_NAMES,
    MOST_PARTS,
    MOST_ROWS_A_KEY,
    CanonicalStatement,
    write_lookup,
    write_names,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import asyncpg

    from verifier.core.catalog import Catalog, EntityType, Part


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


async def fetch_rows(
    pool: CanonicalPool,
    catalog: Catalog,
    database: str,
    keys: Mapping[str, Sequence[str]],
    turn_fields: Mapping[str, str],
    *,
    timeout_s: float = STATEMENT_TIMEOUT_S,
) -> Mapping[tuple[str, str], tuple[CanonicalRow, ...]]:
    """Return the visible rows by entity type and key; what is absent or out of scope is not in it.

    `keys` are stored forms by entity type, `turn_fields` what scopes refer to. One read-only SELECT.
    Raises DatabaseUnavailable, also where a table or column is gone, and DatabaseTimeout.
    """
    statement = write_lookup(catalog, database)
    if not statement.lookups:
        return {}
    arguments = statement.arguments(keys, turn_fields)
    async with reading(pool, timeout_s) as connection:
        records = await connection.fetch(statement.text, *arguments)
    found: dict[tuple[str, str], list[CanonicalRow]] = {}
    for record in records:
        if record["cells"] is None:
            continue
        row = _row(statement, record, keys, turn_fields)
        found.setdefault((row.entity.name, row.key), []).append(row)
    return {
        key: tuple(replace(row, crowded=len(rows) >= MOST_ROWS_A_KEY) for row in rows)
        for key, rows in found.items()
    }


async def fetch_names(
    pool: CanonicalPool, catalog: Catalog, database: str, *, timeout_s: float = STATEMENT_TIMEOUT_S
) -> tuple[CanonicalName, ...]:
    """Return keys and names of the visible things of unscoped types, none of a type that has too many.

    Raises DatabaseUnavailable and DatabaseTimeout.
    """
    statement = write_names(catalog, database)
    if not statement.lookups:
        return ()
    async with reading(pool, timeout_s) as connection:
        records = await connection.fetch(statement.text, *statement.arguments({}, {}))
    counts: dict[int, int] = {}
    for record in records:
        counts[record["type"]] = counts.get(record["type"], 0) + 1
    return tuple(
        CanonicalName(
            entity_type=statement.lookups[record["type"]].entity.name,
            key=record["key"],
            name=record["name"],
        )
        for record in records
        if counts[record["type"]] <= MOST_NAMES
    )


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
        key=keys[lookup.entity.name][record["number"] - 1],
        cells=cells,
        parts={name: rows for name, rows in parts.items() if len(rows) <= MOST_PARTS},
        fingerprint=hashlib.sha256(written.encode("utf-8")).hexdigest(),
    )


def _part_rows(part: Part, listed: str | None) -> tuple[Mapping[str, str | None], ...]:
    rows = json.loads(listed) if listed is not None else []
    return tuple(dict(zip(part.entity.columns, cells, strict=True)) for cells in rows)
