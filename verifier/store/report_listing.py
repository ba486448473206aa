"""The answer log as a list: which reports there are, in one line each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.store.storable import storable_text

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportListing:
    """A logged report in one line. `outcome` is the worst disposition, None without claims.

    `answer` is cut after 2,000 characters.
    """

    report_id: str
    created_at: datetime
    answer: str
    accepted: bool
    claims: int
    outcome: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFilter:
    """Which reports are listed: given in [since, until), with this outcome, older than that of `beyond`."""

    since: datetime | None = None
    until: datetime | None = None
    outcome: str | None = None
    beyond: str | None = None


EVERY: Final = ReportFilter()

LIST_REPORTS: Final[LiteralString] = """
    SELECT report_id, created_at, left(answer, 2000) AS answer, accepted, claims, outcome
      FROM report
     WHERE tenant_id = current_tenant()
       AND ($2::timestamptz IS NULL OR created_at >= $2)
       AND ($3::timestamptz IS NULL OR created_at < $3)
       AND ($4::text IS NULL OR outcome = $4)
       AND ($5::text IS NULL OR (created_at, report_id) <
           (SELECT b.created_at, b.report_id
              FROM report b
             WHERE b.tenant_id = current_tenant() AND b.report_id = $5))
     ORDER BY created_at DESC, report_id DESC
     LIMIT $1
"""


async def list_reports(
    conn: Connection, chosen: ReportFilter = EVERY, *, limit: int = 100
) -> tuple[ReportListing, ...]:
    """Return the newest reports that pass the filter, the newest first."""
    return tuple(
        ReportListing(
            report_id=row["report_id"],
            created_at=row["created_at"],
            answer=row["answer"],
            accepted=row["accepted"],
            claims=row["claims"],
            outcome=row["outcome"],
        )
        for row in await conn.fetch(
            LIST_REPORTS,
            limit,
            chosen.since,
            chosen.until,
            chosen.outcome,
            None if chosen.beyond is None else storable_text(chosen.beyond),
        )
    )
