"""Sources: their keys, labels and permission."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.documents import Permission, SourceKey
from verifier.errors import UnknownThing
from verifier.store.storable import is_storable, storable_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from asyncpg import Record

    from verifier.store.pool import Connection

BY_SOURCE: Final = "source"
"""The two values of `Source.review`: whether a person approves the source, or each version of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where text comes from, and whether it may be searched and cited."""

    source_id: int
    key: SourceKey
    title: str | None
    url: str | None
    authority: int
    permission: Permission
    permission_by: str | None
    permission_at: datetime | None
    review: str
    metadata: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceListing:
    """A source with what is current of it; the numbers are None where nothing is.

    `waiting` counts drafts, also those whose time is to come; `next_validity` is when another version
    answers by itself.
    """

    source: Source
    versions: int
    current_seq: int | None
    review_until: datetime | None
    chunks: int
    verified_by: str | None
    waiting: int
    next_validity: datetime | None


ADD_TENANT: Final[LiteralString] = """
    INSERT INTO tenant (tenant_id) VALUES (current_tenant()) ON CONFLICT DO NOTHING
"""


async def add_tenant(conn: Connection) -> None:
    """Record the tenant of the transaction where it is new."""
    await conn.execute(ADD_TENANT)


FIND_SOURCE: Final[LiteralString] = """
    SELECT source_id, key, title, url, authority, permission, permission_by, permission_at, review,
           metadata
      FROM source
     WHERE tenant_id = current_tenant() AND key = $1
"""
LOCK_SOURCE: Final[LiteralString] = f"{FIND_SOURCE} FOR NO KEY UPDATE"


async def find_source(conn: Connection, key: str) -> Source | None:
    """Return the source of that key, if there is one."""
    row = await conn.fetchrow(FIND_SOURCE, key) if is_storable(key) else None
    return None if row is None else read_source(row)


async def get_source(conn: Connection, key: str) -> Source:
    """Return the source of that key. Raises UnknownThing."""
    source = await find_source(conn, key)
    if source is None:
        raise UnknownThing(f"there is no source {key!r}")
    return source


async def lock_source(conn: Connection, key: str) -> Source:
    """Return the source and keep others from changing it till the transaction ends. Raises UnknownThing."""
    row = await conn.fetchrow(LOCK_SOURCE, key) if is_storable(key) else None
    if row is None:
        raise UnknownThing(f"there is no source {key!r}")
    return read_source(row)


ADD_SOURCES: Final[LiteralString] = """
    INSERT INTO source (tenant_id, key)
    SELECT current_tenant(), added.key
      FROM unnest($1::text[]) AS added (key)
     WHERE NOT EXISTS (SELECT FROM source s WHERE s.tenant_id = current_tenant() AND s.key = added.key)
     ORDER BY added.key
        ON CONFLICT DO NOTHING
"""
LOCK_SOURCES: Final[LiteralString] = """
    SELECT source_id
      FROM source
     WHERE tenant_id = current_tenant() AND key = ANY ($1::text[])
     ORDER BY key
       FOR NO KEY UPDATE
"""


async def add_and_lock_sources(conn: Connection, keys: Iterable[str]) -> None:
    """Record the sources that are new, then lock all of the keys in one order, as `lock_source` does."""
    ordered = sorted(set(keys))
    await conn.execute(ADD_SOURCES, ordered)
    await conn.execute(LOCK_SOURCES, ordered)


SELECT_LISTING: Final[LiteralString] = """
    SELECT s.source_id, s.key, s.title, s.url, s.authority, s.permission, s.permission_by,
           s.permission_at, s.review, s.metadata, s.next_validity, v.versions, v.current_seq,
           v.review_until, v.verified_by, v.waiting, c.chunks
      FROM source s
           CROSS JOIN LATERAL (
               SELECT count(*) AS versions,
                      max(seq) FILTER (WHERE state = 'current') AS current_seq,
                      max(review_until) FILTER (WHERE state = 'current') AS review_until,
                      max(verified_by) FILTER (WHERE state = 'current') AS verified_by,
                      count(*) FILTER (WHERE state = 'draft') AS waiting
                 FROM document_version
                WHERE tenant_id = s.tenant_id AND source_id = s.source_id) AS v
           CROSS JOIN LATERAL (
               SELECT count(*) AS chunks
                 FROM current_chunk
                WHERE tenant_id = s.tenant_id AND source_id = s.source_id) AS c
