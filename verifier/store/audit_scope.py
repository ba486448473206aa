"""What an audit looks at: which answers, of which source, and how much of what it finds is listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.moments import check_reach
from verifier.errors import InputError
from verifier.store.sources import get_source

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.store.pool import Connection

MOST_LISTED: Final = 10_000
LISTED: Final = 100
ANSWERS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOrder:
    """What is asked for: answers given at `since` or later, and what they rest on of the source `source`.

    None restricts nothing. At most `limit` entries are listed, those first on which most answers rest, with
    the newest `answers` of each; what is counted is counted of all.
    """

    since: datetime | None = None
    source: str | None = None
    limit: int = LISTED
    answers: int = ANSWERS

    def __post_init__(self) -> None:
        check_moment(self.since, "since")
        for name, number, least in (("limit", self.limit, 1), ("answers", self.answers, 0)):
            if not least <= number <= MOST_LISTED:
                raise InputError(f"{name} is {number}; give {least} to {MOST_LISTED:,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditScope:
    """An order whose source was found."""

    source_id: int | None
    since: datetime | None
    limit: int
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RestingAnswer:
    """A logged report that rests on a version, and which of its claims do."""

    version_id: int
    report_id: str
    created_at: datetime
    claim_ids: tuple[str, ...]


def check_moment(moment: datetime | None, name: str) -> None:
    """Raise InputError where a moment has no time zone."""
    if moment is not None and moment.tzinfo is None:
        raise InputError(
            f"the audit's moment `{name}` has no time zone; give an offset, such as +00:00"
        )
    if moment is not None:
        check_reach(name, moment)


PLAN_EACH: Final[LiteralString] = """
    SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
           set_config('work_mem', '64MB', true),
           set_config('jit', 'off', true)
"""


async def resolve_audit(conn: Connection, order: AuditOrder) -> AuditScope:
    """Return the scope of an audit in its transaction, whose statements are from here on planned for it.

    Conditions that an order leaves out would else cost an index. Raises UnknownThing for another source.
    """
    await conn.execute(PLAN_EACH)
    source = None if order.source is None else await get_source(conn, order.source)
    return AuditScope(
        source_id=None if source is None else source.source_id,
        since=order.since,
        limit=order.limit,
        answers=order.answers,
    )


LIST_RESTING_ANSWERS: Final[LiteralString] = """
    SELECT listed.version_id, newest.report_id, newest.created_at,
           ARRAY(SELECT DISTINCT c.claim_id
                   FROM report_citation c
                  WHERE c.tenant_id = current_tenant() AND c.report_id = newest.report_id
                    AND c.version_id = listed.version_id
                  ORDER BY c.claim_id) AS claim_ids
      FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS listed (source_id, version_id, place)
           CROSS JOIN LATERAL (
               SELECT DISTINCT c.created_at, c.report_id
                 FROM report_citation c
                WHERE c.tenant_id = current_tenant()
                  AND c.source_id = listed.source_id
                  AND c.version_id = listed.version_id
                  AND ($3::timestamptz IS NULL OR c.created_at >= $3)
                ORDER BY c.created_at DESC, c.report_id DESC
                LIMIT $4) AS newest
     ORDER BY listed.place, newest.created_at DESC, newest.report_id DESC
"""


async def list_resting_answers(
    conn: Connection, cited: tuple[tuple[int, int], ...], scope: AuditScope
) -> dict[int, tuple[RestingAnswer, ...]]:
    """Return by version the newest answers that rest on it; `cited` are pairs of source and version."""
    if not cited or scope.answers == 0:
        return {}
    sources, versions = [source for source, _ in cited], [version for _, version in cited]
    rows = await conn.fetch(LIST_RESTING_ANSWERS, sources, versions, scope.since, scope.answers)
    found: dict[int, list[RestingAnswer]] = {}
    for row in rows:
        answer = RestingAnswer(
            version_id=row["version_id"],
            report_id=row["report_id"],
            created_at=row["created_at"],
            claim_ids=tuple(row["claim_ids"]),
        )
        found.setdefault(answer.version_id, []).append(answer)
    return {version_id: tuple(answers) for version_id, answers in found.items()}
