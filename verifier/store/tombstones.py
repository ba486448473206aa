"""Tombstones: what is left of an erased version, and what they keep from coming back.

They hold keyed hashes alone: HMAC-SHA-256, with a key of the tenant that only the owner of the schema
reads, of the SHA-256 of the text, of the text without white space and case, and of each chunk's input.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from asyncpg import Record

    from verifier.core.documents import ChunkDraft
    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """That a version was erased: by whom, when and why. `reports` counts the logged reports redacted for it.

    Once it is lifted, its text may be ingested again.
    """

    tombstone_id: int
    key: str
    seq: int
    chunks: int
    reports: int
    erased_by: str
    reason: str
    erased_at: datetime
    lifted_by: str | None
    lifted_at: datetime | None

    def __str__(self) -> str:
        """Return what an error tells of it."""
        return (
            f"{self.key}@{self.seq} was erased on {self.erased_at:%Y-%m-%d} by {self.erased_by}:"
            f" {self.reason} (tombstone {self.tombstone_id})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivingText:
    """A text that is about to be stored, with the SHA-256 of it; `allow_erased` lifts what forbids it."""

    key: str
    text: str
    content_hash: bytes
    chunks: Sequence[ChunkDraft]
    allow_erased: bool
    by: str


def fold_digest(text: str) -> bytes:
    """Return the SHA-256 of the text in lower case and without white space, 32 bytes."""
    return hashlib.sha256("".join(text.casefold().split()).encode("utf-8")).digest()


LIST_TOMBSTONES: Final[LiteralString] = """
    SELECT t.tombstone_id, s.key, v.seq, t.chunks, t.erased_by, t.reason, t.erased_at, t.lifted_by,
           t.lifted_at,
           (SELECT count(*)
              FROM tombstone_report r
             WHERE r.tenant_id = t.tenant_id AND r.tombstone_id = t.tombstone_id) AS reports
      FROM tombstone t
           JOIN source s USING (tenant_id, source_id)
           JOIN document_version v USING (tenant_id, version_id)
     WHERE t.tenant_id = current_tenant() AND t.tombstone_id = ANY ($1::bigint[])
     ORDER BY t.tombstone_id
"""


async def list_tombstones(conn: Connection, ids: Sequence[int]) -> tuple[Tombstone, ...]:
    """Return the tombstones of those ids, in their order."""
    return tuple(_tombstone(row) for row in await conn.fetch(LIST_TOMBSTONES, list(ids)))


FIND_TOMBSTONE_OF: Final[LiteralString] = """
    SELECT t.tombstone_id
      FROM source s
           JOIN document_version v USING (tenant_id, source_id)
           JOIN tombstone t USING (tenant_id, version_id)
     WHERE s.tenant_id = current_tenant() AND s.key = $1 AND v.seq = $2
"""


async def find_tombstone_of(conn: Connection, key: str, seq: int) -> Tombstone | None:
    """Return the tombstone of a version of a source, if it was erased."""
    found = await conn.fetchval(FIND_TOMBSTONE_OF, key, seq)
    return None if found is None else (await list_tombstones(conn, (found,)))[0]


FIND_ERASED_PLACES: Final[LiteralString] = """
    SELECT s.key, v.seq
      FROM unnest($1::text[], $2::integer[]) AS asked (key, seq)
           JOIN source s ON s.tenant_id = current_tenant() AND s.key = asked.key
           JOIN document_version v
             ON v.tenant_id = s.tenant_id AND v.source_id = s.source_id AND v.seq = asked.seq
     WHERE v.state = 'erased'
"""


async def find_erased_places(
    conn: Connection, places: Sequence[tuple[str, int]]
) -> frozenset[tuple[str, int]]:
    """Return those of the places, each a key and a seq, that are of an erased version."""
    keys, seqs = [key for key, _ in places], [seq for _, seq in places]
    return frozenset(
        (row["key"], row["seq"]) for row in await conn.fetch(FIND_ERASED_PLACES, keys, seqs)
    )


HAS_TOMBSTONES: Final[LiteralString] = """
    SELECT EXISTS (SELECT
                     FROM tombstone
                    WHERE tenant_id = current_tenant() AND lifted_at IS NULL)
"""
FIND_TOMBSTONES: Final[LiteralString] = """
    SELECT number, tombstone_id
      FROM find_tombstones($1::bytea[], $2::bytea[], $3::integer[], $4::bytea[])
"""


async def find_forbidding(
    conn: Connection, texts: Sequence[ArrivingText]
) -> dict[int, tuple[Tombstone, ...]]:
    """Return, by the place of each text among `texts`, the tombstones that keep it from coming back."""
    if not texts or not await conn.fetchval(HAS_TOMBSTONES):
        return {}
    parts = [(at, chunk) for at, text in enumerate(texts, 1) for chunk in text.chunks]
    rows = await conn.fetch(
        FIND_TOMBSTONES,
        [text.content_hash for text in texts],
        [fold_digest(text.text) for text in texts],
        [at for at, _ in parts],
        [chunk.input_hash for _, chunk in parts],
    )
    forbidding: dict[int, list[int]] = {}
    for row in rows:
        forbidding.setdefault(row["number"] - 1, []).append(row["tombstone_id"])
    return {at: await list_tombstones(conn, ids) for at, ids in forbidding.items()}


LIFT_TOMBSTONES: Final[LiteralString] = """
    UPDATE tombstone
       SET lifted_by = $2, lifted_at = clock_timestamp()
     WHERE tenant_id = current_tenant() AND tombstone_id = ANY ($1::bigint[]) AND lifted_at IS NULL
"""


async def admit_texts(conn: Connection, texts: Sequence[ArrivingText]) -> None:
    """Let texts in that nothing forbids, and record whose allowance lifted what did.

    To be called under the lock that erasures wait for (`share_liveness`). Raises InputError naming the
    tombstone of a text that was erased.
    """
    for at, tombstones in (await find_forbidding(conn, texts)).items():
        text = texts[at]
        if not text.allow_erased:
            raise InputError(
                f"the text of {text.key} may not come back: {tombstones[0]}; an operator may allow it"
                " with --allow-erased"
            )
        await conn.execute(LIFT_TOMBSTONES, [one.tombstone_id for one in tombstones], text.by)


def _tombstone(row: Record) -> Tombstone:
    return Tombstone(
        tombstone_id=row["tombstone_id"],
        key=row["key"],
        seq=row["seq"],
        chunks=row["chunks"],
        reports=row["reports"],
        erased_by=row["erased_by"],
        reason=row["reason"],
        erased_at=row["erased_at"],
        lifted_by=row["lifted_by"],
        lifted_at=row["lifted_at"],
    )
