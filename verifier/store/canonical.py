"""Reading canonical tables: rows by key, in one SELECT whatever the mix, and names."""

from __future__ import annotations

import asyncio
import hashlib
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import asyncpg
from asyncpg import exceptions as driver

from verifier.errors import DatabaseTimeout, DatabaseUnavailable
from verifier.store.canonical_statement import (
    MOST_NAMES,
    CanonicalStatement,
    write_lookup,
    write_names,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from verifier.core.catalog import Catalog, EntityType

CanonicalPool: TypeAlias = asyncpg.Pool
STATEMENT_TIMEOUT_S: Final = 5.0
_SHORTEST_TIMEOUT_MS: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalRow:
    """A visible row: its compared columns as text. `fingerprint` is the SHA-256 of them."""

    entity: EntityType
    key: str
    cells: Mapping[str, str | None]
    fingerprint: str


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
    async with _reading(pool, timeout_s) as connection:
        records = await connection.fetch(statement.text, *arguments)
    found: dict[tuple[str, str], list[CanonicalRow]] = {}
    for record in records:
        if record["cells"] is None:
            continue
        row = _row(statement, record, keys)
        found.setdefault((row.entity.name, row.key), []).append(row)
    return {key: tuple(rows) for key, rows in found.items()}


async def fetch_names(
    pool: CanonicalPool, catalog: Catalog, database: str, *, timeout_s: float = STATEMENT_TIMEOUT_S
) -> tuple[CanonicalName, ...]:
    """Return keys and names of the visible things of unscoped types, none of a type that has too many.

    Raises DatabaseUnavailable and DatabaseTimeout.
    """
    statement = write_names(catalog, database)
    if not statement.lookups:
        return ()
    values = [
        rule.value
        for lookup in statement.lookups
        for rule in lookup.entity.visible
        if rule.value is not None
    ]
    async with _reading(pool, timeout_s) as connection:
        records = await connection.fetch(statement.text, *values)
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


@asynccontextmanager
async def _reading(pool: CanonicalPool, timeout_s: float) -> AsyncIterator[asyncpg.Connection]:
    """Yield a connection in a read-only transaction with a statement timeout."""
    limit_ms = max(int(timeout_s * 1000), _SHORTEST_TIMEOUT_MS)
    try:
        async with (
            asyncio.timeout(timeout_s * 2),
            pool.acquire(timeout=timeout_s) as connection,
            connection.transaction(readonly=True),
        ):
            await connection.execute(f"SET LOCAL statement_timeout = {limit_ms}")
            yield connection
    except (TimeoutError, driver.QueryCanceledError, driver.LockNotAvailableError) as error:
        raise DatabaseTimeout(
            f"the canonical tables did not answer within {timeout_s} seconds"
        ) from error
    except (OSError, driver.PostgresError, driver.InterfaceError) as error:
        raise DatabaseUnavailable(f"the canonical tables can't be read: {error}") from error


def _row(
    statement: CanonicalStatement, record: asyncpg.Record, keys: Mapping[str, Sequence[str]]
) -> CanonicalRow:
    lookup = statement.lookups[record["type"]]
    cells = dict(zip(lookup.columns, record["cells"], strict=True))
    written = json.dumps(cells, sort_keys=True, ensure_ascii=False)
    return CanonicalRow(
        entity=lookup.entity,
        key=keys[lookup.entity.name][record["number"] - 1],
        cells=cells,
        fingerprint=hashlib.sha256(written.encode("utf-8")).hexdigest(),
    )
