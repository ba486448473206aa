"""Reading the canonical rows of one report: every key that it speaks of, in one SELECT a database."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from verifier.core.catalog.keys import find_key
from verifier.core.turn_values import read_turn_fields
from verifier.core.verdicts import Reason
from verifier.errors import DatabaseTimeout, VerifierError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from verifier.core.catalog import Catalog, EntityType
    from verifier.core.turns import Turn
    from verifier.store.canonical import CanonicalRow
    from verifier.store.canonical_pool import CanonicalPool

LendPool: TypeAlias = Callable[[str], Awaitable["CanonicalPool"]]
"""Gives the pool of a canonical database by its name; called only when it is needed."""

TypedKey: TypeAlias = tuple[str, str]
"""The name of an entity type, and a key in its stored form."""

TIMEOUT_S: Final = 5.0
"""How long a statement on canonical tables may take where nothing else is said."""


@dataclass(slots=True, kw_only=True)
class RowReader:
    """Reads rows for one report, and keeps them. Not frozen: it remembers what it asked.

    `round_trips` counts the SELECTs, `named` has the things that were only found by names, with those that
    led to them. A database that failed is not asked again. `timeouts_s` holds the limits of databases that
    have their own, `known` rows that were read for somebody else by keys that anyone may see, none where
    there is none. What `earlier` has read is taken from there.
    """

    catalog: Catalog
    lend_pool: LendPool | None
    turn: Turn
    timeout_s: float = TIMEOUT_S
    timeouts_s: Mapping[str, float] = field(default_factory=dict)
    known: Mapping[TypedKey, tuple[CanonicalRow, ...]] = field(default_factory=dict)
    rows: dict[TypedKey, tuple[CanonicalRow, ...]] = field(default_factory=dict)
    asked: set[TypedKey] = field(default_factory=set)
    named: dict[TypedKey, frozenset[str]] = field(default_factory=dict)
    failures: dict[str, tuple[Reason, str]] = field(default_factory=dict)
    round_trips: int = 0
    earlier: RowReader | None = None

    def find_missing_field(self, entity: EntityType) -> str | None:
        """Return the first field of the turn without which no row of the type may be seen."""
        fields = read_turn_fields(self.turn)
        missing = (one.turn_field for one in entity.scopes if not fields.get(one.turn_field))
        return next(missing, None)

    @property
    def bindable(self) -> Mapping[TypedKey, tuple[CanonicalRow, ...]]:
        """The rows that values may be bound to by parts of a name.

        Those of a thing that was found by its whole name are not: its neighbours of like names are unknown.
        """
        return {typed: rows for typed, rows in self.rows.items() if typed not in self.named}

    @property
    def absent(self) -> frozenset[TypedKey]:
        """The keys that were looked for, and of which no row is visible."""
        failed = {one.name for one in self.catalog.entity_types if one.database in self.failures}
        return frozenset(key for key in self.asked - self.rows.keys() if key[0] not in failed)

    async def read(
        self, wanted: Iterable[TypedKey], names: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Read the rows of keys that were not asked for yet, and of things that bear `names`, by type.

        Failures are kept, never raised.
        """
        lookups: defaultdict[str, _Lookup] = defaultdict(_Lookup)
        for name, written in wanted:
            entity = self.catalog.find_type(name)
            key = None if entity is None else find_key(entity, written)
            if entity is None or key is None or self._has_read((name, key)):
                continue
            if (name, key) in self.known:
                self._recall((name, key))
            elif entity.database not in self.failures and self.find_missing_field(entity) is None:
                lookups[entity.database].keys[name][key] = None
        for name, listed in (names or {}).items():
            entity = self.catalog.find_type(name)
            if entity is not None and listed and entity.database not in self.failures:
                lookups[entity.database].names[name] = listed
        await asyncio.gather(*(self._read(name, lookup) for name, lookup in lookups.items()))

    def _has_read(self, typed: TypedKey) -> bool:
        """Return whether a key was asked for, here or earlier."""
        if typed not in self.asked and self.earlier is not None and typed in self.earlier.asked:
            self.asked.add(typed)
            if typed in self.earlier.rows:
                self.rows[typed] = self.earlier.rows[typed]
        return typed in self.asked

    def keep(self, other: RowReader) -> None:
        """Keep what another reader has read by keys, and which databases failed it."""
        self.failures.update(other.failures)
        for typed in other.asked - other.named.keys():
            self.asked.add(typed)
            if typed in other.rows:
                self.rows[typed] = other.rows[typed]

    def _recall(self, typed: TypedKey) -> None:
        self.asked.add(typed)
        if self.known[typed]:
            self.rows[typed] = self.known[typed]

    async def _read(self, database: str, lookup: _Lookup) -> None:
        if self.lend_pool is None:
            detail = "no tool result tells, and no database was given"
            self.failures[database] = (Reason.NO_EVIDENCE, detail)
            return
        try:
            await self._fetch(self.lend_pool, database, lookup)
        except DatabaseTimeout as error:
            self.failures[database] = (Reason.TIMEOUT, str(error))
        except VerifierError as error:
            self.failures[database] = (Reason.DATABASE_UNAVAILABLE, str(error))

    async def _fetch(self, lend_pool: LendPool, database: str, lookup: _Lookup) -> None:
        from verifier.store.canonical import fetch_rows

        pool = await lend_pool(database)
        self.round_trips += 1
        found = await fetch_rows(
            pool,
            self.catalog,
            database,
            {name: tuple(unique) for name, unique in lookup.keys.items()},
            read_turn_fields(self.turn),
            names=lookup.names,
            timeout_s=self.timeouts_s.get(database, self.timeout_s),
        )
        self.rows.update(found)
        by_key = {(name, key) for name, unique in lookup.keys.items() for key in unique}
        self.named.update(
            (typed, _names_of(rows) & frozenset(lookup.names[typed[0]]))
            for typed, rows in found.items()
            if typed not in by_key and typed not in self.asked
        )
        self.asked.update(by_key, found)


@dataclass(frozen=True, slots=True)
class _Lookup:
    """What is looked for in one database, by type: each key once, and names."""

    keys: defaultdict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    names: dict[str, Sequence[str]] = field(default_factory=dict)


def _names_of(rows: Sequence[CanonicalRow]) -> frozenset[str]:
    return frozenset(
        name for row in rows for one in row.entity.name_columns if (name := row.cells[one])
    )
