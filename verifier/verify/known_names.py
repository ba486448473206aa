"""Names by which prose may speak of catalogued things: from the ledger, and from unscoped tables."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from verifier.core.evidence import Subject
from verifier.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.catalog import Catalog
    from verifier.core.ledger import Ledger
    from verifier.verify.database_tier import LendPool

REFRESH_S = 300.0


class CanonicalNames:
    """Names of the visible things of unscoped types, read when first needed and again after a while.

    One object serves many answers. A database that can't be read has no names: its things can then only
    be spoken of by id or by what the ledger calls them.
    """

    def __init__(
        self, catalog: Catalog, lend_pool: LendPool, *, refresh_s: float = REFRESH_S
    ) -> None:
        self._catalog = catalog
        self._lend_pool = lend_pool
        self._refresh_s = refresh_s
        self._read_at = -refresh_s
        self._names: tuple[tuple[str, Subject], ...] = ()
        self._lock = asyncio.Lock()

    async def list_names(self) -> tuple[tuple[str, Subject], ...]:
        """Return each name with the thing that bears it."""
        async with self._lock:
            if time.monotonic() - self._read_at >= self._refresh_s:
                try:
                    self._names = await self._read()
                except StoreError:
                    return self._names
                self._read_at = time.monotonic()
            return self._names

    async def _read(self) -> tuple[tuple[str, Subject], ...]:
        from verifier.store.canonical import fetch_names

        databases = {
            entity.database
            for entity in self._catalog.entity_types
            if entity.name_columns and not entity.scopes
        }
        named: list[tuple[str, Subject]] = []
        for database in sorted(databases):
            found = await fetch_names(await self._lend_pool(database), self._catalog, database)
            named += [
                (one.name, Subject(entity_type=one.entity_type, key=one.key)) for one in found
            ]
        return tuple(named)


def list_ledger_names(ledger: Ledger) -> Iterator[tuple[str, Subject]]:
    """Yield the names that typed records of the ledger bear, with the thing that each is of."""
    for records in ledger.names.values():
        for record in records:
            subject = record.subject
            if subject is None:
                continue
            for name in subject.names:
                if subject.key is not None:
                    yield name, Subject(entity_type=subject.entity_type, key=subject.key)
                else:
                    yield name, Subject(entity_type=subject.entity_type, names=(name,))
