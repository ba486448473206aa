"""Running through logged answers: candidates first, each verified again, what fell recorded."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from verifier.audit.recheck_candidates import Choice, Yardstick, choose_candidates
from verifier.audit.rechecking import Rechecker
from verifier.core.rechecks import STANDING_ORDER, Recheck, Standing
from verifier.store.answers import read_raw_reports, resolve_report
from verifier.store.pool import tenant_transaction
from verifier.store.rechecks import add_rechecks, list_scoped_reports
from verifier.store.scope import get_basis
from verifier.verify.verifier import begin_provenance

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence

    from verifier.core.report import Provenance
    from verifier.store.pool import Pool
    from verifier.store.rechecks import RecheckScope, ScopedReport
    from verifier.verify.verifier import Backing

_LISTED_AT_ONCE: Final = 5_000
_VERIFIED_AT_ONCE: Final = 100
_BEGIN: Final = (datetime(1, 1, 2, tzinfo=UTC), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecheckProgress:
    """How far a recheck is: reports in scope that were looked at, those verified again, those that fell."""

    looked: int
    verified: int
    flipped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecheckRun:
    """What rechecking many answers came to.

    `reports` is how many were in scope; of all but `verified` ones nothing that they rest on has changed.
    `rechecks` are those that do not stand as they did, the gravest first, `counts` how many stand how.
    """

    moment: datetime
    as_of: datetime | None
    basis: int
    reports: int
    verified: int
    rechecks: tuple[Recheck, ...]
    counts: dict[str, int]


async def recheck_report(
    pool: Pool, tenant: str, backing: Backing, report: str, *, as_of: datetime | None = None
) -> Recheck:
    """Verify one logged report again, by its id or how that begins, and record what came out.

    Raises UnknownThing for another id.
    """
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        report_id = await resolve_report(conn, report)
    run = _Run(pool, tenant, backing, as_of)
    (found,) = await run.verify([report_id])
    return found


async def recheck_reports(
    pool: Pool,
    tenant: str,
    backing: Backing,
    scope: RecheckScope,
    *,
    as_of: datetime | None = None,
    on_progress: Callable[[RecheckProgress], None] | None = None,
) -> RecheckRun:
    """Verify the reports in scope again whose evidence is not what it was, and record what came out."""
    run = _Run(pool, tenant, backing, as_of)
    looked, verified, flipped = 0, 0, list[Recheck]()
    async for listed, choice in run.scan(scope):
        looked += len(listed)
        for some in _split([one.report_id for one in choice.candidates]):
            found = await run.verify(some, choice)
            verified += len(found)
            flipped += [one for one in found if one.standing is not Standing.HOLDS]
            if on_progress is not None:
                told = RecheckProgress(looked=looked, verified=verified, flipped=len(flipped))
                on_progress(told)
    counts = Counter(one.standing.value for one in flipped)
    counts[Standing.HOLDS.value] = looked - len(flipped)
    flipped.sort(key=lambda one: (STANDING_ORDER.index(one.standing), one.created_at))
    return RecheckRun(
        moment=as_of or run.now,
        as_of=as_of,
        basis=await run.read_basis(),
        reports=looked,
        verified=verified,
        rechecks=tuple(flipped),
        counts={one.value: counts[one.value] for one in STANDING_ORDER if counts[one.value]},
    )


class _Run:
    """One run: a basis, a clock, and what was read of texts meanwhile."""

    def __init__(self, pool: Pool, tenant: str, backing: Backing, as_of: datetime | None) -> None:
        self._pool = pool
        self._tenant = tenant
        self._backing = backing
        self._as_of = as_of
        self.now = datetime.now(UTC)
        self._today: Provenance = begin_provenance(backing.catalog)
        self._rechecker: Rechecker | None = None

    async def read_basis(self) -> int:
        """Return the basis of the run: that of its first statement."""
        return (await self._begin()).basis

    async def scan(
        self, scope: RecheckScope
    ) -> AsyncIterator[tuple[tuple[ScopedReport, ...], Choice]]:
        """Yield the reports in scope, some thousand at a time, with those that are to be verified again."""
        after = _BEGIN
        yardstick = Yardstick(
            moment=self._as_of or self.now,
            catalog_hash=self._today.catalog_hash,
            verifier_version=self._today.verifier_version,
        )
        await self._begin()
        while True:
            async with tenant_transaction(self._pool, self._tenant, read_only=True) as conn:
                listed = await list_scoped_reports(
                    conn, scope, moment=yardstick.moment, after=after, limit=_LISTED_AT_ONCE
                )
            if listed:
                yield (
                    listed,
                    await choose_candidates(
                        self._pool, self._tenant, listed, self._backing, yardstick
                    ),
                )
            if len(listed) < _LISTED_AT_ONCE:
                return
            after = (listed[-1].created_at, listed[-1].report_id)

    async def verify(
        self, report_ids: Sequence[str], choice: Choice | None = None
    ) -> tuple[Recheck, ...]:
        """Verify the reports again and record what came out; one that was swept meanwhile is left out.

        What was read to choose them is not read again.
        """
        rechecker, chosen = await self._begin(), choice or Choice()
        async with tenant_transaction(self._pool, self._tenant, read_only=True) as conn:
            logged = await read_raw_reports(conn, report_ids)
        found = tuple([await rechecker.recheck(one, chosen) for one in logged])
        async with tenant_transaction(self._pool, self._tenant) as conn:
            await add_rechecks(
                conn,
                found,
                basis=rechecker.basis,
                verifier_version=self._today.verifier_version,
                catalog_hash=self._today.catalog_hash,
            )
        return found

    async def _begin(self) -> Rechecker:
        if self._rechecker is None:
            if self._backing.names is not None:
                self._backing.names.renew()
            async with tenant_transaction(self._pool, self._tenant, read_only=True) as conn:
                basis = await get_basis(conn)
            self._rechecker = Rechecker(
                pool=self._pool,
                tenant=self._tenant,
                backing=self._backing,
                basis=basis,
                now=self.now,
                as_of=self._as_of,
            )
        return self._rechecker


def _split(report_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(report_ids), _VERIFIED_AT_ONCE):
        yield report_ids[start : start + _VERIFIED_AT_ONCE]