"""
LIST_SOURCES: Final[LiteralString] = f"""
    {SELECT_LISTING}
     WHERE s.tenant_id = current_tenant()
       AND ($1::text IS NULL OR s.permission = $1)
       AND ($2::timestamptz IS NULL OR v.review_until < $2)
     ORDER BY s.key
"""


async def list_sources(
    conn: Connection, *, permission: Permission | None = None, stale_at: datetime | None = None
) -> tuple[SourceListing, ...]:
    """Return the sources of the tenant in the order of keys.

    Of one `permission` only, where it is given; with `stale_at` those whose review ended before it.
    """
    rows = await conn.fetch(
        LIST_SOURCES, None if permission is None else permission.value, stale_at
    )
    return tuple(read_listing(row) for row in rows)


def read_listing(row: Record) -> SourceListing:
    """Return the listing of a row with its columns."""
    return SourceListing(
        source=read_source(row),
        versions=row["versions"],
        current_seq=row["current_seq"],
        review_until=row["review_until"],
        chunks=row["chunks"],
        verified_by=row["verified_by"],
        waiting=row["waiting"],
        next_validity=row["next_validity"],
    )


LIST_CURRENT_KEYS: Final[LiteralString] = """
    SELECT s.key
      FROM source s
           JOIN document_version v USING (tenant_id, source_id)
     WHERE s.tenant_id = current_tenant() AND v.state = 'current' AND starts_with(s.key, $1)
     ORDER BY s.key
"""


async def list_current_keys(conn: Connection, *, prefix: str) -> tuple[str, ...]:
    """Return the keys that begin with `prefix`, of sources that have a current version."""
    return tuple(row["key"] for row in await conn.fetch(LIST_CURRENT_KEYS, prefix))


LABEL_SOURCE: Final[LiteralString] = """
    UPDATE source
       SET title = $2, url = $3, metadata = $4::text::jsonb
     WHERE tenant_id = current_tenant() AND source_id = $1
"""


async def label_source(conn: Connection, source: Source) -> None:
    """Write title, URL and metadata of `source`; filters of searches obey from the commit on."""
    metadata = storable_json(source.metadata)
    await conn.execute(LABEL_SOURCE, source.source_id, source.title, source.url, metadata)


PERMIT_SOURCE: Final[LiteralString] = """
    UPDATE source
       SET permission = $2, permission_by = $3, permission_at = clock_timestamp()
     WHERE tenant_id = current_tenant() AND source_id = $1
"""
PERMIT_CURRENT_CHUNKS: Final[LiteralString] = """
    UPDATE current_chunk
       SET permission = $2
     WHERE tenant_id = current_tenant() AND source_id = $1
"""


async def permit_source(
    conn: Connection, source_id: int, permission: Permission, *, by: str
) -> None:
    """Record who gave or took the permission, and when; searches obey from the commit on."""
    await conn.execute(PERMIT_SOURCE, source_id, permission.value, by)
    await conn.execute(PERMIT_CURRENT_CHUNKS, source_id, permission.value)


def read_source(row: Record) -> Source:
    """Return the source of a row with its columns."""
    return Source(
        source_id=row["source_id"],
        key=SourceKey(row["key"]),
        title=row["title"],
        url=row["url"],
        authority=row["authority"],
        permission=Permission(row["permission"]),
        permission_by=row["permission_by"],
        permission_at=row["permission_at"],
        review=row["review"],
        metadata=json.loads(row["metadata"]),
    )
