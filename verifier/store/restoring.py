"""Bringing a text back: a withdrawn version that answers again, an older one as a new version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.documents import VersionState
from verifier.core.versions import publish_from
from verifier.errors import InputError, StoreError
from verifier.store.basis import BasisAction
from verifier.store.liveness import lock_liveness
from verifier.store.passages import list_unembedded
from verifier.store.publication import check_reason, expect_version, require_name
from verifier.store.sources import lock_source
from verifier.store.spaces import active_space, hold_active_space
from verifier.store.timeline import Change, read_standing, record_timeline
from verifier.store.versions import (
    find_current_version,
    get_version_of,
    list_versions,
    retire_version,
)

if TYPE_CHECKING:
    from verifier.store.pool import Connection
    from verifier.store.sources import Source
    from verifier.store.versions import DocumentVersion

REVERTED_TO: Final = frozenset({VersionState.SUPERSEDED, VersionState.WITHDRAWN})


async def restore(
    conn: Connection,
    key: str,
    by: str,
    *,
    seq: int | None = None,
    reason: str | None = None,
    expected_current_version: int | None = None,
) -> int:
    """Let the withdrawn version `seq`, else the newest withdrawn one, answer again, and return its seq.

    One that was withdrawn before its time waits for it again. Raises UnknownThing for another key or seq,
    InputError without a name, where nothing of it is withdrawn or another version answers now,
    VersionConflict as `withdraw`.
    """
    require_name(by)
    check_reason(reason)
    source = await lock_source(conn, key)
    current = await find_current_version(conn, source.source_id)
    expect_version(key, current, expected_current_version)
    version = await _choose_withdrawn(conn, source, seq)
    standing = await read_standing(conn, source.source_id)
    begins = max(version.valid_from or standing.clock, standing.clock)
    if current is not None and begins == standing.clock:
        raise InputError(
            f"{key}@{current.seq} answers; withdraw it first, or revert to version {version.seq}"
        )
    await require_vectors(conn, source, version)
    await retire_version(conn, version.version_id, VersionState.DRAFT)
    stated = begins == version.valid_from
    timeline = publish_from(standing.timeline, version.version_id, begins, stated=stated)
    change = Change(action=BasisAction.RESTORE, version_id=version.version_id, by=by, reason=reason)
    await record_timeline(conn, standing, timeline, change)
    return version.seq


async def _choose_withdrawn(conn: Connection, source: Source, seq: int | None) -> DocumentVersion:
    if seq is not None:
        version = await get_version_of(conn, source, seq)
        if version.state is not VersionState.WITHDRAWN:
            raise InputError(f"{source.key}@{seq} is {version.state.value}, not withdrawn")
        return version
    versions = await list_versions(conn, source.source_id)
    withdrawn = [each for each in versions if each.state is VersionState.WITHDRAWN]
    if not withdrawn:
        raise InputError(f"no version of {source.key!r} is withdrawn")
    return withdrawn[-1]


COPY_VERSION: Final[LiteralString] = """
    INSERT INTO document_version
           (tenant_id, source_id, seq, text, content_hash, media_type, review_until, last_verified_at,
            verified_by, ingested_by, ingested_as)
    SELECT tenant_id, source_id,
           (SELECT max(n.seq) + 1
              FROM document_version n
             WHERE n.tenant_id = v.tenant_id AND n.source_id = v.source_id),
           text, content_hash, media_type, review_until, last_verified_at, verified_by, $2, 'operator'
      FROM document_version v
     WHERE v.tenant_id = current_tenant() AND v.version_id = $1
    RETURNING version_id, seq
"""
COPY_CHUNKS: Final[LiteralString] = """
    INSERT INTO chunk
           (tenant_id, version_id, ordinal, start_at, end_at, input_hash, heading_path, page,
            table_number, first_row, last_row)
    SELECT tenant_id, $2, ordinal, start_at, end_at, input_hash, heading_path, page, table_number,
           first_row, last_row
      FROM chunk
     WHERE tenant_id = current_tenant() AND version_id = $1
"""


async def revert(
    conn: Connection,
    key: str,
    seq: int,
    by: str,
    *,
    reason: str | None = None,
    expected_current_version: int | None = None,
) -> int:
    """Make the text of version `seq` the current one again, as a new version, and return its seq.

    Chunks, vectors and review are taken over as they are. Raises UnknownThing for another key or seq,
    InputError without a name or where that text answers already or never did, VersionConflict as
    `withdraw`, StoreError where a chunk has no vector.
    """
    require_name(by)
    check_reason(reason)
    source = await lock_source(conn, key)
    current = await find_current_version(conn, source.source_id)
    expect_version(key, current, expected_current_version)
    old = await get_version_of(conn, source, seq)
    if current is not None and current.content_hash == old.content_hash:
        raise InputError(f"{key}@{current.seq} answers, and has the text of version {seq} already")
    if old.state not in REVERTED_TO:
        raise InputError(
            f"{key}@{seq} is {old.state.value}; only a version that was published can be reverted to"
        )
    await require_vectors(conn, source, old)
    # Not shared: this transaction sweeps as well, and two that share would wait for each other.
    await lock_liveness(conn)
    copied = await conn.fetchrow(COPY_VERSION, old.version_id, by)
    await conn.execute(COPY_CHUNKS, old.version_id, copied["version_id"])
    standing = await read_standing(conn, source.source_id)
    timeline = publish_from(standing.timeline, copied["version_id"], standing.clock, stated=False)
    change = Change(
        action=BasisAction.REVERT,
        version_id=copied["version_id"],
        by=by,
        reason=reason or f"to version {seq}",
    )
    await record_timeline(conn, standing, timeline, change)
    return int(copied["seq"])


async def require_vectors(conn: Connection, source: Source, version: DocumentVersion) -> None:
    """Raise StoreError where a chunk of the version has no vector in the space that searches use."""
    active = await active_space(conn)
    if active is None or await list_unembedded(conn, active[0], (version.version_id,)):
        raise StoreError(f"{source.key}@{version.seq} has chunks without vectors; ingest it again")
    await hold_active_space(conn, active[0])
