"""The open periods of a source, and which version answers by them.

`publication` holds every period that ever was known, from which basis on and up to which; its rows are
closed and added, never rewritten. Those that are open are what is known now. The version whose period
covers the present is the current one; `next_validity` tells when that changes by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.documents import VersionState
from verifier.core.versions import Period, Timeline, find_holding, find_next_change
from verifier.store.liveness import mark_version_live, sweep_version
from verifier.store.passages import add_current_chunks, remove_current_chunks
from verifier.store.pool import tenant_transaction
from verifier.store.versions import make_current, record_superseded, retire_version

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

    from verifier.store.basis import BasisAction
    from verifier.store.pool import Connection, Pool


EVER: Final = datetime(1, 1, 1, tzinfo=UTC)
"""Before everything that can be stated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is known of a source's periods now, those that ended long ago left out.

    `clock` is the server's, `recorded` when the source was changed last.
    """

    source_id: int
    periods: Mapping[Period, int]
    clock: datetime
    recorded: datetime | None
    next_validity: datetime | None

    @property
    def moment(self) -> datetime:
        """The clock, but never before a beginning that a clock gave."""
        given = (period.valid_from for period in self.periods if not period.from_stated)
        return max((self.clock, *given))

    @property
    def present(self) -> datetime:
        """The moment, but never before the last change: a clock set back undoes nothing that happened."""
        return max(self.moment, self.recorded or self.moment)

    @property
    def timeline(self) -> Timeline:
        """The periods in the order of time."""
        return tuple(self.periods)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Why the periods of a source change: what is done, to which version, by whom, for what reason."""

    action: BasisAction
    version_id: int
    by: str | None
    reason: str | None = None


READ_STANDING: Final[LiteralString] = """
    SELECT moment.clock, moment.recorded, moment.next_validity, p.publication_id, p.version_id,
           p.valid_from, p.valid_to, p.from_stated, p.to_stated
      FROM (SELECT clock_timestamp() AS clock,
                   s.next_validity,
                   (SELECT max(recorded_at)
                      FROM basis_change
                     WHERE tenant_id = current_tenant() AND source_id = $1) AS recorded
              FROM source s
             WHERE s.tenant_id = current_tenant() AND s.source_id = $1) AS moment
           LEFT JOIN publication p
             ON p.tenant_id = current_tenant()
            AND p.source_id = $1
            AND p.basis_to IS NULL
            AND (p.valid_to IS NULL OR p.valid_to >= least($2::timestamptz, moment.clock))
     ORDER BY p.valid_from
"""


async def read_standing(
    conn: Connection, source_id: int, *, since: datetime | None = None
) -> Standing:
    """Return the periods of the locked source that touch the present, `since` or what comes after."""
    rows = await conn.fetch(READ_STANDING, source_id, since)
    periods = {
        Period(
            version_id=row["version_id"],
            valid_from=row["valid_from"],
            valid_to=row["valid_to"],
            from_stated=row["from_stated"],
            to_stated=row["to_stated"],
        ): row["publication_id"]
        for row in rows
        if row["publication_id"] is not None
    }
    return Standing(
        source_id=source_id,
        periods=periods,
        clock=rows[0]["clock"],
        recorded=rows[0]["recorded"],
        next_validity=rows[0]["next_validity"],
    )


RECORD_CHANGE: Final[LiteralString] = """
    WITH moment AS (
           UPDATE tenant
              SET basis = basis + 1, next_validity = least(next_validity, $3)
            WHERE tenant_id = current_tenant()
           RETURNING basis),
         closed AS (
           UPDATE publication p
              SET basis_to = moment.basis
             FROM moment
            WHERE p.tenant_id = current_tenant() AND p.publication_id = ANY ($2::bigint[])),
         added AS (
           INSERT INTO publication
                  (tenant_id, source_id, version_id, valid_from, valid_to, from_stated, to_stated,
                   basis_from)
           SELECT current_tenant(), $1, a.version_id, a.valid_from, a.valid_to, a.from_stated,
                  a.to_stated, moment.basis
             FROM unnest($8::bigint[], $9::timestamptz[], $10::timestamptz[], $11::boolean[],
                         $12::boolean[])
                  AS a (version_id, valid_from, valid_to, from_stated, to_stated)
                  CROSS JOIN moment),
         scheduled AS (
           UPDATE source
              SET next_validity = $3
            WHERE tenant_id = current_tenant() AND source_id = $1
              AND next_validity IS DISTINCT FROM $3)
    INSERT INTO basis_change (tenant_id, basis, action, source_id, version_id, by, reason)
    SELECT current_tenant(), moment.basis, $4, $1, $5, $6, $7
      FROM moment
    RETURNING basis
"""


