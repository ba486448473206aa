"""The keys of one tenant, and who a caller is: by the secret of a key, or by the token of a session."""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import re
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from verifier.core.keys import ApiKey, Caller, Scope
from verifier.errors import InputError, StoreError

if TYPE_CHECKING:
    from collections.abc import Collection
    from contextlib import AbstractAsyncContextManager
    from datetime import datetime

    from verifier.connections import Connections
    from verifier.store.api_keys import FoundCaller
    from verifier.store.pool import Connection
    from verifier.verbs import RunVerb

REVOKED_WITHIN_S: Final = 2.0
"""After how long at most another process notices that a key was revoked; the revoking one does at once."""
SESSION_LASTS: Final = timedelta(hours=12)

_MOST_CALLERS: Final = 4_096
_SECRET: Final = re.compile(r"vk_[A-Za-z0-9_-]{43}")  # vk_ and 32 random bytes
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_LOGGER: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key that was added, and its secret: this once, it is not kept."""

    key: ApiKey
    secret: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSession:
    """A session that was opened: its token is for the cookie alone, `csrf` for the forms of its pages."""

    token: str
    csrf: str
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSession:
    """Who is signed in, and what the forms of that session carry."""

    caller: Caller
    csrf: str


class KnownCallers:
    """Callers whose keys were looked up within the last two seconds, by hash; only those that exist.

    Bounded, and never filled by secrets that are wrong.
    """

    def __init__(self) -> None:
        self._until: OrderedDict[bytes, tuple[float, Caller]] = OrderedDict()

    def find(self, key_hash: bytes) -> Caller | None:
        """Return the caller, None where the key is to be looked up."""
        until, caller = self._until.get(key_hash, (0.0, None))
        return caller if time.monotonic() < until else None

    def keep(self, key_hash: bytes, found: FoundCaller) -> None:
        """Remember a caller for two seconds, or for what is left of its key."""
        left = min(REVOKED_WITHIN_S, found.expires_in_s or REVOKED_WITHIN_S)
        self._until[key_hash] = (time.monotonic() + left, found.caller)
        self._until.move_to_end(key_hash)
        if len(self._until) > _MOST_CALLERS:
            self._until.popitem(last=False)

    def forget(self, tenant: str, key_id: int) -> None:
        """Drop what is known of a key."""
        gone = [
            key_hash
            for key_hash, (_, caller) in self._until.items()
            if (caller.tenant, caller.key_id) == (tenant, key_id)
        ]
        for key_hash in gone:
            del self._until[key_hash]


class Keys:
    """Adds, lists and revokes the keys of one tenant; tells of any tenant's caller who it is.

    `Verifier.keys` is one.
    """

    def __init__(self, connections: Connections, tenant: str, known: KnownCallers) -> None:
        self._connections = connections
        self._tenant = tenant
        self._known = known

    async def add(
        self,
        name: str,
        scopes: Collection[Scope | str],
        *,
        expires_in: timedelta | None = None,
        may_act_for_principals: bool = False,
        may_supply_calls: bool = False,
    ) -> NewKey:
        """Add a key and return it with its secret, which nobody can read again.

        Raises InputError for a scope that there is not, and for terms that `KeyTerms` refuses.
        """
        from verifier.store.api_keys import KeyTerms, add_key

        terms = KeyTerms(
            name=name.strip(),
            scopes=_read_scopes(scopes),
            expires_in=expires_in,
            may_act_for_principals=may_act_for_principals,
            may_supply_calls=may_supply_calls,
        )
        secret = f"vk_{secrets.token_urlsafe(32)}"
        async with self._connections.transaction(self._tenant) as conn:
            return NewKey(key=await add_key(conn, terms, _hash(secret)), secret=secret)

    async def list(self) -> tuple[ApiKey, ...]:
        """Return every key in the order in which they were added, expired and revoked ones too."""
        from verifier.store.api_keys import list_keys

        async with self._connections.transaction(self._tenant, read_only=True) as conn:
            return await list_keys(conn)

    async def revoke(self, name: str) -> ApiKey:
        """Revoke a key for good and end its sessions; again changes nothing. Raises UnknownThing.

        Other processes notice it within `REVOKED_WITHIN_S` seconds.
        """
        from verifier.store.api_keys import revoke_key
        from verifier.store.web_sessions import close_sessions_of

        async with self._connections.transaction(self._tenant) as conn:
            revoked = await revoke_key(conn, name.strip())
            await close_sessions_of(conn, revoked.key_id)
        self._known.forget(self._tenant, revoked.key_id)
        return revoked

    async def authenticate(self, secret: str) -> Caller | None:
        """Return who holds the secret, of whatever tenant; None if it is unknown, expired or revoked."""
        from verifier.store.api_keys import find_key

        if _SECRET.fullmatch(secret) is None:
            return None
        key_hash = _hash(secret)
        known = self._known.find(key_hash)
        if known is not None:
            return known
        async with self._before_tenant() as conn:
            found = await find_key(conn, key_hash)
        if found is None:
            return None
        self._known.keep(key_hash, found)
        await self._note_use(found)
        return found.caller

    async def open_session(self, caller: Caller) -> NewSession:
        """Open a session of the caller's key, of 12 hours. Raises InputError where the key serves no more."""
        from verifier.store.pool import retrying
        from verifier.store.web_sessions import open_session

        token = secrets.token_urlsafe(32)

        async def open_once() -> datetime:
            async with self._connections.transaction(caller.tenant) as conn:
                return await open_session(conn, _hash(token), caller.key_id, SESSION_LASTS)

        ends = await retrying(open_once)  # those who sign in at once remove the same ended sessions
        return NewSession(token=token, csrf=_csrf_of(token), expires_at=ends)

    async def find_session(self, token: str) -> WebSession | None:
        """Return the session of a token, None where it has ended or its key serves no more."""
        found = await self._find_session(token)
        if found is None:
            return None
        await self._note_use(found)
        return WebSession(caller=found.caller, csrf=_csrf_of(token))

    async def close_session(self, token: str) -> None:
        """End a session; one that there is not is no error."""
        from verifier.store.web_sessions import close_session

        found = await self._find_session(token)
        if found is not None:
            async with self._connections.transaction(found.caller.tenant) as conn:
                await close_session(conn, _hash(token))

    async def _find_session(self, token: str) -> FoundCaller | None:
        from verifier.store.web_sessions import find_session

        if _TOKEN.fullmatch(token) is None:
            return None
        async with self._before_tenant() as conn:
            return await find_session(conn, _hash(token))

    def _before_tenant(self) -> AbstractAsyncContextManager[Connection]:
        return self._connections.transaction_before_tenant()

    async def _note_use(self, found: FoundCaller) -> None:
        """Record the use where none was within a minute; a database that only reads keeps nobody out."""
        from verifier.store.api_keys import note_use

        if found.used_lately:
            return
        try:
            async with self._connections.transaction(found.caller.tenant) as conn:
                await note_use(conn, found.caller.key_id)
        except StoreError as error:
            _LOGGER.warning("the use of key %s was not noted: %s", found.caller.key_id, error)


