"""The audit of orphans: citations that lead nowhere, and answers that nothing stored backs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from verifier.store.audit_scope import AuditOrder, check_moment, resolve_audit
from verifier.store.orphans import (
    ErasedCitation,
    LoggedAnswers,
    SilentSource,
    list_ahead,
    list_erased_citations,
    list_silent_sources,
    list_unanchored,
)
from verifier.store.pool import tenant_transaction
from verifier.store.timeline import promote_all_due

if TYPE_CHECKING:
    from verifier.store.pool import Pool

_ALL = AuditOrder()


@dataclass(frozen=True, slots=True, kw_only=True)
class OrphanAudit:
    """What past answers rest on that can be followed no more.

    `erased`: versions that were erased. `silent`: sources of which no version is current. `ahead`: reports
    dated later than `now`, as a clock leaves them that was wrong. `unanchored`: accepted answers without a
    citation or row, which rest on the tool results of their turn alone; that is no fault, but no change of a
    source or table will ever name them. `found` counts the other three. An order for one source leaves out
    `ahead` and `unanchored`.
    """

    now: datetime
    found: int
    erased: tuple[ErasedCitation, ...]
    silent: tuple[SilentSource, ...]
    ahead: LoggedAnswers
    unanchored: LoggedAnswers


_NONE = LoggedAnswers(found=0, newest=())


async def audit_orphans(
    pool: Pool, tenant: str, order: AuditOrder = _ALL, *, now: datetime | None = None
) -> OrphanAudit:
    """Return what leads nowhere. Raises UnknownThing for a source that there is not."""
    check_moment(now, "now")
    moment = now or datetime.now(UTC)
    await promote_all_due(pool, tenant)
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        scope = await resolve_audit(conn, order)
        whole = scope.source_id is None
        erased, erased_found = await list_erased_citations(conn, scope)
        silent, silent_found = await list_silent_sources(conn, scope)
        ahead = await list_ahead(conn, scope, now=moment) if whole else _NONE
        unanchored = await list_unanchored(conn, scope) if whole else _NONE
    return OrphanAudit(
        now=moment,
        found=erased_found + silent_found + ahead.found,
        erased=erased,
        silent=silent,
        ahead=ahead,
        unanchored=unanchored,
    )
