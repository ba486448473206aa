"""Names by which prose may speak of catalogued things: from the ledger, and from unscoped tables."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from verifier.core.evidence import Subject
from verifier.core.names import NameIndex, index_names
from verifier.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.catalog import Catalog
    from verifier.core.ledger import Ledger
    from verifier.verify.row_reading import LendPool

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
        self._read_at: float | None = None
        self._index: NameIndex = index_names(())
        self._failed = False
        self._lock = asyncio.Lock()

    @property
    def unread(self) -> bool:
        """Whether the names could not be read yet, so that prose may name what nobody knows of."""
        return self._failed

    async def load(self) -> NameIndex:
        """Return the index of the names; one that can't be read anew stays as it was."""
        async with self._lock:
            if self._read_at is None or time.monotonic() - self._read_at >= self._refresh_s:
                try:
                    self._index = index_names(await self._read())
                except StoreError:
                    self._failed = self._read_at is None
                    return self._index
                self._read_at = time.monotonic()
                self._failed = False
            return self._index

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
