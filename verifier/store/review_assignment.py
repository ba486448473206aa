"""Who is to look at an entry of the review queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.reviews import ReviewState
from verifier.errors import InputError
from verifier.store.review_listing import get_review
from verifier.store.reviews import read_name

if TYPE_CHECKING:
    from verifier.store.pool import Connection
    from verifier.store.review_listing import ReviewEntry

LOCK_ENTRY: Final[LiteralString] = """
    SELECT
      FROM review
     WHERE tenant_id = current_tenant() AND review_id = $1
       FOR NO KEY UPDATE
"""
ASSIGN_ENTRY: Final[LiteralString] = """
    UPDATE review
       SET assigned_to = $2, assigned_by = $3, assigned_at = clock_timestamp()
     WHERE tenant_id = current_tenant() AND review_id = $1
"""


async def assign_review(
    conn: Connection, review_id: int, *, to: str, by: str, instead_of: str | None = None
) -> ReviewEntry:
    """Give an entry to a person; from another only where `instead_of` names that one.

    State and decisions stay as they are: one that was decided may be given to somebody for a second opinion.
    Raises UnknownThing; InputError where somebody else has it by now, or where it expired.
    """
    name, giver = read_name(to), read_name(by)
    await get_review(conn, review_id)
    await conn.execute(LOCK_ENTRY, review_id)
    found = await get_review(conn, review_id)
    if found.state is ReviewState.EXPIRED and found.expired_why is not None:
        raise InputError(
            f"review {review_id} has expired ({found.expired_why.value}); reopen it before it is assigned"
        )
    if found.assigned_to != instead_of and found.assigned_to != name:
        holder = "nobody" if found.assigned_to is None else found.assigned_to
        raise InputError(
            f"review {review_id} is assigned to {holder};"
            " name who has it, to take it over (--instead-of)"
        )
    await conn.execute(ASSIGN_ENTRY, review_id, name, giver)
    return await get_review(conn, review_id)
