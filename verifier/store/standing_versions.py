"""Versions that an answer cites, as they stand now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.documents import Permission, VersionState
from verifier.store.storable import is_storable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingVersion:
    """A version with its text, and what is current of its source; `text` is None where it was erased.

    `current_text` is None where no version is current, and where this one is.
    """

    source: str
    title: str | None
    permission: Permission
    seq: int
    state: VersionState
    text: str | None
    review_until: datetime | None
    current_seq: int | None
    current_text: str | None


FIND_STANDING_VERSIONS: Final[LiteralString] = """
    SELECT s.key, s.title, s.permission, v.seq, v.state, v.review_until,
           CASE WHEN v.state <> 'erased' THEN v.text END AS text, n.seq AS current_seq,
           CASE WHEN n.version_id <> v.version_id THEN n.text END AS current_text
      FROM unnest($1::text[], $2::integer[]) AS cited (key, seq)
           JOIN source s ON s.tenant_id = current_tenant() AND s.key = cited.key
           JOIN document_version v
             ON v.tenant_id = s.tenant_id AND v.source_id = s.source_id AND v.seq = cited.seq
           LEFT JOIN document_version n
             ON n.tenant_id = s.tenant_id AND n.source_id = s.source_id AND n.state = 'current'
"""


async def find_standing_versions(
    conn: Connection, cited: Sequence[tuple[str, int]]
) -> Mapping[tuple[str, int], StandingVersion]:
    """Return the versions of those sources and seqs that there are, each once."""
    wanted = [(key, seq) for key, seq in dict.fromkeys(cited) if is_storable(key)]
    if not wanted:
        return {}
    keys, seqs = zip(*wanted, strict=True)
    return {
        (row["key"], row["seq"]): StandingVersion(
            source=row["key"],
            title=row["title"],
            permission=Permission(row["permission"]),
            seq=row["seq"],
            state=VersionState(row["state"]),
            text=row["text"],
            review_until=row["review_until"],
            current_seq=row["current_seq"],
            current_text=row["current_text"],
        )
        for row in await conn.fetch(FIND_STANDING_VERSIONS, list(keys), list(seqs))
    }
