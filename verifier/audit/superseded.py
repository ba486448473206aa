"""The audit of superseded versions: which past answers rest on words that no longer stand."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from verifier.core.kept_spans import LaterText, Standing, judge_span
from verifier.store.audit_scope import AuditOrder, resolve_audit
from verifier.store.pool import tenant_transaction
from verifier.store.review_evidence import read_texts
from verifier.store.superseded import (
    AffectedAnswer,
    MovedVersion,
    count_affected,
    list_affected,
    list_cited_spans,
    list_moved_versions,
)
from verifier.store.timeline import promote_all_due

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from verifier.store.audit_scope import AuditScope
    from verifier.store.pool import Connection, Pool
    from verifier.store.superseded import CitedSpan

_ALL = AuditOrder()
_VERSIONS_AT_ONCE: Final = 200
"""How many versions have their texts in memory at once."""

Judged = dict["CitedSpan", Standing]


@dataclass(frozen=True, slots=True, kw_only=True)
class SupersededVersion:
    """A cited version that is no longer current, and what became of what is cited of it.

    `spans` counts the cited spans by standing, `changed` and `gone` the answers of which the worst span is
    that; all others still stand. `answers` are the newest of those that do not.
    """

    version: MovedVersion
    spans: Mapping[Standing, int]
    changed: int
    gone: int
    answers: tuple[AffectedAnswer, ...]

    @property
    def affected(self) -> int:
        """How many answers rest on words that no longer stand."""
        return self.changed + self.gone


@dataclass(frozen=True, slots=True, kw_only=True)
class SupersededAudit:
    """The versions of which cited words no longer stand, those first on which most such answers rest.

    `found` counts them all. `standing` counts the versions that were superseded too, but of which all that
    is cited stands in the current version, word by word: nothing needs to be done about these.
    """

    now: datetime
    found: int
    standing: int
    versions: tuple[SupersededVersion, ...]


async def audit_superseded(
    pool: Pool,
    tenant: str,
    order: AuditOrder = _ALL,
    *,
    on_progress: Callable[[int], None] | None = None,
) -> SupersededAudit:
    """Return what past answers cite of versions that are no longer current, where it no longer stands.

    Words count, not places: what was moved, or edited elsewhere, stands. Where no version is current all is
    gone. Erased versions are left to the audit of orphans. `on_progress` is told how many spans were looked
    at. Raises UnknownThing for a source that there is not.
    """
    await promote_all_due(pool, tenant)
    async with tenant_transaction(pool, tenant, read_only=True) as conn:
        scope = await resolve_audit(conn, order)
        versions = await list_moved_versions(conn, scope)
        spans: Counter[tuple[int, Standing]] = Counter()
        fallen: Judged = {}
        for start in range(0, len(versions), _VERSIONS_AT_ONCE):
            judged = await _judge(conn, versions[start : start + _VERSIONS_AT_ONCE], scope)
            spans.update((one.version_id, standing) for one, standing in judged.items())
            fallen |= {
                one: standing for one, standing in judged.items() if standing is not Standing.STANDS
            }
            if on_progress is not None:
                on_progress(spans.total())
        found = await _count(conn, versions, spans, fallen, scope)
        listed = await _answers(conn, found[: scope.limit], fallen, scope)
    return SupersededAudit(
        now=datetime.now(UTC),
        found=len(found),
        standing=len(versions) - len(found),
        versions=listed,
    )


async def _judge(conn: Connection, versions: Sequence[MovedVersion], scope: AuditScope) -> Judged:
    """Return what became of every span that is cited of these versions."""
    cited = await list_cited_spans(conn, versions, scope)
    current = {one.current_version_id for one in versions if one.current_version_id is not None}
    texts = await read_texts(conn, sorted(current | {one.version_id for one in versions}))
    return await asyncio.to_thread(_compare, versions, cited, texts)


def _compare(
    versions: Sequence[MovedVersion],
    cited: Sequence[CitedSpan],
    texts: Mapping[int, tuple[str, str]],
) -> Judged:
    later = {
        one: LaterText(texts[one][1])
        for one in {version.current_version_id for version in versions}
        if one is not None and one in texts
    }
    current = {one.version_id: one.current_version_id for one in versions}
    return {
        one: judge_span(texts[one.version_id][1], one.span, later.get(current[one.version_id] or 0))
        for one in cited
    }


async def _count(
    conn: Connection,
    versions: Sequence[MovedVersion],
    spans: Mapping[tuple[int, Standing], int],
    fallen: Judged,
    scope: AuditScope,
) -> list[SupersededVersion]:
    """Return the versions of which something no longer stands, the most affected first."""
    moved = {one.version_id: one for one in versions}
    affected = await count_affected(conn, fallen, moved, scope)
    wanted = {one.version_id for one in fallen}
    found = [
        SupersededVersion(
            version=one,
            spans={each: spans.get((one.version_id, each), 0) for each in Standing},
            changed=affected.get((one.version_id, Standing.CHANGED), 0),
            gone=affected.get((one.version_id, Standing.GONE), 0),
            answers=(),
        )
        for one in versions
        if one.version_id in wanted
    ]
    return sorted(found, key=lambda one: (-one.affected, one.version.key, one.version.seq))


async def _answers(
    conn: Connection, found: Sequence[SupersededVersion], fallen: Judged, scope: AuditScope
) -> tuple[SupersededVersion, ...]:
    """Return the versions with their newest affected answers."""
    moved = {one.version.version_id: one.version for one in found}
    wanted = {one: standing for one, standing in fallen.items() if one.version_id in moved}
    answers = await list_affected(conn, wanted, moved, scope)
    return tuple(
        SupersededVersion(
            version=one.version,
            spans=one.spans,
            changed=one.changed,
            gone=one.gone,
            answers=answers.get(one.version.version_id, ()),
        )
        for one in found
    )
