"""The audit of stale sources: what is past its review, and which answers rest on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.moments import check_reach
from verifier.errors import InputError
from verifier.store.pool import tenant_transaction
from verifier.store.staleness import (
    RestingAnswer,
    StaleVersion,
    list_resting_answers,
    list_stale_versions,
)

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.store.pool import Pool

ANSWERS_LIMIT: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleSource:
    """A stale version and the newest answers that rest on it; `version.answers` counts them all."""

    version: StaleVersion
    answers: tuple[RestingAnswer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleAudit:
    """What was stale at `now`, those sources first on which most answers rest."""

    now: datetime
    sources: tuple[StaleSource, ...]


async def audit_stale(
    pool: Pool, tenant: str, *, now: datetime, answers_limit: int = ANSWERS_LIMIT
) -> StaleAudit:
    """Return the current versions whose review lapsed before `now`, with what rests on them.

    A version counts as reviewed through the very instant of its `review_until`. Raises InputError where
    `now` has no time zone.
    """
    if now.tzinfo is None:
        raise InputError("the audit's clock `now` has no time zone; give an offset, such as +00:00")
    check_reach("now", now)
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        versions = await list_stale_versions(conn, now=now)
        answers = await list_resting_answers(conn, versions, limit=answers_limit)
    return StaleAudit(
        now=now,
        sources=tuple(
            StaleSource(
                version=version,
                answers=tuple(each for each in answers if each.version_id == version.version_id),
            )
            for version in versions
        ),
    )