async def record_timeline(
    conn: Connection, standing: Standing, timeline: Timeline, change: Change
) -> int:
    """Close the periods that are no longer so, add the new ones, and return the basis of the change.

    The version that now holds becomes current. Last in its transaction: who comes after waits for it.
    """
    await _settle(conn, standing, timeline)
    closed = [number for period, number in standing.periods.items() if period not in timeline]
    added = [period for period in timeline if period not in standing.periods]
    basis: int = await conn.fetchval(
        RECORD_CHANGE,
        standing.source_id,
        closed,
        find_next_change(timeline, standing.present),
        change.action.value,
        change.version_id,
        change.by,
        change.reason,
        [period.version_id for period in added],
        [period.valid_from for period in added],
        [period.valid_to for period in added],
        [period.from_stated for period in added],
        [period.to_stated for period in added],
    )
    if standing.next_validity is not None:
        await conn.execute(REFRESH_NEXT_VALIDITY)
    return basis


async def _settle(conn: Connection, standing: Standing, timeline: Timeline) -> None:
    """Let the version answer that holds now; what neither holds nor will hold is history."""
    known = {period.version_id for period in (*standing.timeline, *timeline)}
    coming = {each.version_id for each in timeline if each.lasts_beyond(standing.present)}
    ended = await _let_hold(
        conn, standing.source_id, find_holding(timeline, standing.present), coming=coming
    )
    passed = await record_superseded(conn, sorted(known - coming))
    for version_id in (*ended, *passed):
        await sweep_version(conn, version_id)


FIND_ANSWERING: Final[LiteralString] = """
    SELECT version_id
      FROM document_version
     WHERE tenant_id = current_tenant() AND source_id = $1 AND state = 'current'
"""


async def _let_hold(
    conn: Connection, source_id: int, holding: int | None, *, coming: Set[int]
) -> tuple[int, ...]:
    """Make `holding` the version that answers, and return the one that did before, if another did.

    One that did and is to come again waits as a draft.
    """
    answering: int | None = await conn.fetchval(FIND_ANSWERING, source_id)
    if answering == holding:
        return ()
    if answering is not None:
        state = VersionState.DRAFT if answering in coming else VersionState.SUPERSEDED
        await retire_version(conn, answering, state)
        await remove_current_chunks(conn, source_id)
    if holding is not None:
        await mark_version_live(conn, holding)
        await make_current(conn, holding, supersedes=answering)
        await add_current_chunks(conn, holding)
    return () if answering is None else (answering,)


MOST_DUE: Final = 500
"""Of how many sources versions are promoted in one transaction."""

LOCK_DUE_SOURCES: Final[LiteralString] = """
    SELECT source_id
      FROM source
     WHERE tenant_id = current_tenant()
       AND next_validity <= (SELECT clock_timestamp())
       AND EXISTS (SELECT
                     FROM tenant
                    WHERE tenant_id = current_tenant() AND next_validity <= clock_timestamp())
     ORDER BY source_id
     LIMIT $1
       FOR NO KEY UPDATE SKIP LOCKED
"""
SCHEDULE_SOURCE: Final[LiteralString] = """
    UPDATE source SET next_validity = $2 WHERE tenant_id = current_tenant() AND source_id = $1
"""
LOCK_TENANT: Final[LiteralString] = """
    SELECT FROM tenant WHERE tenant_id = current_tenant() FOR NO KEY UPDATE
"""
REFRESH_NEXT_VALIDITY: Final[LiteralString] = """
    UPDATE tenant t
       SET next_validity = coming.moment
      FROM (SELECT min(next_validity) AS moment
              FROM source
             WHERE tenant_id = current_tenant()) AS coming
     WHERE t.tenant_id = current_tenant() AND t.next_validity IS DISTINCT FROM coming.moment
"""


async def promote_due(conn: Connection, *, limit: int = MOST_DUE) -> int:
    """Let the versions answer whose time has come, of up to `limit` sources, and return of how many.

    Takes no basis: nothing new is known. In a transaction of its own, since it locks several sources;
    one that another transaction holds is left to it, or to the next call.
    """
    due = await conn.fetch(LOCK_DUE_SOURCES, limit)
    if not due:
        return 0
    for row in due:
        standing = await read_standing(conn, row["source_id"])
        await _settle(conn, standing, standing.timeline)
        moment = find_next_change(standing.timeline, standing.present)
        await conn.execute(SCHEDULE_SOURCE, row["source_id"], moment)
    await conn.execute(LOCK_TENANT)
    await conn.execute(REFRESH_NEXT_VALIDITY)
    return len(due)


async def promote_all_due(pool: Pool, tenant: str) -> None:
    """Let every version of the tenant answer whose time has come; nothing is written where none is due."""
    while True:
        async with tenant_transaction(pool, tenant) as conn:
            if await promote_due(conn) < MOST_DUE:
                return
