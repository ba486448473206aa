"""The checks of one tenant's content, each in a transaction and a time of its own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from verifier.core.checks import Check, CheckState
from verifier.errors import DatabaseTimeout
from verifier.store.guards import check_foreign_indexes, check_statistics, check_tenants
from verifier.store.pool import tenant_transaction
from verifier.store.recall import check_recall
from verifier.store.soundness import (
    check_chunks,
    check_current_chunks,
    check_overlaps,
    check_publications,
    check_search_column,
    check_texts,
)
from verifier.store.spaces import active_space
from verifier.store.vector_soundness import check_orphans, check_vectors, check_weight

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from verifier.store.pool import Connection, Pool

    Ask: TypeAlias = Callable[[Connection], Awaitable[Check]]

LONGEST_S: Final = 25.0
"""For how long a statement of a check may run."""

_OF_ANY_STORE: Final[Mapping[str, Ask]] = {
    "tenants apart": check_tenants,
    "other indexes": check_foreign_indexes,
    "statistics": check_statistics,
    "text search": check_search_column,
    "passages": check_texts,
    "chunks": check_chunks,
    "current chunks": check_current_chunks,
    "publications": check_publications,
    "periods": check_overlaps,
}


async def check_content(pool: Pool, tenant: str) -> tuple[Check, ...]:
    """Return what was found of the tenant's rows, the vectors of its active space, and their guards.

    Large tables are sampled, as the checks say; one that takes too long all the same is a warning. A few
    seconds for 100,000 chunks. Raises StoreError where the database can't serve.
    """
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        active = await active_space(conn)
    checks = dict(_OF_ANY_STORE)
    if active is not None:
        checks |= {
            "vectors": partial(check_vectors, space_id=active[0]),
            "recall": partial(check_recall, space_id=active[0]),
            "orphans": partial(check_orphans, space_id=active[0]),
            "dead weight": partial(check_weight, space_id=active[0]),
        }
    return tuple([await _check_in_time(pool, tenant, name, ask) for name, ask in checks.items()])


async def _check_in_time(pool: Pool, tenant: str, name: str, ask: Ask) -> Check:
    try:
        async with tenant_transaction(pool, tenant, read_only=True) as conn:
            await conn.execute(f"SET LOCAL statement_timeout = {int(LONGEST_S * 1000)}")
            return await ask(conn)
    except DatabaseTimeout:
        return Check(
            name=name,
            state=CheckState.WARNING,
            detail=f"not known: a statement took longer than {LONGEST_S:.0f} s",
            remedy="run it again while the server has less to do",
        )
