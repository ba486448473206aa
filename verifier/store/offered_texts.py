"""Texts that agents may read: versions of approved sources that answer now, or did before another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.documents import VersionState
from verifier.core.spans import Span
from verifier.errors import InputError, UnknownThing
from verifier.store.storable import is_storable

if TYPE_CHECKING:
    from datetime import datetime

    from verifier.store.pool import Connection

_LARGEST_SEQ: Final = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedText:
    """A slice of a version's text. `length` is that of the whole text; `current` where it answers now."""

    source: str
    seq: int
    state: VersionState
    current: bool
    title: str | None
    url: str | None
    review_until: datetime | None
    span: Span
    length: int
    text: str


READ_OFFERED: Final[LiteralString] = """
    WITH offered AS (
         SELECT s.key, s.title, s.url, v.seq, v.state, v.review_until, v.text,
                CASE
                  WHEN s.next_validity <= now()
                  THEN EXISTS (SELECT
                                 FROM publication p
                                WHERE p.tenant_id = v.tenant_id AND p.version_id = v.version_id
                                  AND p.basis_to IS NULL AND p.valid_from <= now()
                                  AND (p.valid_to IS NULL OR p.valid_to > now()))
                  ELSE v.state = 'current'
                END AS current
           FROM source s
                JOIN document_version v USING (tenant_id, source_id)
          WHERE s.tenant_id = current_tenant() AND s.key = $1 AND s.permission = 'approved'
            AND v.state IN ('current', 'superseded', 'draft')
            AND ($2::integer IS NULL OR v.seq = $2))
    SELECT key, title, url, seq, state, review_until, current, length(text) AS length,
           substr(text, $3 + 1, $4) AS text
      FROM offered
     WHERE current OR ($2 IS NOT NULL AND state <> 'draft')
"""


async def read_offered(
    conn: Connection, key: str, seq: int | None, *, start: int, length: int
) -> OfferedText:
    """Return `length` characters from `start` of a version, the current one where `seq` is None.

    Raises UnknownThing, the same for what does not exist and what is not offered; InputError.
    """
    row = None
    if is_storable(key) and (seq is None or 0 < seq <= _LARGEST_SEQ):
        row = await conn.fetchrow(READ_OFFERED, key, seq, start, length)
    if row is None:
        version = "current version" if seq is None else f"version {seq}"
        raise UnknownThing(f"there is no {version} of a source {key[:200]!r} that may be read")
    if start > row["length"]:
        raise InputError(f"start is {start}, and the text ends at {row['length']}")
    found = dict(row)
    return OfferedText(
        source=found.pop("key"),
        state=VersionState(found.pop("state")),
        span=Span(start, start + len(row["text"])),
        **found,
    )
