"""Keys: added, listed, revoked, and found by the hash of their secret before a tenant is known."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final, LiteralString

from verifier.core.keys import ApiKey, Caller, Scope
from verifier.errors import InputError, UnknownThing
from verifier.store.sources import add_tenant
from verifier.store.storable import is_storable

if TYPE_CHECKING:
    from collections.abc import Collection

    from asyncpg import Record

    from verifier.store.pool import Connection

LONGEST_NAME: Final = 200
LONGEST_VALIDITY: Final = timedelta(days=36_500)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTerms:
    """What a new key is called, and what it lets its holder do. Names are unique, also those of revoked keys.

    Raises InputError for a name that is blank, too long or has characters that can't be seen, without a
    scope, and for a time of validity that is none.
    """

    name: str
    scopes: frozenset[Scope]
    expires_in: timedelta | None = None
    may_act_for_principals: bool = False
    may_supply_calls: bool = False

    def __post_init__(self) -> None:
        if not self.name.strip() or len(self.name) > LONGEST_NAME or not self.name.isprintable():
            raise InputError(
                f"a key needs a name of 1 to {LONGEST_NAME} characters that can be seen"
            )
        if not self.scopes:
            raise InputError(f"a key needs a scope: {', '.join(Scope)}")
        if self.expires_in is not None and not timedelta() < self.expires_in <= LONGEST_VALIDITY:
            raise InputError("a key's time of validity is more than nothing, and at most 100 years")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCaller:
    """The holder of a secret, for how long it is good, and whether its use was noted within a minute."""

    caller: Caller
    expires_in_s: float | None
    used_lately: bool


ADD_KEY: Final[LiteralString] = """
    INSERT INTO api_key
           (tenant_id, name, key_hash, scopes, may_act_for_principals, may_supply_calls, expires_at)
    VALUES (current_tenant(), $1, $2, $3, $4, $5, clock_timestamp() + $6::interval)
    ON CONFLICT (tenant_id, name) DO NOTHING
    RETURNING key_id, name, scopes, may_act_for_principals, may_supply_calls, created_at, expires_at,
              revoked_at, last_used_at
"""


async def add_key(conn: Connection, terms: KeyTerms, key_hash: bytes) -> ApiKey:
    """Record a key by the hash of its secret. Raises InputError where the name is taken."""
    await add_tenant(conn)
    row = await conn.fetchrow(
        ADD_KEY,
        terms.name,
        key_hash,
        sorted(terms.scopes),
        terms.may_act_for_principals,
        terms.may_supply_calls,
        terms.expires_in,
    )
    if row is None:
        raise InputError(f"there is, or was, a key {terms.name!r}; choose another name")
    return _read_key(row)


LIST_KEYS: Final[LiteralString] = """
    SELECT key_id, name, scopes, may_act_for_principals, may_supply_calls, created_at, expires_at,
           revoked_at, last_used_at
      FROM api_key
     WHERE tenant_id = current_tenant()
     ORDER BY key_id
"""


async def list_keys(conn: Connection) -> tuple[ApiKey, ...]:
    """Return every key of the tenant in the order in which they were added, revoked ones too."""
    return tuple(_read_key(row) for row in await conn.fetch(LIST_KEYS))


REVOKE_KEY: Final[LiteralString] = """
    UPDATE api_key
       SET revoked_at = coalesce(revoked_at, clock_timestamp())
     WHERE tenant_id = current_tenant() AND name = $1
    RETURNING key_id, name, scopes, may_act_for_principals, may_supply_calls, created_at, expires_at,
              revoked_at, last_used_at
"""


async def revoke_key(conn: Connection, name: str) -> ApiKey:
    """Revoke a key for good; one that is revoked stays as it is. Raises UnknownThing."""
    row = await conn.fetchrow(REVOKE_KEY, name) if is_storable(name) else None
    if row is None:
        raise UnknownThing(f"there is no key {name!r}; `verifier keys list` shows which there are")
    return _read_key(row)


FIND_KEY: Final[LiteralString] = """
    SELECT tenant_id, key_id, name, scopes, may_act_for_principals, may_supply_calls, expires_in_s,
           used_lately
      FROM find_api_key($1)
"""


async def find_key(conn: Connection, key_hash: bytes) -> FoundCaller | None:
    """Return the holder of the secret of that hash; None where it is unknown, expired or revoked."""
    row = await conn.fetchrow(FIND_KEY, key_hash)
    return None if row is None else read_caller(row)


NOTE_USE: Final[LiteralString] = """
    UPDATE api_key
       SET last_used_at = clock_timestamp()
     WHERE tenant_id = current_tenant() AND key_id = $1
       AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - interval '1 minute')
"""


async def note_use(conn: Connection, key_id: int) -> None:
    """Record that the key is used now, unless that was recorded within a minute."""
    await conn.execute(NOTE_USE, key_id)


def read_caller(row: Record) -> FoundCaller:
    """Return the caller of a row that tells tenant, key and rights."""
    caller = Caller(
        tenant=row["tenant_id"],
        key_id=row["key_id"],
        name=row["name"],
        scopes=_read_scopes(row["scopes"]),
        may_act_for_principals=row["may_act_for_principals"],
        may_supply_calls=row["may_supply_calls"],
    )
    return FoundCaller(
        caller=caller, expires_in_s=row["expires_in_s"], used_lately=row["used_lately"]
    )


def _read_key(row: Record) -> ApiKey:
    return ApiKey(**{**row, "scopes": _read_scopes(row["scopes"])})


def _read_scopes(names: Collection[str]) -> frozenset[Scope]:
    """Return the scopes of those names; one that this version does not know gives nothing."""
    return frozenset(Scope(name) for name in names if name in set(Scope))
