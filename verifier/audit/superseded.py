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
    CitedSpan,
    MovedVersion,
    count_affected,
    list_affected,
    list_cited_spans,
    list_moved_versions,
)
from verifier.store.timeline import promote_all_due

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from verifier.core.spans import Span
    from verifier.store.audit_scope import AuditScope
    from verifier.store.pool import Connection, Pool

_ALL = AuditOrder()
_VERSIONS_AT_ONCE: Final = 200
"""How many versions have their texts in memory at once."""


Fallen = dict["CitedSpan", Standing]
"""Cited spans that no longer stand, and what became of each."""


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
        cited: Counter[int] = Counter()
        fallen: Fallen = {}
        for start in range(0, len(versions), _VERSIONS_AT_ONCE):
            some = versions[start : start + _VERSIONS_AT_ONCE]
            spans = await list_cited_spans(conn, some, scope)
            cited.update({version_id: len(each) for version_id, each in spans.items()})
            fallen |= await _judge(conn, some, spans)
            if on_progress is not None:
                on_progress(cited.total())
        found = await _count(conn, versions, cited, fallen, scope)
        listed = await _answers(conn, found[: scope.limit], fallen, scope)
    return SupersededAudit(
        now=datetime.now(UTC),
        found=len(found),
        standing=len(versions) - len(found),
        versions=listed,
    )


async def _judge(
    conn: Connection, versions: Sequence[MovedVersion], spans: Mapping[int, Sequence[Span]]
) -> Fallen:
    """Return which of the spans that are cited of these versions no longer stand."""
    current = {one.current_version_id for one in versions if one.current_version_id is not None}
    texts = await read_texts(conn, sorted(current | {one.version_id for one in versions}))
    return await asyncio.to_thread(_compare, versions, spans, texts)


def _compare(
    versions: Sequence[MovedVersion],
    spans: Mapping[int, Sequence[Span]],
    texts: Mapping[int, tuple[str, str]],
) -> Fallen:
    later = {
        one: LaterText(texts[one][1])
        for one in {version.current_version_id for version in versions}
        if one is not None and one in texts
    }
    fallen: Fallen = {}
    for version in versions:
        text, now = texts[version.version_id][1], later.get(version.current_version_id or 0)
        for span in spans.get(version.version_id, ()):
            standing = judge_span(text, span, now)
            if standing is not Standing.STANDS:
                fallen[CitedSpan(version.version_id, span)] = standing
    return fallen


async def _count(
    conn: Connection,
    versions: Sequence[MovedVersion],
    cited: Mapping[int, int],
    fallen: Fallen,
    scope: AuditScope,
) -> list[SupersededVersion]:
    """Return the versions of which something no longer stands, the most affected first."""
    moved = {one.version_id: one for one in versions}
    affected = await count_affected(conn, fallen, moved, scope)
    spans = Counter((one.version_id, standing) for one, standing in fallen.items())
    wanted = Counter(one.version_id for one in fallen)
    stood = {version_id: cited[version_id] - number for version_id, number in wanted.items()}
    spans.update({(version_id, Standing.STANDS): number for version_id, number in stood.items()})
    found = [
        SupersededVersion(
            version=one,
            spans={each: spans[one.version_id, each] for each in Standing},
            changed=affected.get((one.version_id, Standing.CHANGED), 0),
            gone=affected.get((one.version_id, Standing.GONE), 0),
            answers=(),
        )
        for one in versions
        if one.version_id in wanted
    ]
    return sorted(found, key=lambda one: (-one.affected, one.version.key, one.version.seq))


async def _answers(
    conn: Connection,
    found: Sequence[SupersededVersion],
    fallen: Mapping[CitedSpan, Standing],
    scope: AuditScope,
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
