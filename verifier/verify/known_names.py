"""Names by which prose may speak of catalogued things: from the ledger, and from unscoped tables."""

from __future__ import annotations

import asyncio
import math
import time
from typing import TYPE_CHECKING

from verifier.core.evidence import Subject
from verifier.core.names import NameIndex, index_names
from verifier.errors import VerifierError
from verifier.verify.row_reading import TIMEOUT_S

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verifier.core.catalog import Catalog
    from verifier.core.ledger import Ledger
    from verifier.store.canonical_pool import CanonicalPool
    from verifier.verify.row_reading import LendPool

REFRESH_S = 300.0


class CanonicalNames:
    """Names of the visible things of unscoped types, read when first needed and again after a while.

    One object serves many answers. A database that can't be read has no names: its things can then only
    be spoken of by id or by what the ledger calls them.
    """

    def __init__(
        self,
        catalog: Catalog,
        lend_pool: LendPool,
        *,
        refresh_s: float = REFRESH_S,
        timeouts_s: Mapping[str, float] | None = None,
    ) -> None:
        self._catalog = catalog
        self._lend_pool = lend_pool
        self._refresh_s = refresh_s
        self._timeouts_s = timeouts_s or {}
        self._read_at: float | None = None
        self._index: NameIndex = index_names(())
        self._crowded: frozenset[str] = frozenset()
        self._failed = False
        self._attempts = 0
        self._lock = asyncio.Lock()

    @property
    def unread(self) -> bool:
        """Whether the names could not be read yet, so that prose may name what nobody knows of."""
        return self._failed

    @property
    def crowded(self) -> frozenset[str]:
        """The types that have too many names to hold: theirs are looked for as the answer writes them."""
        return self._crowded

    async def load(self) -> NameIndex:
        """Return the index of the names; one that can't be read anew stays as it was.

        Who comes while they are being read shares what comes of it, also where that fails.
        """
        if not self._is_due():
            return self._index
        seen = self._attempts
        try:
            pools = {name: await self._lend_pool(name) for name in self._databases()}
            async with self._lock:
                if self._attempts == seen:
                    await self._read(pools)
        except VerifierError:
            self._attempts += 1
            self._failed = self._read_at is None
        return self._index

    def renew(self) -> None:
        """Have the names read anew when they are needed next; until then they stay as they are."""
        if self._read_at is not None:
            self._read_at = -math.inf

    def _is_due(self) -> bool:
        return self._read_at is None or time.monotonic() - self._read_at >= self._refresh_s

    def _databases(self) -> list[str]:
        return sorted(
            {
                entity.database
                for entity in self._catalog.entity_types
                if entity.name_columns and not entity.scopes
            }
        )

    async def _read(self, pools: Mapping[str, CanonicalPool]) -> None:
        from verifier.store.canonical import fetch_names

        named: list[tuple[str, Subject]] = []
        crowded: frozenset[str] = frozenset()
        for database, pool in pools.items():
            timeout_s = self._timeouts_s.get(database, TIMEOUT_S)
            found = await fetch_names(pool, self._catalog, database, timeout_s=timeout_s)
            named += [
                (one.name, Subject(entity_type=one.entity_type, key=one.key)) for one in found.names
            ]
            crowded |= found.crowded
        # Many names take seconds to fold, and other answers should not wait for that.
        self._index = await asyncio.to_thread(index_names, named)
        self._crowded = crowded
        self._read_at = time.monotonic()
        self._attempts += 1
        self._failed = False


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
