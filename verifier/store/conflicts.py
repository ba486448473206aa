"""Conflicts between sources, or a source and a canonical row: declared, assigned, resolved, listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.conflicts import ConflictOrigin, ConflictState
from verifier.core.spans import Span
from verifier.errors import InputError, UnknownThing
from verifier.store.storable import is_storable, storable_text

if TYPE_CHECKING:
    from datetime import datetime

    from asyncpg import Record

    from verifier.store.conflict_places import ConflictPlace
    from verifier.store.pool import Connection

LARGEST_ID: Final = 2**63 - 1
LONGEST_NAME: Final = 200
LONGEST_TEXT: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictSide:
    """One of the two places. `span` lies in version `seq`, and `words` are what it covers.

    Without a span it is the whole version, with `every_version` any that the source ever has.
    """

    source: str
    seq: int
    every_version: bool
    span: Span | None
    words: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictTopic:
    """What is disagreed on, and what each side says of it, as it is written there."""

    subject: str
    attribute: str
    value: str
    other_value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A conflict as it is recorded. The other side is a place in a source, or the cell of a row.

    `reason` says how it was resolved, or why it is obsolete; `resolved_at` is when either happened.
    """

    conflict_id: int
    state: ConflictState
    origin: ConflictOrigin
    topic: ConflictTopic
    side: ConflictSide
    other: ConflictSide | None
    other_row: str | None
    declared_by: str | None
    assigned_to: str | None
    assigned_by: str | None
    assigned_at: datetime | None
    resolved_by: str | None
    reason: str | None
    created_at: datetime
    resolved_at: datetime | None


ADD_CONFLICT: Final[LiteralString] = """
    INSERT INTO conflict
           (tenant_id, source_id, version_id, every_version, start_at, end_at,
            other_source_id, other_version_id, other_every_version, other_start_at, other_end_at,
            other_place, subject, attribute, value, other_value, declared_by)
    VALUES (current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
    RETURNING conflict_id
"""


async def declare_conflict(
    conn: Connection,
    place: ConflictPlace,
    other: ConflictPlace | str,
    topic: ConflictTopic,
    *,
    by: str,
) -> Conflict:
    """Record that two places disagree, `other` being one in a source or the name of a row's cell.

    Raises InputError where both are the same place, or a name or a text is blank.
    """
    name = read_name(by)
    if place == other:
        raise InputError("a conflict needs two places; both are the same")
    told = (
        _read_text(topic.subject, "subject"),
        _read_text(topic.attribute, "attribute"),
        _read_text(topic.value, "value"),
        _read_text(topic.other_value, "value of the other place"),
    )
    sides = (None,) * 2 + (False, None, None) if isinstance(other, str) else other.columns
    row = other if isinstance(other, str) else None
    added = await conn.fetchval(ADD_CONFLICT, *place.columns, *sides, row, *told, name)
    return await get_conflict(conn, added)


LIST_CONFLICTS: Final[LiteralString] = """
    SELECT c.conflict_id, c.state, c.origin, c.subject, c.attribute, c.value, c.other_value,
           s.key, v.seq, c.every_version, c.start_at, c.end_at,
           substr(v.text, c.start_at + 1, c.end_at - c.start_at) AS words,
           t.key AS other_key, w.seq AS other_seq, c.other_every_version, c.other_start_at,
           c.other_end_at, substr(w.text, c.other_start_at + 1, c.other_end_at - c.other_start_at)
               AS other_words,
           c.other_place, c.declared_by, c.assigned_to, c.assigned_by, c.assigned_at, c.resolved_by,
           c.reason, c.created_at, c.resolved_at
      FROM conflict c
           JOIN source s USING (tenant_id, source_id)
           JOIN document_version v ON v.tenant_id = c.tenant_id AND v.version_id = c.version_id
           LEFT JOIN source t ON t.tenant_id = c.tenant_id AND t.source_id = c.other_source_id
           LEFT JOIN document_version w
             ON w.tenant_id = c.tenant_id AND w.version_id = c.other_version_id
     WHERE c.tenant_id = current_tenant()
       AND ($1::bigint IS NULL OR c.conflict_id = $1)
       AND ($2::text[] IS NULL OR c.state = ANY ($2))
       AND ($3::text IS NULL OR s.key = $3 OR t.key = $3)
       AND ($4::text IS NULL OR c.assigned_to = $4)
     ORDER BY c.conflict_id
     LIMIT $5
"""


async def list_conflicts(
    conn: Connection,
    *,
    states: tuple[ConflictState, ...] | None = None,
    source: str | None = None,
    assigned_to: str | None = None,
    limit: int = LARGEST_ID,
) -> tuple[Conflict, ...]:
    """Return conflicts in the order in which they were recorded; `states` of None means every one."""
    if not all(is_storable(one or "") for one in (source, assigned_to)):
        return ()
    names = None if states is None else [one.value for one in states]
    rows = await conn.fetch(LIST_CONFLICTS, None, names, source, assigned_to, limit)
    return tuple(_conflict_of(row) for row in rows)


