"""Document versions: immutable texts of a source, and where each stands in its life."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.documents import VersionState
from verifier.errors import UnknownThing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from asyncpg import Record

    from verifier.store.pool import Connection
    from verifier.store.sources import Source

MOST_SEQ: Final = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentVersion:
    """A version without its text. `valid_from` is what the caller stated; None: when it was published.

    `ingested_as` is `operator` or `agent`; `supersedes` and `reason` are filled by what became of it.
    `scheduled` tells of a draft that was published ahead of its time and will answer by itself.
    """

    version_id: int
    seq: int
    content_hash: bytes
    state: VersionState
    supersedes: int | None
    reason: str | None
    valid_from: datetime | None
    review_until: datetime | None
    last_verified_at: datetime | None
    verified_by: str | None
    ingested_by: str | None
    ingested_as: str
    created_at: datetime
    scheduled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionDraft:
    """What a new document version is made of. `content_hash` is the SHA-256 of the text, 32 bytes."""

    source_id: int
    text: str
    content_hash: bytes
    media_type: str
    valid_from: datetime | None
    review_until: datetime | None
    verified_by: str | None
    ingested_by: str | None
    ingested_as: str


SELECT_VERSION: Final[LiteralString] = """
    SELECT version_id, seq, content_hash, state, supersedes, reason, valid_from, review_until,
           last_verified_at, verified_by, ingested_by, ingested_as, created_at,
           state = 'draft' AND EXISTS (
               SELECT
                 FROM publication p
                WHERE p.tenant_id = document_version.tenant_id
                  AND p.version_id = document_version.version_id
                  AND p.basis_to IS NULL) AS scheduled
      FROM document_version
"""
LIST_VERSIONS: Final[LiteralString] = f"""
    {SELECT_VERSION}
     WHERE tenant_id = current_tenant() AND source_id = $1
"""
ORDER_BY_SEQ: Final[LiteralString] = " ORDER BY seq"


async def list_versions(conn: Connection, source_id: int) -> tuple[DocumentVersion, ...]:
    """Return every version of the source, the oldest first."""
    rows = await conn.fetch(f"{LIST_VERSIONS}{ORDER_BY_SEQ}", source_id)
    return tuple(read_version(row) for row in rows)


LIST_RELATED_VERSIONS: Final[LiteralString] = f"""
    {LIST_VERSIONS} AND (state = 'current' OR content_hash = $2) ORDER BY seq
"""


async def list_related_versions(
    conn: Connection, source_id: int, content_hash: bytes
) -> tuple[DocumentVersion, ...]:
    """Return the current version and those with this content, the oldest first."""
    rows = await conn.fetch(LIST_RELATED_VERSIONS, source_id, content_hash)
    return tuple(read_version(row) for row in rows)


FIND_CURRENT_VERSION: Final[LiteralString] = f"{LIST_VERSIONS} AND state = 'current'"


async def find_current_version(conn: Connection, source_id: int) -> DocumentVersion | None:
    """Return the version of the source that answers, if one does."""
    row = await conn.fetchrow(FIND_CURRENT_VERSION, source_id)
    return None if row is None else read_version(row)


GET_VERSION: Final[LiteralString] = f"""
    {SELECT_VERSION}
     WHERE tenant_id = current_tenant() AND version_id = $1
"""


async def get_version(conn: Connection, version_id: int) -> DocumentVersion:
    """Return the version of that id. Raises UnknownThing."""
    row = await conn.fetchrow(GET_VERSION, version_id)
    if row is None:
        raise UnknownThing(f"there is no version {version_id}")
    return read_version(row)


GET_VERSION_OF: Final[LiteralString] = f"{LIST_VERSIONS} AND seq = $2"


async def get_version_of(conn: Connection, source: Source, seq: int) -> DocumentVersion:
    """Return the version `seq` of the source. Raises UnknownThing."""
    known = 0 < seq <= MOST_SEQ
    row = await conn.fetchrow(GET_VERSION_OF, source.source_id, seq) if known else None
    if row is None:
        raise UnknownThing(
            f"there is no version {seq} of {source.key!r}; `verifier versions` lists those there are"
        )
    return read_version(row)


ADD_VERSION: Final[LiteralString] = """
    INSERT INTO document_version
           (tenant_id, source_id, seq, text, content_hash, media_type, valid_from, review_until,
            last_verified_at, verified_by, ingested_by, ingested_as)
    SELECT current_tenant(), $1, coalesce(max(seq), 0) + 1, $2, $3, $4, $5, $6,
           CASE WHEN $7::text IS NULL THEN NULL ELSE clock_timestamp() END, $7, $8, $9
      FROM document_version
     WHERE tenant_id = current_tenant() AND source_id = $1
    RETURNING version_id, seq
