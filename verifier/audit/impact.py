"""The blast radius of a source: what withdrawing or erasing it, or a version, would touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.store.audit_scope import AuditOrder, resolve_audit
from verifier.store.impact import (
    ImpactCounts,
    MonthCount,
    VersionImpact,
    count_by_month,
    count_by_version,
    count_impact,
)
from verifier.store.pool import tenant_transaction
from verifier.store.sources import get_source
from verifier.store.timeline import promote_all_due
from verifier.store.versions import get_version_of, list_versions

if TYPE_CHECKING:
    from verifier.store.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """What a source, or the version `seq` of it, is to the rest; nothing was changed."""

    key: str
    seq: int | None
    counts: ImpactCounts
    versions: tuple[VersionImpact, ...]
    months: tuple[MonthCount, ...]


async def measure_impact(pool: Pool, tenant: str, key: str, seq: int | None = None) -> Impact:
    """Return what withdrawing or erasing the source, or only the version `seq`, would touch.

    Raises UnknownThing for another source or version.
    """
    await promote_all_due(pool, tenant)
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        await resolve_audit(conn, AuditOrder(source=key))
        source = await get_source(conn, key)
        versions = (
            await list_versions(conn, source.source_id)
            if seq is None
            else (await get_version_of(conn, source, seq),)
        )
        ids = [version.version_id for version in versions]
        return Impact(
            key=key,
            seq=seq,
            counts=await count_impact(conn, source.source_id, ids),
            versions=await count_by_version(conn, ids),
            months=await count_by_month(conn, source.source_id, ids),
        )
