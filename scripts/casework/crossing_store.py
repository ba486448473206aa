"""Two tenants whose sources, chunks, reports and texts overlap, each with words that are its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tests.integration.queued_reviews import answering, asking, cite
from verifier.core.documents import Document, SourceKey
from verifier.core.keys import Scope
from verifier.core.report_json import report_to_json
from verifier.core.turn_json import turn_to_json
from verifier.ingest.requests import IngestRequest
from verifier.store.answers import add_report
from verifier.store.pool import open_pool, tenant_transaction

if TYPE_CHECKING:
    from verifier.service import Verifier

SHARED: Final = 12
"""How many source keys both tenants have."""
LONGEST_HISTORY: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """A tenant: the mark that is in each of its texts, its numbers, and what only it has."""

    name: str
    mark: str
    days: int
    lone_sources: int
    secrets: tuple[str, ...] = ()
    reviews: tuple[int, ...] = ()
    conflicts: tuple[int, ...] = ()
    turns: tuple[str, ...] = ()

    @property
    def sources(self) -> int:
        """How many sources it has."""
        return SHARED + self.lone_sources

    def versions_of(self, number: int) -> int:
        """Return how many versions its shared source of that number has; the tenants differ."""
        return 1 + (number + self.days) % LONGEST_HISTORY

    def chunk_of(self, number: int) -> str:
        """Return the id of the one chunk of the current version of its shared source of that number."""
        return f"policy-{number}@{self.versions_of(number)}#0"

    def write(self, number: int, version: int) -> str:
        """Return the text of a version: alike in both tenants but for the mark and the number of days."""
        return (
            f"# Returns {number}\n\n"
            f"Goods of kind {number} may be returned within {self.days + version} days. "
            f"The desk is called {self.mark}. Every parcel is opened with care and the buyer is told."
        )


LEFT: Final = Tenant(name="left", mark="zqleft", days=10, lone_sources=3)
RIGHT: Final = Tenant(name="right", mark="zqright", days=71, lone_sources=5)


async def fill(verifier: Verifier, dsn: str, tenant: Tenant) -> Tenant:
    """Fill the store of a tenant and return it with its keys and the numbers of its entries."""
    own = verifier.for_tenant(tenant.name)
    secrets = [
        (await own.keys.add(f"{tenant.mark} {number}", [Scope.ADMIN], may_supply_calls=True)).secret
        for number in range(2)
    ]
    for number in range(SHARED):
        for version in range(tenant.versions_of(number)):
            await _ingest(own, f"policy-{number}", tenant.write(number, version))
    for number in range(tenant.lone_sources):
        await _ingest(own, f"only-{tenant.name}-{number}", tenant.write(100 + number, 0))
    await _log_reports(dsn, tenant)
    for number in range(2):
        await own.conflicts.declare(
            f"only-{tenant.name}-{number}",
            f"only-{tenant.name}-{number + 1}",
            by=tenant.mark,
            subject=tenant.mark,
            attribute="days",
            value="1",
            other_value="2",
        )
    reviews = (await own.reviews.list(limit=1_000)).entries
    conflicts = (await own.conflicts.list()).conflicts
    turns = [await own.turns.begin(question=f"What of {tenant.mark}?") for _ in range(3)]
    return replace(
        tenant,
        secrets=tuple(secrets),
        reviews=tuple(one.review_id for one in reviews),
        conflicts=tuple(one.conflict_id for one in conflicts),
        turns=tuple(turns),
    )


async def _ingest(own: Verifier, key: str, text: str) -> None:
    document = Document(
        key=SourceKey(key), text=text, title=f"Title of {key}", media_type="text/markdown"
    )
    await own.ingest_requests([IngestRequest(document=document)])


async def _log_reports(dsn: str, tenant: Tenant) -> None:
    """Log answers whose ids both tenants have, and answers of the tenant alone, on spans of its texts."""
    pool = await open_pool(dsn)
    try:
        for number in range(SHARED):
            text = tenant.write(number, tenant.versions_of(number) - 1)
            words = f"The desk is called {tenant.mark}."
            place = cite(f"policy-{number}", tenant.versions_of(number), text, words)
            claim = asking(1, f"{words} It is {number}.", place)
            for report_id in (f"report-{number}", f"only-{tenant.name}-{number}"):
                one = answering(report_id, claim)
                async with tenant_transaction(pool, tenant.name) as conn:
                    await add_report(
                        conn, one, report_json=report_to_json(one), turn_json=turn_to_json(one.turn)
                    )
    finally:
        await pool.close()