"""


async def add_version(conn: Connection, draft: VersionDraft) -> tuple[int, int]:
    """Record a draft and return its id and seq, the next of its source, which must be locked."""
    row = await conn.fetchrow(
        ADD_VERSION,
        draft.source_id,
        draft.text,
        draft.content_hash,
        draft.media_type,
        draft.valid_from,
        draft.review_until,
        draft.verified_by,
        draft.ingested_by,
        draft.ingested_as,
    )
    return row["version_id"], row["seq"]


RESUME_VERSION: Final[LiteralString] = """
    UPDATE document_version
       SET state = 'draft',
           reason = NULL,
           review_until = coalesce($2, review_until),
           verified_by = coalesce($3, verified_by),
           last_verified_at = CASE WHEN $3::text IS NULL THEN last_verified_at ELSE clock_timestamp() END,
           ingested_by = coalesce($4, ingested_by),
           ingested_as = $5
     WHERE tenant_id = current_tenant() AND version_id = $1
"""


async def resume_version(conn: Connection, version_id: int, draft: VersionDraft) -> None:
    """Make a failed or forgotten version a draft again, as `draft` asks for it now."""
    await conn.execute(
        RESUME_VERSION,
        version_id,
        draft.review_until,
        draft.verified_by,
        draft.ingested_by,
        draft.ingested_as,
    )


REVIEW_VERSION: Final[LiteralString] = """
    UPDATE document_version
       SET review_until = $2, verified_by = $3, last_verified_at = clock_timestamp()
     WHERE tenant_id = current_tenant() AND version_id = $1
"""
REVIEW_CURRENT_CHUNKS: Final[LiteralString] = """
    UPDATE current_chunk
       SET review_until = $2
     WHERE tenant_id = current_tenant() AND version_id = $1
"""


async def review_version(
    conn: Connection, version_id: int, *, review_until: datetime | None, verified_by: str | None
) -> None:
    """Record that the version was looked at again, by whom and until when that counts."""
    await conn.execute(REVIEW_VERSION, version_id, review_until, verified_by)
    await conn.execute(REVIEW_CURRENT_CHUNKS, version_id, review_until)


FAIL_VERSION: Final[LiteralString] = """
    UPDATE document_version
       SET state = 'failed', reason = $2
     WHERE tenant_id = current_tenant() AND version_id = $1 AND state = 'draft'
"""


async def fail_version(conn: Connection, version_id: int, *, reason: str) -> None:
    """Record why a draft could not be published; it stays for the next attempt."""
    await conn.execute(FAIL_VERSION, version_id, reason)


RETIRE_VERSION: Final[LiteralString] = """
    UPDATE document_version
       SET state = $2, reason = $3
     WHERE tenant_id = current_tenant() AND version_id = $1
"""


async def retire_version(
    conn: Connection, version_id: int, state: VersionState, *, reason: str | None = None
) -> None:
    """Record that the version does not answer any more, or not yet, and why."""
    await conn.execute(RETIRE_VERSION, version_id, state.value, reason)


MAKE_CURRENT: Final[LiteralString] = """
    UPDATE document_version
       SET supersedes = CASE WHEN state IN ('draft', 'failed') THEN $2 ELSE supersedes END,
           state = 'current',
           reason = NULL
     WHERE tenant_id = current_tenant() AND version_id = $1
"""


async def make_current(conn: Connection, version_id: int, *, supersedes: int | None) -> None:
    """Let the version answer from the commit on; what it supersedes is recorded the first time."""
    await conn.execute(MAKE_CURRENT, version_id, supersedes)


RECORD_SUPERSEDED: Final[LiteralString] = """
    UPDATE document_version
       SET state = 'superseded', reason = NULL
     WHERE tenant_id = current_tenant()
       AND version_id = ANY ($1::bigint[])
       AND state IN ('draft', 'failed')
    RETURNING version_id
"""


async def record_superseded(conn: Connection, version_ids: Sequence[int]) -> tuple[int, ...]:
    """Put those that are drafts into the history, which never answered, and return them."""
    return tuple(
        row["version_id"] for row in await conn.fetch(RECORD_SUPERSEDED, list(version_ids))
    )


def read_version(row: Record) -> DocumentVersion:
    """Return the version of a row with its columns."""
    return DocumentVersion(
        version_id=row["version_id"],
        seq=row["seq"],
        content_hash=row["content_hash"],
        state=VersionState(row["state"]),
        supersedes=row["supersedes"],
        reason=row["reason"],
        valid_from=row["valid_from"],
        review_until=row["review_until"],
        last_verified_at=row["last_verified_at"],
        verified_by=row["verified_by"],
        ingested_by=row["ingested_by"],
        ingested_as=row["ingested_as"],
        created_at=row["created_at"],
        scheduled=row["scheduled"],
    )
