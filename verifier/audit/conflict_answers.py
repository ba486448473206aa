"""The audit of conflicts: which past answers rest on places that disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.errors import InputError
from verifier.store.audit_scope import AuditOrder, resolve_audit
from verifier.store.conflict_reach import (
    UNRESOLVED,
    ConflictEntries,
    list_conflict_entries,
)
from verifier.store.pool import tenant_transaction
from verifier.store.storable import is_storable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.store.pool import Pool

_ALL = AuditOrder()


async def audit_conflicts(
    pool: Pool, tenant: str, order: AuditOrder = _ALL, states: Sequence[str] | None = None
) -> ConflictEntries:
    """Return the conflicts in `states`, unresolved ones if None, those first on which most answers rest.

    Raises InputError where `states` is empty, and UnknownThing for a source that there is not.
    """
    wanted = UNRESOLVED if states is None else tuple(states)
    if not wanted or not all(map(is_storable, wanted)):
        raise InputError("name at least one state of conflicts, such as open")
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        scope = await resolve_audit(conn, order)
        return await list_conflict_entries(conn, scope, wanted)
