"""Conflicts of sources with canonical rows, as they are found and as they go."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.documents import hash_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.spans import Span
    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundInRow:
    """What a source says at a place, and what the cell of a row says, `database/table/key/column`."""

    source: str
    seq: int
    span: Span
    text: str
    subject: str
    attribute: str
    value: str
    place: str
    row_value: str


ADD_FOUND_ROWS: Final[LiteralString] = """
    INSERT INTO conflict AS c
           (tenant_id, origin, source_id, version_id, start_at, end_at, other_place,
            subject, attribute, value, other_value, identity)
    SELECT current_tenant(), 'found', s.source_id, v.version_id, f.start_at, f.end_at, f.place,
           f.subject, f.attribute, f.value, f.row_value, f.identity
      FROM unnest($1::text[], $2::integer[], $3::integer[], $4::integer[], $5::text[], $6::text[],
                  $7::text[], $8::text[], $9::text[], $10::bytea[])
           WITH ORDINALITY
           AS f (key, seq, start_at, end_at, place, subject, attribute, value, row_value, identity, number)
           JOIN source s ON s.tenant_id = current_tenant() AND s.key = f.key
           JOIN document_version v
             ON v.tenant_id = s.tenant_id AND v.source_id = s.source_id AND v.seq = f.seq
            AND v.state = 'current'
     WHERE s.permission = 'approved'
     ORDER BY f.number
        ON CONFLICT (tenant_id, identity) WHERE identity IS NOT NULL DO UPDATE
       SET state = CASE WHEN c.assigned_to IS NULL THEN 'open' ELSE 'assigned' END,
           reason = NULL, resolved_at = NULL,
           version_id = excluded.version_id, start_at = excluded.start_at, end_at = excluded.end_at
     WHERE c.state = 'obsolete'
    RETURNING conflict_id
"""


async def add_found_rows(conn: Connection, found: Sequence[FoundInRow]) -> tuple[int, ...]:
    """Record what differs from rows and return the numbers of what is new, or differs again.

    The same words against the same value of the same cell are one conflict; what was resolved stays so.
    """
    rows = list({_identify(one): one for one in found}.items())
    if not rows:
        return ()
    columns = [
        [
            *(one.source, one.seq, one.span.start, one.span.end, one.place),
            *(one.subject, one.attribute, one.value, one.row_value, identity),
        ]
        for identity, one in rows
    ]
    added = await conn.fetch(ADD_FOUND_ROWS, *map(list, zip(*columns, strict=True)))
    return tuple(sorted(row["conflict_id"] for row in added))


CLOSE_ROWS: Final[LiteralString] = """
    UPDATE conflict
       SET state = 'obsolete', reason = other_place || ' says otherwise by now',
           resolved_at = clock_timestamp()
     WHERE tenant_id = current_tenant() AND origin = 'found' AND other_place IS NOT NULL
       AND state IN ('open', 'assigned') AND NOT identity = ANY ($1)
    RETURNING conflict_id
"""


async def close_rows(conn: Connection, found: Sequence[FoundInRow]) -> int:
    """Close found conflicts with rows that are not among those `found` now; return how many."""
    return len(await conn.fetch(CLOSE_ROWS, [_identify(one) for one in found]))


def _identify(found: FoundInRow) -> bytes:
    told = [found.source, " ".join(found.text.split()), found.place, found.row_value]
    return bytes.fromhex(hash_text(json.dumps(told)))
