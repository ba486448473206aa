"""Looking for conflicts among all current texts of approved sources, and recording them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.core.conflict_finding import find_conflicts
from verifier.store.conflict_places import close_obsolete
from verifier.store.conflict_texts import add_found, list_current_texts
from verifier.store.conflicts import get_conflict
from verifier.store.pool import tenant_transaction

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.core.conflict_finding import FoundConflict
    from verifier.core.conflict_finding_reading import SourceText
    from verifier.store.conflicts import Conflict
    from verifier.store.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingSummary:
    """What looking for conflicts came to.

    `added` are those that are new, or hold again; `known` counts those that were on record already, however
    they were closed, `closed` those that were on record and whose words have gone.
    """

    texts: int
    found: int
    known: int
    closed: int
    added: tuple[Conflict, ...]


async def find_stored_conflicts(
    pool: Pool, tenant: str, on_progress: Callable[[int], None] | None = None
) -> FindingSummary:
    """Hold the current texts of a tenant's approved sources against each other, and record what disagrees.

    Looking again adds nothing. Texts are read in one transaction, and compared outside of it; what was
    replaced meanwhile is not recorded.
    """
    texts: list[SourceText] = []
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        async for some in list_current_texts(conn):
            texts.extend(some)
            if on_progress is not None:
                on_progress(len(texts))
    found = await asyncio.to_thread(find_conflicts, texts)
    return await _record(pool, tenant, len(texts), found)


async def _record(
    pool: Pool, tenant: str, texts: int, found: tuple[FoundConflict, ...]
) -> FindingSummary:
    async with tenant_transaction(pool, tenant) as conn:
        closed = await close_obsolete(conn)
        numbers = await add_found(conn, found)
        added = tuple([await get_conflict(conn, number) for number in numbers])
    return FindingSummary(
        texts=texts,
        found=len(found),
        known=len(found) - len(added),
        closed=closed,
        added=added,
    )
