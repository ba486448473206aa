"""Sources page by page, each with how many logged answers rest on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.errors import UnknownThing
from verifier.store.sources import SELECT_LISTING, SourceListing, read_listing
from verifier.store.storable import is_storable

if TYPE_CHECKING:
    from verifier.core.documents import Permission
    from verifier.store.pool import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class ShelvedSource:
    """A source with what is current of it, and how many logged answers cite any version of it."""

    listing: SourceListing
    answers: int


_WITH_ANSWERS: Final[LiteralString] = f"""
    SELECT shelved.*,
           (SELECT count(*)
              FROM (SELECT DISTINCT c.created_at, c.report_id
                      FROM report_citation c
                     WHERE c.tenant_id = current_tenant() AND c.source_id = shelved.source_id) AS each)
               AS answers
      FROM ({SELECT_LISTING}
"""  # noqa: S608  # made of constants alone
LIST_SHELF: Final[LiteralString] = f"""
    {_WITH_ANSWERS}
            WHERE s.tenant_id = current_tenant()
              AND s.key > $2
              AND ($3::text IS NULL OR s.permission = $3)
              AND ($4 = '' OR strpos(lower(s.key), lower($4)) > 0
                   OR strpos(lower(coalesce(s.title, '')), lower($4)) > 0)
            ORDER BY s.key
            LIMIT $1) AS shelved
     ORDER BY shelved.key
"""


async def list_shelf(
    conn: Connection, *, holding: str, after: str, permission: Permission | None, limit: int
) -> tuple[ShelvedSource, ...]:
    """Return at most `limit` sources behind the key `after` with `holding` in key or title, by key."""
    if not is_storable(holding) or not is_storable(after):
        return ()
    wanted = None if permission is None else permission.value
    rows = await conn.fetch(LIST_SHELF, limit, after, wanted, holding)
    return tuple(ShelvedSource(listing=read_listing(row), answers=row["answers"]) for row in rows)


GET_SHELVED: Final[LiteralString] = f"""
    {_WITH_ANSWERS}
            WHERE s.tenant_id = current_tenant() AND s.key = $1) AS shelved
"""


async def get_shelved(conn: Connection, key: str) -> ShelvedSource:
    """Return the source of that key. Raises UnknownThing."""
    row = await conn.fetchrow(GET_SHELVED, key) if is_storable(key) else None
    if row is None:
        raise UnknownThing(f"there is no source {key!r}")
    return ShelvedSource(listing=read_listing(row), answers=row["answers"])
