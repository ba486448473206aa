"""The places of conflicts: naming them, finding those that verdicts rest on, and closing what has gone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.conflicts import Dispute, split_place
from verifier.errors import InputError, UnknownThing
from verifier.store.sources import find_source, get_source
from verifier.store.storable import is_storable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.conflicts import StoredPlace
    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictPlace:
    """A place in a source as the table has it; without start and end the whole version."""

    source_id: int
    version_id: int
    every_version: bool
    start_at: int | None = None
    end_at: int | None = None

    @property
    def columns(self) -> tuple[object, ...]:
        """The columns of one side, in the order of `ADD_CONFLICT`."""
        return (self.source_id, self.version_id, self.every_version, self.start_at, self.end_at)


LOCATE_PLACE: Final[LiteralString] = """
    SELECT v.version_id, v.text, v.state, c.start_at, c.end_at
      FROM document_version v
           LEFT JOIN chunk c
             ON c.tenant_id = v.tenant_id AND c.version_id = v.version_id AND c.ordinal = $3
     WHERE v.tenant_id = current_tenant() AND v.source_id = $1
       AND CASE WHEN $2::integer IS NULL THEN v.state IN ('current', 'withdrawn', 'superseded', 'draft')
                ELSE v.seq = $2 AND v.state <> 'erased' END
     ORDER BY v.state = 'current' DESC, v.seq DESC
     LIMIT 1
"""


async def locate_place(conn: Connection, text: str, words: str | None = None) -> ConflictPlace:
    """Return the place that `text` names: a source, `source@seq`, or a chunk `source@seq#ordinal`.

    `words` narrow it to where they stand in it. Raises UnknownThing; InputError where the words stand there
    not once but never or several times.
    """
    named = split_place(text)
    source = await find_source(conn, text)
    if source is not None or named is None:
        source, named = source or await get_source(conn, text), None
    else:
        source = await get_source(conn, named[0])
    seq, ordinal = (None, None) if named is None else named[1:]
    row = await conn.fetchrow(LOCATE_PLACE, source.source_id, seq, ordinal)
    if row is None or (ordinal is not None and row["start_at"] is None):
        raise UnknownThing(f"there is no {text!r}; `verifier versions` lists versions and chunks")
    start, end = row["start_at"], row["end_at"]
    if words is not None:
        start, end = _locate_words(row["text"], words, start or 0, end, text)
    return ConflictPlace(
        source_id=source.source_id,
        version_id=row["version_id"],
        every_version=named is None,
        start_at=start,
        end_at=end,
    )


def _locate_words(text: str, words: str, start: int, end: int | None, name: str) -> tuple[int, int]:
    told = words.strip()
    limit = len(text) if end is None else end
    at = text.find(told, start, limit) if told else -1
    if at < 0:
        raise InputError(f"{words!r} does not stand in {name}; copy the words as they stand there")
    if text.find(told, at + 1, limit) >= 0:
        raise InputError(f"{words!r} stands in {name} more than once; copy more of the sentence")
    return at, at + len(told)


FIND_DISPUTES: Final[LiteralString] = """
    WITH wanted AS (
           SELECT w.number, w.start_at, w.end_at, v.source_id, v.version_id, v.text
             FROM unnest($1::text[], $2::integer[], $3::integer[], $4::integer[])
                  WITH ORDINALITY AS w (key, seq, start_at, end_at, number)
                  JOIN source s ON s.tenant_id = current_tenant() AND s.key = w.key
                  JOIN document_version v
                    ON v.tenant_id = s.tenant_id AND v.source_id = s.source_id AND v.seq = w.seq),
         standing AS (
           SELECT c.*
             FROM conflict c
            WHERE c.tenant_id = current_tenant() AND c.state IN ('open', 'assigned')
              AND (c.source_id IN (SELECT source_id FROM wanted)
                   OR c.other_source_id IN (SELECT source_id FROM wanted))),
         side AS (
           SELECT conflict_id, source_id, version_id, every_version, start_at, end_at, value, other_value,
                  other_source_id AS against, other_version_id AS against_version,
                  other_start_at AS against_start, other_end_at AS against_end
             FROM standing
            UNION ALL
           SELECT conflict_id, other_source_id, other_version_id, other_every_version, other_start_at,
                  other_end_at, other_value, value, source_id, version_id, start_at, end_at
             FROM standing
            WHERE other_source_id IS NOT NULL)
    SELECT DISTINCT ON (w.number, c.conflict_id)
           w.number, c.conflict_id, c.subject, c.attribute, d.value, d.other_value,
           coalesce(o.key, c.other_place) AS other
      FROM wanted w
           JOIN side d USING (source_id)
           JOIN standing c USING (conflict_id)
           JOIN document_version seen
             ON seen.tenant_id = c.tenant_id AND seen.version_id = d.version_id
           LEFT JOIN source o ON o.tenant_id = c.tenant_id AND o.source_id = d.against
           CROSS JOIN LATERAL (
             SELECT CASE WHEN d.version_id = w.version_id THEN d.start_at
                         ELSE strpos(w.text, substr(seen.text, d.start_at + 1, d.end_at - d.start_at)) - 1
                    END AS start_at) AS now
     WHERE CASE WHEN d.start_at IS NULL THEN d.every_version OR d.version_id = w.version_id
                ELSE now.start_at >= 0
                     AND now.start_at < w.end_at
                     AND now.start_at + d.end_at - d.start_at > w.start_at END
       AND (c.origin = 'declared' OR d.against IS NULL
            OR EXISTS (SELECT
                         FROM document_version held
                              JOIN document_version told
                                ON told.tenant_id = c.tenant_id AND told.version_id = d.against_version
                        WHERE held.tenant_id = c.tenant_id AND held.source_id = d.against
                          AND held.state = 'current' AND o.permission = 'approved'
                          AND (held.version_id = told.version_id
                               OR strpos(held.text, substr(told.text, d.against_start + 1,
                                                           d.against_end - d.against_start)) > 0)))
     ORDER BY w.number, c.conflict_id
