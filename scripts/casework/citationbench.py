"""Audits of a log of very many citations: the whole, one source, and what the server alone takes for it."""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from casework.citationstore import TENANT, CitationStore, fill_store
from verifier.audit.impact import measure_impact
from verifier.audit.staleness import audit_stale
from verifier.audit.superseded import audit_superseded
from verifier.audit.unapproved import audit_unapproved
from verifier.embedded import start_embedded
from verifier.store.audit_scope import AuditOrder, resolve_audit
from verifier.store.pool import open_pool, tenant_transaction
from verifier.store.staleness import LIST_STALE_VERSIONS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from verifier.store.pool import Pool

NOW: Final = datetime(2026, 11, 30, tzinfo=UTC)
ALL_STALE: Final = datetime(2040, 1, 1, tzinfo=UTC)
POPULAR: Final = "terms/1"
"""The source that most answers rest on; its review is overdue."""

GOALS_MS: Final = {
    "stale, whole, at the server": 500.0,
    "stale, one source, at the server": 5.0,
    "unapproved, whole": 2_000.0,
}
"""None for superseded versions as a whole: every span that was ever cited of them is read and judged."""
_COMMAND_TIMEOUT_S: Final = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A median of so many runs in milliseconds, and what was found. `goal_ms` is None where none is set."""

    name: str
    median_ms: float
    runs: int
    found: str
    goal_ms: float | None
    reads_whole_log: bool | None = None

    @property
    def met(self) -> bool:
        """Whether the goal was met, and by an index."""
        return (self.goal_ms is None or self.median_ms < self.goal_ms) and not self.reads_whole_log


def measure(
    folder: Path, shape: CitationStore, *, runs: int, say: Callable[[str], None]
) -> list[Figure]:
    """Fill a store in `folder` unless it stands there already, and time the audits."""
    is_made = (folder / "pgdata").exists()
    with start_embedded(folder) as server:
        if not is_made:
            fill_store(server.owner_dsn, shape, say)
        return asyncio.run(_measure(server.app_dsn, shape, runs, say))


async def _measure(
    dsn: str, shape: CitationStore, runs: int, say: Callable[[str], None]
) -> list[Figure]:
    pool = await open_pool(dsn, command_timeout_s=_COMMAND_TIMEOUT_S)
    usual = f"terms/{shape.sources // 200 * 100 + 1}"
    figures = []
    try:
        for name, moment, source in (
            ("stale, whole, at the server", NOW, None),
            ("stale, every source of it, at the server", ALL_STALE, None),
            ("stale, one source, at the server", NOW, usual),
            ("stale, the most cited source, at the server", NOW, POPULAR),
        ):
            figures.append(await _at_server(pool, name, moment, source, runs))
            say(figures[-1].name)
        for name, ask in _audits(pool, usual):
            figures.append(await _whole(name, ask, runs))
            say(figures[-1].name)
    finally:
        await pool.close()
    return figures


async def _at_server(
    pool: Pool, name: str, moment: datetime, source: str | None, runs: int
) -> Figure:
    """Return what planning and running the one statement takes by the server's own clock."""
    taken, found, plan = [], 0, ""
    for _ in range(runs + 1):
        async with tenant_transaction(pool, TENANT, read_only=True) as conn:
            scope = await resolve_audit(conn, AuditOrder(source=source))
            told = await conn.fetchval(
                f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {LIST_STALE_VERSIONS}",
                moment,
                scope.source_id,
                scope.since,
                scope.limit,
            )
        plan = told
        [whole] = json.loads(told)
        taken.append(whole["Planning Time"] + whole["Execution Time"])
        found = whole["Plan"]["Actual Rows"]
    return Figure(
        name=name,
        median_ms=statistics.median(taken[1:]),
        runs=runs,
        found=f"{found:g} listed",
        goal_ms=GOALS_MS.get(name),
        reads_whole_log=reads_whole_log(json.loads(plan)),
    )


def reads_whole_log(node: object) -> bool:
    """Return whether a plan walks through all citations or reports."""
    if isinstance(node, list):
        return any(map(reads_whole_log, node))
    if not isinstance(node, dict):
        return False
    scanned = node.get("Node Type", "").endswith("Seq Scan") and node.get("Relation Name") in {
        "report",
        "report_citation",
    }
    return scanned or any(reads_whole_log(value) for value in node.values())


def _audits(pool: Pool, usual: str) -> tuple[tuple[str, Callable[[], Awaitable[str]]], ...]:
    async def stale(order: AuditOrder) -> str:
        audit = await audit_stale(pool, TENANT, order, now=NOW)
        answers = sum(one.version.answers for one in audit.sources)
        return f"{audit.found:,} sources; {answers:,} answers on the {len(audit.sources)} listed"

    async def superseded(order: AuditOrder) -> str:
        audit = await audit_superseded(pool, TENANT, order)
        affected = sum(one.affected for one in audit.versions)
        return f"{audit.found:,} versions; {affected:,} answers on the {len(audit.versions)} listed"

    async def unapproved(order: AuditOrder) -> str:
        audit = await audit_unapproved(pool, TENANT, order)
        answers = sum(one.source.answers for one in audit.sources)
        return f"{audit.found:,} sources; {answers:,} answers on the {len(audit.sources)} listed"

    async def impact() -> str:
        counts = (await measure_impact(pool, TENANT, POPULAR)).counts
        return f"{counts.answers:,} answers"

    every, one = AuditOrder(), AuditOrder(source=usual)
    month = AuditOrder(since=NOW - timedelta(days=30))
    return (
        ("stale, whole", lambda: stale(every)),
        ("stale, one source", lambda: stale(one)),
        ("stale, answers of 30 days", lambda: stale(month)),
        ("superseded, whole", lambda: superseded(every)),
        ("superseded, one source", lambda: superseded(one)),
        ("superseded, answers of 30 days", lambda: superseded(month)),
        ("unapproved, whole", lambda: unapproved(every)),
        ("unapproved, answers of 30 days", lambda: unapproved(month)),
        ("impact of the most cited source", impact),
    )


async def _whole(name: str, ask: Callable[[], Awaitable[str]], runs: int) -> Figure:
    """Return what the audit takes from its call to its result, all statements and texts included."""
    found, taken = await ask(), []
    for _ in range(runs):
        begun = time.perf_counter()
        found = await ask()
        taken.append((time.perf_counter() - begun) * 1000)
    return Figure(
        name=name,
        median_ms=statistics.median(taken),
        runs=runs,
        found=found,
        goal_ms=GOALS_MS.get(name),
    )
