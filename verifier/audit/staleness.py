"""The audit of stale sources: what is past its review, and which answers rest on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.store.audit_scope import (
    AuditOrder,
    RestingAnswer,
    check_moment,
    list_resting_answers,
    resolve_audit,
)
from verifier.store.pool import tenant_transaction
from verifier.store.staleness import StaleVersion, list_stale_versions

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.store.pool import Pool

_ALL = AuditOrder()


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleSource:
    """A stale version and the newest answers that rest on it; `version.answers` counts them all."""

    version: StaleVersion
    answers: tuple[RestingAnswer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleAudit:
    """What was stale at `now`, those sources first on which most answers rest; `found` counts them all."""

    now: datetime
    found: int
    sources: tuple[StaleSource, ...]


async def audit_stale(
    pool: Pool, tenant: str, order: AuditOrder = _ALL, *, now: datetime
) -> StaleAudit:
    """Return the current versions whose review lapsed before `now`, with what rests on them.

    A version counts as reviewed through the very instant of its `review_until`. Raises InputError where
    `now` has no time zone, and UnknownThing for a source that there is not.
    """
    check_moment(now, "now")
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        scope = await resolve_audit(conn, order)
        versions = await list_stale_versions(conn, scope, now=now)
        cited = tuple((one.source_id, one.version_id) for one in versions.listed)
        answers = await list_resting_answers(conn, cited, scope)
    return StaleAudit(
        now=now,
        found=versions.found,
        sources=tuple(
            StaleSource(version=version, answers=answers.get(version.version_id, ()))
            for version in versions.listed
        ),
    )
