"""Publishing, approving and withdrawing: what changes the answers of searches takes a basis.

The basis is counted up by the last statement of each such transaction, so its order is the order of
commits. Valid time and basis are recorded in `publication`, whose rows are closed, never rewritten.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.documents import Permission
from verifier.errors import InputError, StoreError
from verifier.store.passages import (
    add_current_chunks,
    list_unembedded,
    mark_live,
    remove_current_chunks,
    sweep_embeddings,
)
from verifier.store.sources import lock_source, permit_source
from verifier.store.spaces import active_space
from verifier.store.storable import is_storable
from verifier.store.versions import (
    DocumentVersion,
    list_waiting_versions,
    make_current,
    record_superseded,
    supersede_version,
    withdraw_version,
)

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.store.pool import Connection
    from verifier.store.sources import Source
    from verifier.store.spaces import SpaceId


class BasisAction(StrEnum):
    """What a basis was taken for."""

    PUBLISH = "publish"
    WITHDRAW = "withdraw"
    APPROVE = "approve"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionChange:
    """What approving or denying did. `published_seq` is the draft that was waiting for it."""

    source: Source
    changed: bool
    published_seq: int | None = None


FIND_NEXT_VALIDITY: Final[LiteralString] = """
    SELECT min(p.valid_from)
      FROM publication p
           JOIN document_version v USING (tenant_id, version_id)
     WHERE p.tenant_id = current_tenant()
       AND p.source_id = $1
       AND p.basis_to IS NULL
       AND p.valid_from > $2
       AND v.valid_from IS NOT NULL
"""


async def find_next_validity(
    conn: Connection, source_id: int, valid_from: datetime | None
) -> datetime | None:
    """Return when a later version is stated to hold; a version that is published late ends there."""
    if valid_from is None:
        return None
    moment: datetime | None = await conn.fetchval(FIND_NEXT_VALIDITY, source_id, valid_from)
    return moment


RECORD_PUBLICATION: Final[LiteralString] = """
    WITH moment AS (
           UPDATE tenant
              SET basis = basis + 1
            WHERE tenant_id = current_tenant()
           RETURNING basis, coalesce($3::timestamptz, clock_timestamp()) AS valid_from,
                     $4::timestamptz AS valid_to),
         closed AS (
           UPDATE publication p
              SET basis_to = moment.basis
             FROM moment
            WHERE p.tenant_id = current_tenant()
              AND p.source_id = $1
              AND p.basis_to IS NULL
              AND (p.valid_to IS NULL OR p.valid_to > moment.valid_from)
              AND (moment.valid_to IS NULL OR p.valid_from < moment.valid_to)
           RETURNING p.version_id, p.valid_from, p.valid_to),
         kept AS (
           SELECT closed.version_id, closed.valid_from, moment.valid_from AS valid_to
             FROM closed, moment
            WHERE closed.valid_from < moment.valid_from
            UNION ALL
           SELECT closed.version_id, moment.valid_to, closed.valid_to
             FROM closed, moment
            WHERE closed.valid_to IS DISTINCT FROM moment.valid_to
              AND (closed.valid_to IS NULL OR closed.valid_to > moment.valid_to)
              AND moment.valid_to IS NOT NULL
            UNION ALL
           SELECT $2::bigint, moment.valid_from, moment.valid_to
             FROM moment
            WHERE $2::bigint IS NOT NULL),
         recorded AS (
           INSERT INTO publication (tenant_id, source_id, version_id, valid_from, valid_to, basis_from)
           SELECT current_tenant(), $1, kept.version_id, kept.valid_from, kept.valid_to, moment.basis
             FROM kept, moment)
    INSERT INTO basis_change (tenant_id, basis, action, source_id, version_id, by)
    SELECT current_tenant(), moment.basis, $5, $1, $6::bigint, $7
      FROM moment
    RETURNING basis