async def get_conflict(conn: Connection, conflict_id: int) -> Conflict:
    """Return the conflict of that number. Raises UnknownThing."""
    known = 0 < conflict_id <= LARGEST_ID
    row = await conn.fetchrow(LIST_CONFLICTS, conflict_id, None, None, None, 1) if known else None
    if row is None:
        raise UnknownThing(
            f"there is no conflict {conflict_id}; `verifier conflicts list` shows those there are"
        )
    return _conflict_of(row)


LOCK_CONFLICT: Final[LiteralString] = """
    SELECT conflict_id FROM conflict
     WHERE tenant_id = current_tenant() AND conflict_id = $1
       FOR NO KEY UPDATE
"""


async def _lock_standing(conn: Connection, conflict_id: int) -> Conflict:
    """Return the conflict, which no one else changes now. Raises InputError where it is closed."""
    await get_conflict(conn, conflict_id)
    await conn.execute(LOCK_CONFLICT, conflict_id)
    found = await get_conflict(conn, conflict_id)
    if found.state is ConflictState.RESOLVED:
        raise InputError(
            f"conflict {conflict_id} was resolved by {found.resolved_by}: {found.reason};"
            " declare a new one where that no longer holds"
        )
    if found.state is ConflictState.OBSOLETE:
        raise InputError(f"conflict {conflict_id} is obsolete: {found.reason}")
    return found


ASSIGN_CONFLICT: Final[LiteralString] = """
    UPDATE conflict
       SET state = 'assigned', assigned_to = $2, assigned_by = $3, assigned_at = clock_timestamp()
     WHERE tenant_id = current_tenant() AND conflict_id = $1
"""


async def assign_conflict(
    conn: Connection, conflict_id: int, *, to: str, by: str, instead_of: str | None = None
) -> Conflict:
    """Give a conflict to a person to look at; from another only where `instead_of` names that one.

    Raises UnknownThing; InputError where somebody else has it by now, or where it is closed.
    """
    name, giver = read_name(to), read_name(by)
    found = await _lock_standing(conn, conflict_id)
    if found.assigned_to != instead_of and found.assigned_to != name:
        holder = "nobody" if found.assigned_to is None else found.assigned_to
        raise InputError(
            f"conflict {conflict_id} is assigned to {holder};"
            " name who has it, to take it over (--instead-of)"
        )
    await conn.execute(ASSIGN_CONFLICT, conflict_id, name, giver)
    return await get_conflict(conn, conflict_id)


RESOLVE_CONFLICT: Final[LiteralString] = """
    UPDATE conflict
       SET state = 'resolved', resolved_by = $2, reason = $3, resolved_at = clock_timestamp()
     WHERE tenant_id = current_tenant() AND conflict_id = $1
"""


async def resolve_conflict(conn: Connection, conflict_id: int, *, by: str, reason: str) -> Conflict:
    """Close a conflict, which makes no verdict `source_conflict` any more.

    Raises UnknownThing; InputError where somebody resolved it already, or without name or reason.
    """
    name, told = read_name(by), _read_text(reason, "reason")
    await _lock_standing(conn, conflict_id)
    await conn.execute(RESOLVE_CONFLICT, conflict_id, name, told)
    return await get_conflict(conn, conflict_id)


def read_name(name: str) -> str:
    """Return the name of a person, without space around it. Raises InputError where it is none."""
    read = name.strip()
    if not read or not is_storable(read) or len(read) > LONGEST_NAME:
        raise InputError(f"a conflict needs a person's name, of at most {LONGEST_NAME} characters")
    return read


def _read_text(text: str, what: str) -> str:
    read = storable_text(text.strip())
    if not read or len(read) > LONGEST_TEXT:
        raise InputError(f"a conflict needs a {what}, of at most {LONGEST_TEXT:,} characters")
    return read


def _conflict_of(row: Record) -> Conflict:
    return Conflict(
        conflict_id=row["conflict_id"],
        state=ConflictState(row["state"]),
        origin=ConflictOrigin(row["origin"]),
        topic=ConflictTopic(
            subject=row["subject"],
            attribute=row["attribute"],
            value=row["value"],
            other_value=row["other_value"],
        ),
        side=_side(row, ""),
        other=None if row["other_key"] is None else _side(row, "other_"),
        other_row=row["other_place"],
        declared_by=row["declared_by"],
        assigned_to=row["assigned_to"],
        assigned_by=row["assigned_by"],
        assigned_at=row["assigned_at"],
        resolved_by=row["resolved_by"],
        reason=row["reason"],
        created_at=row["created_at"],
        resolved_at=row["resolved_at"],
    )


def _side(row: Record, prefix: str) -> ConflictSide:
    start, end = row[f"{prefix}start_at"], row[f"{prefix}end_at"]
    return ConflictSide(
        source=row[f"{prefix}key"],
        seq=row[f"{prefix}seq"],
        every_version=row[f"{prefix}every_version"],
        span=None if start is None else Span(start, end),
        words=row[f"{prefix}words"],
    )
