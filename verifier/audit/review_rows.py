"""Reviews that rest on canonical rows: whether the rows are still what they were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.reviews import Expiry
from verifier.core.turn_file import read_turn
from verifier.store.pool import tenant_transaction
from verifier.store.review_evidence import expire_entries, list_entries_of_rows, list_rows
from verifier.store.review_listing import find_asked
from verifier.verify.verifier import open_reader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verifier.core.catalog import Catalog
    from verifier.store.pool import Pool
    from verifier.store.review_evidence import CitedRow
    from verifier.verify.row_reading import RowReader
    from verifier.verify.verifier import Backing

_ENTRIES_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCheck:
    """What reading the rows of entries came to: how many entries were read, expired, or can't be checked.

    `open_reason` tells why not, of the last that could not.
    """

    checked: int = 0
    expired: int = 0
    left_open: int = 0
    open_reason: str | None = None

    def add(self, other: RowCheck) -> RowCheck:
        """Return both together."""
        return RowCheck(
            checked=self.checked + other.checked,
            expired=self.expired + other.expired,
            left_open=self.left_open + other.left_open,
            open_reason=other.open_reason or self.open_reason,
        )


async def expire_changed_rows(
    pool: Pool, tenant: str, backing: Backing, on_progress: Callable[[int], None] | None = None
) -> RowCheck:
    """Read the rows of every entry that rests on some, and let those expire whose rows have changed."""
    told, after = RowCheck(), 0
    while True:
        async with tenant_transaction(pool, tenant, read_only=True) as conn:
            entries = await list_entries_of_rows(conn, after=after, limit=_ENTRIES_AT_ONCE)
        for review_id in entries:
            told = told.add(await expire_changed_row(pool, tenant, review_id, backing))
            if on_progress is not None:
                on_progress(told.checked + told.left_open)
        if len(entries) < _ENTRIES_AT_ONCE:
            return told
        after = entries[-1]


async def expire_changed_row(pool: Pool, tenant: str, review_id: int, backing: Backing) -> RowCheck:
    """Read the rows of one entry on behalf of the turn that asked it, and let it expire if one changed.

    A row that is gone, or that the principal no longer sees, has changed. What can't be read, and what was
    read by another catalog, is left as it is. An entry without rows comes to nothing.
    """
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        rows = await list_rows(conn, review_id)
        asked = await find_asked(conn, review_id) if rows else None
    if not rows:
        return RowCheck()
    if asked is None:
        return RowCheck(left_open=1, open_reason="no report that asked it is kept")
    if rows[0].catalog_hash != backing.catalog.digest:
        return RowCheck(left_open=1, open_reason="the catalog is another than when they were read")
    reader = open_reader(backing, read_turn(asked.turn, where="the turn of the report").turn)
    changed, reason = await _have_changed(rows, backing.catalog, reader)
    if reason is not None:
        return RowCheck(left_open=1, open_reason=reason)
    if not changed:
        return RowCheck(checked=1)
    async with tenant_transaction(pool, tenant) as conn:
        expired = await expire_entries(conn, (review_id,), Expiry.ROW_CHANGED)
    return RowCheck(checked=1, expired=expired)


async def _have_changed(
    rows: Sequence[CitedRow], catalog: Catalog, reader: RowReader
) -> tuple[bool, str | None]:
    """Return whether any row differs from its fingerprint, or why that can't be told."""
    wanted = [
        (entity.name, row.key)
        for row in rows
        for entity in catalog.types_of_table(row.database, row.table)
    ]
    await reader.read(wanted)
    failures = [reader.failures[row.database][1] for row in rows if row.database in reader.failures]
    if failures:
        return False, failures[0]
    for row in rows:
        types = tuple(catalog.types_of_table(row.database, row.table))
        missing = next(filter(None, map(reader.find_missing_field, types)), None)
        if missing is not None or not types:
            return False, f"the turn has no {missing}" if types else f"no type has {row.table}"
        found = {
            one.fingerprint
            for entity in types
            for typed, read in reader.rows.items()
            if typed[0] == entity.name
            for one in read
        }
        if row.fingerprint not in found:
            return True, None
    return False, None