"""


async def publish_version(
    conn: Connection, space_id: SpaceId, source: Source, version: DocumentVersion, *, by: str | None
) -> int:
    """Make a draft of the locked source answer, and return the basis from which on it does.

    A draft whose stated `valid_from` is before that of a later version takes its place in the
    history instead. Raises StoreError where a chunk has no vector; nothing is published then.
    """
    if await list_unembedded(conn, space_id, (version.version_id,)):
        raise StoreError(f"{source.key}@{version.seq} has chunks without vectors; ingest it again")
    valid_to = await find_next_validity(conn, source.source_id, version.valid_from)
    if valid_to is None:
        await mark_live(conn, space_id, version.version_id)
        predecessor = await supersede_version(conn, source.source_id)
        await make_current(conn, version.version_id, supersedes=predecessor)
        await remove_current_chunks(conn, source.source_id)
        await add_current_chunks(conn, version.version_id)
    else:
        await record_superseded(conn, version.version_id)
        predecessor = version.version_id
    if predecessor is not None:
        await sweep_embeddings(conn, space_id, predecessor)
    basis: int = await conn.fetchval(
        RECORD_PUBLICATION,
        source.source_id,
        version.version_id,
        version.valid_from,
        valid_to,
        BasisAction.PUBLISH.value,
        version.version_id,
        by,
    )
    return basis


TAKE_BASIS: Final[LiteralString] = """
    WITH moment AS (
           UPDATE tenant SET basis = basis + 1 WHERE tenant_id = current_tenant() RETURNING basis)
    INSERT INTO basis_change (tenant_id, basis, action, source_id, by)
    SELECT current_tenant(), moment.basis, $2, $1, $3
      FROM moment
    RETURNING basis
"""


async def take_basis(conn: Connection, source_id: int, action: BasisAction, *, by: str) -> int:
    """Count a change that is no publication, and return its basis; the last act of a transaction."""
    basis: int = await conn.fetchval(TAKE_BASIS, source_id, action.value, by)
    return basis


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


async def deny(conn: Connection, key: str, by: str) -> PermissionChange:
    """Forbid searching and citing the source, whoever ingests it later, until it is approved.

    Raises UnknownThing for another key, InputError without a name.
    """
    change = await _permit(conn, key, Permission.DENIED, by=by)
    if change.changed:
        await take_basis(conn, change.source.source_id, BasisAction.DENY, by=by)
    return change


async def withdraw(conn: Connection, key: str, by: str, *, reason: str | None = None) -> bool:
    """Take the current version of the source back and return whether there was one.

    Its text stays for audits. Raises UnknownThing for another key, InputError without a name.
    """
    _require_name(by)
    source = await lock_source(conn, key)
    version_id = await withdraw_version(conn, source.source_id, reason=reason)
    if version_id is None:
        return False
    await remove_current_chunks(conn, source.source_id)
    active = await active_space(conn)
    if active is not None:
        await sweep_embeddings(conn, active[0], version_id)
    await conn.fetchval(
        RECORD_PUBLICATION,
        source.source_id,
        None,
        None,
        None,
        BasisAction.WITHDRAW.value,
        version_id,
        by,
    )
    return True


async def _permit(
    conn: Connection, key: str, permission: Permission, *, by: str
) -> PermissionChange:
    _require_name(by)
    source = await lock_source(conn, key)
    if source.permission is permission:
        return PermissionChange(source=source, changed=False)
    await permit_source(conn, source.source_id, permission, by=by)
    return PermissionChange(source=await lock_source(conn, key), changed=True)


async def _publish_waiting(conn: Connection, source: Source, *, by: str) -> int | None:
    active = await active_space(conn)
    if active is None:
        return None
    for version in await list_waiting_versions(conn, source.source_id):
        if not await list_unembedded(conn, active[0], (version.version_id,)):
            await publish_version(conn, active[0], source, version, by=by)
            return version.seq
    return None


def _require_name(by: str) -> None:
    if not by.strip() or not is_storable(by):
        raise InputError("a change of permission needs the name of who makes it")
