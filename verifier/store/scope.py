"""The scope of a search: which sources, and of what moment and state of knowledge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.errors import InputError, UnknownThing
from verifier.store.storable import is_storable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from verifier.core.search_options import SearchOptions
    from verifier.store.pool import Connection

SCOPE: Final[LiteralString] = "$3::text::jsonpath, $4::bigint[], $5::timestamptz, $6::bigint"
"""The scope as parameters of a search function, after what is looked for and k."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a search function takes for its scope; None restricts nothing, or means now."""

    filter_path: str | None = None
    source_ids: tuple[int, ...] | None = None
    as_of: datetime | None = None
    at_basis: int | None = None

    @property
    def parameters(self) -> tuple[str | None, Sequence[int] | None, datetime | None, int | None]:
        """The values of the parameters in `SCOPE`."""
        return (self.filter_path, self.source_ids, self.as_of, self.at_basis)


GET_BASIS: Final[LiteralString] = """
    SELECT basis FROM tenant WHERE tenant_id = current_tenant()
"""


async def get_basis(connection: Connection) -> int:
    """Return the basis of now, 0 before the first ingest."""
    basis: int | None = await connection.fetchval(GET_BASIS)
    return basis or 0


async def resolve_scope(connection: Connection, options: SearchOptions) -> Scope:
    """Return the scope of a search in a tenant's transaction.

    Raises UnknownThing naming a source that does not exist, InputError on a basis that is not reached yet.
    """
    if options.basis is not None:
        present = await get_basis(connection)
        if options.basis > present:
            raise InputError(
                f"basis {options.basis} is not reached yet; the present one is {present}"
            )
    return Scope(
        filter_path=options.filter_path,
        source_ids=await _find_sources(connection, options.sources),
        as_of=options.as_of,
        at_basis=options.basis,
    )


FIND_SOURCES: Final[LiteralString] = """
    SELECT source_id, key
      FROM source
     WHERE tenant_id = current_tenant() AND key = ANY ($1::text[])
"""


async def _find_sources(
    connection: Connection, keys: Sequence[str] | None
) -> tuple[int, ...] | None:
    if keys is None:
        return None
    wanted = dict.fromkeys(keys)
    possible = [key for key in wanted if is_storable(key)]
    rows = await connection.fetch(FIND_SOURCES, possible)
    missing = wanted.keys() - {row["key"] for row in rows}
    if missing:
        unknown = next(key for key in wanted if key in missing)
        raise UnknownThing(
            f"there is no source {unknown!r}; `verifier sources` shows what there is"
        )
    return tuple(sorted(row["source_id"] for row in rows))
