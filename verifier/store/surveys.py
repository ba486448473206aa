"""What stands of many documents at once: one statement for a whole window of an ingest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, LiteralString

from verifier.store.sources import Source, read_source
from verifier.store.versions import DocumentVersion, read_version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.store.pool import Connection

Survey = tuple[Source | None, tuple[DocumentVersion, ...]]
"""A source, None where there is none, with its current version and those of one content."""

FIND_SURVEYS: Final[LiteralString] = """
    SELECT asked.place, s.source_id, s.key, s.title, s.url, s.authority, s.permission, s.permission_by,
           s.permission_at, s.review, s.metadata,
           v.version_id, v.seq, v.content_hash, v.state, v.supersedes, v.reason, v.valid_from,
           v.review_until, v.last_verified_at, v.verified_by, v.ingested_by, v.ingested_as, v.created_at,
           v.state = 'draft' AND EXISTS (
               SELECT
                 FROM publication p
                WHERE p.tenant_id = v.tenant_id AND p.version_id = v.version_id
                  AND p.basis_to IS NULL) AS scheduled
      FROM unnest($1::text[], $2::bytea[]) WITH ORDINALITY AS asked (key, content_hash, place)
           JOIN source s ON s.tenant_id = current_tenant() AND s.key = asked.key
           LEFT JOIN document_version v
             ON v.tenant_id = s.tenant_id AND v.source_id = s.source_id
            AND (v.state = 'current' OR v.content_hash = asked.content_hash)
     ORDER BY asked.place, v.seq
"""


async def find_surveys(conn: Connection, asked: Sequence[tuple[str, bytes]]) -> list[Survey]:
    """Return what stands of each key and content hash, the oldest version first."""
    keys, hashes = [key for key, _ in asked], [content_hash for _, content_hash in asked]
    sources: list[Source | None] = [None] * len(asked)
    versions: list[list[DocumentVersion]] = [[] for _ in asked]
    for row in await conn.fetch(FIND_SURVEYS, keys, hashes):
        place = row["place"] - 1
        if sources[place] is None:
            sources[place] = read_source(row)
        if row["version_id"] is not None:
            versions[place].append(read_version(row))
    return [(source, tuple(known)) for source, known in zip(sources, versions, strict=True)]
