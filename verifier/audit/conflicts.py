"""Looking for conflicts among all current texts of approved sources, and recording them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.audit.conflicts_with_rows import find_conflicts_with_rows
from verifier.core.conflict_finding import find_conflicts
from verifier.store.conflict_places import close_obsolete
from verifier.store.conflict_rows import add_found_rows, close_rows
from verifier.store.conflict_texts import add_found, list_current_texts
from verifier.store.conflicts import get_conflict
from verifier.store.pool import tenant_transaction

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.audit.conflicts_with_rows import RowFinding
    from verifier.core.conflict_finding import FoundConflict
    from verifier.core.conflict_finding_reading import SourceText
    from verifier.store.conflicts import Conflict
    from verifier.store.pool import Pool
    from verifier.verify.verifier import Backing


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingSummary:
    """What looking for conflicts came to.

    `added` are those that are new, or hold again; `known` counts those that were on record already, however
    they were closed, `closed` those that were on record and whose words or rows have changed. Where a
    canonical database did not answer, `tables_complete` is False, and no conflict with a row was closed.
    """

    texts: int
    found: int
    known: int
    closed: int
    tables_complete: bool
    added: tuple[Conflict, ...]


async def find_stored_conflicts(
    pool: Pool,
    tenant: str,
    backing: Backing,
    on_progress: Callable[[int], None] | None = None,
) -> FindingSummary:
    """Hold the current texts of a tenant's approved sources against each other and the canonical tables.

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
    in_rows = await find_conflicts_with_rows(texts, backing)
    return await _record(pool, tenant, len(texts), found, in_rows)


async def _record(
    pool: Pool, tenant: str, texts: int, found: tuple[FoundConflict, ...], in_rows: RowFinding
) -> FindingSummary:
    async with tenant_transaction(pool, tenant) as conn:
        closed = await close_obsolete(conn)
        if in_rows.complete:
            closed += await close_rows(conn, in_rows.found)
        numbers = (*await add_found(conn, found), *await add_found_rows(conn, in_rows.found))
        added = tuple([await get_conflict(conn, number) for number in numbers])
    return FindingSummary(
        texts=texts,
        found=len(found) + len(in_rows.found),
        known=len(found) + len(in_rows.found) - len(added),
        closed=closed,
        tables_complete=in_rows.complete,
        added=added,
    )
