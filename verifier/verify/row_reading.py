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
    from collections.abc import Iterable, Mapping

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

    `round_trips` counts the SELECTs. A database that failed is not asked again. `timeouts_s` holds the
    limits of databases that have their own.
    """

    catalog: Catalog
    lend_pool: LendPool | None
    turn: Turn
    timeout_s: float = TIMEOUT_S
    timeouts_s: Mapping[str, float] = field(default_factory=dict)
    rows: dict[TypedKey, tuple[CanonicalRow, ...]] = field(default_factory=dict)
    asked: set[TypedKey] = field(default_factory=set)
    failures: dict[str, tuple[Reason, str]] = field(default_factory=dict)
    round_trips: int = 0

    def find_missing_field(self, entity: EntityType) -> str | None:
        """Return the first field of the turn without which no row of the type may be seen."""
        fields = read_turn_fields(self.turn)
        missing = (one.turn_field for one in entity.scopes if not fields.get(one.turn_field))
        return next(missing, None)

    @property
    def absent(self) -> frozenset[TypedKey]:
        """The keys that were looked for, and of which no row is visible."""
        failed = {one.name for one in self.catalog.entity_types if one.database in self.failures}
        return frozenset(key for key in self.asked - self.rows.keys() if key[0] not in failed)

    async def read(self, wanted: Iterable[TypedKey]) -> None:
        """Read the rows of keys that were not asked for yet. Failures are kept, never raised."""
        by_database: defaultdict[str, defaultdict[str, dict[str, None]]] = defaultdict(
            lambda: defaultdict(dict)
        )
        for name, written in wanted:
            entity = self.catalog.find_type(name)
            key = None if entity is None else find_key(entity, written)
            if entity is None or key is None or (name, key) in self.asked:
                continue
            if entity.database not in self.failures and self.find_missing_field(entity) is None:
                by_database[entity.database][name][key] = None
        await asyncio.gather(*(self._read(name, keys) for name, keys in by_database.items()))

    async def _read(self, database: str, keys: Mapping[str, Mapping[str, None]]) -> None:
        if self.lend_pool is None:
            detail = "no tool result tells, and no database was given"
            self.failures[database] = (Reason.NO_EVIDENCE, detail)
            return
        try:
            await self._fetch(self.lend_pool, database, keys)
        except DatabaseTimeout as error:
            self.failures[database] = (Reason.TIMEOUT, str(error))
        except VerifierError as error:
            self.failures[database] = (Reason.DATABASE_UNAVAILABLE, str(error))

    async def _fetch(
        self, lend_pool: LendPool, database: str, keys: Mapping[str, Mapping[str, None]]
    ) -> None:
        from verifier.store.canonical import fetch_rows

        pool = await lend_pool(database)
        self.round_trips += 1
        found = await fetch_rows(
            pool,
            self.catalog,
            database,
            {name: tuple(unique) for name, unique in keys.items()},
            read_turn_fields(self.turn),
            timeout_s=self.timeouts_s.get(database, self.timeout_s),
        )
        self.rows.update(found)
        self.asked.update((name, key) for name, unique in keys.items() for key in unique)
