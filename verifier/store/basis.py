"""The changes that a tenant's bases were taken for: what was done, to which source, by whom and when.

The basis is counted up last in each such transaction, so its order is the order of commits whatever
the clock does; a recorded moment is mapped to a basis, never a basis to a moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, LiteralString

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.store.pool import Connection


class BasisAction(StrEnum):
    """What a basis was taken for."""

    PUBLISH = "publish"
    WITHDRAW = "withdraw"
    RESTORE = "restore"
    REVERT = "revert"
    APPROVE = "approve"
    DENY = "deny"
    CORRECT_VALIDITY = "correct_validity"
    REVIEW = "review"
    SET_AUTHORITY = "set_authority"
    ERASE = "erase"


@dataclass(frozen=True, slots=True, kw_only=True)
class BasisChange:
    """A change as it was recorded. `seq` is the version that it is about, None for the source itself."""

    basis: int
    action: BasisAction
    seq: int | None
    by: str | None
    reason: str | None
    recorded_at: datetime


TAKE_BASIS: Final[LiteralString] = """
    WITH moment AS (
           UPDATE tenant SET basis = basis + 1 WHERE tenant_id = current_tenant() RETURNING basis)
    INSERT INTO basis_change (tenant_id, basis, action, source_id, by, version_id, reason)
    SELECT current_tenant(), moment.basis, $2, $1, $3, $4, $5
      FROM moment
    RETURNING basis
"""


async def take_basis(
    conn: Connection,
    source_id: int,
    action: BasisAction,
    *,
    by: str,
    version_id: int | None = None,
    reason: str | None = None,
) -> int:
    """Count a change that moves no period, and return its basis; the last act of a transaction."""
    basis: int = await conn.fetchval(TAKE_BASIS, source_id, action.value, by, version_id, reason)
    return basis


FIND_BASIS_AT: Final[LiteralString] = """
    SELECT max(basis) FROM basis_change WHERE tenant_id = current_tenant() AND recorded_at <= $1
"""


async def basis_at(conn: Connection, recorded_at: datetime) -> int:
    """Return the last basis that was recorded at or before the moment, 0 before the first.

    Where the clock was set back, changes of two times are recorded at one moment: the later ones count.
    """
    return await conn.fetchval(FIND_BASIS_AT, recorded_at) or 0


LIST_CHANGES: Final[LiteralString] = """
    SELECT b.basis, b.action, v.seq, b.by, b.reason, b.recorded_at
      FROM basis_change b
           LEFT JOIN document_version v USING (tenant_id, version_id)
     WHERE b.tenant_id = current_tenant() AND b.source_id = $1
     ORDER BY b.basis
"""


async def list_changes(conn: Connection, source_id: int) -> tuple[BasisChange, ...]:
    """Return what was ever done to the source, the first change first."""
    return tuple(
        BasisChange(
            basis=row["basis"],
            action=BasisAction(row["action"]),
            seq=row["seq"],
            by=row["by"],
            reason=row["reason"],
            recorded_at=row["recorded_at"],
        )
        for row in await conn.fetch(LIST_CHANGES, source_id)
    )