"""


async def find_disputes(conn: Connection, places: Sequence[StoredPlace]) -> tuple[Dispute, ...]:
    """Return the open conflicts of words of document versions, in one statement.

    A conflict of words holds in every version in which they stand. One that was found counts only while the
    other source is approved and its current version still says so.
    """
    asked = [one for one in places if is_storable(one.source)]
    if not asked:
        return ()
    columns = (
        [one.source for one in asked],
        [one.seq for one in asked],
        [one.span.start for one in asked],
        [one.span.end for one in asked],
    )
    rows = await conn.fetch(FIND_DISPUTES, *columns)
    return tuple(
        Dispute(
            place=asked[row["number"] - 1],
            conflict_id=row["conflict_id"],
            subject=row["subject"],
            attribute=row["attribute"],
            value=row["value"],
            other_value=row["other_value"],
            other=row["other"],
        )
        for row in rows
    )


CLOSE_OBSOLETE: Final[LiteralString] = """
    WITH gone AS (
           SELECT DISTINCT ON (c.conflict_id) c.conflict_id,
                  CASE WHEN s.permission <> 'approved' THEN s.key || ' is no longer approved'
                       WHEN now.version_id IS NULL THEN s.key || ' has no current version'
                       ELSE s.key || ' no longer has these words' END AS why
             FROM conflict c
                  CROSS JOIN LATERAL (
                    VALUES (1, c.source_id, c.version_id, c.start_at, c.end_at),
                           (2, c.other_source_id, c.other_version_id, c.other_start_at, c.other_end_at))
                      AS d (number, source_id, version_id, start_at, end_at)
                  JOIN source s ON s.tenant_id = c.tenant_id AND s.source_id = d.source_id
                  JOIN document_version seen
                    ON seen.tenant_id = c.tenant_id AND seen.version_id = d.version_id
                  LEFT JOIN document_version now
                    ON now.tenant_id = c.tenant_id AND now.source_id = d.source_id
                   AND now.state = 'current'
            WHERE c.tenant_id = current_tenant() AND c.origin = 'found'
              AND c.state IN ('open', 'assigned')
              AND (s.permission <> 'approved' OR now.version_id IS NULL
                   OR (now.version_id <> d.version_id
                       AND strpos(now.text,
                                  substr(seen.text, d.start_at + 1, d.end_at - d.start_at)) = 0))
            ORDER BY c.conflict_id, d.number)
    UPDATE conflict c
       SET state = 'obsolete', reason = gone.why, resolved_at = clock_timestamp()
      FROM gone
     WHERE c.tenant_id = current_tenant() AND c.conflict_id = gone.conflict_id
       AND c.state IN ('open', 'assigned')
    RETURNING c.conflict_id
"""


async def close_obsolete(conn: Connection) -> int:
    """Close found conflicts one side of which is withdrawn, not approved or reworded; return how many."""
    return len(await conn.fetch(CLOSE_OBSOLETE))
