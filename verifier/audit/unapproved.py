"""The audit of sources that may not be used: which past answers rest on them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from verifier.store.audit_scope import (
    AuditOrder,
    RestingAnswer,
    list_resting_answers,
    resolve_audit,
)
from verifier.store.pool import tenant_transaction
from verifier.store.timeline import promote_all_due
from verifier.store.unapproved import BarredSource, list_barred_sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.store.audit_scope import AuditScope
    from verifier.store.pool import Pool

_ALL = AuditOrder()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnapprovedSource:
    """A source that may not be used and the newest answers that rest on it; `source.answers` counts all."""

    source: BarredSource
    answers: tuple[RestingAnswer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnapprovedAudit:
    """Sources now pending, denied or withdrawn on which answers rest; `found` counts them all."""

    now: datetime
    found: int
    sources: tuple[UnapprovedSource, ...]


async def audit_unapproved(pool: Pool, tenant: str, order: AuditOrder = _ALL) -> UnapprovedAudit:
    """Return the answers that rest on sources which may not be used now, whatever held when they were given.

    A source on which no answer rests is not among them: `Verifier.sources.list` has these. Raises
    UnknownThing for a source that there is not.
    """
    await promote_all_due(pool, tenant)
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        scope = await resolve_audit(conn, order)
        barred = await list_barred_sources(conn, scope)
        cited = tuple(
            (one.source_id, version_id) for one in barred.listed for version_id in one.version_ids
        )
        answers = await list_resting_answers(conn, cited, scope)
    return UnapprovedAudit(
        now=datetime.now(UTC),
        found=barred.found,
        sources=tuple(
            UnapprovedSource(source=one, answers=_newest(one, answers, scope))
            for one in barred.listed
        ),
    )


def _newest(
    source: BarredSource, answers: Mapping[int, tuple[RestingAnswer, ...]], scope: AuditScope
) -> tuple[RestingAnswer, ...]:
    """Return the newest of all versions; an answer that rests on two of them is there for each."""
    found = [answer for one in source.version_ids for answer in answers.get(one, ())]
    found.sort(key=lambda answer: (answer.created_at, answer.report_id), reverse=True)
    return tuple(found[: scope.answers])