class BlockingKeys:
    """The keys of one tenant as `verifier.keys.Keys` keeps them, verb by verb."""

    def __init__(self, keys: Keys, run: RunVerb) -> None:
        self._keys = keys
        self._run = run

    def add(
        self,
        name: str,
        scopes: Collection[Scope | str],
        *,
        expires_in: timedelta | None = None,
        may_act_for_principals: bool = False,
        may_supply_calls: bool = False,
    ) -> NewKey:
        """Add a key, as `Keys.add`."""
        return self._run(
            self._keys.add(
                name,
                scopes,
                expires_in=expires_in,
                may_act_for_principals=may_act_for_principals,
                may_supply_calls=may_supply_calls,
            )
        )

    def list(self) -> tuple[ApiKey, ...]:
        """Return every key, as `Keys.list`."""
        return self._run(self._keys.list())

    def revoke(self, name: str) -> ApiKey:
        """Revoke a key, as `Keys.revoke`."""
        return self._run(self._keys.revoke(name))


def _hash(secret: str) -> bytes:
    """Return what is kept of a secret; it is random and long, so that one plain hash is enough."""
    return hashlib.sha256(secret.encode()).digest()


def _csrf_of(token: str) -> str:
    """Return the session's word for forms: it follows from the token, which can't be told from it."""
    mark = hmac.digest(token.encode(), b"verifier csrf", "sha256")
    return base64.urlsafe_b64encode(mark).rstrip(b"=").decode()


def _read_scopes(given: Collection[Scope | str]) -> frozenset[Scope]:
    names = {given} if isinstance(given, str) else set(given)
    unknown = sorted(names - set(Scope))
    if unknown:
        raise InputError(f"{unknown[0]!r} is no scope; there are {', '.join(Scope)}")
    return frozenset(Scope(name) for name in names)
