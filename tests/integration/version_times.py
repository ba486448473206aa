"""Moments, and what a store knows of them: which version holds when, as far as was known at a basis."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tests.integration.store_reading import fetch

if TYPE_CHECKING:
    from verifier.store.pool import Pool

PAST = datetime(2020, 1, 1, tzinfo=UTC)
FAR = datetime(2999, 1, 1, tzinfo=UTC)


def soon(seconds: float = 0.4) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


async def wait_for(moment: datetime) -> None:
    await asyncio.sleep(max(0.0, (moment - datetime.now(UTC)).total_seconds()) + 0.05)


async def held(pool: Pool, moment: datetime, *, basis: int | None = None) -> list[int]:
    """The versions that hold at a moment, as far as it is known now, or was at a basis."""
    rows = await fetch(
        pool,
        """SELECT v.seq FROM publication p JOIN document_version v USING (tenant_id, version_id)
            WHERE p.valid_from <= $1 AND (p.valid_to IS NULL OR p.valid_to > $1)
              AND CASE WHEN $2::bigint IS NULL THEN p.basis_to IS NULL
                       ELSE p.basis_from <= $2 AND (p.basis_to IS NULL OR p.basis_to > $2) END""",
        moment,
        basis,
    )
    return [row["seq"] for row in rows]
