"""Publishing, approving, denying and withdrawing: what changes the answers of searches takes a basis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.documents import Permission, VersionState
from verifier.core.versions import find_holding, publish_from, withdraw_from
from verifier.errors import InputError, StoreError, VersionConflict
from verifier.store.basis import BasisAction, take_basis
from verifier.store.liveness import sweep_version
from verifier.store.passages import list_unembedded, remove_current_chunks
from verifier.store.sources import lock_source, permit_source
from verifier.store.spaces import active_space, hold_active_space
from verifier.store.storable import is_storable
from verifier.store.timeline import Change, read_standing, record_timeline
from verifier.store.versions import (
    LIST_VERSIONS,
    find_current_version,
    get_version_of,
    read_version,
    retire_version,
)

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.core.versions import Timeline
    from verifier.store.pool import Connection
    from verifier.store.sources import Source
    from verifier.store.spaces import SpaceId
    from verifier.store.versions import DocumentVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionChange:
    """What approving or denying did. `published_seq` is the draft that was waiting for it."""

    source: Source
    changed: bool
    published_seq: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """What publishing did: from which basis on it is known, and what the version is now.

    It is current; superseded, where a later one was known before it; or a draft until its time comes.
    """

    basis: int
    state: VersionState


async def publish_version(
    conn: Connection, space_id: SpaceId, source: Source, version: DocumentVersion, *, by: str | None
) -> Publication:
    """Publish a draft of the locked source: it answers from when it is stated to hold, else from now.

    It ends where a version begins that is stated to hold later; one that holds all that time already has
    its place in the history alone. Raises StoreError where a chunk has no vector, WrongEmbeddingSpace where
    the space is no longer the active one; nothing is published then.
    """
    if await list_unembedded(conn, space_id, (version.version_id,)):
        raise StoreError(f"{source.key}@{version.seq} has chunks without vectors; ingest it again")
    await hold_active_space(conn, space_id)
    if version.state is VersionState.FAILED:
        await retire_version(conn, version.version_id, VersionState.DRAFT)
    standing = await read_standing(conn, source.source_id, since=version.valid_from)
    begins = version.valid_from or standing.clock
    stated = version.valid_from is not None
    timeline = publish_from(standing.timeline, version.version_id, begins, stated=stated)
    change = Change(action=BasisAction.PUBLISH, version_id=version.version_id, by=by)
    basis = await record_timeline(conn, standing, timeline, change)
    return Publication(
        basis=basis, state=_published_state(timeline, version.version_id, standing.present)
    )


def _published_state(timeline: Timeline, version_id: int, present: datetime) -> VersionState:
    if find_holding(timeline, present) == version_id:
        return VersionState.CURRENT
    coming = any(each.version_id == version_id and each.lasts_beyond(present) for each in timeline)
    return VersionState.DRAFT if coming else VersionState.SUPERSEDED


async def approve(conn: Connection, key: str, by: str) -> PermissionChange:
    """Let the source be searched and cited, and publish the newest complete draft that waited for it.

    `by` names the person. Approving again publishes what has come to wait since, else does nothing.
    Raises UnknownThing for another key, InputError without a name.
    """
    change = await _permit(conn, key, Permission.APPROVED, by=by)
    published = await _publish_waiting(conn, change.source, by=by)
    if change.changed:
        await take_basis(conn, change.source.source_id, BasisAction.APPROVE, by=by)
    return PermissionChange(
        source=change.source,
        changed=change.changed or published is not None,
        published_seq=published,
    )


async def deny(
    conn: Connection, key: str, by: str, *, reason: str | None = None
) -> PermissionChange:
    """Forbid searching and citing the source, whoever ingests it later, until it is approved.

    Raises UnknownThing for another key, InputError without a name.
    """
    check_reason(reason)
    change = await _permit(conn, key, Permission.DENIED, by=by)
    if change.changed:
        await take_basis(conn, change.source.source_id, BasisAction.DENY, by=by, reason=reason)
    return change


async def withdraw(
    conn: Connection,
    key: str,
    by: str,
    *,
    reason: str | None = None,
    seq: int | None = None,
    expected_current_version: int | None = None,
) -> bool:
    """Take the current version of the source back, or the scheduled one `seq`, and return whether one was.

    Its text stays for audits. The time of a scheduled one falls to the version before it. Raises
    UnknownThing for another key or seq, InputError without a name or where `seq` neither answers nor will,
    VersionConflict where another version is current than expected (0: none).
    """
    require_name(by)
    check_reason(reason)
    source = await lock_source(conn, key)
    current = await find_current_version(conn, source.source_id)
    expect_version(key, current, expected_current_version)
    version = current if seq is None else await get_version_of(conn, source, seq)
    if version is None:
        return False
    if version.state is not VersionState.CURRENT and not version.scheduled:
        raise InputError(
            f"{key}@{seq} is {version.state.value}; only a version that answers, or will, is withdrawn"
        )
    standing = await read_standing(conn, source.source_id)
    timeline = withdraw_from(standing.timeline, version.version_id, standing.moment)
    await _silence(conn, source, version, reason=reason)
    change = Change(
        action=BasisAction.WITHDRAW, version_id=version.version_id, by=by, reason=reason
    )
    await record_timeline(conn, standing, timeline, change)
    return True


async def _silence(
    conn: Connection, source: Source, version: DocumentVersion, *, reason: str | None
) -> None:
    await retire_version(conn, version.version_id, VersionState.WITHDRAWN, reason=reason)
    if version.state is VersionState.CURRENT:
        await remove_current_chunks(conn, source.source_id)
    await sweep_version(conn, version.version_id)


def expect_version(key: str, current: DocumentVersion | None, expected: int | None) -> None:
    """Raise VersionConflict where another version is current than the expected one, 0 for none."""
    found = 0 if current is None else current.seq
    if expected is not None and expected != found:
        raise VersionConflict(
            f"version {found} of {key} is current, not {expected} as expected; look at it, then try again"
        )


async def _permit(
    conn: Connection, key: str, permission: Permission, *, by: str
) -> PermissionChange:
    require_name(by)
    source = await lock_source(conn, key)
    if source.permission is permission:
        return PermissionChange(source=source, changed=False)
    await permit_source(conn, source.source_id, permission, by=by)
    return PermissionChange(source=await lock_source(conn, key), changed=True)


LIST_WAITING_VERSIONS: Final[LiteralString] = f"""
    {LIST_VERSIONS}
       AND state = 'draft'
       AND NOT EXISTS (SELECT
                         FROM publication p
                        WHERE p.tenant_id = current_tenant()
                          AND p.version_id = document_version.version_id
                          AND p.basis_to IS NULL)
       AND seq > coalesce((SELECT c.seq
                             FROM document_version c
                            WHERE c.tenant_id = current_tenant() AND c.source_id = $1
                              AND c.state = 'current'), 0)
     ORDER BY seq DESC
"""  # noqa: S608 - only constants are put in


async def _list_waiting(conn: Connection, source_id: int) -> tuple[DocumentVersion, ...]:
    """Return the drafts that came after the current version, the newest first."""
    return tuple(read_version(row) for row in await conn.fetch(LIST_WAITING_VERSIONS, source_id))


async def _publish_waiting(conn: Connection, source: Source, *, by: str) -> int | None:
    active = await active_space(conn)
    if active is None:
        return None
    for version in await _list_waiting(conn, source.source_id):
        if not await list_unembedded(conn, active[0], (version.version_id,)):
            await publish_version(conn, active[0], source, version, by=by)
            return version.seq
    return None


def require_name(by: str) -> None:
    """Raise InputError where nobody is named who makes the change."""
    if not by.strip() or not is_storable(by):
        raise InputError("a change of a source needs the name of who makes it")


def check_reason(reason: str | None) -> None:
    """Raise InputError where the reason can't be recorded."""
    if reason is not None and not is_storable(reason):
        raise InputError("a reason can't hold NUL or lone surrogates")
