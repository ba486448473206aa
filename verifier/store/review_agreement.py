"""How far reviewers agree, counted where the decisions are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.reviews import Decision

if TYPE_CHECKING:
    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDecisions:
    """How many entries two reviewers decided in these ways, each by the last decision of his in a round."""

    reviewer: str
    other: str
    decision: Decision
    other_decision: Decision
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementCounts:
    """Entries, a round each, that somebody decided; that several did; in which these differ."""

    decided: int
    shared: int
    disputed: int


PAIR_DECISIONS: Final[LiteralString] = """
    WITH last AS MATERIALIZED (
           SELECT DISTINCT ON (d.review_id, d.round, d.reviewer)
                  d.review_id, d.round, d.reviewer, d.decision
             FROM review_decision d
            WHERE d.tenant_id = current_tenant()
            ORDER BY d.review_id, d.round, d.reviewer, d.decision_id DESC)
    SELECT one.reviewer, two.reviewer AS other, one.decision, two.decision AS other_decision,
           count(*) AS entries
      FROM last one
           JOIN last two
             ON two.review_id = one.review_id AND two.round = one.round AND two.reviewer > one.reviewer
     GROUP BY one.reviewer, two.reviewer, one.decision, two.decision
     ORDER BY one.reviewer, two.reviewer, one.decision, two.decision
"""


async def pair_decisions(conn: Connection) -> tuple[PairedDecisions, ...]:
    """Return what every two reviewers decided of the same entry in the same round, counted."""
    return tuple(
        PairedDecisions(
            reviewer=row["reviewer"],
            other=row["other"],
            decision=Decision(row["decision"]),
            other_decision=Decision(row["other_decision"]),
            entries=row["entries"],
        )
        for row in await conn.fetch(PAIR_DECISIONS)
    )


COUNT_DECISIONS: Final[LiteralString] = """
    WITH last AS MATERIALIZED (
           SELECT DISTINCT ON (d.review_id, d.round, d.reviewer)
                  d.review_id, d.round, d.reviewer, d.decision
             FROM review_decision d
            WHERE d.tenant_id = current_tenant()
            ORDER BY d.review_id, d.round, d.reviewer, d.decision_id DESC)
    SELECT count(*) AS decided, count(*) FILTER (WHERE entry.reviewers > 1) AS shared,
           count(*) FILTER (WHERE entry.decisions > 1) AS disputed
      FROM (SELECT count(*) AS reviewers, count(DISTINCT last.decision) AS decisions
              FROM last
             GROUP BY last.review_id, last.round) AS entry
"""


async def count_decisions(conn: Connection) -> AgreementCounts:
    """Return how many entries were decided, by several, and differently."""
    row = await conn.fetchrow(COUNT_DECISIONS)
    return AgreementCounts(decided=row["decided"], shared=row["shared"], disputed=row["disputed"])
