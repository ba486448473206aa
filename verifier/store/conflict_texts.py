"""What is read and written when conflicts are looked for: current texts, and what two of them say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.conflict_finding_reading import SourceText
from verifier.core.documents import hash_text

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from verifier.core.conflict_finding import FoundConflict
    from verifier.store.pool import Connection

SCOPES: Final = frozenset(
    (
        *(
            "region",
            "country",
            "market",
            "locale",
            "language",
            "lang",
            "product",
            "audience",
            "channel",
        ),
        *("edition", "site", "brand", "company", "year"),
    )
)
"""Metadata that limit what a source speaks of; sources that differ in one are not in conflict."""

_TEXTS_AT_ONCE: Final = 2_000

LIST_CURRENT_TEXTS: Final[LiteralString] = """
    SELECT n.source_id, n.ordinal, s.key, s.title, s.metadata, v.seq, c.start_at, c.heading_path,
           substr(v.text, c.start_at + 1, c.end_at - c.start_at) AS text
      FROM current_chunk n
           JOIN source s ON s.tenant_id = n.tenant_id AND s.source_id = n.source_id
           JOIN document_version v ON v.tenant_id = n.tenant_id AND v.version_id = n.version_id
           JOIN chunk c
             ON c.tenant_id = n.tenant_id AND c.version_id = n.version_id AND c.ordinal = n.ordinal
     WHERE n.tenant_id = current_tenant() AND n.permission = 'approved'
       AND (n.source_id, n.ordinal) > ($1::bigint, $2::integer)
     ORDER BY n.source_id, n.ordinal
     LIMIT $3
"""


async def list_current_texts(conn: Connection) -> AsyncIterator[Sequence[SourceText]]:
    """Yield the chunks of all current versions of approved sources, some thousand at a time."""
    after = (0, -1)
    while True:
        rows = await conn.fetch(LIST_CURRENT_TEXTS, *after, _TEXTS_AT_ONCE)
        if not rows:
            return
        yield [
            SourceText(
                source=row["key"],
                seq=row["seq"],
                start=row["start_at"],
                text=row["text"],
                title=row["title"],
                headings=tuple(row["heading_path"]),
                scope=_scope(json.loads(row["metadata"])),
            )
            for row in rows
        ]
        after = (rows[-1]["source_id"], rows[-1]["ordinal"])


ADD_FOUND: Final[LiteralString] = """
    INSERT INTO conflict AS c
           (tenant_id, origin, source_id, version_id, start_at, end_at,
            other_source_id, other_version_id, other_start_at, other_end_at,
            subject, attribute, value, other_value, identity)
    SELECT current_tenant(), 'found', s.source_id, v.version_id, f.start_at, f.end_at,
           t.source_id, w.version_id, f.other_start_at, f.other_end_at,
           f.subject, f.attribute, f.value, f.other_value, f.identity
      FROM unnest($1::text[], $2::integer[], $3::integer[], $4::integer[], $5::text[], $6::integer[],
                  $7::integer[], $8::integer[], $9::text[], $10::text[], $11::text[], $12::text[],
                  $13::bytea[])
           WITH ORDINALITY
           AS f (key, seq, start_at, end_at, other_key, other_seq, other_start_at, other_end_at,
                 subject, attribute, value, other_value, identity, number)
           JOIN source s ON s.tenant_id = current_tenant() AND s.key = f.key
           JOIN document_version v
             ON v.tenant_id = s.tenant_id AND v.source_id = s.source_id AND v.seq = f.seq
            AND v.state = 'current'
           JOIN source t ON t.tenant_id = current_tenant() AND t.key = f.other_key
           JOIN document_version w
             ON w.tenant_id = t.tenant_id AND w.source_id = t.source_id AND w.seq = f.other_seq
            AND w.state = 'current'
     WHERE s.permission = 'approved' AND t.permission = 'approved'
     ORDER BY f.number
        ON CONFLICT (tenant_id, identity) WHERE identity IS NOT NULL DO UPDATE
       SET state = CASE WHEN c.assigned_to IS NULL THEN 'open' ELSE 'assigned' END,
           reason = NULL, resolved_at = NULL,
           version_id = excluded.version_id, start_at = excluded.start_at, end_at = excluded.end_at,
           other_version_id = excluded.other_version_id,
           other_start_at = excluded.other_start_at, other_end_at = excluded.other_end_at
     WHERE c.state = 'obsolete'
    RETURNING conflict_id
"""


async def add_found(conn: Connection, found: Sequence[FoundConflict]) -> tuple[int, ...]:
    """Record what was found and return the numbers of what is new, or holds again after it was obsolete.

    The same words of the same two sources are one conflict, whatever versions they stand in; one that was
    resolved stays so.
    """
    rows = list({_identify(one): one for one in found}.items())
    if not rows:
        return ()
    columns = [
        [
            *(one.side.source, one.side.seq, one.side.span.start, one.side.span.end),
            *(one.other.source, one.other.seq, one.other.span.start, one.other.span.end),
            *(one.subject, one.attribute, one.side.value, one.other.value, identity),
        ]
        for identity, one in rows
    ]
    added = await conn.fetch(ADD_FOUND, *map(list, zip(*columns, strict=True)))
    return tuple(sorted(row["conflict_id"] for row in added))


def _identify(found: FoundConflict) -> bytes:
    told = [[one.source, " ".join(one.text.split())] for one in (found.side, found.other)]
    return bytes.fromhex(hash_text(json.dumps(told)))


def _scope(metadata: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in metadata.items() if name.casefold() in SCOPES}
